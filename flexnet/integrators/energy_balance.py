"""What the energy and the momenta of the end of a step are, and how they answer to changes of ε and A.

Equation numbers are those of :mod:`flexnet.integrators.energy_loop`.
"""

from flexnet.integrators.energy_momentum import momentum_of
from flexnet.integrators.energy_newton import solve, times_mass
from flexnet.integrators.energy_state import Scratch, State
from flexnet.integrators.functions import Functions
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy, lu_solve

#: part of the kinetic energy that must not be in the momenta that are kept, for ε to act on: half the digits
FREE = 1e-8
#: round-off of a position over its size
ROUND_OFF = 2e-15
#: differences along z: of kinetic energy, a quadratic form, and of powers, over the largest velocity
LONG, SHORT = 1e-2, 1e-3
#: velocity of a mechanism at rest, over its size and time
REST = 1e-8
#: stands where nothing is divided by zero
TINY = 1e-300


@shared
def dissipation(f: Functions, s: Scratch, t1: float, gamma: float, h: float) -> float:
    """D = ½ (γ - ¼) h² (ΔAᵀM ΔA + ΔUᵀK ΔU) ≥ 0, Δ between the stages; ΔUᵀK ΔU from the potential itself.

    The energy of the end is in ``s.energy`` and stays there.
    """
    n = s.inertial[0]
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += s.M[i, j] * (s.a[j] - s.a_before[j])
        total += row * (s.a[i] - s.a_before[i]) * h * h
    curvature = -2.0 * (s.energy[1] + s.energy[2])
    kept = (s.energy[0], s.energy[1], s.energy[2])
    for sign in (1.0, -1.0):
        for i in range(n):
            s.dq[i] = sign * h * (s.u[i] - s.u_before[i])
        f.compose(f.model, s.q1, s.dq, s.qp)
        f.energy(f.model, t1, s.qp, s.v1, f.work, s.phi_p, s.rate_p, s.energy)
        curvature += s.energy[1] + s.energy[2]
    s.energy[0], s.energy[1], s.energy[2] = kept
    return float(0.5 * (gamma - 0.25) * max(total + curvature, 0.0))


@shared
def _unlock(s: Scratch) -> None:
    """U without its part ``s.kept.locked`` along ξ, into ``s.up``."""
    copy(s.u, s.up)
    for a in range(s.kept.locked.shape[0]):
        for i in range(s.up.shape[0]):
            s.up[i] -= s.kept.locked[a] * s.kept.X[a, i]


@shared
def find_excess(f: Functions, y: State, s: Scratch, t1: float) -> float:
    """Momenta over what they should be, into ``s.kept.excess``; returns the energy they are worth, J."""
    f.momenta(f.kept, t1, s.q1, s.v1, s.kept.six)
    energy = 0.0
    for a in range(s.kept.excess.shape[0]):
        s.kept.excess[a] = momentum_of(s.kept, a) - y.momentum[a]
        energy += s.kept.dual[a] * s.kept.excess[a]
    return energy


@shared
def find_surplus(s: Scratch, y: State) -> float:
    """Energy of the end over what (4) asks for, J."""
    power = s.power[0] + s.power[1] + s.power[2]
    total = s.energy[0] + s.energy[1] + s.energy[2]
    trial, b = s.trial[0], s.tableau[0].b
    return float(total - (y.clock[0].target + trial.earlier + b * power - trial.dissipated))


@shared
def find_answer(s: Scratch) -> float:
    """Answer z of Newton's matrix to M U, U without its part along ξ where momenta are kept.

    Returns the largest velocity, in sizes.
    """
    m, n = s.G.shape
    if s.trial[0].keeps == 1:
        _unlock(s)
    else:
        copy(s.u, s.up)
    s.trial[0].square = times_mass(s, s.up, s.d)
    largest = 0.0
    for i in range(n):
        s.rhs[i] = s.d[i]
    for i in range(s.inertial[0]):
        largest = max(largest, abs(s.u[i]) / s.sizes[i])
    s.rhs[n : n + m] = 0.0
    solve(s)
    copy(s.rhs, s.z)
    return largest


@shared
def find_driven(f: Functions, s: Scratch, t1: float, largest: float) -> None:
    """Power g·z of drivers in a tree by the answer z: g = ∂T/∂v - M v, T from a difference along z."""
    n = s.inertial[0]
    kept = (s.energy[0], s.energy[1], s.energy[2])
    size, along, square = 0.0, 0.0, 0.0
    for i in range(n):
        size = max(size, abs(s.z[i]) / s.sizes[i])
    step = LONG * largest / max(size, TINY)
    for i in range(n):
        s.up[i] = s.v1[i] + step * s.z[i]
        row = 0.0
        for j in range(n):
            row += s.M[i, j] * s.z[j]
        square += row * s.z[i]
        along += row * s.v1[i]
    f.energy(f.model, t1, s.q1, s.up, f.work, s.phi_p, s.rate_p, s.energy)
    s.trial[0].driven = (s.energy[0] - kept[0]) / step - 0.5 * step * square - along
    s.energy[0], s.energy[1], s.energy[2] = kept


@shared
def find_forced(f: Functions, s: Scratch, ts: float, largest: float) -> None:
    """Powers, and their changes by the answer z, where a step's work is not small beside T.

    Where forces nearly balance a potential, or drivers move more than is free to move, the energy of the end
    alone hardly tells what ε does.
    """
    n, c_stage = s.d.shape[0], s.tableau[0].c
    size = TINY
    for i in range(s.inertial[0]):
        size = max(size, abs(s.z[i]) / s.sizes[i])
    step = SHORT * largest / (c_stage * size)
    for i in range(n):
        s.up[i] = s.u[i] + step * c_stage * s.z[i]
        s.ap[i] = s.a[i] + step * s.z[i]
    f.residual(f.model, ts, s.qs, s.up, s.ap, s.lam, f.work, s.r, s.phi_p)
    f.power(f.model, s.qs, s.up, s.lam, f.work, s.power)
    driven, forced = s.power[0], s.power[1] + s.power[2]
    f.residual(f.model, ts, s.qs, s.u, s.a, s.lam, f.work, s.r, s.phi_p)
    f.power(f.model, s.qs, s.u, s.lam, f.work, s.power)
    s.trial[0].driven = (driven - s.power[0]) / step
    s.trial[0].forced = (forced - s.power[1] - s.power[2]) / step


@shared
def share_along(s: Scratch, change: float) -> float:
    """Part of -z in the change of A; ``change`` where constraints and drivers leave no motion free."""
    along, whole = 0.0, 0.0
    for i in range(s.d.shape[0]):
        along -= s.x[i] * s.d[i]
        whole += s.z[i] * s.d[i]
    return float(along / whole) if whole > FREE * s.trial[0].square else change


@shared
def in_round_offs(y: State, s: Scratch, per_time: float) -> float:
    """Size of the change of v₁ and q₁ in units of their round-off."""
    n, m = s.d.shape[0], s.phi.shape[0]
    b = abs(s.tableau[0].b)
    change, moved, scale, place = 0.0, 0.0, REST * per_time, 1.0
    for i in range(s.inertial[0]):
        change = max(change, b * abs(s.x[i]) / s.sizes[i])
        moved = max(moved, b * abs(s.x[n + m + i]) / s.sizes[i])
        scale = max(scale, abs(s.v1[i]) / s.sizes[i], abs(b * s.a[i]) / s.sizes[i])
    for i in range(y.q.shape[0]):
        place = max(place, abs(y.q[i]) / s.q_sizes[i])
    return float(max(change / (2.0 * ROUND_OFF * scale + s.trial[0].noise), moved / (ROUND_OFF * place)))


@shared
def put_momenta_right(s: Scratch, change: float) -> None:
    """Add to ``s.x`` the shift that belongs to a change of ε, and take away the excess of the momenta."""
    n, m = s.d.shape[0], s.phi.shape[0]
    k, b, c_stage = s.kept.grade.shape[0], s.tableau[0].b, s.tableau[0].c
    for a in range(k):
        s.kept.grade[a] = -change * b * b * s.kept.shift[a]
        for e in range(k):
            s.kept.excess[e] += b * s.kept.grade[a] * s.kept.D[a, e]
    lu_solve(s.kept.H, s.kept.pivots_H, s.kept.excess)
    for a in range(k):
        alpha = -s.kept.excess[a] / b
        moved = s.kept.grade[a] + c_stage * alpha
        for i in range(n):
            s.x[i] += alpha * s.kept.X[a, i] + moved * s.kept.Y[a, i]
            s.x[n + m + i] += moved * s.kept.Z[a, i] - c_stage * (
                alpha * s.kept.X[a, i] + moved * s.kept.Y[a, i]
            )
