"""Which method a run takes where that is left open: ``method="auto"``.

Smooth motion is cheapest by steps of high order (dop853). Where something much faster than the motion is at
rest in it, a stiff spring, a damper, the high modes of a flexible body, an explicit step is held back by
stability, not by accuracy; an implicit one (radau) is some ten times as dear and is not held back. Which of
them a motion is, its steps tell: both take the same beginning of it at the same tolerance, and what they do
after its first quarter, where what was not at rest at the start has died out, is counted in operations:

    explicit   steps · 12 (R + A)                                                                     (1)
    radau      iterations · 3 (R + S) + factorisations · (5 A + 2 n R)                                (2)

R is a residual, A the matrices with their factors, S a solution with them, all in units of a coordinate's
share in a residual. The beginning grows until the explicit steps in it are many, or all of the motion; radau
gives up where it has had more to do in a part of it than they had in all.
Nothing is timed: the same run is made by the same method, whatever the machine does.

A fixed step leaves nothing to choose: HHT-α takes it, as it does without ``method="auto"``.
"""

import logging
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from flexnet.dae import Dae
from flexnet.errors import FlexnetError, ResultError
from flexnet.integrators import METHODS, Method, Settings, Status, begin, dop853, hht, radau
from flexnet.integrators.march import AbstractMarch
from flexnet.results import Results

log = logging.getLogger("flexnet.equations")

AUTO = "auto"
#: explicit steps of a whole run that need no second thought: it is soon over
FEW = 40
#: explicit steps after which a beginning is long enough
MANY = 500
#: the first beginning as a part of the run, and how much longer the next one is
FIRST, LONGER = 4.0**-10, 4.0
#: rows of a beginning, after which is looked at what was done
ROWS = 8
#: evaluations of an explicit step
STAGES = 12


@dataclass(frozen=True, slots=True)
class Choice:
    """A method and why it is taken; no words where the user chose it."""

    method: Method
    why: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a method did in a beginning.

    Attributes
    ----------
    status : how it ended.
    operations : of all of it, and of what follows its first quarter.
    gave_up : where it had more to do than it was allowed.
    """

    status: Status
    operations: float
    late: float
    gave_up: bool = False

    @property
    def is_done(self) -> bool:
        """Whether it got through, or gave up though it could have."""
        return self.status.is_done

    @property
    def steps(self) -> int:
        """Steps, those not taken included."""
        return self.status.steps + self.status.rejected


def choose_method(dae: Dae, settings: Settings, resumed: Path | None = None) -> Choice:
    """Decide the method of a run, and tell the logger why.

    Parameters
    ----------
    dae : the equations, without events.
    resumed : result file to go on with; its own method is taken, so that the numbers stay the same.
    """
    choice = _of_file(resumed) if resumed is not None and resumed.exists() else _decide(dae, settings)
    log.info("method: %s, %s", choice.method.name, choice.why)
    return choice


def _of_file(path: Path) -> Choice:
    """The method that a file was begun with by ``"auto"``."""
    stored = Results.open(path).settings
    name, why = str(stored.get("name")), stored.get("method_because")
    if why is None or name not in METHODS:
        raise ResultError(
            f'{path}: cannot be resumed with method="auto", it was begun with {name}; name that method'
        )
    return Choice(METHODS[name](), str(why))


def _decide(dae: Dae, settings: Settings) -> Choice:
    """What (1) and (2) say about a beginning."""
    if settings.tolerance is None:
        return Choice(hht(), "for a step that is fixed; a tolerance would leave it a choice")
    if not settings.end > dae.t:
        return Choice(hht(), "there is no motion to look at")
    try:
        share, explicit = _beginning(dae, settings)
        if share == 1.0 and explicit.is_done and explicit.steps <= FEW:
            return Choice(dop853(), f"which takes the motion in {explicit.steps} steps")
        implicit = _try(dae, radau(), settings, share, explicit.operations if explicit.is_done else inf)
    except FlexnetError as error:
        return Choice(hht(), f"others refuse the model: {error}")
    seen = "" if share == 1.0 else f" in the first {share * (settings.end - dae.t):.2g} s"
    if not (explicit.is_done and implicit.is_done):
        if not (explicit.is_done or implicit.is_done):
            return Choice(hht(), f"no other gets through the motion{seen}")
        through, other = (radau(), dop853()) if implicit.is_done else (dop853(), radau())
        return Choice(through, f"which gets through the motion{seen}, where {other.name} does not")
    one, two = explicit.late, implicit.late
    if implicit.gave_up:
        steps = f"{explicit.steps} explicit steps{seen}"
        return Choice(dop853(), f"the motion is not stiff: {steps}, and radau had more to do in a part of it")
    both = f"{explicit.steps} explicit steps or {implicit.steps} of radau{seen}"
    if two < one:
        return Choice(radau(), f"the motion is stiff: {both}, then at {one / two:.2g} times its operations")
    return Choice(
        dop853(), f"the motion is not stiff: {both}, then at {two / one:.2g} times their operations"
    )


def _beginning(dae: Dae, settings: Settings) -> tuple[float, Trial]:
    """A beginning, as a part of the run, that takes many explicit steps, or all of it; what they were."""
    share = FIRST
    while True:
        trial = _try(dae, dop853(), settings, share)
        if share >= 1.0 or trial.steps >= MANY or not trial.is_done:
            return share, trial
        share = min(LONGER * share, 1.0)


def _try(dae: Dae, method: Method, settings: Settings, share: float, most: float = inf) -> Trial:
    """Let a method take a beginning, in steps as of the whole run."""
    assert settings.tolerance is not None
    part = share * (settings.end - dae.t)
    march = begin(
        dae,
        method,
        replace(
            settings, end=dae.t + part, interval=part / ROWS, step=min(settings.step, part / ROWS),
            block=None, tolerance=settings.tolerance * share,  # every step has its share of it
        ),
    )  # fmt: skip
    count = explicit_operations if method.name == "dop853" else radau_operations
    early = done = 0.0
    assert isinstance(march, AbstractMarch)
    while march.rows < march.total_rows and march.status.is_done:
        march.advance(1)
        done = count(dae, march.status)
        early = done if 4 * march.rows <= ROWS else early
        if done > most:
            return Trial(march.status, done, inf, gave_up=True)
    return Trial(march.status, done, max(done - early, 1.0))


def explicit_operations(dae: Dae, status: Status) -> float:
    """Operations (1), in units of a coordinate's share in a residual."""
    R = float(dae.n_v)
    # along a tree of bodies accelerations cost as much as three residuals
    is_tree = dae.links is not None and dae.links() is not None
    return (status.steps + status.rejected) * STAGES * (R + (3 * R if is_tree else _matrices(dae)))


def radau_operations(dae: Dae, status: Status) -> float:
    """Operations (2), in the same units."""
    n, R = dae.n_v, float(dae.n_v)
    S = (n + dae.m) ** 2 / 100
    return status.iterations * 3 * (R + S) + status.factorisations * (5 * _matrices(dae) + 2 * n * R)


def _matrices(dae: Dae) -> float:
    """M, G and their dense factors."""
    n, N = dae.n_v, dae.n_v + dae.m
    return float(n + n**2 / 10 + N**3 / 300)
