"""Steps of the explicit Runge-Kutta methods: (1)-(3) of `runge_kutta`, step after step.

**Error.** The estimates are differences to methods of lower order, in positions over their sizes and in
velocities over size and time of the model. Where there are two, of orders 5 and 3, they make one that goes
with h⁸: E₅²/√(E₅² + E₃²/100) (Hairer, Nørsett and Wanner 1993, II.10). A step may have its share h/span of
the tolerance, so that the error at the end follows the tolerance; round-off is always allowed, that of the
rates (of forces that are small differences of large numbers) once it is seen, and said.

**Turns.** A counted angle (docs/theory/turns.md) is known after a step that turned it by less than half a
turn. Its turn with the velocities of both ends, over 1.5 rad, joins the error: a step over more is rejected.

**Rows between steps.** The dense output is Hermite's polynomial of the two ends and further terms,
y + x (F₀ + (1-x)(F₁ + x (F₂ + (1-x)(F₃ + …)))); a row is then put on its constraints, and its v̇ and λ are
those of (2) there, so that they are as accurate as positions are.
"""

from typing import Any

from flexnet.integrators.event_search import Span, Zeros
from flexnet.integrators.functions import Functions, look_at_energies
from flexnet.integrators.loop import Data, Step, advance
from flexnet.integrators.rows import DONE, ERROR, H_OLD, LOOK, RESIDUAL, STEPS, WORK, WORKS, H, Output, T
from flexnet.integrators.runge_kutta_state import (
    COUNTS,
    H_MAX,
    H_MIN,
    LIMIT,
    ORDER,
    POWER,
    RATES,
    SHARE,
    SPAN,
    STIFF,
    Coefficients,
    Scratch,
    State,
    restore,
)
from flexnet.integrators.runge_kutta_step import (
    LARGEST_GROWTH,
    accelerate,
    add_up,
    allowed,
    attempt,
    close,
    doubt,
    local_error,
    stage,
)
from flexnet.integrators.step_control import FAILED, FALL, SAFETY, TINY, step_towards
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array, IntArray

#: estimate of a position over the way of a step that is round-off
UNSEEN = 1e-14
#: a counted angle may turn so far in a step, rad, which is probed over such a part of it
COUNTED, PROBE = 1.5, 2.0**-20


@shared
def dense_weights(k: Coefficients, x: float, out: Array) -> None:
    """Weights of the rates of all stages at the part x of a step."""
    last = k.stages[0]
    f0, f1, f2 = x, x * (1.0 - x), x * x * (1.0 - x)
    for j in range(out.shape[0]):
        out[j] = (f0 - f1 + 2.0 * f2) * k.b[j]
    out[0] += f1 - f2
    out[last] -= f2
    f = f2
    for d in range(k.D.shape[0]):
        f *= (1.0 - x) if d % 2 == 0 else x
        for j in range(out.shape[0]):
            out[j] += f * k.D[d, j]


@shared
def _length(d: Data, t0: float, end: float, cut: float, left: int) -> tuple[float, float]:
    """End and length of the next step."""
    h = step_towards(end - t0, d.clock[H])
    return (end if h == end - t0 else t0 + h), h


@shared
def watch_stiffness(y: State, s: Scratch, c: Array, h: float) -> None:
    """Count a step whose length stability limits, not accuracy: |hλ| beyond the limit of the method.

    Both estimates are the same combination of all stages, one of velocities and one of accelerations: of a
    motion with exp(λt) the one is λ times the other, damped or not, and of states likewise. Where stability
    limits a step they consist of the fastest motion: the error of all others is far below what is allowed.
    """
    n = y.v.shape[0]
    place, rate, speed = 0.0, 0.0, 0.0
    for i in range(n):
        place += (s.error[0, i] / s.sizes[i]) ** 2
        rate += (s.error[0, n + i] / s.sizes[i]) ** 2
        speed += (y.v[i] / s.sizes[i]) ** 2
    if place**0.5 <= UNSEEN * h * speed**0.5:
        return
    fastest = (rate / place) ** 0.5
    if h * fastest > c[LIMIT] and h < c[SPAN] * c[SHARE] * (h * fastest) ** 5:
        y.clock[STIFF] += 1.0
        y.clock[RATES] += fastest


@shared
def turned(f: Functions, y: State, s: Scratch, h: float, v: Array) -> float:
    """How far the fastest counted angle turns in the time h with the velocity v, rad; any number of turns.

    The configuration, as it was counted last, is moved on by a small part of h and counted again:
    that changes counted angles only.
    """
    for i in range(v.shape[0]):
        s.dq[i] = PROBE * h * v[i]
    f.compose(f.model, y.q, s.dq, s.qp)
    copy(s.qp, s.q_end)
    f.count(f.counted, y.clock[T] + PROBE * h, s.q_end)
    most = 0.0
    for i in range(s.qp.shape[0]):
        most = max(most, abs(s.q_end[i] - s.qp[i]))
    return most / PROBE


@shared
def _attempt(d: Data, t1: float, h: float) -> tuple[int, float]:
    """A step, and its error over what is allowed, which goes with the power ORDER of h."""
    status = attempt(d.f, d.y, d.s, d.k, d.c, t1, h)
    if status != DONE:
        return status, FAILED ** d.c[ORDER]
    error = local_error(d.y, d.s, d.k, d.c, h)
    if error > allowed(d.y, d.s, d.c, h):
        doubt(d.y, d.c, h, error)
        return status, error / allowed(d.y, d.s, d.c, h)
    watch_stiffness(d.y, d.s, d.c, h)
    far = 0.0
    if d.c[COUNTS] == 1.0:  # of a step that may be taken: what is counted is watched
        first = turned(d.f, d.y, d.s, h, d.y.v)
        far = max(first, turned(d.f, d.y, d.s, h, d.s.v1)) / COUNTED
    return status, max(error / allowed(d.y, d.s, d.c, h), far ** d.c[ORDER])


@shared
def _again(d: Data, t1: float, h: float) -> int:
    """A step to an event."""
    status = attempt(d.f, d.y, d.s, d.k, d.c, t1, h)
    if status == DONE:
        local_error(d.y, d.s, d.k, d.c, h)
    return int(status)


@shared
def shorten(d: Data, h: float, error: float, cut: float) -> bool:
    """A smaller step after a failure."""
    d.clock[H] = h * max(FALL, SAFETY / error ** (1.0 / d.c[ORDER])) if error > 1.0 else FALL * h
    return not d.clock[H] < d.c[H_MIN]


@shared
def _between(d: Data, span: Span, out: Output, first: int, row: int, h: float) -> int:
    """A row at a time inside the step, before the step is accepted; the first one needs further stages."""
    y, s, k, t = d.y, d.s, d.k, out.t[row]
    if row == first:
        copy(s.q1, s.q_end)
        copy(s.v1, s.v_end)
        copy(s.lam1, s.lam_end)
        for i in range(k.stages[0] + 1, k.A.shape[0]):
            stage(d.f, y, s, k, d.c, h, i)
    dense_weights(k, (t - y.clock[T]) / h, s.weights)
    stages = s.weights.shape[0]
    for i in range(s.theta.shape[0]):
        s.theta[i] = 0.0
    copy(y.v, out.v[row])
    add_up(s.weights, s.turns, stages, h, s.theta)
    add_up(s.weights, s.accelerations, stages, h, out.v[row])
    d.f.compose(d.f.model, y.q, s.theta, out.q[row])
    if s.phi.shape[0] > 0:
        close(d.f, y, s, t, out.q[row], out.v[row])
    for j in range(WORKS):
        out.work[row, j] = y.clock[WORK + j]
    add_up(s.weights, s.powers, stages, h, out.work[row])
    out.solver[row, 0] = h
    return int(accelerate(d.f, y, s, t, out.q[row], out.v[row], out.a[row], out.lam[row]))


@shared
def take_over(d: Data, b: Array, count: int, end: int, t1: float, h: float) -> None:
    """Make the end of the step the present state; b weighs so many stages, number ``end`` is the end."""
    y, s = d.y, d.s
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    copy(s.vdot1, y.vdot)
    copy(s.lam1, y.lam)
    add_up(b, s.powers, count, h, y.clock[WORK : WORK + WORKS])
    for j in range(WORKS):
        y.clock[POWER + j] = s.powers[end, j]
    y.clock[T], y.clock[H_OLD] = t1, h
    y.clock[ERROR] += y.clock[RESIDUAL]
    y.counts[STEPS] += 1
    if t1 >= y.clock[LOOK]:
        look_at_energies(d.f, y.clock, y.q, y.v, s.phi, s.rate, s.power, d.c[SPAN])
    if d.c[COUNTS] == 1.0:
        d.f.count(d.f.counted, t1, y.q)


@shared
def _accept(d: Data, out: Output, first: int, row: int, t1: float, h: float) -> None:
    """Take over the step, whose end was kept apart while rows inside were written."""
    s = d.s
    if row > first:
        copy(s.q_end, s.q1)
        copy(s.v_end, s.v1)
        copy(s.lam_end, s.lam1)
    take_over(d, d.k.b, d.k.stages[0], d.k.stages[0], t1, h)


@shared
def _plan(d: Data, planned: float, tried: float, h: float, error: float, is_ended: bool) -> None:
    """What follows a step."""
    if is_ended:
        d.clock[H] = tried if h > 0.0 else planned
        return
    new = h * max(FALL, min(LARGEST_GROWTH, SAFETY / max(error, TINY) ** (1.0 / d.c[ORDER])))
    # a step that was cut short for the sake of a row tells less
    d.clock[H] = min(max(new, planned) if h < planned else new, d.c[H_MAX])


@shared
def write(d: Data, out: Output, row: int, iterations: int) -> None:
    """Row of the present state."""
    y = d.y
    copy(y.q, out.q[row])
    copy(y.v, out.v[row])
    copy(y.vdot, out.a[row])
    copy(y.lam, out.lam[row])
    for j in range(WORKS):
        out.work[row, j] = y.clock[WORK + j]
    out.solver[row, 0] = y.clock[H_OLD]
    out.solver[row, 1] = iterations


_STEP = Step(_length, _attempt, _again, shorten, _between, _accept, _plan, write, True, True)


def run(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    evaluate: Any, model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array,
    g: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, choosing the step by its error."""
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, None, None, model, None, twin, work
    )
    y, s, k = restore(data)
    span = Span(y.q, y.v, s.theta, s.q1, s.v1, s.qp, s.dq, s.r)
    return advance(
        _STEP, Data(f, y, s, k, c, y.clock, y.counts), span, Zeros(evaluate, eye, zeros, g), out, every
    )
