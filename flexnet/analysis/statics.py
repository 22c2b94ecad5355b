"""Static equilibrium: forces and constraints balance at rest.

    r(q, λ) = -F(q, 0, t) + Gᵀ λ = 0,      Φ(q, t) = 0                                             (1)

The equilibrium found is the one in which the mechanism would come to rest if a fluid held every body back
alike and nothing had mass: :mod:`~flexnet.analysis.descent` follows that motion from the assembled state by
implicit steps, the last of which are Newton's. It depends neither on masses nor on the trees. A state that
symmetry holds on a ridge, such as an upright pendulum or a straight column beyond its critical load, is kept,
and said to be unstable, by the motions that leave it; :func:`branches` goes down from there on either side.
"""

from dataclasses import dataclass, field

import numpy as np

from flexnet.analysis.descent import Descent, Place, descend
from flexnet.analysis.stability import Stability, Verdict, judge, moving_most, told
from flexnet.analysis.tangents import stiffness
from flexnet.errors import ConvergenceError
from flexnet.formulation import Equations, Load, Motion, State, formulate, reactions
from flexnet.system import System
from flexnet.typing import Array

_EPS = float(np.finfo(float).eps)
#: how far to either side of a ridge branches start, displacement over length or rad
_ASIDE = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """A mechanism at rest.

    Attributes
    ----------
    equations : the equations that balance, drivers and loads held at their values.
    state : configuration, with zero velocity.
    lam : (m,) multipliers of the constraints.
    loads : loads of all joints and drivers.
    iterations : of the way to it.
    stability : motions against which nothing pushes back, by name.
    falling : (k, n) these motions, each with its largest displacement over the length, or rotation, one.
    """

    equations: Equations
    state: State
    lam: Array
    loads: dict[str, Load]
    iterations: int
    stability: Stability
    falling: Array = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def is_stable(self) -> bool | None:
        """Whether every small motion is pushed back; None where that cannot be decided within the errors."""
        return self.stability.is_stable


def equilibrium(
    system: System | Equations, tree: str = "default", t: float = 0.0, tolerance: float = 1e-10
) -> Equilibrium:
    """Find the static equilibrium a mechanism comes to rest in from its assembled state.

    Parameters
    ----------
    system : the mechanism, or its equations.
    tree : ready-made tree, where a System is given.
    t : time at which drivers and loads are taken, s.
    tolerance : what may be left to go, displacements over the length of the mechanism or rad.

    Raises
    ------
    ConvergenceError
        If there is none near: names the coordinates that drift.
    """
    equations = (system if isinstance(system, Equations) else formulate(system, tree)).frozen(t)
    return _rest(equations, equations.initial.q, t, tolerance)


def branches(found: Equilibrium, tolerance: float = 1e-10) -> tuple[Equilibrium, ...]:
    """Go down from an unstable equilibrium on both sides of every motion that leaves it.

    Returns
    -------
    tuple of Equilibrium
        Forward and backward along each; none for a stable one. Forward is where the largest of displacements
        and rotations is positive.
    """
    e, at = found.equations, found.state
    starts = [e.compose(at.q, s * _ASIDE * x) for x in found.falling for s in (1.0, -1.0)]
    return tuple(_rest(e, q, at.t, tolerance) for q in starts)


def _rest(equations: Equations, q: Array, t: float, tolerance: float) -> Equilibrium:
    way = descend(equations, q, t, tolerance)
    if not way.is_rest:
        raise ConvergenceError(_why_none(equations, way))
    place = way.place
    state = State(t, place.q, np.zeros(equations.n_v))
    motion = Motion(np.zeros(equations.n_v), place.lam)
    stability, falling = _judged(equations, state, place)
    loads = reactions(equations, state, motion)
    return Equilibrium(equations, state, place.lam, loads, way.iterations, stability, falling)


def _judged(equations: Equations, state: State, place: Place) -> tuple[Stability, Array]:
    """Verdict on every small motion by its own stiffness, and those that fall.

    The free motions are scaled so that the reduced stiffness has a diagonal of ones: a stiff one then is
    no measure for a soft one.
    """
    K, error = stiffness(equations, state, Motion(np.zeros(equations.n_v), place.lam), place.measure)
    B = place.B
    K_r, E_r = B.T @ K @ B, np.abs(B.T) @ (error + 4.0 * _EPS * len(K) * np.abs(K)) @ np.abs(B)
    diagonal = np.abs(np.diag(K_r))
    d = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    kappa, x = np.linalg.eigh(0.5 * (K_r + K_r.T) * np.outer(d, d))
    own = np.einsum("ik,ij,jk->k", np.abs(x), E_r * np.outer(d, d), np.abs(x))
    own += 4.0 * len(d) * _EPS * np.abs(kappa).max(initial=0.0)
    told_of: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    falling = []
    for value, e, shape in zip(kappa, own, (B @ (d[:, None] * x)).T, strict=True):
        verdict = judge(-value, e)
        told_of[verdict].append(
            f"nothing holds the motion of {told(moving_most(equations, place.measure, shape))}"
            f" (stiffness {value:.3g} of that of its coordinates, error {e:.1e})"
        )
        if verdict is Verdict.GROWS:
            falling.append(_forward(place, shape))
    return (
        Stability(tuple(told_of[Verdict.GROWS]), tuple(told_of[Verdict.UNDECIDED])),
        np.array(falling).reshape(len(falling), equations.n_v),
    )


def _forward(place: Place, shape: Array) -> Array:
    """A motion with the largest of its displacements and rotations plus one."""
    moved = place.measure.J @ shape
    out: Array = shape / moved[int(np.argmax(np.abs(moved) > 0.999 * np.abs(moved).max()))]
    return out


def _why_none(equations: Equations, way: Descent) -> str:
    names = moving_most(equations, way.place.measure, way.last, 2)
    moved = way.place.measure.extent(way.last)
    return (
        f"{equations.system.name}: no static equilibrium was found from the assembled state in"
        f" {way.iterations} iterations; {told(names)} still drift{'s' * (len(names) == 1)}, by {moved:.3g} of"
        " the length of the mechanism (or rad) in the last one. Where nothing answers a load on it, hold that"
        " coordinate by a spring or a joint; otherwise start nearer"
    )
