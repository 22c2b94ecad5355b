"""``pieces="auto"``: into how many welded bodies slender beams are cut.

A body in a floating frame is exact to second order in its deflection against that frame. Cut into n welded
bodies each sees an n-th of it, so what is left out shrinks with every cut, and the change of the motion from
n to 2n bodies is larger than what 2n still leave out wherever the sequence converges at all. Pieces are
doubled until that change is below the tolerance, or every element is a body of its own.
"""

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np

from flexnet.analysis.run import Run
from flexnet.errors import ConvergenceError, ModelError
from flexnet.results import Results
from flexnet.signals import si_unit
from flexnet.system import System, in_pieces
from flexnet.system.pieces import AUTO

log = logging.getLogger("flexnet.pieces")

PARAMETER = "pieces"  # the number that was taken, among the parameters of a result file
TOLERANCE = 0.01  # change of lengths and angles, over their peaks, when pieces are doubled
PLACES = ("m", "rad")  # units of what tells a motion; loads of axial waves converge later


def is_open(system: System) -> bool:
    """Whether a run has to choose pieces."""
    return any(cut.pieces == AUTO for cut in system.cuts.values())


def choose_pieces(system: System, run: Callable[[System], Run], resumed: Path | None = None) -> System:
    """Return the system with its beams in as many pieces as its motion asks for.

    Parameters
    ----------
    system : with ``pieces="auto"`` for some beams, which are cut into equally many.
    run : a trial, the run the choice is for; it may fail, as few pieces do where deflections are large.
    resumed : a file that is gone on with: its number is taken, without a trial.

    Raises
    ------
    ModelError
        If no channel tells the motion.
    """
    if resumed is not None and resumed.exists():
        kept = Results.open(resumed).mechanism().parameters
        if isinstance(n := kept.get(PARAMETER), int):
            return _named(in_pieces(system, n), n, str(kept.get(f"{PARAMETER}_because", "")))
    told = [c.name for c in system.asked if si_unit(c.measure) in PLACES]
    if not told:
        raise ModelError(
            f"pieces='auto': no channel tells the motion of {system.name!r}; expected one that records a"
            " length or an angle"
        )
    most = max(cut.most for cut in system.cuts.values() if cut.pieces == AUTO)
    n, change, before = 1, np.inf, _trial(system, 1, run)
    while n < most and change > TOLERANCE:
        n = min(2 * n, most)
        found = _trial(system, n, run)
        change = _change(before, found, told)
        log.info("%s: %d pieces, %s", system.name, n, _percent(change))
        before = found
    is_met = change <= TOLERANCE
    wanted = f"{100.0 * TOLERANCE:.2g} %"
    why = f"{n} pieces: {_percent(change)} from half as many, "
    why += f"{wanted} wanted" if is_met else f"more than {wanted}, and no beam has more elements to cut"
    (log.info if is_met else log.warning)("%s: %s", system.name, why)
    out = _named(in_pieces(system, n), n, why)
    out.uncut = "" if is_met else why
    return out


def _named(out: System, n: int, why: str) -> System:
    out.parameters |= {PARAMETER: n, f"{PARAMETER}_because": why}
    return out


def _percent(change: float) -> str:
    return f"channels change by {100.0 * change:.2g} % of their peaks"


def _trial(system: System, n: int, run: Callable[[System], Run]) -> Run | None:
    """A run with n pieces; none where its steps fail."""
    try:
        return run(in_pieces(system, n))
    except ConvergenceError as error:
        log.info("%d pieces: %s", n, error)
        return None


def _change(before: Run | None, run: Run | None, told: list[str]) -> float:
    """Largest change of a channel over its peak."""
    if before is None or run is None or len(before.t) != len(run.t):
        return np.inf
    pairs = [(before.channel(name), run.channel(name)) for name in told]
    return max(
        (float(np.abs(a - b).max() / p) for a, b in pairs if (p := np.abs(b).max()) > 0.0), default=0.0
    )
