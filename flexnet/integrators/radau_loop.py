"""Steps of Radau IIA: (1) and (2) of `radau` by Newton's method, step after step.

**Newton.** With A⁻¹ = T Λ T⁻¹ the three stages come apart into one real and one complex system (Hairer and
Wanner 1996, IV.8): with c = h/ζ for each eigenvalue ζ,

    [ M + c D + c² K    Gᵀ ]  [ δv   ]     [ -c r  ]
    [ G + c W           0  ]  [ c δλ ]  =  [ -Φ̇   ]                                             (3)

K = ∂r/∂q, D = ∂r/∂v, W = ∂Φ̇/∂q, by differences at the start of a step, and kept while Newton converges well.

**Error.** γ₀ h ẏ + Σ e_i (y_i - y), filtered by the real system, goes with h⁴, that of the step with h⁶. So
the estimate of a run may be ALLOWED tol^⅔, a step has its share h/span (the exponent is that of RADAU5).
"""

from typing import Any

from flexnet.integrators.event_search import Span, Zeros
from flexnet.integrators.functions import Functions
from flexnet.integrators.loop import Data, Step, advance, nothing_between
from flexnet.integrators.radau_newton import SLOW, factor, local_error, newton, tangents
from flexnet.integrators.radau_run import (
    IS_FIXED,
    LENGTH,
    SLOWEST,
    Coefficients,
    Scratch,
    State,
    restore,
)
from flexnet.integrators.rows import (
    DONE,
    RESIDUAL,
    SINGULAR,
    H,
    Output,
    T,
)
from flexnet.integrators.runge_kutta_loop import shorten, take_over, write
from flexnet.integrators.runge_kutta_state import H_MAX, ORDER, SPAN, TOLERANCE
from flexnet.integrators.runge_kutta_step import accelerate, account, close
from flexnet.integrators.state_account import PARTS, add_to_account
from flexnet.integrators.step_control import (
    FAILED,
    GROW,
    SAFETY,
    SHRINK,
    TINY,
    WORTHWHILE,
    step_towards,
)
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import copy
from flexnet.typing import Array, IntArray

#: estimate of the error of a run over the power ⅔ of its tolerance
ALLOWED = 0.3


@shared
def finish(f: Functions, y: Any, s: Any, k: Coefficients, c: Array, t1: float, h: float) -> int:
    """The end of the step on its constraints, with its own v̇ and λ; powers at all stages."""
    status = DONE
    for i in range(3):
        f.compose(f.model, y.q, s.ways[i], s.q1)
        copy(s.velocities[i], s.v1)
        t = t1 if i == 2 else y.clock[T] + k.c[i] * h
        if i == 2 and s.phi.shape[0] > 0:
            close(f, y, s, t, s.q1, s.v1)
        status = accelerate(f, y, s, t, s.q1, s.v1, s.vdot1, s.lam1)
        if status != DONE:
            return int(status)
        account(f, s, c, t, s.q1, s.v1, s.vdot1, s.lam1, s.powers[i])
    return int(status)


@shared
def _tolerance_of(error: float, share: float) -> float:
    """Share of the tolerance that would have chosen a step of this error."""
    return float((error / (ALLOWED * share)) ** 1.5 * share)


@shared
def _try(
    f: Functions, y: State, s: Scratch, k: Coefficients, c: Array, t1: float, h: float, is_factored: bool
) -> tuple[int, float, float]:
    """A step with the present tangents: status, slowest correction, error over what is allowed."""
    status, slowest, error = DONE if is_factored or factor(y, s, k, h) else SINGULAR, 0.0, 0.0
    if status == DONE:
        status, slowest = newton(f, y, s, k, c, h)
    if status == DONE:
        y.clock[RESIDUAL] = local_error(y, s, k, c, h)
        share = h / c[SPAN]
        if c[IS_FIXED] == 0.0:
            error = y.clock[RESIDUAL] / (ALLOWED * c[TOLERANCE] ** (2.0 / 3.0) * share)
        else:
            y.clock[RESIDUAL] = _tolerance_of(y.clock[RESIDUAL], share)
    if status == DONE and error <= 1.0:
        status = finish(f, y, s, k, c, t1, h)
    return int(status), slowest, error


@shared
def _renew(d: Data) -> None:
    """Tangents at the present state; there are no factors of them yet."""
    y, s = d.y, d.s
    tangents(d.f, s, d.c, y.clock[T], y.q, y.v, y.vdot, y.lam)
    s.fit[LENGTH] = 0.0


@shared
def _length(d: Data, t0: float, end: float, cut: float, left: int) -> tuple[float, float]:
    """End and length of the next step; every row ends one."""
    h = (end - t0) / left if d.c[IS_FIXED] == 1.0 else step_towards(end - t0, d.clock[H])
    return (end if h == end - t0 else t0 + h), h


@shared
def _attempt(d: Data, t1: float, h: float) -> tuple[int, float]:
    """A step, and its error over what is allowed; where it fails, again with new tangents."""
    fit = d.s.fit
    is_fresh = fit[SLOWEST] > SLOW
    if is_fresh:
        _renew(d)
    is_factored = abs(h - fit[LENGTH]) <= 1e-12 * h
    status, slowest, error = _try(d.f, d.y, d.s, d.k, d.c, t1, h, is_factored)
    if status != DONE and not is_fresh:
        _renew(d)
        status, slowest, error = _try(d.f, d.y, d.s, d.k, d.c, t1, h, False)
    # of a step that is rejected the tangents are good
    fit[LENGTH], fit[SLOWEST] = h, slowest if status == DONE and error <= 1.0 else 0.0
    return status, (error if status == DONE else FAILED ** d.c[ORDER])


@shared
def _again(d: Data, t1: float, h: float) -> int:
    """A step to an event."""
    status, _, _ = _try(d.f, d.y, d.s, d.k, d.c, t1, h, False)
    return int(status)


@shared
def _shorten(d: Data, h: float, error: float, cut: float) -> bool:
    """A smaller step after a failure; a fixed one stays."""
    return d.c[IS_FIXED] == 0.0 and shorten(d, h, error, cut)


@shared
def _accept(d: Data, out: Output, first: int, row: int, t1: float, h: float) -> None:
    """Take over the step, and its stages, which foretell the next."""
    n, n_z = d.y.v.shape[0], d.y.account.shape[0] // PARTS
    for i in range(n - n_z, n):
        error = _tolerance_of(d.s.x[i], h / d.c[SPAN])
        add_to_account(d.y.account, i - n + n_z, error, d.s.v1[i], d.s.vdot1[i])
    for i in range(3):
        copy(d.s.accelerations[i], d.y.last[i * n : (i + 1) * n])
    d.y.last[3 * n] = h
    take_over(d, d.k.A[2], 3, 2, t1, h)


@shared
def _plan(d: Data, planned: float, tried: float, h: float, error: float, is_ended: bool) -> None:
    """What follows a step; a fixed one stays."""
    if d.c[IS_FIXED] == 1.0:
        return
    new = tried * min(GROW, max(SHRINK, SAFETY / max(error, TINY) ** (1.0 / d.c[ORDER])))
    if tried < planned:  # cut short for the sake of a row
        new = max(new, planned)
    elif tried <= new < WORTHWHILE * tried:  # the factors stay good
        new = tried
    d.clock[H] = min(new, d.c[H_MAX])


_STEP = Step(_length, _attempt, _again, _shorten, nothing_between, _accept, _plan, write, False, True)


def run(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    evaluate: Any, model: Any, twin: Any, work: Any, data: IntArray, c: Array, eye: Any, zeros: Array,
    g: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event; every row ends a step."""
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, None, None, model, None, twin, work
    )
    y, s, k = restore(data)
    s.fit[SLOWEST] = 1.0
    span = Span(y.q, y.v, s.ways[2], s.q1, s.v1, s.qp, s.dq, s.r)
    return advance(
        _STEP, Data(f, y, s, k, c, y.clock, y.counts), span, Zeros(evaluate, eye, zeros, g), out, every
    )
