"""Steps of the energy schemes that differ: chosen by their error, or fixed but for events."""

from typing import Any

from flexnet.integrators.energy_errors import local_error
from flexnet.integrators.energy_loop import accept, attempt, record
from flexnet.integrators.energy_state import restore
from flexnet.integrators.event_search import Span, Zeros
from flexnet.integrators.functions import Functions
from flexnet.integrators.loop import Data, Step, advance, nothing_between
from flexnet.integrators.rows import DONE, Output
from flexnet.integrators.step_control import (
    FAILED,
    LEAST,
    next_step,
    next_whole,
    step_after_failure,
    step_towards,
)
from flexnet.kernels.compile import shared
from flexnet.typing import Array, IntArray


@shared
def _length(d: Data, t0: float, end: float, cut: float, left: int) -> tuple[float, float]:
    """End and length of the next step: as planned, or to the next whole one where steps are fixed."""
    c = d.c
    if c.tolerance > 0.0:
        h = step_towards(end - t0, d.y.clock[0].h)
    else:
        h = cut * min(next_whole(c.t_start, c.h_max, t0, end) - t0, end - t0)
    return (end if abs(t0 + h - end) <= 1e-9 * h else t0 + h), h


@shared
def _attempt(d: Data, t1: float, h: float) -> tuple[int, float]:
    """A step, and its error over what is allowed."""
    y, s, c = d.y, d.s, d.c
    # the stiffness in Newton's matrix is for one size of step
    is_other = h != y.clock[0].h_old and (y.counts[0].tangent == 1 or c.is_stiff == 1.0)
    status = attempt(d.f, y, s, c, t1, h, s.needs_matrix[0] == 1 or is_other)
    if status != DONE:
        return status, FAILED
    # the increment, whose place projections may have used
    k = s.tableau[0]
    for i in range(y.v.shape[0]):
        s.d[i] = k.b_before * s.u_before[i] + k.b * s.u[i]
    return status, (local_error(y, s, c, h) if c.tolerance > 0.0 else 0.0)


@shared
def _again(d: Data, t1: float, h: float) -> int:
    """A step to an event."""
    return int(attempt(d.f, d.y, d.s, d.c, t1, h, True))


@shared
def _shorten(d: Data, h: float, error: float, cut: float) -> bool:
    """A smaller step after a failure; a fixed one is halved."""
    d.s.needs_matrix[0] = 1
    if d.c.tolerance == 0.0:
        return cut >= LEAST
    new = step_after_failure(h, error)
    if new < d.c.h_min:
        return False
    d.y.clock[0].h = new
    return True


@shared
def _accept(d: Data, out: Output, first: int, row: int, t1: float, h: float) -> None:
    """Take over the step."""
    accept(d.f, d.y, d.s, d.c, t1, h)


@shared
def _plan(d: Data, planned: float, tried: float, h: float, error: float, is_ended: bool) -> None:
    """What follows a step."""
    d.s.needs_matrix[0] = d.y.counts[0].refresh
    if d.c.tolerance > 0.0 and not is_ended:
        d.y.clock[0].h = next_step(h, planned, error, d.c.h_max)


@shared
def _write(d: Data, out: Output, row: int, iterations: int) -> None:
    """Row of the present state."""
    d.s.needs_matrix[0] = 1 if record(d.f, d.y, d.s, d.c, out, row, iterations) else 0


_STEP = Step(_length, _attempt, _again, _shorten, nothing_between, _accept, _plan, _write, False, True)


def run_adaptive(
    residual: Any, matrices: Any, compose: Any, rates: Any, power: Any, energy: Any, count: Any,
    momenta: Any, follow: Any, evaluate: Any, model: Any, kept: Any, counted: Any, work: Any,
    data: IntArray, constants: Any, eye: Any, zeros: Array, g: Array, out: Output, first: int, every: int,
) -> int:  # fmt: skip
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event; every row ends a step."""
    f = Functions(
        residual, matrices, compose, rates, power, energy, count, momenta, follow, model, kept, counted, work
    )
    y, s = restore(data)
    s.needs_matrix[0] = 1
    d = Data(f, y, s, None, constants[0], s.clock, s.counts)
    span = Span(y.q, y.v, s.d, s.q1, s.v1, s.qp, s.up, s.rp)
    return advance(_STEP, d, span, Zeros(evaluate, eye, zeros, g), out, every)
