"""Static equilibrium: forces and constraints balance at rest.

    r(q, λ) = -F(q, 0, t) + Gᵀ λ = 0,      Φ(q, t) = 0                                             (1)

The equilibrium found is the one in which the mechanism would come to rest if a fluid held every body back
alike and nothing had mass: :mod:`~flexnet.analysis.descent` follows that motion from the assembled state by
implicit steps, the last of which are Newton's. It depends neither on masses nor on the trees; of a mechanism
that floats that is true of its shape, for nothing holds the place where it comes to rest. A state that
symmetry holds on a ridge, such as an upright pendulum or a straight column beyond its critical load, is kept,
and said to be unstable, by the motions that leave it; :func:`branches` goes down from there on either side.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexnet.analysis.continuation import Curve, follow, start_of
from flexnet.analysis.descent import Descent, Place, descend
from flexnet.analysis.eigen import symmetric
from flexnet.analysis.linearise import linearise
from flexnet.analysis.loading import Loading
from flexnet.analysis.rest_with_states import judged_with_states, rest_with_states
from flexnet.analysis.stability import Stability, Verdict, judge, moving_most, told
from flexnet.analysis.stress import Recovery
from flexnet.analysis.tangents import stiffness
from flexnet.analysis.validity import deformation_warnings
from flexnet.analysis.watch import opened_rows
from flexnet.errors import ConvergenceError, ModelError, warn
from flexnet.formulation import Equations, Load, Motion, State, as_equations, reactions, snapshot
from flexnet.system import System
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import Recovered

log = logging.getLogger("flexnet")

_EPS = float(np.finfo(float).eps)
_TINY = float(np.finfo(float).tiny)
#: how far to either side of a ridge branches start, displacement over length or rad
_ASIDE = 0.02
#: part of K, of motions of unit stiffness, that is not symmetric: more is a force that follows the motion
_SKEW = 1e-6
#: steps in which loads grow at most
_LOAD_STEPS = 300


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """A mechanism at rest.

    Attributes
    ----------
    equations : the equations that balance, drivers and loads held at their values.
    state : configuration, with zero velocity.
    lam : (m,) multipliers of the constraints.
    loads : loads of all joints and drivers; NaN in components that redundant constraints leave open.
    iterations : of the way to it.
    stability : motions against which nothing pushes back, by name; where forces follow the motion, those
        that :func:`~flexnet.analysis.linearise.linearise` lets grow.
    falling : (k, n) these motions, each with its largest displacement over the length, or rotation, one; none
        where forces follow the motion.
    load_steps : steps in which the loads had to grow; 0 where it was found under the whole of them.
    warnings : flexible bodies deformed beyond their range, and constraints left out as redundant that are
        open here; logged, too.
    """

    equations: Equations
    state: State
    lam: Array
    loads: dict[str, Load]
    iterations: int
    stability: Stability
    falling: Array = field(default_factory=lambda: np.zeros((0, 0)))
    load_steps: int = 0
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        times = "iteration" if self.iterations == 1 else "iterations"
        lines = [f"rest of {self.equations.system.name!r}: {self.stability}; {self.iterations} {times}"]
        if self.loads:
            lines.append(f"loads: {', '.join(self.loads)}")
        return "\n".join([*lines, *self.warnings])

    @property
    def is_stable(self) -> bool | None:
        """Whether every small motion is pushed back; None where that cannot be decided within the errors."""
        return self.stability.is_stable

    def stress(self, name: str, body: "FiniteElementBody | None" = None) -> "dict[str, Recovered]":
        """Section forces of beams and stresses of shells of a flexible body; see :meth:`Run.stress`.

        Parameters
        ----------
        name : of the flexible body.
        body : the finite-element body, where the system was given a ready table.

        Returns
        -------
        by name of the element group; the first axis of their arrays has one entry.
        """
        recovery, s = Recovery(self.equations), self.state
        n, z = self.equations.n_v, self.equations.z_of(s)
        v, a = np.concatenate([np.zeros(n), z]), np.zeros(n + len(z))
        rows = snapshot(self.equations, [s.t], [s.q], [v], [a], [self.lam])
        return recovery.modes(name, body).recover(recovery.motion(name, rows))


def equilibrium(
    system: System | Equations,
    tree: str = "default",
    t: float = 0.0,
    tolerance: float = 1e-10,
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
) -> Equilibrium:
    """Find the static equilibrium a mechanism comes to rest in from its assembled state.

    Parameters
    ----------
    system : the mechanism, or its equations.
    tree, require, counts, virtual : as in :func:`~flexnet.formulation.formulate`, where a System is given.
    t : time at which drivers and loads are taken, s.
    tolerance : what may be left to go, displacements over the length of the mechanism or rad.

    Raises
    ------
    ConvergenceError
        If there is none near: names the coordinates that drift.

    Notes
    -----
    Where the way down leads to no rest, the loads are let grow from nothing and the path of rests is followed
    (:func:`~flexnet.analysis.load_path.load_path`); the equilibrium then has ``load_steps``, and a warning
    is given.
    """
    equations = as_equations(system, tree, require, counts, virtual).frozen(t)
    if equations.n_z:
        return _with_states(equations, t, tolerance)
    way = descend(equations, equations.initial.q, t, tolerance)
    if way.is_rest:
        return at_rest(equations, way.place, t, way.iterations)
    return _under_growing_loads(equations, t, way, tolerance)


def _with_states(equations: Equations, t: float, tolerance: float) -> Equilibrium:
    """The rest of a mechanism and its states together, judged by the eigenvalues of the whole."""
    state, lam, iterations = rest_with_states(equations, t, tolerance)
    loads = reactions(equations, state, Motion(np.zeros(equations.n_v), lam))
    said = (*deformation_warnings(equations, state.q), *opened_rows(equations, state))
    stability = judged_with_states(equations, state)
    return Equilibrium(equations, state, lam, loads, iterations, stability, warnings=said)


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
    ways = [descend(e, q, at.t, tolerance) for q in starts]
    for way in ways:
        if not way.is_rest:
            raise ConvergenceError(_why_none(e, way, None))
    return tuple(at_rest(e, way.place, at.t, way.iterations) for way in ways)


def _under_growing_loads(equations: Equations, t: float, way: Descent, tolerance: float) -> Equilibrium:
    """The rest at the end of the path of growing loads, where the way down under all of them led to none."""
    loading = Loading.of(equations, t)
    start = start_of(loading, equations.initial.q, 1.0, tolerance)
    curve = None if isinstance(start, Descent) else follow(loading, start, 1.0, tolerance, _LOAD_STEPS)
    if curve is None or not curve.is_whole:
        raise ConvergenceError(_why_none(equations, way, curve))
    steps = len(curve.points) - 1
    warn(
        f"{equations.system.name}: from the assembled state under its whole loads the mechanism does not come"
        f" to rest; the equilibrium is the one to which they lead as they grow, in {steps} steps"
    )
    return at_rest(equations, curve.points[-1].place, t, way.iterations + curve.iterations, steps)


def at_rest(
    equations: Equations, place: Place, t: float, iterations: int, load_steps: int = 0
) -> Equilibrium:
    """The equilibrium at a place in balance, with its loads and verdict."""
    state = State(t, place.q, np.zeros(equations.n_v))
    motion = Motion(np.zeros(equations.n_v), place.lam)
    stability, falling = _judged(equations, state, place)
    loads = reactions(equations, state, motion)
    said = (*deformation_warnings(equations, state.q), *opened_rows(equations, state))
    for text in said:
        log.warning("%s: %s", equations.system.name, text)
    return Equilibrium(equations, state, place.lam, loads, iterations, stability, falling, load_steps, said)


def _judged(equations: Equations, state: State, place: Place) -> tuple[Stability, Array]:
    """Verdict on every small motion by its own stiffness, and those that fall.

    The motions are those of the pair (K, W), the same for every tree; scaled so that K has a diagonal of ones
    in them, a stiff one is no measure for a soft one.
    """
    if equations.is_coupled:
        # K would not hold what forces do that follow λ
        words = "forces follow accelerations or loads of joints; no small motion is judged, simulate it"
        return Stability((), (words,)), np.zeros((0, equations.n_v))
    K, error = stiffness(equations, state, place.lam, place.measure)
    error = error + 4.0 * _EPS * len(K) * np.abs(K)
    J = place.measure.J @ place.B
    W = J.T @ J
    _, _, x = symmetric(place.B.T @ K @ place.B, W, 0.0 * W, 0.0 * W)
    X = place.B @ x
    K_r, E_r = X.T @ K @ X, np.abs(X.T) @ error @ np.abs(X)
    d = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(K_r)), 1e6 * np.diag(E_r) + _TINY))
    skew = np.abs(K_r - K_r.T) * np.outer(d, d)
    if np.any(skew > np.maximum(_SKEW, 4.0 * (E_r + E_r.T) * np.outer(d, d))):
        return _judged_by_motion(equations, state), np.zeros((0, equations.n_v))
    kappa, own, y = symmetric(K_r * np.outer(d, d), np.eye(len(d)), E_r * np.outer(d, d), 0.0 * W)
    told_of: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    falling = []
    for value, e, shape in zip(kappa, own, (X @ (d[:, None] * y)).T, strict=True):
        verdict = judge(-value, e)
        size = max(float(np.sum((place.measure.J @ shape) ** 2)), _TINY)
        does = "is pushed on" if verdict is Verdict.GROWS else "is held by nothing that could be told"
        told_of[verdict].append(
            f"the motion of {told(moving_most(equations, shape))} {does}"
            f" (stiffness {value / size:.3g} J, error {e / size:.1e} J)"
        )
        if verdict is Verdict.GROWS:
            falling.append(_forward(place, shape))
    return (
        Stability(tuple(told_of[Verdict.GROWS]), tuple(told_of[Verdict.UNDECIDED])),
        np.array(falling).reshape(len(falling), equations.n_v),
    )


def _judged_by_motion(equations: Equations, state: State) -> Stability:
    """The verdict of small motions with their masses and dampers, where forces follow the motion.

    Their stiffness is not symmetric: it may push no motion on, and yet let two of them feed each other
    (flutter), or push one on that its mass carries through.
    """
    try:
        return linearise(equations, state).stability
    except ModelError as error:
        words = f"forces follow the motion, so masses and dampers decide, and {error}"
        return Stability((), (words,))


def _forward(place: Place, shape: Array) -> Array:
    """A motion with the largest of its displacements and rotations plus one."""
    moved = place.measure.J @ shape
    out: Array = shape / moved[int(np.argmax(np.abs(moved) > 0.999 * np.abs(moved).max()))]
    return out


def _why_none(equations: Equations, way: Descent, curve: Curve | None) -> str:
    names = moving_most(equations, way.travelled, 2)
    far = float(np.abs(way.travelled / equations.sizes).max(initial=0.0))
    most = max((x.p for x in curve.points), default=0.0) if curve is not None else 0.0
    grown = "" if curve is None else f"; under growing loads it rests up to {most:.3g} of them"
    return (
        f"{equations.system.name}: no static equilibrium was found from the assembled state in"
        f" {way.iterations} iterations; {told(names)} drift{'s' * (len(names) == 1)}, {far:.3g} times the"
        f" length of the mechanism (or rad) so far{grown}. Where nothing answers a load on it, hold that"
        " coordinate by a spring or a joint; otherwise start nearer"
    )
