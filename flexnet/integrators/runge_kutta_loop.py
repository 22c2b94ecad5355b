"""The time loop of the explicit Runge-Kutta methods: (1)-(3) of `runge_kutta`, step after step.

**Error.** The estimates are differences to methods of lower order, in positions over their sizes and in
velocities over size and time of the model. Where there are two, of orders 5 and 3, they make one that goes
with h⁸: E₅²/√(E₅² + E₃²/100) (Hairer, Nørsett and Wanner 1993, II.10). A step may have its share h/span of
the tolerance, so that the error at the end follows the tolerance; round-off is always allowed.

**Rows between steps.** The dense output is Hermite's polynomial of the two ends and further terms,
y + x (F₀ + (1-x)(F₁ + x (F₂ + (1-x)(F₃ + …)))); a row is then put on its constraints, and its v̇ and λ are
those of (2) there, so that they are as accurate as positions are.
"""

from typing import Any

from flexnet.integrators.event_search import (
    AT,
    BEFORE,
    BEFORE_VALUE,
    SHARP,
    Span,
    Zeros,
    nearer,
    next_event,
    settle,
)
from flexnet.integrators.rows import (
    DONE,
    EVENT,
    H_OLD,
    ITERATIONS,
    REJECTED,
    RESIDUAL,
    STEP_TOO_SMALL,
    STEPS,
    WORK,
    WORKS,
    H,
    Output,
    T,
)
from flexnet.integrators.runge_kutta_state import (
    COUNTS,
    ERROR,
    H_MAX,
    H_MIN,
    HERE,
    ORDER,
    POWER,
    Coefficients,
    Scratch,
    State,
    restore,
)
from flexnet.integrators.runge_kutta_step import (
    LARGEST_GROWTH,
    TRIES,
    accelerate,
    add_up,
    allowed,
    attempt,
    close,
    local_error,
    stage,
)
from flexnet.integrators.step_control import FAILED, FALL, SAFETY, TINY, step_towards
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array, IntArray


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
def write_between(
    residual: Any, matrices: Any, compose: Any, rates: Any, model: Any, work: Any,
    y: State, s: Scratch, k: Coefficients, out: Output, row: int, h: float,
) -> int:  # fmt: skip
    """A row at a time inside the step, before the step is accepted."""
    t = out.t[row]
    dense_weights(k, (t - y.clock[T]) / h, s.weights)
    count = s.weights.shape[0]
    for i in range(s.theta.shape[0]):
        s.theta[i] = 0.0
    copy(y.v, out.v[row])
    add_up(s.weights, s.turns, count, h, s.theta)
    add_up(s.weights, s.accelerations, count, h, out.v[row])
    compose(model, y.q, s.theta, out.q[row])
    if s.phi.shape[0] > 0:
        close(residual, matrices, compose, rates, model, work, y, s, t, out.q[row], out.v[row])
    for j in range(WORKS):
        out.work[row, j] = y.clock[WORK + j]
    add_up(s.weights, s.powers, count, h, out.work[row])
    out.solver[row, 0] = h
    status = accelerate(
        residual, matrices, rates, model, work, y, s, t, out.q[row], out.v[row], out.a[row], out.lam[row]
    )  # fmt: skip
    return int(status)


@shared
def accept(y: State, s: Scratch, k: Coefficients, t1: float, h: float) -> None:
    """Make the end of the step the present state."""
    last = k.stages[0]
    copy(s.q1, y.q)
    copy(s.v1, y.v)
    copy(s.vdot1, y.vdot)
    copy(s.lam1, y.lam)
    add_up(k.b, s.powers, last, h, y.clock[WORK : WORK + WORKS])
    for j in range(WORKS):
        y.clock[POWER + j] = s.powers[last, j]
    y.clock[T], y.clock[H_OLD] = t1, h
    y.clock[ERROR] += y.clock[RESIDUAL]
    y.counts[STEPS] += 1


@shared
def _write(y: State, out: Output, row: int) -> None:
    copy(y.q, out.q[row])
    copy(y.v, out.v[row])
    copy(y.vdot, out.a[row])
    copy(y.lam, out.lam[row])
    for j in range(WORKS):
        out.work[row, j] = y.clock[WORK + j]
    out.solver[row, 0] = y.clock[H_OLD]


@shared
def _step_to_event(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, model: Any, work: Any,
    span: Span, e: Zeros, y: State, s: Scratch, k: Coefficients, c: Array, i: int, h: float,
) -> tuple[int, float]:  # fmt: skip
    """Take the step again to the zero of function i; status and length of the step."""
    t0 = y.clock[T]
    x, before, f_before = e.zeros[i, AT] * h, e.zeros[i, BEFORE] * h, e.zeros[i, BEFORE_VALUE]
    for _ in range(TRIES):
        if x <= SHARP * h:
            return DONE, 0.0
        status = attempt(residual, matrices, compose, rates, power, model, work, y, s, k, c, t0 + x, x)
        if status != DONE:
            return int(status), x
        new, f = nearer(span, e, i, t0, x, before, f_before, h)
        if new == x:
            break
        before, f_before, x = x, f, new
    return DONE, x


def run(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, count: Any, evaluate: Any,
    model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array, g: Array,
    out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, choosing the step by its error."""
    y, s, k = restore(data)
    span, e = Span(y.q, y.v, s.theta, s.q1, s.v1, s.qp, s.dq, s.r), Zeros(evaluate, eye, zeros, g)
    row, rows, evaluations = 0, len(out.t), y.counts[ITERATIONS]
    end = out.t[rows - 1]
    while row < rows:
        left = end - y.clock[T]
        if left <= HERE * abs(end):  # an event happened at the time of the last row
            _write(y, out, row)
            out.solver[row, 1] = y.counts[ITERATIONS] - evaluations
            evaluations = y.counts[ITERATIONS]
            row += 1
            continue
        h = step_towards(left, y.clock[H])
        t1 = end if h == left else y.clock[T] + h
        status = attempt(residual, matrices, compose, rates, power, model, work, y, s, k, c, t1, h)
        # an error of a step over what is allowed goes with the power ORDER of h
        error = FAILED ** c[ORDER]
        if status == DONE:
            error = local_error(y, s, k, c, h) / allowed(y, s, c, h)
        if not error <= 1.0:
            y.counts[REJECTED] += 1
            y.clock[H] = h * max(FALL, SAFETY / error ** (1.0 / c[ORDER])) if error > 1.0 else FALL * h
            if y.clock[H] < c[H_MIN]:
                return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
            continue
        planned, fired = h, -1
        if zeros.shape[0] > 0:
            fired = next_event(compose, model, span, e, y.clock[T], h)
        if fired >= 0:
            status, h = _step_to_event(
                residual, matrices, compose, rates, power, model, work, span, e, y, s, k, c, fired, h
            )  # fmt: skip
            if status != DONE:
                return int(status + 16 * row)
            t1 = y.clock[T] + h
            if h == 0.0:
                settle(e, y.clock[T], y.q, y.v, fired)
                return EVENT + 16 * row
            local_error(y, s, k, c, h)
        if row < rows and out.t[row] < t1 - 1e-9 * h:
            copy(s.q1, s.q_end)
            copy(s.v1, s.v_end)
            copy(s.lam1, s.lam_end)
            for i in range(k.stages[0] + 1, k.A.shape[0]):
                stage(residual, matrices, compose, rates, power, model, work, y, s, k, c, h, i)
            while row < rows and out.t[row] < t1 - 1e-9 * h:
                status = write_between(residual, matrices, compose, rates, model, work, y, s, k, out, row, h)
                if status != DONE:
                    return int(status + 16 * row)
                out.solver[row, 1] = y.counts[ITERATIONS] - evaluations
                evaluations = y.counts[ITERATIONS]
                row += 1
            copy(s.q_end, s.q1)
            copy(s.v_end, s.v1)
            copy(s.lam_end, s.lam1)
        accept(y, s, k, t1, h)
        if c[COUNTS] == 1.0:
            count(twin, t1, y.q)
        if zeros.shape[0] > 0:
            settle(e, y.clock[T], y.q, y.v, fired)
        if fired >= 0:
            y.clock[H] = planned
            return EVENT + 16 * row
        if row < rows and abs(out.t[row] - t1) <= 1e-9 * h:
            _write(y, out, row)
            out.solver[row, 1] = y.counts[ITERATIONS] - evaluations
            evaluations = y.counts[ITERATIONS]
            row += 1
        new = h * max(FALL, min(LARGEST_GROWTH, SAFETY / max(error, TINY) ** (1.0 / c[ORDER])))
        # a step that was cut short for the sake of a row tells less
        y.clock[H] = min(max(new, y.clock[H]) if h < y.clock[H] else new, c[H_MAX])
    return DONE + 16 * rows
