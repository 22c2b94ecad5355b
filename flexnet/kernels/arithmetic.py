"""Numbers in LLVM's instructions, with Python's meaning: conversions, operations, comparisons.

IEEE arithmetic is kept: nothing is reordered or contracted, and a division by zero gives what IEEE says.
"""

from collections.abc import Iterable

from flexnet.kernels.kinds import BOOL, COMPLEX, FLOAT, INT, Array, Kind, Tuple, Value, unify
from flexnet.kernels.writer import Writer, float_text


def number(x: complex) -> Value:
    """A number that is written in the source."""
    if isinstance(x, bool):
        return Value(BOOL, ("true" if x else "false",), x)
    if isinstance(x, int):
        return Value(INT, (str(x),), x)
    if isinstance(x, float):
        return Value(FLOAT, (float_text(x),), x)
    return Value(COMPLEX, (float_text(x.real), float_text(x.imag)), x)


def convert(w: Writer, value: Value, kind: Kind) -> Value:
    """The value as one of another kind; a number with a fraction loses it where a whole one is wanted."""
    if value.kind == kind:
        return value
    if isinstance(kind, Tuple):
        return join(convert(w, part, k) for part, k in zip(split(value), kind.kinds, strict=True))._replace(
            kind=kind
        )
    if isinstance(kind, Array):
        if kind.is_contiguous:
            raise TypeError("an array with gaps between its entries cannot go where one without is wanted")
        return Value(kind, value.parts + tuple(strides(w, value)))
    if kind == COMPLEX:
        return Value(COMPLEX, (convert(w, value, FLOAT).parts[0], float_text(0.0)))
    ways: dict[tuple[Kind, Kind], str] = {
        (BOOL, INT): "zext i1 {} to i64", (BOOL, FLOAT): "uitofp i1 {} to double",
        (INT, FLOAT): "sitofp i64 {} to double", (FLOAT, INT): "fptosi double {} to i64",
    }  # fmt: skip
    if value.known is not None and kind == FLOAT:
        return number(float(value.known))
    return Value(kind, (w.do(ways[value.kind, kind].format(value.parts[0])),))


def split(value: Value) -> list[Value]:
    """The values of a tuple."""
    found, at = [], 0
    for kind in value.kind.kinds:
        n = len(kind.leaves)
        found.append(Value(kind, value.parts[at : at + n]))
        at += n
    return found


def join(values: Iterable[Value], names: tuple[str, ...] = ()) -> Value:
    """A tuple of values."""
    values = list(values)
    kind = Tuple(tuple(v.kind for v in values), names)
    return Value(kind, tuple(part for v in values for part in v.parts))


def strides(w: Writer, array: Value) -> list[str]:
    """Bytes from one entry to the next, along every axis."""
    kind = array.kind
    if not kind.is_contiguous:
        return list(array.parts[1 + kind.ndim :])
    found = [str(kind.item.bytes)]
    for length in reversed(array.parts[2:]):
        found.append(w.do(f"mul nsw i64 {found[-1]}, {length}"))
    return found[::-1]


def truth(w: Writer, value: Value) -> str:
    """Whether a number is not zero, as a bit."""
    if value.kind == BOOL:
        return value.parts[0]
    if value.kind == INT:
        return w.do(f"icmp ne i64 {value.parts[0]}, 0")
    if value.kind == FLOAT:
        return w.do(f"fcmp une double {value.parts[0]}, {float_text(0.0)}")
    raise TypeError(f"a value of kind {value.kind} is neither true nor false")


_WHOLE = {"Add": "add nsw", "Sub": "sub nsw", "Mult": "mul nsw"}
_REAL = {"Add": "fadd", "Sub": "fsub", "Mult": "fmul", "Div": "fdiv"}


def binary(w: Writer, op: str, a: Value, b: Value) -> Value:
    """``a op b`` but for powers and quotients of complex numbers; op is the name of Python's node."""
    kind = unify(a.kind, b.kind)
    if kind == BOOL or (kind == INT and op == "Div"):
        kind = FLOAT if op == "Div" else INT
    if kind not in (INT, FLOAT, COMPLEX):
        raise TypeError(f"kernels cannot do {op} with {a.kind} and {b.kind}")
    a, b = convert(w, a, kind), convert(w, b, kind)
    if kind == COMPLEX:
        return _complex(w, op, a, b)
    x, y = a.parts[0], b.parts[0]
    if kind == INT and op in ("FloorDiv", "Mod"):
        return _floor(w, op, x, y)
    table, leaf = (_WHOLE, "i64") if kind == INT else (_REAL, "double")
    if op not in table:
        raise TypeError(f"kernels know no {op} of numbers of kind {kind.name}")
    return Value(kind, (w.do(f"{table[op]} {leaf} {x}, {y}"),))


def _floor(w: Writer, op: str, x: str, y: str) -> Value:
    """Quotient or remainder of whole numbers, rounded towards minus infinity."""
    rest = w.do(f"srem i64 {x}, {y}")
    is_other = w.do(f"icmp slt i64 {w.do(f'xor i64 {rest}, {y}')}, 0")
    is_off = w.do(f"and i1 {is_other}, {w.do(f'icmp ne i64 {rest}, 0')}")
    if op == "Mod":
        return Value(INT, (w.do(f"add i64 {rest}, {w.do(f'select i1 {is_off}, i64 {y}, i64 0')}"),))
    quotient = w.do(f"sdiv i64 {x}, {y}")
    return Value(INT, (w.do(f"sub i64 {quotient}, {w.do(f'zext i1 {is_off} to i64')}"),))


def _complex(w: Writer, op: str, a: Value, b: Value) -> Value:
    (ar, ai), (br, bi) = a.parts, b.parts
    if op in ("Add", "Sub"):
        return Value(COMPLEX, tuple(w.do(f"{_REAL[op]} double {x}, {y}") for x, y in ((ar, br), (ai, bi))))
    if op != "Mult":
        raise TypeError(f"kernels know no {op} of complex numbers")
    ac, bd, ad, bc = (w.do(f"fmul double {x}, {y}") for x, y in ((ar, br), (ai, bi), (ar, bi), (ai, br)))
    return Value(COMPLEX, (w.do(f"fsub double {ac}, {bd}"), w.do(f"fadd double {ad}, {bc}")))


def power(w: Writer, a: Value, exponent: int) -> Value:
    """A whole, known power by squaring."""
    n, out, square = abs(exponent), number(1) if a.kind == INT else number(1.0), a
    while n:
        if n & 1:
            out = binary(w, "Mult", out, square)
        n >>= 1
        if n:
            square = binary(w, "Mult", square, square)
    return out if exponent >= 0 else binary(w, "Div", number(1.0), out)


def negative(w: Writer, a: Value) -> Value:
    """``-a``."""
    if a.known is not None:
        return number(-a.known)
    if a.kind in (FLOAT, COMPLEX):
        return Value(a.kind, tuple(w.do(f"fneg double {x}") for x in a.parts))
    return Value(INT, (w.do(f"sub nsw i64 0, {convert(w, a, INT).parts[0]}"),))


_ORDERS = {
    "Eq": ("eq", "oeq"), "NotEq": ("ne", "une"), "Lt": ("slt", "olt"), "LtE": ("sle", "ole"),
    "Gt": ("sgt", "ogt"), "GtE": ("sge", "oge"),
}  # fmt: skip


def compare(w: Writer, op: str, a: Value, b: Value) -> str:
    """Whether ``a op b``, as a bit."""
    kind = unify(a.kind, b.kind)
    kind = INT if kind == BOOL else kind
    if kind == COMPLEX and op in ("Eq", "NotEq"):
        first, second = (
            w.do(f"fcmp {_ORDERS[op][1]} double {x}, {y}")
            for x, y in zip(convert(w, a, kind).parts, convert(w, b, kind).parts, strict=True)
        )
        return w.do(f"{'and' if op == 'Eq' else 'or'} i1 {first}, {second}")
    if kind not in (INT, FLOAT) or op not in _ORDERS:
        raise TypeError(f"kernels cannot compare {a.kind} with {b.kind} by {op}")
    x, y = convert(w, a, kind).parts[0], convert(w, b, kind).parts[0]
    whole, real = _ORDERS[op]
    return w.do(f"icmp {whole} i64 {x}, {y}" if kind == INT else f"fcmp {real} double {x}, {y}")
