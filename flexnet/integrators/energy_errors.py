"""What the steps of an energy scheme say of their errors."""

from typing import Any

from flexnet.integrators.alpha_round_off import LIGHT
from flexnet.integrators.energy_stage import AMPLIFIED, ROUND_OFF, round_off
from flexnet.integrators.energy_state import Scratch, State
from flexnet.integrators.functions import Functions
from flexnet.integrators.state_account import add_to_account, look_at_rate
from flexnet.kernels.compile import shared

#: difference of two steps over their length that is none
EQUAL = 1e-9
#: stands where nothing is divided by zero
TINY = 1e-300


@shared
def _jerk(y: State, s: Scratch, gamma: float, h: float, i: int) -> float:
    """Rate of A of coordinate i in the step, before it is remembered."""
    if gamma > 0.0:
        return float((s.a[i] - s.a_before[i]) / ((1.0 - 2.0 * gamma) * h))
    # from the acceleration at the start where no stage lies before
    clock = y.clock[0]
    lead = clock.t + 0.5 * h - (clock.stage if y.counts[0].stages > 0 else clock.t)
    return float((s.a[i] - y.a[i]) / lead)


@shared
def look_at_step(y: State, s: Scratch, c: Any, t: float, h: float) -> None:
    """Add up the local error of the positions, remember the largest bend of A, weighted, and its size.

    The error is |C| h³ |Ȧ| + b c |ε U|; ``t`` is the time of the last stage. Bends are seen from the last
    stage of three equal steps; what may be round-off of the positions is none.
    """
    gamma, n, clock, k = c.gamma, y.v.shape[0], y.clock[0], s.tableau[0]
    largest, heaviest = 0.0, 0.0
    steep, pushed = abs(c.error_constant) * h**3, k.b * k.c * abs(s.trial[0].epsilon)
    for i in range(s.inertial[0]):
        error = steep * abs(_jerk(y, s, gamma, h, i)) + pushed * abs(s.u[i])
        largest = max(largest, error / s.sizes[i])
        heaviest = max(heaviest, abs(s.M[i, i]) * s.sizes[i] * s.sizes[i])
    clock.error += largest
    for i in range(s.inertial[0], n):
        error = steep * abs(_jerk(y, s, gamma, h, i))
        add_to_account(y.account, i - s.inertial[0], error, s.v1[i], (s.v1[i] - y.v[i]) / h)
    older, a, count = clock.stage_older, y.a_older, 3
    if gamma == 0.0:
        older, a, count = clock.stage_old, y.a_old, 2
    if y.counts[0].stages < count or abs(t - 2.0 * clock.stage + older) > EQUAL * h or c.tolerance > 0.0:
        return
    noise, bent, level = AMPLIFIED * round_off(y, s) / (k.b * k.c), 0.0, 0.0
    for i in range(n):
        size = s.sizes[i]
        weight = abs(s.M[i, i]) + LIGHT * heaviest / (size * size)
        bend = abs(s.a[i] - 2.0 * y.a[i] + a[i])
        if bend > noise * size:
            bent = max(bent, weight * bend * bend)
        level = max(level, weight * s.a[i] * s.a[i])
    clock.bent, clock.reached = max(clock.bent, bent**0.5), max(clock.reached, level**0.5)


@shared
def look_at_rates(f: Functions, y: State, s: Scratch, c: Any, t1: float, h: float) -> None:
    """Compare ż of the end, which its rows give, with that of the stages, on a line to the end.

    A state that answers faster than the step is driven by its rate, which multiplies the error of z by that
    speed. Round-off of z does no more than Newton's matrix says.
    """
    n, first, gamma = y.v.shape[0], s.inertial[0], c.gamma
    if first == n:
        return
    f.residual(f.model, t1, s.q1, s.v1, s.a, s.lam, f.work, s.r, s.phi_p)
    lead = gamma * h if gamma > 0.0 else 0.5 * h
    for i in range(first, n):
        k = i - first
        if s.inertias[k] == 0.0:
            continue
        noise = 0.0
        for j in range(first, n):
            noise += abs(s.J[i, j] * s.v1[j])
        noise *= AMPLIFIED * ROUND_OFF / (s.inertias[k] * s.tableau[0].c)
        astray = abs(s.r[i] / s.inertias[k] + lead * _jerk(y, s, gamma, h, i))
        if astray > noise:
            look_at_rate(y.account, k, astray)


@shared
def local_error(y: State, s: Scratch, c: Any, h: float) -> float:
    """Local error of the step per unit of tolerance, held to the share h/span of the tolerance."""
    allowed, gamma, clock = c.tolerance * h / c.span, c.gamma, y.clock[0]
    if c.follows_energy == 1.0:
        square = clock.response if y.momentum.shape[0] > 0 else s.trial[0].square
        defect = (h if gamma == 0.0 else 0.5 * h) * s.trial[0].epsilon * square
        return float(abs(defect) / (allowed * max(clock.peak, s.energy[0], TINY)))
    total = 0.0
    n = y.v.shape[0]
    for i in range(n):
        e = c.error_constant * h**3 * _jerk(y, s, gamma, h, i) / s.sizes[i]
        total += e * e
    return float((total / max(n, 1)) ** 0.5 / allowed)
