"""Signals read: with formulas for the engines, with arrays for channels."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import flexnet.algebra as algebra
from flexnet.errors import ModelError
from flexnet.signals.signal import OPERATIONS, Applied, Formula, Number, Signal


def as_given(value: float) -> algebra.Number:
    """A number in a formula; a small one as it is: no round-off of zero but a charge or a leakage."""
    return algebra.number(value) if abs(value) > 1e-6 else float(value)


def evaluate(
    signals: Sequence[Signal],
    leaf: Callable[[Signal], Any],
    of_arrays: bool,
    done: dict[Signal, Any] | None = None,
    called: Callable[[Applied], Callable[..., Any]] | None = None,
    number: Callable[[float], Any] | None = None,
) -> list[Any]:
    """Values of signals.

    Parameters
    ----------
    leaf : value of a signal that is computed from no other, numbers excepted; of one of a network, what it
        is computed from as a signal.
    of_arrays : whether values are numbers and arrays; else they are expressions of :mod:`flexnet.algebra`.
    done : values of signals that were evaluated before; filled in.
    called : what stands for a user's function that could not be traced, of expressions.
    number : what stands for a number, that of a user's function too, but for exponents; the number itself if
        left out.
    """
    number = number or (float if of_arrays else as_given)
    done = {} if done is None else done
    waiting: dict[Signal, Signal] = {}  # a leaf, and the signal it is computed from
    stack = list(signals)[::-1]
    while stack:  # no recursion: a sum over a large network is deep
        s = stack[-1]
        if s in done:
            stack.pop()
        elif isinstance(s, Number):
            done[s] = number(s.value)
        elif isinstance(s, Formula | Applied):
            if isinstance(s, Formula) and s.operation == "power" and isinstance(s.needs[1], Number):
                done.setdefault(s.needs[1], s.needs[1].value if of_arrays else as_given(s.needs[1].value))
            missing = [x for x in s.needs if x not in done]
            stack += reversed(missing)
            if not missing:
                done[s] = _computed(s, [done[x] for x in s.needs], of_arrays, called, number)
        elif s not in waiting:
            found = leaf(s)
            if isinstance(found, Signal):
                waiting[s] = found
                stack.append(found)
            else:
                done[s] = found
        elif waiting[s] in done:
            done[s] = done[waiting[s]]
        else:
            raise ModelError(
                f"the {s!r} follows from itself through a source that follows it; use a controlled"
                " source, or a lag"
            )
    return [done[s] for s in signals]


def _opened(
    law: Callable[..., Any], values: list[Any], number: Callable[[float], algebra.Expr]
) -> algebra.Expr:
    """A law of expressions, with what ``number`` gives for its own numbers."""
    inputs = {k: algebra.symbol(f"of_{k}") for k, x in enumerate(values) if isinstance(x, algebra.Node)}
    answer = law(*(inputs.get(k, x) for k, x in enumerate(values)))
    given = [values[k] for k in inputs]
    return algebra.TracedFunction(tuple(inputs.values()), answer).opened(number)(*given)


def _computed(
    s: Signal,
    values: list[Any],
    of_arrays: bool,
    called: Callable[..., Any] | None,
    number: Callable[[float], Any],
) -> Any:
    """Value of a signal from those it needs."""
    if isinstance(s, Applied):
        if of_arrays:
            return _called(s, values)
        if isinstance(s.traced, algebra.TracedFunction):
            return s.traced.opened(number)(*values)
        if s.traced is not None:
            return _opened(s.traced, values, number)
        if called is None:
            raise ModelError(f"the function {s.name!r} of a signal cannot be traced, so not be written here")
        return called(s)(*values)
    assert isinstance(s, Formula)
    if len(values) == 1 and s.operation == "add":
        return values[0]
    return OPERATIONS[s.operation][of_arrays](*values)


def _called(s: Applied, values: list[Any]) -> Any:
    """What a function of the user gives for arrays, one number after the other."""
    try:
        return np.vectorize(s.call, otypes=[float])(*values)
    except Exception as error:  # whatever a function of the user raises
        why = " ".join(str(error).split())
        raise ModelError(f"the function {s.name!r} of a signal: {type(error).__name__}: {why}") from error


def leaves(signals: Iterable[Signal]) -> Iterator[Signal]:
    """Signals that are computed from no other, each once, in the order in which they are met."""
    seen: set[Signal] = set()
    stack = list(signals)[::-1]
    while stack:
        s = stack.pop()
        if s in seen:
            continue
        seen.add(s)
        if s.needs:
            stack += reversed(s.needs)
        elif not isinstance(s, Number):
            yield s
