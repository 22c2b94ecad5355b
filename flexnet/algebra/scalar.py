"""Scalars: numbers, and nodes of expressions, of which equal ones are one object.

A node is an operation on nodes made before it. Whoever makes it a second time gets the first one, so common
subexpressions are found while formulas are written. What is zero, one or a number is seen at once:

======  =======================================================================================
INPUT   a name
SUM     c₀ + c₁x₁ + c₂x₂ + …, the first factor positive; a single term is a factor in front of a node
MUL     x y
DIV     x/y, or 1/y
POW     xʸ where no whole or half number y makes it products and roots
CALL    a :class:`~flexnet.algebra.function.Function` of nodes
SELECT  a where l < r (or l ≤ r), else b
EXTERN  a function known by its place in a table only, such as a user's Python function
======  =======================================================================================

Signs and factors stay in front: ``a - b`` and ``b - a`` are one node. Arguments that may change places are
ordered by a key that depends on what they are, never on when they were made: the same formulas give the same
code whatever was written before. Numbers are none of its concern: a model in other units, or a variant of it,
has the same formulas in the same order. What differs in numbers alone stays as it was written.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary

from flexnet.errors import ModelError

if TYPE_CHECKING:
    from flexnet.algebra.function import Function

INPUT, SUM, MUL, DIV, POW, CALL, SELECT, EXTERN = range(8)

Number: TypeAlias = int | float | Fraction
#: a node or a number
Expr: TypeAlias = Any

#: whole powers up to this one are products
_PRODUCTS = 16


class Node:
    """An operation; equal ones are the same object.

    Attributes
    ----------
    op : one of the operations of this module.
    args : what it works on.
    key : number that depends on what the node is, but for the numbers in it.
    """

    __slots__ = ("__weakref__", "args", "key", "op")

    op: int
    args: tuple[Any, ...]
    key: int

    @property
    def name(self) -> str:
        """Name of an input."""
        assert self.op == INPUT, "only inputs have names"
        return str(self.args[0])

    def __repr__(self) -> str:
        from flexnet.algebra.typeset import to_text  # sympy is loaded only to write

        return to_text(self)

    def __bool__(self) -> bool:
        raise _unknown("an expression")

    def __add__(self, other: Expr) -> Expr:
        return add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Expr) -> Expr:
        return add(self, -other)

    def __rsub__(self, other: Expr) -> Expr:
        return add(other, -self)

    def __mul__(self, other: Expr) -> Expr:
        return mul(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Expr) -> Expr:
        return div(self, other)

    def __rtruediv__(self, other: Expr) -> Expr:
        return div(other, self)

    def __pow__(self, other: Expr) -> Expr:
        return power(self, other)

    def __rpow__(self, other: Expr) -> Expr:
        return power(other, self)

    def __neg__(self) -> Expr:
        return scale(-1, self)

    def __abs__(self) -> Expr:
        from flexnet.algebra.function import absolute

        return absolute(self)

    def __lt__(self, other: Expr) -> Condition:
        return Condition(self, other, False)

    def __le__(self, other: Expr) -> Condition:
        return Condition(self, other, True)

    def __gt__(self, other: Expr) -> Condition:
        return Condition(other, self, False)

    def __ge__(self, other: Expr) -> Condition:
        return Condition(other, self, True)


class Condition:
    """A comparison ``left < right``, or ``left ≤ right``, for :func:`where`."""

    __slots__ = ("left", "or_equal", "right")

    def __init__(self, left: Expr, right: Expr, or_equal: bool) -> None:
        self.left, self.right, self.or_equal = left, right, or_equal

    def __bool__(self) -> bool:
        raise _unknown("a comparison of expressions")


def _unknown(what: str) -> ModelError:
    return ModelError(f"{what} has no truth while a formula is written; choose by where(condition, a, b)")


# -- making nodes ------------------------------------------------------------------------------

_made: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()


def _node(op: int, args: tuple[Any, ...], keys: Iterable[int]) -> Node:
    """The node of an operation; made if there is none."""
    place = (op, *args)
    found = _made.get(place)
    if found is None:
        found = Node()
        found.op, found.args, found.key = op, args, hash((op, *keys))
        _made[place] = found
    return found


@cache
def name_key(name: str) -> int:
    """Key of a name, the same in every process."""
    return int.from_bytes(blake2b(name.encode(), digest_size=7).digest(), "little")


def _key(x: Expr) -> int:
    """Key of a node; of a number, whether there is one."""
    return x.key if type(x) is Node else int(x != 0)


def symbol(name: str) -> Node:
    """An input of this name."""
    return _node(INPUT, (name,), (name_key(name),))


def symbols(names: str) -> tuple[Node, ...]:
    """Inputs of names between spaces."""
    return tuple(symbol(name) for name in names.split())


def number(x: float) -> Number:
    """A number: exact where it is a small whole number or half, but for round-off; a small one is no zero."""
    if not abs(x) < 500.0:
        return float(x)
    twice = round(2.0 * x)
    if abs(2.0 * x - twice) < 1e-14 and (twice or x == 0.0):
        return twice // 2 if twice % 2 == 0 else Fraction(twice, 2)
    return float(x)


def split(x: Expr) -> tuple[Number, Expr]:
    """Factor in front of a node and the node; of a number, the number and one."""
    if type(x) is not Node:
        return x, 1
    if x.op == SUM and len(x.args) == 3 and x.args[0] == 0:
        return x.args[1], x.args[2]
    return 1, x


def terms(x: Node) -> list[tuple[Number, Node]]:
    """Factors and nodes of a SUM."""
    return list(zip(x.args[1::2], x.args[2::2], strict=True))


def scale(c: Number, x: Expr) -> Expr:
    """A number times anything."""
    if type(x) is not Node:
        return c * x
    before, x = split(x)
    c = c * before
    if c == 0:
        return 0
    if c == 1:
        return x
    out = _node(SUM, (0, c, x), ())
    out.key = x.key
    return out


def add(*items: Expr) -> Expr:
    """Sum; like terms are put together, inner sums stay as they are."""
    constant: Number = 0
    found: dict[Node, Number] = {}
    for item in items:
        c, x = split(item)
        if type(x) is Node:
            found[x] = found.get(x, 0) + c
        else:
            constant = constant + c
    left = [(x, c) for x, c in found.items() if c != 0]
    if not left:
        return constant
    if len(left) == 1 and constant == 0:
        return scale(left[0][1], left[0][0])
    left.sort(key=lambda term: term[0].key)
    sign = 1 if left[0][1] > 0 else -1
    args: list[Any] = [sign * constant]
    for x, c in left:
        args += (sign * c, x)
    return scale(sign, _node(SUM, tuple(args), map(_key, args)))


def mul(a: Expr, b: Expr) -> Expr:
    """Product."""
    if type(a) is not Node:
        return scale(a, b)
    if type(b) is not Node:
        return scale(b, a)
    (c, x), (d, y) = split(a), split(b)
    if x.key > y.key:
        x, y = y, x
    return scale(c * d, _node(MUL, (x, y), (x.key, y.key)))


def product(factors: Iterable[Expr]) -> Expr:
    """Product of several."""
    out: Expr = 1
    for factor in factors:
        out = mul(out, factor)
    return out


def div(a: Expr, b: Expr) -> Expr:
    """Quotient."""
    (c, x), (d, y) = split(a), split(b)
    factor = Fraction(c) / Fraction(d) if _is_exact(c) and _is_exact(d) else c / d
    if y == 1:
        return scale(factor, x)
    if factor == 0 or x is y:
        return factor
    return scale(factor, _node(DIV, (x, y), (_key(x), y.key)))


def _is_exact(c: Number) -> bool:
    return isinstance(c, int | Fraction)


def power(x: Expr, n: Expr) -> Expr:
    """Power; a small whole one is a product, a half one a root."""
    if type(n) is not Node and 2 * n == int(2 * n) and abs(n) <= _PRODUCTS:
        if n < 0:
            return div(1, power(x, -n))
        if n != int(n):
            from flexnet.algebra.function import sqrt

            return mul(power(x, n - Fraction(1, 2)), sqrt(x))
        half = power(x, n // 2) if n > 1 else 1
        return mul(mul(half, half), x) if n % 2 else mul(half, half)
    if type(n) is not Node and type(x) is not Node:
        return x**n
    return _node(POW, (x, n), (_key(x), _key(n)))


def call(function: Function, *args: Expr) -> Expr:
    """A function of nodes; of numbers, its value."""
    if not any(type(x) is Node for x in args):
        return function.value(*map(float, args))
    sign = 1
    if function.parity and split(args[0])[0] < 0:
        sign, args = function.parity, (-args[0],)
    return scale(sign, _node(CALL, (function, *args), (name_key(function.name), *map(_key, args))))


def extern(table: str, place: int, *args: Expr) -> Node:
    """The function at a place of a table of functions."""
    return _node(EXTERN, (table, place, *args), (name_key(table), place, *map(_key, args)))


def where(condition: Condition | bool, a: Expr, b: Expr) -> Expr:
    """``a`` where the condition holds, else ``b``; neither may be the cause of the other's infinities."""
    if not isinstance(condition, Condition):
        return a if condition else b
    left, right = condition.left, condition.right
    if type(left) is not Node and type(right) is not Node:
        holds = left <= right if condition.or_equal else left < right
        return a if holds else b
    if a is b or (type(a) is not Node and type(b) is not Node and a == b):
        return a
    args = (condition.or_equal, left, right, a, b)
    return _node(SELECT, args, map(_key, args))


def children(x: Node) -> list[Node]:
    """Nodes a node works on."""
    return [y for y in x.args if type(y) is Node]


def rebuilt(x: Node, new: Any, number: Any = None) -> Expr:
    """The operation of a node on other arguments: ``new`` gives them, ``number`` what numbers become.

    Numbers stay as they are if it is left out, exponents in any case.
    """
    a = [new(y) if type(y) is Node else y for y in x.args]
    if number is not None:
        stays = 1 if x.op == POW else -1
        a = [number(y) if isinstance(y, float) and k != stays else y for k, y in enumerate(a)]
    if x.op == SUM:
        return add(a[0], *(mul(c, y) for c, y in zip(a[1::2], a[2::2], strict=True)))
    if x.op == SELECT:
        return where(Condition(a[1], a[2], a[0]), a[3], a[4])
    makers: dict[int, Any] = {MUL: mul, DIV: div, POW: power, CALL: call, EXTERN: extern}
    return makers[x.op](*a)
