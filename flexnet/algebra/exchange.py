"""Expressions of sympy, in and out: what users write, and what is read, simplified and typeset."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import sympy as sp

from flexnet.algebra import function as f
from flexnet.algebra.scalar import (
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
    Number,
    add,
    div,
    number,
    power,
    product,
    symbol,
    terms,
    where,
)  # fmt: skip
from flexnet.algebra.tape import tape
from flexnet.errors import ModelError

#: functions that have another name in sympy
_OTHER = {
    "absolute": "Abs", "sgn": "sign", "heaviside": "Heaviside", "maximum": "Max", "minimum": "Min",
}  # fmt: skip
#: functions sympy knows, by its name of them
_KNOWN = {
    _OTHER.get(name, name): function
    for name, function in f.FUNCTIONS.items()
    if (function.formula is None and name != "nearest") or name in _OTHER
}


# -- out ---------------------------------------------------------------------------------------


def to_sympy(outputs: Iterable[Expr], names: Mapping[Node, Any] | None = None) -> list[Any]:
    """Expressions of sympy; an input is a real symbol of its name, a node that has a name is that symbol."""
    done: dict[Node, Any] = dict(names or {})

    def of(x: Expr) -> Any:
        if type(x) is not Node:
            return _number(x)
        if x.op == INPUT and x not in done:
            done[x] = sp.Symbol(x.args[0], real=True)
        return done[x]

    wanted = list(outputs)
    for x in tape(wanted, done):
        done[x] = _out(x, of)
    return [of(x) for x in wanted]


def _number(c: Number) -> Any:
    c = number(c) if isinstance(c, float) else c
    return sp.Float(c, 17) if isinstance(c, float) else sp.Rational(c.numerator, c.denominator)


def _out(x: Node, of: Callable[[Expr], Any]) -> Any:
    if x.op == SUM:
        return sp.Add(_number(x.args[0]), *(sp.Mul(_number(c), of(y)) for c, y in terms(x)))
    if x.op == SELECT:
        or_equal, left, right, a, b = x.args
        relation = sp.Le if or_equal else sp.Lt
        return sp.Piecewise((of(a), relation(of(left), of(right))), (of(b), True))
    if x.op == EXTERN:
        table, place, *args = x.args
        return _function(table)(place, *map(of, args))
    if x.op in (MUL, DIV, POW):
        a, b = map(of, x.args)
        return {MUL: sp.Mul, POW: sp.Pow}[x.op](a, b) if x.op != DIV else a / b
    function, *args = x.args
    return _function(_OTHER.get(function.name, function.name))(*map(of, args))


@cache
def _function(name: str) -> Any:
    return getattr(sp, name) if name in _KNOWN else sp.Function(name, real=True)


# -- in ----------------------------------------------------------------------------------------


def from_sympy(e: Any, names: Mapping[str, Expr] | None = None) -> Expr:
    """An expression of sympy as a node or a number; symbols by their names.

    Raises
    ------
    ModelError
        If a function has no code.
    """
    given = names or {}
    done: dict[Any, Expr] = {}

    def of(x: Any) -> Expr:
        if x not in done:
            done[x] = _in(x, of, given)
        return done[x]

    return of(sp.sympify(e))


def python_function(e: Any) -> Callable[[float], float]:
    """An expression of sympy of one symbol at most as a Python function: to look at it, not to run it."""
    found: Callable[[float], float] = sp.lambdify(list(e.free_symbols) or [sp.Symbol("t")], e, "math")
    return found


def _in(e: Any, of: Callable[[Any], Expr], names: Mapping[str, Expr]) -> Expr:
    if e.is_Symbol:
        return names[e.name] if e.name in names else symbol(e.name)
    if e.is_Rational:
        return int(e) if e.is_Integer else Fraction(int(e.p), int(e.q))
    if e.is_Number or e.is_NumberSymbol:
        return float(e)
    if e.is_Add:
        return add(*map(of, e.args))
    if e.is_Mul:
        above = [x for x in e.args if not _is_below(x)]
        below = [sp.Pow(x.base, -x.exp) for x in e.args if _is_below(x)]
        return div(product(map(of, above)), product(map(of, below)))
    if e.is_Pow:
        return power(of(e.base), of(e.exp))
    return _call_in(e, of)


def _is_below(x: Any) -> bool:
    return bool(x.is_Pow and x.exp.is_Number and x.exp < 0)


def _call_in(e: Any, of: Callable[[Any], Expr]) -> Expr:
    name = e.func.__name__
    if name == "Piecewise":
        *pairs, (last, _) = e.args
        if not _is_whole([condition for _, condition in e.args]):
            raise ModelError(f"a formula says nothing where none of {e} holds; end it with (value, True)")
        return reduce(lambda rest, pair: _chosen(pair[1], of(pair[0]), rest, of), pairs[::-1], of(last))
    function = _KNOWN.get(name) or f.FUNCTIONS.get(name)
    if function is None:
        raise ModelError(f"a formula contains {name}, which cannot be written as code")
    args = [of(x) for x in e.args]
    if name in ("Max", "Min"):
        return reduce(function, args)
    return function(*args[: len(function.parameters)])


def _is_whole(conditions: list[Any]) -> bool:
    """Whether one of some conditions always holds."""
    either = sp.Or(*conditions)
    if either in (True, False) or len(either.free_symbols) != 1:
        return bool(either == True)  # noqa: E712 (sympy's own truth is no bool)
    try:
        return bool(either.as_set() == sp.S.Reals)
    except (NotImplementedError, TypeError, ValueError):
        return False


def _chosen(condition: Any, a: Expr, b: Expr, of: Callable[[Any], Expr]) -> Expr:
    """``a`` where a condition of sympy holds, else ``b``; of several, one after the other."""
    match condition.func.__name__:
        case "BooleanTrue":
            return a
        case "BooleanFalse":
            return b
        case "And":
            return reduce(lambda chosen, x: _chosen(x, chosen, b, of), condition.args, a)
        case "Or":
            return reduce(lambda chosen, x: _chosen(x, a, chosen, of), condition.args, b)
        case "Not":
            return _chosen(condition.args[0], b, a, of)
        case _:
            return where(_condition(condition, of), a, b)


def _condition(e: Any, of: Callable[[Any], Expr]) -> Condition:
    if not e.is_Relational or e.rel_op not in ("<", "<=", ">", ">="):
        raise ModelError(f"a formula chooses by {e}, which cannot be written as code")
    left, right = (of(x) for x in (e.args if e.rel_op[0] == "<" else e.args[::-1]))
    return Condition(left, right, e.rel_op[-1] == "=")
