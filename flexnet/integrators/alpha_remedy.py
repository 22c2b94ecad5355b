"""When Newton's method fails in a step of an α-method: corrections that stop where they no longer help.

A force that changes steeply with speed, such as friction -μN tanh(v/ε), has hardly a slope on either side of
v = 0: Newton's method jumps from one side to the other and back. Its corrections δ are then right in
direction and wrong in length. For forces that have a dissipation function, (3) is where

    P(v̇₁) = ½ v̇₁·M v̇₁ + … is least along the constraints,    ∂P/∂v̇₁ = r,

so δ is followed to where P no longer falls:

    g(x) = -δ·r(x) - (G δ)·λ̄(x) = 0,     0 < x ≤ 1                                            (5)

λ̄ the part of λ in the correction that (4), with the matrix of x = 0, would give at x. A linear problem has
g(x) = (1 - x) g(0): the whole correction is taken wherever it leaves less than half of g(0).
"""

from flexnet.integrators.alpha_corrector import (
    SHARE,
    apply_correction,
    change,
    defect,
    is_finite,
    position_error,
    predict,
    trial,
    worst_equation,
)
from flexnet.integrators.alpha_matrix import across, couplings, factor, solve, tangents
from flexnet.integrators.alpha_round_off import find_norm, load_round_off, round_off, state_round_off
from flexnet.integrators.alpha_state import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    GAMMA,
    HAS_OLD,
    NEWTON,
    RATE,
    REFRESH,
    TANGENT,
    Scratch,
    State,
)
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import DONE, ITERATIONS, NO_CONVERGENCE, NOT_A_NUMBER, SINGULAR
from flexnet.kernels.compile import shared
from flexnet.typing import Array

MAX_ITERATIONS = 30
#: halvings of the part of a correction: those that tell 1 from round-off
MAX_HALVINGS = 50


@shared
def _along(f: Functions, y: State, s: Scratch, c: Array, t1: float, h: float, c_q: float, x: float) -> float:
    """Take the part x of the correction in ``s.line``; returns g(x) of (5)."""
    n, m = y.v.shape[0], y.lam.shape[0]
    for i in range(n):
        s.vdot1[i] = s.line[0, i] + x * s.line[1, i]
    for i in range(m):
        s.lam1[i] = s.line[0, n + i] + x * s.line[1, n + i]
    trial(f, y, s, c, h)
    f.residual(f.model, t1, s.q1, s.v1, s.vdot1, s.lam1, f.work, s.r, s.phi)
    defect(f, s, c, c_q)
    solve(s)
    g = 0.0
    for i in range(n):
        g -= s.line[1, i] * s.r[i]
    across(s, s.line[1], s.rate)
    for j in range(m):
        g -= s.rate[j] * s.rhs[n + j]
    return g


@shared
def _take(f: Functions, y: State, s: Scratch, c: Array, t1: float, h: float, c_q: float) -> float:
    """Take the correction as far as (5) says, by halves; returns the part taken."""
    x, low, high, whole = 0.0, 0.0, 1.0, 0.0
    for k in range(MAX_HALVINGS):
        g = _along(f, y, s, c, t1, h, c_q, x)
        if k == 0:
            whole, x = g, 1.0
            continue
        # where the tangent is not positive, (5) says nothing
        if abs(g) <= 0.5 * whole or (whole <= 0.0 and g == g) or (x == 1.0 and g > 0.0):
            break
        if g > 0.0:
            low = x
        else:
            high = x
        x = 0.5 * (low + high)
    return x


@shared
def damped_step(f: Functions, y: State, s: Scratch, c: Array, t1: float, h: float) -> int:
    """Solve (1)-(3) from the present v̇ and λ, with all tangents, by corrections of the length (5)."""
    n, m = y.v.shape[0], y.lam.shape[0]
    ratio = (1.0 - c[ALPHA_F]) / (1.0 - c[ALPHA_M])
    c_q, c_v = h * h * c[BETA] * ratio, h * c[GAMMA] * ratio
    floor = round_off(y, s)
    share = SHARE * position_error(c, h) / c_q
    # the past says nothing about a force that jumps
    y.counts[HAS_OLD] = 0
    y.counts[TANGENT] = y.counts[REFRESH] = 1
    y.clock[RATE] = 1.0
    predict(y, s, h)
    for _ in range(MAX_ITERATIONS):
        trial(f, y, s, c, h)
        tangents(f, t1, s, c)
        if s.coupling.shape[0] > 0:
            couplings(f, t1, s, c)
        f.residual(f.model, t1, s.q1, s.v1, s.vdot1, s.lam1, f.work, s.r, s.phi)
        if not is_finite(s):
            worst_equation(s, y, c_q)
            return NOT_A_NUMBER
        if not factor(f, y, s, c_q, c_v):
            worst_equation(s, y, c_q)
            return SINGULAR
        find_norm(y, s, c_q, c_v)
        defect(f, s, c, c_q)
        solve(s)
        y.counts[ITERATIONS] += 1
        for i in range(n + m):
            s.line[0, i] = s.vdot1[i] if i < n else s.lam1[i - n]
            s.line[1, i] = s.rhs[i]
        moved, motion, load, shifted, drift = apply_correction(s, c_q, c_v)
        if not max(motion, load, drift) <= 1e100 * s.norm[n + m]:
            worst_equation(s, y, c_q)
            return NOT_A_NUMBER
        part = _take(f, y, s, c, t1, h, c_q)
        wide, wide_z = change(y, s)
        is_near = max(motion, load) <= share * wide and moved <= c[NEWTON]
        is_noise = moved <= floor and load <= load_round_off(s, floor, c_q)
        is_settled = drift <= max(share * wide_z, state_round_off(s, c_v)) and shifted <= c[NEWTON]
        if part == 1.0 and is_settled and (is_near or is_noise):
            return DONE
    worst_equation(s, y, c_q)
    return NO_CONVERGENCE
