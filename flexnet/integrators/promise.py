"""What becomes of local errors: the tolerance of a run is a promise about its positions, not about its steps.

An adaptive step holds the local error of the positions to its share h/T of the tolerance. What that makes of
the positions is

    e(t) = ∫ S(t, s) δ(s) ds,    S the motion linearised about itself,  δ the local errors of q and v

and S may let errors grow: the body-fixed velocity of a gyroscope turns fast, so that its local error
(1/12 + (αm - αf)(αf - ½)) h³ v⃛ is large beside that of the position, stands still in space and acts as long
as a nutation takes. S does not depend on the steps, and the local errors are proportional to the tolerance:

    e = g ε (1 + O(√ε))                                                                              (1)

Two runs at looser tolerances ε₁, ε₂ = ε₁/4 tell g = |q₁ - q₂|/(ε₁ - ε₂), for a third of the time of the run
itself. Where g > 1, the run is held to ε/g, but not beyond what round-off allows: N steps share a tolerance,
and N ∝ 1/√ε for methods of second order, so that from a pilot of N₂ steps

    ε/N > r    ⇔    ε > (r N₂ √ε₂)^(2/3),    r the round-off of a position over its size             (2)

A crank of small inertia that takes over all energy at its dead centres, once or twice a turn, is a motion
that meets (2): errors grow a hundredfold, and steps held to ε/g would judge noise and become ever smaller.
"""

from dataclasses import dataclass, replace

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.method import Method, begin
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import places
from flexnet.typing import Array

#: the looser of the two tolerances over that of the run, its largest value, and the tighter one over it
LOOSER, LOOSEST, STEP = 64.0, 1e-2, 0.25
#: distance of the two runs, in sizes, beyond which (1) tells nothing
APART = 0.3
#: times at which they are compared
LOOKS = 8
#: round-off of an estimated error, in units of the last place of a position
ROUND_OFF = 10.0 * float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class Promise:
    """How a run keeps its tolerance.

    Attributes
    ----------
    settings : of the run, with the tolerance it is held to.
    growth : g of (1), at least 1.
    warning : why the tolerance cannot be promised; empty if it can.
    """

    settings: Settings
    growth: float = 1.0
    warning: str = ""


def promise(dae: Dae, method: Method, settings: Settings) -> Promise:
    """Find the tolerance of the steps with which a run keeps that of its positions."""
    if settings.tolerance is None or not settings.end > dae.t or not _follows_positions(method):
        return Promise(settings)
    loose = max(min(LOOSER * settings.tolerance, LOOSEST), settings.tolerance)
    pilots = [_pilot(dae, method, settings, x) for x in (loose, STEP * loose)]
    if pilots[0] is None or pilots[1] is None:
        return Promise(settings)
    (one, _), (other, steps) = pilots[0], pilots[1]
    apart = float(np.abs((one - other) / places(dae)).max(initial=0.0))
    if apart > APART:
        return Promise(
            settings,
            warning=f"the tolerance cannot be promised: with tolerances of {loose:.2g} and"
            f" {STEP * loose:.2g} the positions differ by {apart:.2g} of their size, so errors grow fast"
            " along this motion; compare with a run at a tenth of the tolerance, or stop earlier.",
        )
    growth = max(1.0, apart / (loose - STEP * loose))
    wanted, least = settings.tolerance / growth, _least(dae, other, steps, STEP * loose)
    held = min(settings.tolerance, max(wanted, least))
    warning = ""
    if held > wanted:
        warning = (
            f"the tolerance cannot be promised: errors grow {growth:.2g} times along this motion, and steps"
            f" held to less than {held:.2g} would follow round-off; positions may be off by about"
            f" {growth * held:.1g} of their size. Stop earlier, or take dop853."
        )
    return Promise(replace(settings, tolerance=held), growth, warning)


def _least(dae: Dae, q: Array, steps: int, tolerance: float) -> float:
    """Least tolerance (2) at which steps see more than round-off, from the steps at another."""
    size = max(1.0, float(np.abs(q / places(dae)).max(initial=0.0)))
    return float((ROUND_OFF * size * steps * np.sqrt(tolerance)) ** (2 / 3))


def _follows_positions(method: Method) -> bool:
    """Whether the steps of a method are chosen by local errors of positions of second order."""
    return method.traits.order[0] == 2 and getattr(method, "control", "error") == "error"


def _pilot(dae: Dae, method: Method, settings: Settings, tolerance: float) -> tuple[Array, int] | None:
    """Positions at some times, (LOOKS, n_q), and steps; None where the run does not get there."""
    spacing = (settings.end - dae.t) / LOOKS
    try:
        march = begin(dae, method, replace(settings, tolerance=tolerance, interval=spacing, block=None))
    except FlexnetError:  # the run itself will say so
        return None
    rows = [block.q for block in march.blocks()]
    return (np.concatenate(rows), march.status.steps) if march.status.is_done else None
