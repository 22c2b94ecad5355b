"""``pieces="auto"``: into how many welded bodies a slender beam is cut.

A body in a floating frame is exact to second order in its deflection against that frame. Cut into n welded
bodies each sees an n-th of it, so what is left out shrinks with every cut, and the change of the motion from
n to 2n bodies is larger than what 2n still leave out wherever the sequence converges at all. Pieces are
doubled until that change is below the tolerance.
"""

import inspect
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.analysis.run import Run
from flexnet.analysis.simulate import simulate
from flexnet.errors import ConvergenceError, ModelError
from flexnet.integrators import Method
from flexnet.signals import si_unit
from flexnet.system import System

log = logging.getLogger("flexnet.pieces")

PARAMETER = "pieces"
PLACES = ("m", "rad")  # units of what tells a motion; loads of axial waves converge later


@dataclass(frozen=True, slots=True)
class Pieces:
    """What was chosen, and why.

    Attributes
    ----------
    pieces : bodies in a row.
    system : the mechanism with so many; its parameters tell the choice, and so does a result file.
    changes : pieces → largest change of a channel over its peak when they were doubled to that number.
    why : one sentence.
    is_met : whether the last change is below the tolerance.
    """

    pieces: int
    system: System
    changes: dict[int, float]
    why: str
    is_met: bool


def choose_pieces(
    build: Callable[..., System],
    end: float,
    step: float,
    tolerance: float = 0.01,
    method: Method | None = None,
    tree: str = "default",
    most: int = 32,
    channels: Sequence[str] | None = None,
    **settings: Any,
) -> Pieces:
    """Choose the number of welded bodies a beam is cut into, by trial runs.

    Parameters
    ----------
    build : makes the mechanism; its parameter ``pieces`` is the number of bodies, and its own value for it
        is where the choice begins.
    end, step : of the run the choice is for, s.
    tolerance : change of channels, over their peaks, from half as many pieces.
    method, tree : of the trial runs, as in :func:`simulate`.
    most : pieces at most; where they do not suffice it is said, and the log warns.
    channels : those that tell; all that record lengths and angles if left out.
    settings : other parameters of ``build``.

    Raises
    ------
    ModelError
        If ``build`` has no parameter ``pieces``, or no channel tells the motion.
    """
    n = _first(build)
    if not tolerance > 0.0:
        raise ModelError(f"tolerance of the pieces is {tolerance}; expected a number above zero")
    if most < 2 * n:
        raise ModelError(f"most is {most} pieces; expected at least {2 * n}, the first number doubled")
    changes: dict[int, float] = {}
    system, before = _trial(build, n, end, step, method, tree, settings)
    while 2 * n <= most and not (changes and changes[n] <= tolerance):
        n *= 2
        system, run = _trial(build, n, end, step, method, tree, settings)
        changes[n] = _change(before, run, channels)
        log.info("%s: %d pieces, %s", system.name, n, _percent(changes[n]))
        before = run
    is_met = changes[n] <= tolerance
    why = f"{n} pieces: {_percent(changes[n])} from {n // 2}, "
    wanted = f"{100.0 * tolerance:.2g} %"
    why += f"{wanted} wanted" if is_met else f"more than {wanted}, and no more than {most} pieces"
    (log.info if is_met else log.warning)("%s: %s", system.name, why)
    system.parameters |= {PARAMETER: n, f"{PARAMETER}_because": why}
    return Pieces(n, system, changes, why, is_met)


def _percent(change: float) -> str:
    return f"channels change by {100.0 * change:.2g} % of their peaks"


def _first(build: Callable[..., System]) -> int:
    own = inspect.signature(build).parameters.get(PARAMETER)
    if own is None:
        raise ModelError(f"pieces='auto': build has no parameter {PARAMETER!r} to choose")
    if own.default is own.empty or isinstance(own.default, str):
        return 1
    return int(own.default)


def _trial(
    build: Callable[..., System],
    n: int,
    end: float,
    step: float,
    method: Method | None,
    tree: str,
    settings: dict[str, Any],
) -> tuple[System, Run | None]:
    """A run with n pieces; none where its steps fail, which few pieces do where deflections are large."""
    system = build(**{PARAMETER: n}, **settings)
    try:
        return system, simulate(system, end, step, method, tree)
    except ConvergenceError as error:
        log.info("%d pieces: %s", n, error)
        return system, None


def _change(before: Run | None, run: Run | None, channels: Sequence[str] | None) -> float:
    """Largest change of a channel over its peak."""
    if before is None or run is None:
        return np.inf
    known = {c.name: si_unit(c.measure) for c in run.equations.system.channels}
    told = [name for name, unit in known.items() if unit in PLACES] if channels is None else channels
    former = {c.name for c in before.equations.system.channels}
    both = [name for name in told if name in known and name in former]
    peaks = {name: float(np.abs(run.channel(name)).max()) for name in both}
    both = [name for name in both if peaks[name] > 0.0]
    if not both:
        raise ModelError(
            f"pieces='auto': no channel tells the motion of {run.equations.system.name!r}; expected one that"
            " records a length or an angle"
        )
    return max(float(np.abs(run.channel(n) - before.channel(n)).max()) / peaks[n] for n in both)
