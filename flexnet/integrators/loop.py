"""The time loop of every method whose steps differ: chosen by their error, or ended by events.

Rows, rejected steps, events and what is counted of them are here, once. A method says what a step of it is
in a record of functions, :class:`Step`; a loop is compiled for each such record.
"""

from typing import Any, NamedTuple

from flexnet.integrators.event_search import FIRED, WAITS, Span, Zeros, next_event, settle, step_to_event
from flexnet.integrators.functions import Functions
from flexnet.integrators.rows import (
    DONE,
    EVENT,
    ITERATIONS,
    PAUSE,
    REJECTED,
    STEP_TOO_SMALL,
    STEPS,
    H,
    Output,
    T,
)
from flexnet.kernels.compile import shared
from flexnet.typing import Array, IntArray

#: part of a time by which another is the same but for round-off: there is no step in between
HERE = 1e-15
#: part of a step by which its end is a row
ROW = 1e-9
#: steps times unknowns after which Python may look up, some seconds of work, and the fewest steps that are
LONG, LEAST_LONG = 1_000_000, 5000


class Data(NamedTuple):
    """What the functions of a step work on."""

    f: Functions
    y: Any  # state, of which clock and counts are the numbers of every loop
    s: Any  # scratch
    k: Any  # coefficients, where the method has some
    c: Any  # constants
    clock: Array
    counts: IntArray


class Step(NamedTuple):
    """A step as functions of :class:`Data`."""

    length: Any  # (d, t, end, cut, left) -> t₁, h: cut halves, left of the steps to the row
    attempt: Any  # (d, t₁, h) -> status, error over what is allowed
    again: Any  # (d, t₁, h) -> status, of a step to an event
    shorten: Any  # (d, h, error, cut) -> whether a shorter step can be tried
    between: Any  # (d, span, out, first, row, h) -> status, of a row inside the step
    accept: Any  # (d, out, first, row, t₁, h), rows from first on were inside
    plan: Any  # (d, planned, tried, h, error, is_ended): what follows; ended by an event
    write: Any  # (d, out, row, iterations)
    is_dense: bool  # whether rows may be inside a step
    counts_rejected: bool  # whether iterations of rejected steps are those of a row


@shared
def nothing_between(d: Data, span: Span, out: Output, first: int, row: int, h: float) -> int:
    """Every row ends a step."""
    return DONE


@shared
def _take(
    step: Step, d: Data, span: Span, out: Output, row: int, counted: int, t1: float, h: float
) -> tuple[int, int, int]:
    """Write the rows inside the step and accept it; status, next row, and iterations that rows tell of."""
    first, status = row, DONE
    while status == DONE and row < len(out.t) and out.t[row] < t1 - ROW * h:
        status = step.between(d, span, out, first, row, h)
        if status == DONE:
            out.solver[row, 1] = d.counts[ITERATIONS] - counted
            row, counted = row + 1, d.counts[ITERATIONS]
    if status == DONE:
        step.accept(d, out, first, row, t1, h)
    return status, row, counted


@shared
def is_row_at(times: Array, row: int, t1: float, h: float) -> bool:
    """Whether an event comes at the time of a row, which then shows what was before it."""
    while row < len(times) and times[row] < t1 - ROW * h:
        row += 1
    return row < len(times) and abs(times[row] - t1) <= ROW * h


@shared
def _seek(
    step: Step, d: Data, span: Span, e: Zeros, out: Output, row: int, status: int, t1: float, h: float
) -> tuple[int, int, float, float, bool]:
    """End the trial step at its first event: number (-1 for none), status, end, length, whether at a row."""
    if e.zeros.shape[0] == 0:
        return -1, status, t1, h, False
    t0 = d.clock[T]
    fired = next_event(d.f.compose, d.f.model, span, e, t0, h)
    if fired < 0:
        return fired, status, t1, h, False
    status, h = step_to_event(step.again, d, span, e, fired, t0, h)
    return fired, status, t0 + h, h, h > 0.0 and is_row_at(out.t, row, t0 + h, h)


@shared
def advance(step: Step, d: Data, span: Span, e: Zeros, out: Output, every: int) -> int:
    """Fill the rows of ``out`` at the times already in ``out.t``, up to an event.

    A loop of steps chosen by their error comes back after very many, else nobody could stop it.
    """
    row, rows, taken, cut, counted = 0, len(out.t), 0, 1.0, d.counts[ITERATIONS]
    pause = d.counts[STEPS] + max(LEAST_LONG, LONG // (out.a.shape[1] + out.lam.shape[1] + 1))
    while row < rows:
        if d.counts[STEPS] >= pause and every == 1:
            return PAUSE + 16 * row
        end = out.t[rows - 1] if step.is_dense else out.t[row]
        t0, planned, before = d.clock[T], d.clock[H], d.counts[ITERATIONS]
        if end - t0 <= HERE * abs(end):  # an event happened at the time of the row
            step.write(d, out, row, d.counts[ITERATIONS] - counted)
            row, taken, counted = row + 1, 0, d.counts[ITERATIONS]
            continue
        t1, h = step.length(d, t0, end, cut, every - taken)
        status, error = step.attempt(d, t1, h)
        if not error <= 1.0:
            d.counts[REJECTED] += 1
            cut *= 0.5
            if not step.shorten(d, h, error, cut):
                return int((status if status != DONE else STEP_TOO_SMALL) + 16 * row)
            counted += 0 if step.counts_rejected else d.counts[ITERATIONS] - before
            continue
        tried, cut = h, 1.0
        fired, status, t1, h, is_later = _seek(step, d, span, e, out, row, status, t1, h)
        if status == DONE and h > 0.0:
            status, row, counted = _take(step, d, span, out, row, counted, t1, h)
        if status != DONE:
            return int(status + 16 * row)
        if e.zeros.shape[0] > 0:
            settle(e, d.clock[T], d.y.q, d.y.v, fired)
        step.plan(d, planned, tried, h, error, fired >= 0)
        if is_later:
            e.zeros[fired, FIRED] = WAITS
        elif fired >= 0:
            return EVENT + 16 * row
        taken += 1
        if is_later or (row < rows and abs(out.t[row] - t1) <= ROW * h):
            step.write(d, out, row, d.counts[ITERATIONS] - counted)
            row, taken, counted = row + 1, 0, d.counts[ITERATIONS]
    return DONE + 16 * rows
