"""Which engine evaluates the equations of a run: families through their table, or straight-line code.

``numeric`` sweeps over branches and bodies and calls the family of each; ``symbolic`` runs code written for
this one mechanism, two to six times as fast a step, which must first be written and compiled: some 0.2 ms a
line, a few thousand lines for a small mechanism. ``auto`` takes the code where the run is long enough to earn
that back and the mechanism small enough to be written in a few seconds. What it goes by are counts, not
clocks or caches: the same run is made by the same engine, whatever was run before.
"""

import logging
from pathlib import Path

from flexnet.dae import Dae
from flexnet.errors import FlexnetError, ModelError
from flexnet.formulation import Equations
from flexnet.integrators import Settings
from flexnet.results import Results

log = logging.getLogger("flexnet.equations")

ENGINES = ("auto", "numeric", "symbolic")
#: planned steps from which code of its own has paid: it saves 1 to 12 µs a step and takes 0.05 to 1.5 s
STEPS = 50_000
#: entries of M and G up to which a mechanism is written out; each is some 10 to 60 operations
ENTRIES = 400
#: lines of code up to which it is compiled, about 3 s
LINES = 16_000


def make_dae(equations: Equations, engine: str) -> Dae:
    """The equations behind the protocol of the integrators, by one of the two engines."""
    if engine == "numeric":
        return equations.dae()
    if engine == "symbolic":
        from flexnet.formulation.symbolic import symbolic_dae  # loaded only when it is asked for

        return symbolic_dae(equations)
    raise _unknown(engine)


def choose_engine(engine: str, equations: Equations, settings: Settings, resumed: Path | None = None) -> str:
    """The engine of a run by its name: ``auto`` is decided, and the logger is told why.

    Parameters
    ----------
    resumed : result file to go on with; its own engine is taken, so that the numbers stay the same.
    """
    if engine not in ENGINES:
        raise _unknown(engine)
    if engine != "auto":
        return engine
    if resumed is not None and resumed.exists():
        return str(Results.open(resumed).settings.get("engine", "numeric"))
    reason = _reason(equations, settings)
    log.info("engine: %s", reason or "straight-line code of this mechanism, which its many steps earn back")
    return "numeric" if reason else "symbolic"


def _reason(equations: Equations, settings: Settings) -> str:
    """Why a run stays with families; empty where it does not."""
    # of an adaptive run only its rows are known before; its first step is a guess
    step = settings.step if settings.tolerance is None else settings.interval or settings.step
    steps = (settings.end - equations.initial.t) / step
    if steps < STEPS:
        return f"families; {_length(settings, steps)} is too short for code of its own (from {STEPS} on)"
    n, m = equations.n_v + equations.n_z, equations.m
    if (entries := n * (n + m)) > ENTRIES:
        return f"families; {entries} entries of M and G are too many to write out (up to {ENTRIES})"
    from flexnet.formulation.symbolic import symbolic_dae

    try:
        symbolic_dae(equations, most=LINES)
    except ModelError as error:
        return f"families; no code of its own: {error}"
    return ""


def _length(settings: Settings, steps: float) -> str:
    """How long a run is, by what is known before it."""
    if settings.tolerance is None:
        return f"a run of {steps:.0f} steps"
    counted = "rows" if settings.interval else "times its first step"
    return f"an adaptive run of {steps:.0f} {counted}, whose steps are not known before,"


def _unknown(engine: str) -> FlexnetError:
    return FlexnetError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
