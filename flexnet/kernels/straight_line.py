"""Straight-line arithmetic compiled directly: assignments of formulas become machine code in one step.

Inferring the types of some thousand statements that are all float64 takes minutes; there is nothing to infer.
The text is read by Python's own parser and written as instructions one by one.
"""

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from flexnet.kernels.callback import call
from flexnet.kernels.compile import is_interpreted

_DOUBLE = ir.DoubleType()
_FLOAT = types.float64


def _wrap(x: float) -> float:
    return x - 2.0 * math.pi * round(x / (2.0 * math.pi))


def _inverse(x: float) -> float:
    return 1.0 / x if x > 0.0 else 0.0


def _turn_factor(s: float, w: float) -> float:
    sign = 1.0 if w >= 0.0 else -1.0
    return 2.0 * sign * math.atan2(s, sign * w) / s if s > 1e-12 else 2.0 * sign


def _turn_f1(x: float) -> float:
    return 0.5 - x / 24.0 + x * x / 720.0 if x < 1e-4 else (1.0 - math.cos(math.sqrt(x))) / x


def _turn_f2(x: float) -> float:
    if x < 1e-4:
        return 1.0 / 6.0 - x / 120.0 + x * x / 5040.0
    return (math.sqrt(x) - math.sin(math.sqrt(x))) / (x * math.sqrt(x))


def _turn_g1(x: float) -> float:
    if x < 1e-4:
        return -1.0 / 12.0 + x / 180.0
    s = math.sqrt(x)
    return (s * math.sin(s) - 2.0 * (1.0 - math.cos(s))) / (x * x)


def _turn_g2(x: float) -> float:
    if x < 1e-4:
        return -1.0 / 60.0 + x / 1260.0
    s = math.sqrt(x)
    return (3.0 * math.sin(s) - 2.0 * s - s * math.cos(s)) / (x * x * s)


def _turn_c(x: float) -> float:
    if x < 1e-3:
        return 1.0 / 12.0 + x / 720.0 + x * x / 30240.0
    s = 0.5 * math.sqrt(x)
    return (1.0 - s * math.cos(s) / math.sin(s)) / x


def _sgn(x: float) -> float:
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


def _step(x: float) -> float:
    return 1.0 if x > 0.0 else (0.0 if x < 0.0 else 0.5)


def _power(x: float, y: float) -> float:
    return float(x**y)


def _math(name: str) -> Callable[..., float]:
    """A function of Python's math with code of its own: numba knows functions by their code."""
    space: dict[str, Any] = {"math": math}
    exec(f"def call(x):\n    return math.{name}(x)\n", space)
    call: Callable[..., float] = space["call"]
    return call


def _atan2(y: float, x: float) -> float:
    return math.atan2(y, x)


def _max(a: float, b: float) -> float:
    return max(a, b)


def _min(a: float, b: float) -> float:
    return min(a, b)


def _abs(a: float) -> float:
    return abs(a)


#: functions a formula may call
FUNCTIONS: dict[str, Callable[..., float]] = {
    **{
        name: _math(name)
        for name in (
            "acos", "asin", "atan", "cos", "cosh", "exp", "log", "sin", "sinh", "sqrt", "tan", "tanh",
        )
    },
    "atan2": _atan2, "max": _max, "min": _min, "abs": _abs, "sgn": _sgn, "step": _step, "wrap": _wrap,
    "inverse": _inverse, "turn_factor": _turn_factor, "turn_f1": _turn_f1, "turn_f2": _turn_f2,
    "turn_g1": _turn_g1, "turn_g2": _turn_g2, "turn_c": _turn_c,
}  # fmt: skip


class _Writer:
    """Writes assignments as instructions."""

    def __init__(self, context: Any, builder: Any, values: dict[str, Any]) -> None:
        self.context, self.builder = context, builder
        self.values = values  # scalars by name; pointers to the first entry of arrays
        self.entries: dict[tuple[str, int], Any] = {}  # what is known of arrays: no two of them overlap

    def assign(self, line: ast.stmt) -> None:
        assert isinstance(line, ast.Assign)
        value = self.write(line.value)
        target = line.targets[0]
        if isinstance(target, ast.Name):
            self.values[target.id] = value
        else:
            array, index = _entry(target)
            self.entries[array, index] = value
            self.builder.store(value, self._place(array, index))

    def _place(self, array: str, index: int) -> Any:
        return self.builder.gep(self.values[array], [ir.Constant(ir.IntType(64), index)])

    def _read(self, node: ast.expr) -> Any:
        place = _entry(node)
        if place not in self.entries:
            self.entries[place] = self.builder.load(self._place(*place))
        return self.entries[place]

    def write(self, node: ast.expr) -> Any:
        b = self.builder
        if isinstance(node, ast.Constant):
            return ir.Constant(_DOUBLE, float(node.value))  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            return self.values[node.id]
        if isinstance(node, ast.Subscript):
            return self._read(node)
        if isinstance(node, ast.UnaryOp):
            return b.fneg(self.write(node.operand))
        if isinstance(node, ast.BinOp):
            left, right = self.write(node.left), self.write(node.right)
            plain = {ast.Add: b.fadd, ast.Sub: b.fsub, ast.Mult: b.fmul, ast.Div: b.fdiv}
            make = plain.get(type(node.op))
            return make(left, right) if make else self._call(_power, [left, right])
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        if node.func.id == "law":
            return self._law(node)
        return self._call(FUNCTIONS[node.func.id], [self.write(x) for x in node.args])

    def _call(self, function: Callable[..., float], arguments: Sequence[Any]) -> Any:
        signature = _FLOAT(*(_FLOAT,) * len(arguments))
        return self.context.compile_internal(self.builder, function, signature, arguments)

    def _law(self, node: ast.Call) -> Any:
        """Call a C function by its address: ``law(i, x, v, t)``."""
        number, *rest = node.args
        assert isinstance(number, ast.Constant)
        address = self.builder.load(self._place("laws", int(number.value)))  # type: ignore[arg-type]
        kind = ir.FunctionType(_DOUBLE, [_DOUBLE, _DOUBLE, _DOUBLE])
        function = self.builder.inttoptr(address, kind.as_pointer())
        return self.builder.call(function, [self.write(x) for x in rest])


def _entry(node: ast.expr) -> tuple[str, int]:
    """Array and index of a subscript."""
    assert isinstance(node, ast.Subscript)
    assert isinstance(node.value, ast.Name)
    assert isinstance(node.slice, ast.Constant)
    return node.value.id, int(node.slice.value)  # type: ignore[arg-type]


def _interpreted(names: list[str], text: str) -> Callable[[tuple[Any, ...]], None]:
    """The same assignments as plain Python."""
    code = compile(text, "<straight line>", "exec")

    def run(arguments: tuple[Any, ...]) -> None:
        flat = (x if isinstance(x, float) else x.reshape(-1) for x in arguments)
        space: dict[str, Any] = dict(zip(names, flat, strict=True))
        exec(code, {**FUNCTIONS, "law": lambda i, x, v, t: call(space["laws"][i], x, v, t), **space})

    return run


def straight_line(names: str, text: str) -> Any:
    """Make a function of arrays and numbers that compiled code can call.

    Parameters
    ----------
    names : names of the arguments, in order: contiguous float64 arrays, ``laws`` (int64), or float64 numbers.
    text : assignments ``name = formula`` and ``array[i] = formula``; indices count entries in memory.
    """
    wanted = names.split()
    if is_interpreted():
        return _interpreted(wanted, text)
    lines = ast.parse(text).body

    def run(typingctx: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values: dict[str, Any] = {}
            for i, (name, kind) in enumerate(zip(wanted, signature.args[0], strict=True)):
                value = builder.extract_value(args[0], i)
                if isinstance(kind, types.Array):
                    value = context.make_array(kind)(context, builder, value).data
                values[name] = value
            writer = _Writer(context, builder, values)
            for line in lines:
                writer.assign(line)
            return context.get_dummy_value()

        return types.void(arguments), codegen

    return intrinsic(run)
