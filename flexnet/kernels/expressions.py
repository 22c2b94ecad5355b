"""Expressions of kernels as LLVM text: what a node of Python's syntax tree is worth."""

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.kernels import arithmetic, indexing
from flexnet.kernels.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NOTHING,
    Array,
    Function,
    Kind,
    Packed,
    Record,
    Static,
    Tuple,
    Value,
    adapt,
    item_of,
    result_text,
)
from flexnet.kernels.words import WORDS, Word, quotient, raise_to
from flexnet.kernels.writer import Writer

if TYPE_CHECKING:
    from flexnet.kernels.translate import Program


class AbstractExpressions(Writer, ABC):
    """A function while it is written: its variables, and what its expressions are worth.

    Attributes
    ----------
    program : where other functions are found.
    function : what is written.
    variables : kind and places of each.
    locals : names that are variables, given a value yet or not.
    """

    def __init__(self, program: "Program", function: Callable[..., Any]) -> None:
        Writer.__init__(self)
        self.program, self.function = program, function
        self.variables: dict[str, tuple[Kind, tuple[str, ...]]] = {}
        self.locals: set[str] = set()
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self._around = vars(builtins) | function.__globals__ | {n: c.cell_contents for n, c in cells}

    @abstractmethod
    def reading(self, name: str) -> None:
        """A variable is read."""

    @abstractmethod
    def choose(self, node: ast.AST, yes: Callable[[], Value], no: Callable[[], Value], test: str) -> Value:
        """One of two values."""

    def value(self, node: ast.expr) -> Value:
        """What an expression is worth."""
        method = getattr(self, "_of_" + type(node).__name__, None)
        if method is None:
            raise TypeError(f"kernels have no expression {type(node).__name__}")
        found: Value = method(node)
        return found

    def _of_Constant(self, node: ast.Constant) -> Value:
        return self.static(node.value)

    def static(self, thing: Any) -> Value:
        """Something known when the kernel is compiled."""
        if isinstance(thing, np.generic):
            thing = thing.item()
        if isinstance(thing, bool | int | float | complex):
            return arithmetic.number(thing)
        if isinstance(thing, tuple):
            return arithmetic.join(map(self.static, thing), getattr(thing, "_fields", ()))
        return Value(Static(WORDS.get(thing, thing) if callable(thing) else thing), ())

    def _of_Name(self, node: ast.Name) -> Value:
        if node.id in self.locals:
            if node.id not in self.variables:
                raise TypeError(f"{node.id} is used before it is given a value")
            self.reading(node.id)
            return self.recall(*self.variables[node.id])
        if node.id not in self._around:
            raise TypeError(f"{node.id} is not known")
        return self.static(self._around[node.id])

    def _of_Tuple(self, node: ast.Tuple) -> Value:
        return arithmetic.join(map(self.value, node.elts))

    # -- operations --------------------------------------------------------------------------------

    def operate(self, op: ast.operator, a: Value, b: Value) -> Value:
        """``a op b``."""
        name = type(op).__name__
        if name == "Pow":
            return self._power(a, b)
        if name == "Div" and COMPLEX in (a.kind, b.kind):
            parts = [Value(FLOAT, (x,)) for v in (a, b) for x in arithmetic.convert(self, v, COMPLEX).parts]
            return Value(COMPLEX, self.call_function(quotient, parts).parts)
        return arithmetic.binary(self, name, a, b)

    def _power(self, a: Value, b: Value) -> Value:
        if isinstance(b.known, int) and a.kind in (INT, FLOAT):
            return arithmetic.power(self, a, b.known)
        a = arithmetic.convert(self, a, FLOAT)
        if b.kind == INT:
            return self.call_function(raise_to, [a, b])
        self.program.declare("pow", "declare double @llvm.pow.f64(double, double)")
        x, y = a.parts[0], arithmetic.convert(self, b, FLOAT).parts[0]
        return Value(FLOAT, (self.do(f"call double @llvm.pow.f64(double {x}, double {y})"),))

    def _of_BinOp(self, node: ast.BinOp) -> Value:
        return self.operate(node.op, self.value(node.left), self.value(node.right))

    def _of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(BOOL, (self.do(f"xor i1 {arithmetic.truth(self, value)}, true"),))
        if isinstance(node.op, ast.USub):
            return arithmetic.negative(self, value)
        raise TypeError(f"kernels have no {type(node.op).__name__}")

    def _of_Compare(self, node: ast.Compare) -> Value:
        left, bits = self.value(node.left), []
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            if isinstance(op, ast.In):
                found = "false"
                for item in arithmetic.split(right):
                    found = self.do(f"or i1 {found}, {arithmetic.compare(self, 'Eq', left, item)}")
                bits.append(found)
            else:
                bits.append(arithmetic.compare(self, type(op).__name__, left, right))
            left = right
        total = bits[0]
        for bit in bits[1:]:
            total = self.do(f"and i1 {total}, {bit}")
        return Value(BOOL, (total,))

    def _of_BoolOp(self, node: ast.BoolOp) -> Value:
        slot, end = self.slot("i1"), self.label()
        for i, part in enumerate(node.values):
            value = self.value(part)
            if value.kind != BOOL and not isinstance(value.kind, Static):
                # Python would hand on the number itself, a compiled kernel its truth
                text = ast.unparse(part)
                raise TypeError(
                    f"'{text}' is no truth: in a kernel 'and' and 'or' join comparisons, as in 'n != 0'"
                )
            bit = arithmetic.truth(self, value)
            self.say(f"store i1 {bit}, ptr {slot}")
            if i < len(node.values) - 1:
                further = self.label()
                self.fork(bit, *((further, end) if isinstance(node.op, ast.And) else (end, further)))
                self.begin(further)
        self.begin(end)
        return self.recall(BOOL, (slot,))

    def _of_IfExp(self, node: ast.IfExp) -> Value:
        test = arithmetic.truth(self, self.value(node.test))
        return self.choose(node, lambda: self.value(node.body), lambda: self.value(node.orelse), test)

    def _of_Call(self, node: ast.Call) -> Value:
        if node.keywords:
            raise TypeError("kernels are called without keywords")
        function = self.value(node.func)
        arguments = [self.value(a) for a in node.args]
        if isinstance(function.kind, Static):
            return self.call(function.kind.thing, arguments)
        return self.call_address(function, arguments)

    # -- parts of values ---------------------------------------------------------------------------

    def _of_Attribute(self, node: ast.Attribute) -> Value:
        value, name = self.value(node.value), node.attr
        kind = value.kind
        if isinstance(kind, Static):
            return self.static(getattr(kind.thing, name))
        if isinstance(kind, Tuple) and (i := kind.find(name)) is not None:
            return arithmetic.split(value)[i]
        if isinstance(kind, Packed) and (i := kind.inside.find(name)) is not None:
            return self.unpack(kind, value.parts[0], i)
        if isinstance(kind, Array) and name == "shape":
            return arithmetic.join(Value(INT, (n,)) for n in indexing.lengths(value))
        if kind == COMPLEX and name in ("real", "imag"):
            return Value(FLOAT, (value.parts[name == "imag"],))
        if isinstance(kind, Record):
            place, inside = self.field(value, name)
            return (
                Value(inside, (place, *map(str, kind.dtype[name].shape)))
                if isinstance(inside, Array)
                else self.load(inside, place)
            )
        raise TypeError(f"{kind} has no {name}")

    def field(self, record: Value, name: str) -> tuple[str, Any]:
        """Where a field of a record is, and its kind."""
        if not isinstance(record.kind, Record) or name not in (record.kind.dtype.names or ()):
            raise TypeError(f"{record.kind} has no field {name}")
        dtype = record.kind.dtype
        offset = dict(dtype.fields or {})[name][1]
        inside, place = dtype[name], self.shift(record.parts[0], offset)
        if inside.subdtype is None:
            return place, item_of(inside)
        return place, Array(item_of(inside.base), len(inside.shape))

    def unpack(self, kind: Packed, place: str, i: int) -> Value:
        """Value i of a packed tuple; its words never change, so that they can be read outside of loops."""
        inside, at = kind.inside.kinds[i], kind.offset(i)
        if isinstance(inside, Tuple):
            return Value(Packed(inside), (self.shift(place, at),))
        tail = kind.inside.tails[i] if kind.inside.tails else ()
        leaves = inside.leaves[: len(inside.leaves) - len(tail)]
        parts = (
            self.do(f"load {leaf}, ptr {self.shift(place, at + 8 * k)}, !invariant.load !0")
            for k, leaf in enumerate(leaves)
        )
        return Value(inside, (*parts, *map(str, tail)))

    def subscript(self, node: ast.Subscript, array: Value) -> tuple[Value, list[indexing.Index]]:
        """An array and its indices and slices."""
        if not isinstance(array.kind, Array):
            raise TypeError(f"{array.kind} has no entries")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(parts) > array.kind.ndim:
            raise TypeError(f"{len(parts)} indices of an array with {array.kind.ndim} axes")
        return array, [self._index(p, n) for p, n in zip(parts, indexing.lengths(array), strict=False)]

    def _index(self, node: ast.expr, length: str) -> indexing.Index:
        if isinstance(node, ast.Slice):
            if node.step is not None:
                raise TypeError("a slice has no step")
            ends = (
                e if e is None else indexing.index_of(self, self.value(e), length)
                for e in (node.lower, node.upper)
            )
            return indexing.Cut(*ends)
        return indexing.index_of(self, self.value(node), length)

    def _of_Subscript(self, node: ast.Subscript) -> Value:
        whole = self.value(node.value)
        if isinstance(whole.kind, Tuple | Packed):
            return self._member(whole, self.value(node.slice))
        array, indices = self.subscript(node, whole)
        if len(indices) == array.kind.ndim and all(isinstance(i, str) for i in indices):
            return self.item(array, [str(i) for i in indices])
        return indexing.view(self, array, indices)

    def _member(self, whole: Value, index: Value) -> Value:
        """A value of a tuple; by a number that is not in the source only if all are of one kind."""
        if isinstance(whole.kind, Packed):
            if not isinstance(index.known, int):
                raise TypeError("a value of a packed tuple is asked for by a number in the source")
            return self.unpack(whole.kind, whole.parts[0], index.known)
        items = arithmetic.split(whole)
        if isinstance(index.known, int):
            return items[index.known]
        found = items[0]
        if index.kind != INT or any(item.kind != found.kind for item in items):
            raise TypeError(f"{whole.kind} has values of several kinds")
        for i, item in enumerate(items[1:], 1):
            bit = self.do(f"icmp eq i64 {index.parts[0]}, {i}")
            words = zip(found.kind.leaves, item.parts, found.parts, strict=True)
            parts = (self.do(f"select i1 {bit}, {leaf} {new}, {leaf} {old}") for leaf, new, old in words)
            found = Value(found.kind, tuple(parts))
        return found

    def item(self, array: Value, indices: list[str]) -> Value:
        """An entry of an array."""
        return self.load(array.kind.item, indexing.entry(self, array, indices))

    # -- calls -------------------------------------------------------------------------------------

    def call(self, thing: Any, arguments: list[Value]) -> Value:
        """Call something of Python: a kernel, a word of the language, a class of named tuples."""
        if isinstance(thing, Word):
            return thing.write(self, arguments)
        if hasattr(thing, "is_inner"):
            return self.call_function(thing.function, arguments, thing.is_inner)
        if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
            return arithmetic.join(arguments, thing._fields)
        raise TypeError(f"kernels cannot call {thing!r}")

    def call_function(self, function: Any, arguments: list[Value], is_inner: bool = False) -> Value:
        """Call another function of the program, which is written if it is not there."""
        kinds = adapt(function, [a.kind for a in arguments])
        name, result = self.program.add(function, kinds, is_inner=is_inner)
        arguments = [arithmetic.convert(self, a, k) for a, k in zip(arguments, kinds, strict=True)]
        return self.invoke(f"@{name}", result, arguments)

    def call_address(self, value: Value, arguments: list[Value]) -> Value:
        """Call a function that is an argument."""
        if not isinstance(value.kind, Function):
            raise TypeError(f"{value.kind} cannot be called")
        kinds = value.kind.arguments
        arguments = [arithmetic.convert(self, a, k) for a, k in zip(arguments, kinds, strict=True)]
        return self.invoke(value.parts[0], NOTHING, arguments)

    def invoke(self, name: str, result: Kind, arguments: Sequence[Value]) -> Value:
        """Write a call with the words of all arguments."""
        words = [
            f"{leaf} {part}" for a in arguments for leaf, part in zip(a.kind.leaves, a.parts, strict=True)
        ]
        text = f"call {result_text(result)} {name}({', '.join(words)})"
        if not result.leaves:
            self.say(text)
            return Value(result, ())
        got = self.do(text)
        if len(result.leaves) == 1:
            return Value(result, (got,))
        kind = result_text(result)
        return Value(
            result, tuple(self.do(f"extractvalue {kind} {got}, {i}") for i in range(len(result.leaves)))
        )
