"""Static equilibrium: forces and constraints balance at rest.

    r(q, λ) = -F(q, 0, t) + Gᵀ λ = 0,      Φ(q, t) = 0                                             (1)

Newton's method with pseudo-time: every iteration is an implicit step of the viscous motion M q' = -r,

    [ M/τ + K   Gᵀ ] [ dq ]     [ r ]
    [ G         0  ] [ dλ ]  = -[ Φ ],          K = ∂r/∂q by differences,                          (2)

and τ grows as r shrinks. The first steps roll downhill from the assembled state, the last ones are
Newton's: the equilibrium found is the one the mechanism would come to rest in, not a near unstable one.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import ConvergenceError
from flexnet.formulation import Equations, Load, Motion, State, formulate, reactions
from flexnet.system import System
from flexnet.typing import Array

_ITERATIONS = 400
#: longest move of a coordinate in one iteration, m or rad
_LONGEST = 0.2
_DIFFERENCE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """A mechanism at rest.

    Attributes
    ----------
    equations : the equations that balance, drivers and loads held at their values.
    state : configuration, with zero velocity.
    lam : (m,) multipliers of the constraints.
    loads : loads of all joints and drivers.
    iterations : of Newton's method.
    is_stable : whether the reduced stiffness has no negative eigenvalue.
    """

    equations: Equations
    state: State
    lam: Array
    loads: dict[str, Load]
    iterations: int
    is_stable: bool


def equilibrium(
    system: System | Equations, tree: str = "default", t: float = 0.0, tolerance: float = 1e-10
) -> Equilibrium:
    """Find the static equilibrium a mechanism comes to rest in from its assembled state.

    Parameters
    ----------
    system : the mechanism, or its equations.
    tree : name of a tree rule, where a System is given.
    t : time at which drivers and loads are taken, s.
    tolerance : largest residual over the largest force, or stiffness times 1 m or 1 rad; ten times as much
        may be left to go, m or rad.

    Raises
    ------
    ConvergenceError
        If there is none near: names the worst equation.
    """
    equations = (system if isinstance(system, Equations) else formulate(system, tree)).frozen(t)
    rest, none = np.zeros(equations.n_v), np.zeros(equations.m)
    q, lam = equations.initial.q, none
    tau, before = _first_pseudo_time(equations, q, t), np.inf
    for k in range(_ITERATIONS):
        r, phi = equations.residual(State(t, q, rest), rest, lam)
        M, G = equations.mass_and_jacobian(q, t)
        K = stiffness(equations, State(t, q, rest), Motion(rest, lam))
        # a force that matters: what acts, what the constraints carry, what a unit departure costs
        forces = (equations.forces(State(t, q, rest)), G.T * lam, K)
        scale = max(*(float(np.abs(x).max(initial=0.0)) for x in forces), 1e-12)
        size = float(np.abs(r).max(initial=0.0)) / scale
        if size < tolerance and np.abs(phi).max(initial=0.0) < 1e-10:
            # a stiff coordinate makes any force look small: none may have far to go
            left = np.abs(_step(K, G, r, phi)[0]).max(initial=0.0)
            if left < 10.0 * tolerance * max(1.0, float(np.abs(q).max(initial=0.0))):
                return _found(equations, State(t, q, rest), lam, k, K, G)
        # the pseudo-time grows with the balance, and shrinks where the last step made it worse
        tau *= min(max(before / max(size, 1e-300), 0.5), 10.0) if np.isfinite(before) else 1.0
        before = size
        dq, dlam = _step(M / tau + K, G, r, phi)
        longest = float(np.abs(dq).max(initial=0.0))
        share = min(1.0, _LONGEST / max(longest, 1e-300))
        q, lam = equations.count(equations.compose(q, share * dq), t), lam + dlam
    raise ConvergenceError(_why_none(equations, q, t, lam))


def stiffness(equations: Equations, state: State, motion: Motion) -> Array:
    """K = ∂r/∂q (n, n) at fixed velocity, acceleration and multipliers, by central differences."""
    K = np.zeros((equations.n_v, equations.n_v))
    for k, e in enumerate(_DIFFERENCE * np.eye(equations.n_v)):
        ends = [
            equations.residual(
                State(state.t, equations.compose(state.q, s * e), state.v), motion.a, motion.lam
            )[0]
            for s in (1.0, -1.0)
        ]
        K[:, k] = (ends[0] - ends[1]) / (2.0 * _DIFFERENCE)
    return K


def _step(A: Array, G: Array, r: Array, phi: Array) -> tuple[Array, Array]:
    n, m = len(r), len(phi)
    KKT = np.zeros((n + m, n + m))
    KKT[:n, :n], KKT[:n, n:], KKT[n:, :n] = A, G.T, G
    x = -np.linalg.lstsq(KKT, np.concatenate([r, phi]), rcond=1e-13)[0]
    return x[:n], x[n:]


def _first_pseudo_time(equations: Equations, q: Array, t: float) -> float:
    """A step of viscous motion that moves no coordinate further than a tenth of a metre or radian."""
    M, G = equations.mass_and_jacobian(q, t)
    rest = np.zeros(equations.n_v)
    r, phi = equations.residual(State(t, q, rest), rest, np.zeros(equations.m))
    dq, _ = _step(M, G, r, 0.0 * phi)
    return 0.1 / max(float(np.abs(dq).max(initial=0.0)), 1e-12)


def _reduced(K: Array, G: Array) -> Array:
    """Stiffness (f, f) along the free motions."""
    _, s, Vt = np.linalg.svd(G) if len(G) else (0, np.zeros(0), np.eye(len(K)))
    B = Vt[int(np.sum(s > 1e-10 * max(s, default=1.0))) :].T
    K_r = B.T @ K @ B
    return 0.5 * (K_r + K_r.T)


def _found(
    equations: Equations, state: State, lam: Array, iterations: int, K: Array, G: Array
) -> Equilibrium:
    motion = Motion(np.zeros(equations.n_v), lam)
    K_r = _reduced(K, G)
    softest = float(np.linalg.eigvalsh(K_r).min()) if len(K_r) else 0.0
    stable = softest >= -1e-6 * float(np.abs(K).max(initial=0.0))
    return Equilibrium(equations, state, lam, reactions(equations, state, motion), iterations, stable)


def _why_none(equations: Equations, q: Array, t: float, lam: Array) -> str:
    rest = np.zeros(equations.n_v)
    r, phi = equations.residual(State(t, q, rest), rest, lam)
    names = (*equations.coordinates.v_names, *(row.name for row in equations.rows))
    left = np.concatenate([np.abs(r), np.abs(phi)])
    worst = int(np.argmax(left))
    return (
        f"{equations.system.name}: no static equilibrium was found from the assembled state; the worst"
        f" equation is {names[worst]!r}, off by {left[worst]:.3g}. Something may push without end"
        " (a load no spring or stop answers): hold that coordinate, or start nearer"
    )
