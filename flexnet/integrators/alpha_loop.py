"""Generalised-α for index-3 DAEs on a manifold, in the form of Arnold and Brüls (2007, 2012).

From (q, v, a, v̇) at t to t₁ = t + h, with v̇₁ and λ₁ unknown:

    (1 - αm) a₁ + αm a = (1 - αf) v̇₁ + αf v̇                                                  (1)
    q₁ = q ⊕ (h v + h² ((½ - β) a + β a₁)),     v₁ = v + h ((1 - γ) a + γ a₁)                  (2)
    M(q₁) v̇₁ + G(q₁)ᵀ λ₁ = F(q₁, v₁, t₁),       Φ(q₁, t₁) = 0                                 (3)

The algorithmic acceleration a is not v̇: a ≈ v̇(t + (αm - αf) h). Keeping the two apart is what keeps
second order when M depends on q. It begins with v̇ and v̈ of modes that a step follows, not of those whose
dampers end within it (`start.without_transients`).

The first of (2) has the local error h³ (C v̈ - [v, v̇]/12), C = β + (αm - αf)/2 - 1/6; the bracket is that
of the group, zero but for rotations. Across the constraints v answers it with h² d, d its part across
them with the sign changed. A start without it, or a projection that takes it
away, would cost λ an order (Arnold, Brüls and Cardona 2015): the start adds it to v, and where velocities
are projected it is kept apart, as ``offset``, and added in (2).

Newton's matrix, with c_q = h²β(1 - αf)/(1 - αm) and c_v = hγ(1 - αf)/(1 - αm), is

    [ M + c_v D + c_q K   Gᵀ ] [ δv̇₁ ]     [ r      ]
    [ G                   0  ] [ δλ₁ ]  = - [ Φ/c_q  ]                                         (4)

well scaled for every h. At acceleration level (DynaFlex §5.3) the constraint in (3) is Φ̈ = 0 instead,
its residual in (4) is Φ̈, and positions and velocities are put back on Φ = 0 and Φ̇ = 0 after every step.
M and G are refreshed when convergence slows. Of the tangents K = ∂r/∂q and D = ∂r/∂v the constant part
of flexible bodies is always there; the whole, by differences, is taken only when convergence asks for it
(stiff springs). Where a fixed step fails, it is taken by `alpha_remedy`; an adaptive one becomes smaller.
"""

from typing import Any

from flexnet.integrators.alpha_corrector import largest_local_error, position_error, step
from flexnet.integrators.alpha_projection import correct
from flexnet.integrators.alpha_remedy import damped_step
from flexnet.integrators.alpha_round_off import ROUND_OFF, round_off
from flexnet.integrators.alpha_state import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    COUNTS,
    H_MAX,
    H_OLDER,
    HAS_OLD,
    LOADS,
    POWER,
    RATE,
    REFRESH,
    REMAINDER,
    SPAN,
    T_START,
    TOLERANCE,
    Scratch,
    State,
    restore,
)
from flexnet.integrators.functions import Functions, look_at_energies
from flexnet.integrators.rows import (
    BENT,
    BENT_Z,
    DONE,
    ERROR,
    H_OLD,
    ITERATIONS,
    LOOK,
    MURMUR,
    NO_CONVERGENCE,
    REACHED,
    REACHED_Z,
    STEPS,
    WORK,
    WORKS,
    Output,
    T,
)
from flexnet.integrators.state_account import add_to_account
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array, IntArray

#: stands for the remainder of a method that damps nothing
LEAST_REMAINDER = 1e-8


@shared
def _accept(y: State, s: Scratch, t1: float, h: float) -> None:
    """Make the trial state the present one."""
    copy(y.vdot_old, y.vdot_older)
    copy(y.lam_old, y.lam_older)
    copy(y.vdot, y.vdot_old)
    copy(y.lam, y.lam_old)
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    copy(s.a1, y.a)
    copy(s.vdot1, y.vdot)
    copy(s.lam1, y.lam)
    y.clock[T] = t1
    y.clock[H_OLDER] = y.clock[H_OLD]
    y.clock[H_OLD] = h
    y.counts[HAS_OLD] = min(y.counts[HAS_OLD] + 1, 2)
    y.counts[STEPS] += 1


@shared
def _account(f: Functions, y: State, s: Scratch, c: Array, h: float) -> None:
    """Add the works over the step by the trapezoidal rule.

    A constraint whose rate Φ̇ is not zero does the power -λΦ̇.
    """
    if c[LOADS] == 1.0:
        f.residual(f.model, y.clock[T], y.q, y.v, y.vdot, y.lam, f.work, s.r, s.phi)
    f.power(f.model, y.q, y.v, y.lam, f.work, s.power)
    f.rates(f.model, y.v, y.vdot, f.work, s.rate, s.acceleration)
    s.power[3] = 0.0
    for i in range(y.lam.shape[0]):
        s.power[3] -= y.lam[i] * s.rate[i]
    for k in range(WORKS):
        y.clock[WORK + k] += 0.5 * h * (y.clock[POWER + k] + s.power[k])
        y.clock[POWER + k] = s.power[k]


@shared
def _look_at_bends(y: State, s: Scratch, c: Array, h: float) -> None:
    """Remember the largest second difference of v̇ and λ, weighted, and their largest size; of ż likewise.

    What may be round-off of the positions, kept alive by a method that hardly damps it, is none: remembered
    apart.
    """
    if y.counts[HAS_OLD] < 2 or y.clock[H_OLD] != y.clock[H_OLDER]:
        return
    n, bent, level = y.v.shape[0], 0.0, y.clock[REACHED]
    moving = n - s.per_unknown.shape[0]
    bent_z, level_z = y.clock[BENT_Z], y.clock[REACHED_Z]
    for i in range(n):
        change = s.norm[i] * abs(y.vdot[i] - 2.0 * y.vdot_old[i] + y.vdot_older[i])
        size = s.norm[i] * abs(y.vdot[i])
        if i < moving:
            bent, level = max(bent, change), max(level, size)
        else:
            bent_z, level_z = max(bent_z, change), max(level_z, size)
    for j in range(y.lam.shape[0]):
        bent = max(bent, s.norm[n + j] * abs(y.lam[j] - 2.0 * y.lam_old[j] + y.lam_older[j]))
        level = max(level, s.norm[n + j] * abs(y.lam[j]))
    y.clock[REACHED] = level
    y.clock[BENT_Z], y.clock[REACHED_Z] = bent_z, level_z
    c_q = h * h * c[BETA] * (1.0 - c[ALPHA_F]) / (1.0 - c[ALPHA_M])
    noise = ROUND_OFF * s.norm[n + y.lam.shape[0]] / (c_q * max(c[REMAINDER], LEAST_REMAINDER) ** 0.5)
    if bent > max(y.clock[BENT], noise):
        y.clock[BENT] = bent
    if bent <= noise:
        y.clock[MURMUR] = max(y.clock[MURMUR], bent)


@shared
def finish(f: Functions, y: State, s: Scratch, c: Array, t1: float, h: float) -> None:
    """Take over the new state, put it back on its constraints as far as asked for, add up work and error."""
    n, first = y.v.shape[0], y.v.shape[0] - s.per_unknown.shape[0]
    y.clock[ERROR] += largest_local_error(y, s, c, h, first)
    for i in range(first, n):
        error = position_error(c, h) * abs(s.a1[i] - y.a[i])
        add_to_account(y.account, i - first, error, s.v1[i], (s.v1[i] - y.v[i]) / h)
    _accept(y, s, t1, h)
    if c[TOLERANCE] == 0.0:
        _look_at_bends(y, s, c, h)
    correct(f, y, s, c)
    _account(f, y, s, c, h)
    if t1 >= y.clock[LOOK]:
        look_at_energies(f, y.clock, y.q, y.v, s.phi, s.rate, s.power, c[SPAN])
    if c[COUNTS] == 1.0:
        f.count(f.counted, t1, y.q)


@shared
def attempt(f: Functions, y: State, s: Scratch, c: Array, t1: float, h: float, is_fresh: bool) -> int:
    """One step by Newton's method; where it fails, again from a cautious prediction and with a new matrix."""
    status = NO_CONVERGENCE
    for trial in range(2):
        if trial == 1:
            y.counts[HAS_OLD] = min(y.counts[HAS_OLD], 1)
            y.clock[RATE] = 1.0
        fresh = is_fresh or trial == 1
        status = step(f, y, s, c, t1, h, fresh)
        if status == DONE or (fresh and y.counts[HAS_OLD] < 2):
            break
    return status


@shared
def write_row(y: State, out: Output, row: int, iterations: int) -> None:
    """Row of the present state."""
    out.t[row] = y.clock[T]
    copy(y.q, out.q[row])
    copy(y.v, out.v[row])
    copy(y.vdot, out.a[row])
    copy(y.lam, out.lam[row])
    for k in range(WORKS):
        out.work[row, k] = y.clock[WORK + k]
    out.solver[row, 0] = y.clock[H_OLD]
    out.solver[row, 1] = iterations


def run_fixed(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    model: Any, twin: Any, work: Any, data: IntArray, c: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out``, ``every`` fixed steps apart; step number ``first`` comes next.

    Times are t_start + k h, not sums, so that a run can be cut anywhere.
    """
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, None, None, model, None, twin, work
    )
    y, s = restore(data)
    h = c[H_MAX]
    k = first
    is_fresh = True
    for row in range(len(out.t)):
        before = y.counts[ITERATIONS]
        for _ in range(every - k % every):
            t1 = c[T_START] + (k + 1) * h
            status = attempt(f, y, s, c, t1, h, is_fresh)
            if status != DONE:
                return int(status + 16 * row)
            finish(f, y, s, c, t1, h)
            is_fresh = y.counts[REFRESH] == 1
            k += 1
        write_row(y, out, row, y.counts[ITERATIONS] - before)
    return DONE + 16 * len(out.t)


def run_damped(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    model: Any, twin: Any, work: Any, data: IntArray, c: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Take the one step of :func:`run_fixed` that failed, by damped corrections; fill a row if it ends there.

    A loop of its own: few runs need it, and those that do not are spared its compilation.
    """
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, None, None, model, None, twin, work
    )
    y, s = restore(data)
    h = c[H_MAX]
    t1 = c[T_START] + (first + 1) * h
    before = y.counts[ITERATIONS]
    status = damped_step(f, y, s, c, t1, h)
    if status != DONE:
        return int(status)
    finish(f, y, s, c, t1, h)
    if (first + 1) % every != 0:
        return DONE
    write_row(y, out, 0, y.counts[ITERATIONS] - before)
    return DONE + 16


@shared
def local_error(y: State, s: Scratch, c: Array, h: float) -> float:
    """Largest local error of a position per unit of tolerance.

    e = |C| h² (a₁ - a); it is held to the share h/span of the tolerance, so that the error at the end
    follows the tolerance. Round-off δ of a position is in a₁ as δ/βh², so in e as δ C/β whatever h is: steps
    held to less than δ would become ever shorter.
    """
    share = max(c[TOLERANCE] * h / c[SPAN], round_off(y, s))
    return float(largest_local_error(y, s, c, h, y.v.shape[0]) / share)
