"""Exact derivatives, forwards along given directions and backwards from given outputs.

With ẋ of the inputs known, a node has ẏ = Σ (∂y/∂xᵢ) ẋᵢ; with ȳ of the outputs known, x̄ᵢ += ȳ ∂y/∂xᵢ. A
choice is differentiated branch by branch, and a branch that is not taken contributes nothing, whatever is
infinite in it: backwards, x̄ keeps the condition outside its products.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from flexnet.algebra.function import Function, formula_of, log
from flexnet.algebra.scalar import (
    CALL,
    DIV,
    EXTERN,
    INPUT,
    MUL,
    POW,
    SELECT,
    SUM,
    Condition,
    Expr,
    Node,
    add,
    extern,
    mul,
    power,
    terms,
    where,
)  # fmt: skip
from flexnet.algebra.tape import mapped, reach, substituted, tape
from flexnet.errors import ModelError
from flexnet.typing import AnyArray

#: table of functions whose derivatives are not known, and left out where others are asked for
CALLS = "calls"


def calls_in(table: str, outputs: Iterable[Expr]) -> list[Expr]:
    """Outputs with those functions in another table, once nothing is differentiated any more."""

    def is_call(x: Node) -> bool:
        return x.op == EXTERN and x.args[0] == CALLS

    out = list(outputs)
    while any(map(is_call, tape(out))):  # one may be called with what another gives
        out = mapped(out, lambda x: extern(table, *x.args[1:]) if is_call(x) else None)
    return out


def partials(x: Node) -> list[tuple[Node, Expr]]:
    """Arguments of a node with its derivative by each; not of a choice."""
    if x.op == SUM:
        return [(y, c) for c, y in terms(x)]
    if x.op == EXTERN and x.args[0] == CALLS:
        return []
    if x.op == EXTERN:
        raise ModelError("a law that is a Python function has no derivative; write it as an expression")
    found = {MUL: _product, DIV: _quotient, POW: _power, CALL: _call}[x.op](x)
    return [(y, d) for y, d in zip(x.args[-len(found) :], found, strict=True) if type(y) is Node and _is(d)]


def _is(d: Expr) -> bool:
    """Whether a derivative is not zero."""
    return type(d) is Node or d != 0


def _product(x: Node) -> tuple[Expr, ...]:
    a, b = x.args
    return b, a


def _quotient(x: Node) -> tuple[Expr, ...]:
    _, b = x.args
    return 1 / b, -x / b


def _power(x: Node) -> tuple[Expr, ...]:
    base, n = x.args
    by_n = x * (log(base) if type(base) is Node or base > 0 else 0) if type(n) is Node else 0
    return n * power(base, n - 1), by_n


def _call(x: Node) -> tuple[Expr, ...]:
    function, *args = x.args
    return function_partials(function, args)


def function_partials(function: Function, args: Sequence[Expr]) -> tuple[Expr, ...]:
    """Derivatives of a function, by its rule or of its formula."""
    if function.partials is not None:
        return function.partials(*args)
    return tuple(_derived(function, name)(*args) for name in function.parameters)


@cache
def _derived(function: Function, by: str) -> Function:
    """Derivative of a formula as a function of its own: only the branch that is taken is computed."""
    inputs, formula = formula_of(function)
    (derivative,) = forward([formula], {inputs[function.parameters.index(by)]: 1})

    def of(*args: Expr) -> Expr:
        return substituted([derivative], dict(zip(inputs, args, strict=True)))[0]

    parity = -function.parity
    return Function(f"{function.name}_{by}", function.parameters, parity=parity, formula=of)


def forward(outputs: Iterable[Expr], direction: Mapping[Node, Expr]) -> list[Expr]:
    """Derivatives of outputs when inputs, or nodes taken for such, move along a direction."""
    return list(forward_each(outputs, [direction])[:, 0])


def forward_each(outputs: Iterable[Expr], directions: Sequence[Mapping[Node, Expr]]) -> AnyArray:
    """Derivatives (outputs, directions) along each of several directions, in one sweep."""
    moving: dict[Node, dict[int, Expr]] = {x: {} for direction in directions for x in direction}
    for k, direction in enumerate(directions):
        for x, rate in direction.items():
            if _is(rate):
                moving[x][k] = rate
    still: dict[int, Expr] = {}
    wanted = list(outputs)
    for x in tape(wanted, set(moving)):
        asked = dict.fromkeys(k for y in x.args if type(y) is Node for k in moving.get(y, still))
        if not asked:
            continue
        if x.op == SELECT:
            or_equal, left, right, *branches = x.args
            a, b = (moving.get(y, still) if type(y) is Node else still for y in branches)
            condition = Condition(left, right, or_equal)
            found = {k: where(condition, a.get(k, 0), b.get(k, 0)) for k in asked}
        else:
            slopes = [(moving.get(y, still), d) for y, d in partials(x)]
            found = {k: add(*(mul(d, rates[k]) for rates, d in slopes if k in rates)) for k in asked}
        moving[x] = {k: rate for k, rate in found.items() if _is(rate)}
    out = np.zeros((len(wanted), len(directions)), dtype=object)
    for i, y in enumerate(wanted):
        for k, rate in moving.get(y, still).items() if type(y) is Node else ():
            out[i, k] = rate
    return out


def backward(outputs: Mapping[Node, Expr], inputs: Sequence[Node]) -> list[Expr]:
    """Σ ȳ ∂y/∂x of outputs with given factors ȳ, by each of the inputs."""
    adjoint: dict[Node, list[Expr]] = {x: [factor] for x, factor in outputs.items()}
    stop = set(inputs)
    for x in reversed(tape(outputs, stop)):
        if x not in adjoint:
            continue
        bar = add(*adjoint.pop(x))
        if x.op == SELECT:
            or_equal, left, right, a, b = x.args
            condition = Condition(left, right, or_equal)
            found = [(a, where(condition, bar, 0)), (b, where(condition, 0, bar))]
        else:
            found = [(y, _times(d, bar)) for y, d in partials(x)]
        for y, term in found:
            if type(y) is Node and (y.op != INPUT or y in stop):
                adjoint.setdefault(y, []).append(term)
    return [add(*adjoint.get(x, ())) for x in inputs]


def _times(d: Expr, bar: Expr) -> Expr:
    """A product that stays zero where ``bar`` is zero by a choice."""
    if type(bar) is Node and type(d) is Node:
        if bar.op == SELECT:
            or_equal, left, right, a, b = bar.args
            if not (_is(a) and _is(b)):
                return where(Condition(left, right, or_equal), _times(d, a), _times(d, b))
        if bar.op == SUM and all(y.op == SELECT for _, y in terms(bar)):
            return add(_times(d, bar.args[0]), *(c * _times(d, y) for c, y in terms(bar)))
    return mul(d, bar)


def jacobian(outputs: Sequence[Expr], inputs: Sequence[Node]) -> AnyArray:
    """Derivatives (outputs, inputs), forwards or backwards, whichever has fewer passes."""
    if len(inputs) <= len(outputs):
        return forward_each(outputs, [{x: 1} for x in inputs])
    out = np.zeros((len(outputs), len(inputs)), dtype=object)
    for i, y in enumerate(outputs):
        if type(y) is Node:
            out[i] = backward({y: 1}, inputs)
    return out


def sparse_jacobian(outputs: Sequence[Expr], inputs: Sequence[Node]) -> list[tuple[int, int, Expr]]:
    """Derivatives that are not zero at every state, as output, input and value, row by row."""
    place = {x: j for j, x in enumerate(inputs)}
    out = list[tuple[int, int, Expr]]()
    for i, (y, reached) in enumerate(zip(outputs, reach(outputs), strict=True)):
        asked = sorted((x for x in reached if x in place), key=place.__getitem__)
        if type(y) is Node and asked:
            found = backward({y: 1}, asked)
            out += [(i, place[x], d) for x, d in zip(asked, found, strict=True) if _is(d)]
    return out


def gradient(output: Expr, inputs: Sequence[Node]) -> list[Expr]:
    """Derivatives of one output."""
    return backward({output: 1}, inputs) if type(output) is Node else [0] * len(inputs)
