"""One function of a kernel as LLVM text: its statements, variables and calls.

The language is the part of Python that kernels are written in: numbers, arrays, records and tuples;
assignments, ``if``, ``for`` over a range, an array or a tuple, ``while``, calls of other kernels. A variable
has one kind: where it is given numbers of two, the function is written again with the wider one. A name that
is given something quite different is another variable from there to the end of the block.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from flexnet.kernels import arithmetic, indexing
from flexnet.kernels.expressions import AbstractExpressions
from flexnet.kernels.kinds import INT, NOTHING, Array, Kind, Tuple, Value, result_text, unify
from flexnet.kernels.written import find_source

if TYPE_CHECKING:
    from flexnet.kernels.translate import Program


class KernelError(TypeError):
    """A kernel says something that the language does not have."""


class Again(Exception):
    """A variable turned out to be of a wider kind: write the function once more."""


@dataclass(frozen=True, slots=True)
class _Suite:
    """A block of statements while it is written.

    Attributes
    ----------
    loop : the loop whose body it is, if it is one.
    given : variables that have been given a value in it.
    renewed : names that became other variables in it.
    """

    loop: str
    given: set[str] = field(default_factory=set)
    renewed: set[str] = field(default_factory=set)


class Body(AbstractExpressions):
    """One function for kinds of arguments."""

    def __init__(
        self,
        program: "Program",
        function: Callable[..., Any],
        kinds: tuple[Kind, ...],
        hints: dict[Any, Kind],
    ) -> None:
        AbstractExpressions.__init__(self, program, function)
        self._hints = hints
        self._loops: list[tuple[str, str]] = []
        self._suites: list[_Suite] = []
        self._reads: set[tuple[str, str]] = set()
        self._arguments: list[str] = []
        self.result: Kind = hints.get("return", NOTHING)
        self._has_result = False
        node = find_source(function)
        self.locals = {
            n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        for argument, kind in zip(node.args.args, kinds, strict=True):
            first = len(self._arguments)
            self._arguments += [f"{leaf} %a{first + i}" for i, leaf in enumerate(kind.leaves)]
            parts = tuple(f"%a{first + i}" for i in range(len(kind.leaves)))
            self.locals.add(argument.arg)
            self._set(argument.arg, Value(kind, parts))
        self.suite(node.body)
        if self.is_open:
            if self.result != NOTHING:
                raise self.refusal(node, f"{node.name} ends without a result")
            self.say("ret void")

    def text(self, linkage: str, name: str, is_inner: bool) -> str:
        """The whole function."""
        words = "nounwind alwaysinline" if is_inner else "nounwind"
        given = ", ".join(self._arguments)
        head = f"define {linkage}{result_text(self.result)} @{name}({given}) {words} {{"
        return "\n".join([head, "entry:", *self.slots, *self.lines, "}", ""])

    # -- statements --------------------------------------------------------------------------------

    def suite(self, nodes: Sequence[ast.stmt], loop: str = "") -> None:
        """Write statements until one leaves the block; names that became other variables end with it."""
        self._suites.append(_Suite(loop))
        for node in nodes:
            if not self.is_open:
                break
            method = getattr(self, "on_" + type(node).__name__, None)
            if method is None:
                raise self.refusal(node, f"kernels have no statement {type(node).__name__}")
            try:
                method(node)
            except KernelError:
                raise
            except TypeError as error:
                raise self.refusal(node, str(error)) from error
        for name in self._suites.pop().renewed:
            self.variables.pop(name, None)

    def refusal(self, node: ast.AST, why: str) -> KernelError:
        """What cannot be compiled, and where."""
        code = self.function.__code__
        return KernelError(f"{code.co_filename}:{getattr(node, 'lineno', 0)}: {why}")

    def on_Expr(self, node: ast.Expr) -> None:
        """A call for what it does."""
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def on_Pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def on_Assign(self, node: ast.Assign) -> None:
        """``a = b = value``."""
        value = self.value(node.value)
        for target in node.targets:
            self._assign(target, value)

    def on_AnnAssign(self, node: ast.AnnAssign) -> None:
        """``a: kind = value``; the kind is for readers."""
        if node.value is not None:
            self._assign(node.target, self.value(node.value))

    def on_AugAssign(self, node: ast.AugAssign) -> None:
        """``a += value`` and its kin."""
        if isinstance(node.target, ast.Name):
            old = self.value(ast.Name(node.target.id, ast.Load()))
            self._set(node.target.id, self.operate(node.op, old, self.value(node.value)))
            return
        place, kind = self._place(node.target)
        if place is None:
            raise TypeError("a whole array is changed entry by entry")
        # Python reads the target first
        new = self.operate(node.op, self.load(kind, place), self.value(node.value))
        self.store(arithmetic.convert(self, new, kind), place)

    def on_If(self, node: ast.If) -> None:
        """``if``, ``elif``, ``else``."""
        yes, no, end = self.label(), self.label(), self.label()
        self.fork(arithmetic.truth(self, self.value(node.test)), yes, no)
        is_reached = False
        for label, nodes in ((yes, node.body), (no, node.orelse)):
            self.begin(label)
            self.suite(nodes)
            is_reached = is_reached or self.is_open
            self.go(end)
        if is_reached:
            self.begin(end)

    def on_While(self, node: ast.While) -> None:
        """``while``."""
        self._refuse_else(node)
        head, body, end = self.label(), self.label(), self.label()
        self.begin(head)
        self.fork(arithmetic.truth(self, self.value(node.test)), body, end)
        self._repeat(node.body, body, head, end)
        self.begin(end)

    def _repeat(self, nodes: Sequence[ast.stmt], body: str, next_: str, end: str) -> None:
        self._loops.append((end, next_))
        self.begin(body)
        self.suite(nodes, end)
        self.go(next_)
        self._loops.pop()

    def reading(self, name: str) -> None:
        """Remember the loops that read what a variable had before their present round."""
        for suite in reversed(self._suites):
            if name in suite.given:
                return
            self._reads.add((name, suite.loop))

    def _refuse_else(self, node: ast.For | ast.While) -> None:
        if node.orelse:
            raise TypeError("a loop of a kernel has no else")

    def on_For(self, node: ast.For) -> None:
        """``for`` over a range, an array or a tuple."""
        self._refuse_else(node)
        if (
            isinstance(node.iter, ast.Call)
            and isinstance(node.iter.func, ast.Name)
            and node.iter.func.id == "range"
        ):
            self._for_range(node, [self.value(a) for a in node.iter.args])
            return
        over = self.value(node.iter)
        if isinstance(over.kind, Tuple):
            end = self.label()
            for item in arithmetic.split(over):
                following = self.label()
                self._assign(node.target, item)
                self._repeat(node.body, self.label(), following, end)
                self.begin(following)
            self.begin(end)
            return
        if not isinstance(over.kind, Array):
            raise TypeError("a loop goes over a range, an array or a tuple")
        zero, count = arithmetic.number(0), Value(INT, (indexing.lengths(over)[0],))
        self._for_range(node, [zero, count], over)

    def _for_range(self, node: ast.For, bounds: list[Value], over: Value | None = None) -> None:
        """Count; where an array is given, the variable is its entries."""
        if any(b.kind != INT for b in bounds):
            raise TypeError("a range has whole numbers")
        first, last = bounds[:2] if len(bounds) > 1 else (arithmetic.number(0), bounds[0])
        step = bounds[2].known if len(bounds) > 2 else 1
        if not isinstance(step, int) or step == 0:
            raise TypeError("the step of a range is a number in the source")
        place, head, body, following, end = self.slot("i64"), *(self.label() for _ in range(4))
        self.say(f"store i64 {first.parts[0]}, ptr {place}")
        self.begin(head)
        i = self.do(f"load i64, ptr {place}")
        self.fork(self.do(f"icmp {'slt' if step > 0 else 'sgt'} i64 {i}, {last.parts[0]}"), body, end)
        self.begin(body)
        self._assign(node.target, Value(INT, (i,)) if over is None else self.item(over, [i]))
        self._repeat(node.body, self.label(), following, end)
        self.begin(following)
        self.say(f"store i64 {self.do(f'add nsw i64 {i}, {step}')}, ptr {place}")
        self.go(head)
        self.begin(end)

    def on_Break(self, node: ast.Break) -> None:
        """``break``."""
        self.go(self._loops[-1][0])

    def on_Continue(self, node: ast.Continue) -> None:
        """``continue``."""
        self.go(self._loops[-1][1])

    def on_Return(self, node: ast.Return) -> None:
        """``return``, alone or with a value."""
        value = Value(NOTHING, ()) if node.value is None else self.value(node.value)
        if not self._has_result and "return" not in self._hints:
            self.result = value.kind
        self._has_result = True
        value = self._fit("return", value, self.result)
        self.result = value.kind
        parts = list(zip(value.kind.leaves, value.parts, strict=True))
        if len(parts) < 2:
            self.say("ret " + (" ".join(parts[0]) if parts else "void"))
        else:
            kind, out = result_text(value.kind), "undef"
            for i, (leaf, part) in enumerate(parts):
                out = self.do(f"insertvalue {kind} {out}, {leaf} {part}, {i}")
            self.say(f"ret {kind} {out}")
        self.is_open = False

    # -- targets -----------------------------------------------------------------------------------

    def _fit(self, key: Any, value: Value, kind: Kind) -> Value:
        """The value as one of the kind of a variable; if that is too narrow, all is written again."""
        wide = unify(kind, value.kind)
        if wide is None:
            raise TypeError(f"{key} is {kind}, and then {value.kind}")
        if wide != kind:
            self._hints[key] = wide
            raise Again
        return arithmetic.convert(self, value, kind)

    def _set(self, name: str, value: Value) -> None:
        """Give a variable a value."""
        if name in self.variables and unify(self.variables[name][0], value.kind) is None:
            if any(suite.loop and (name, suite.loop) in self._reads for suite in self._suites):
                raise TypeError(f"{name} is {self.variables[name][0]}, and in the next round {value.kind}")
            del self.variables[name]
            self._suites[-1].renewed.add(name)
        if name not in self.variables:
            kind = self._hints.get(name, value.kind)
            kind = value.kind if unify(kind, value.kind) is None else kind
            self.variables[name] = kind, tuple(self.slot(leaf) for leaf in kind.leaves)
        kind, slots = self.variables[name]
        self.keep(self._fit(name, value, kind), slots)
        if self._suites:
            self._suites[-1].given.add(name)

    def choose(self, node: ast.AST, yes: Callable[[], Value], no: Callable[[], Value], test: str) -> Value:
        """One of two values, of which only that one is found."""
        first, second, end = self.label(), self.label(), self.label()
        kind, slots = self._hints.get(node), cast(tuple[str, ...], ())
        self.fork(test, first, second)
        for label, make in ((first, yes), (second, no)):
            self.begin(label)
            value = make()
            if kind is None:
                kind = value.kind
            slots = slots or tuple(self.slot(leaf) for leaf in kind.leaves)
            self.keep(self._fit(node, value, kind), slots)
            self.go(end)
        self.begin(end)
        assert kind is not None
        return self.recall(kind, slots)

    def _assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._set(target.id, value)
        elif isinstance(target, ast.Tuple):
            if isinstance(value.kind, Array) and value.kind.ndim == 1:
                value = arithmetic.join(self.item(value, [str(i)]) for i in range(len(target.elts)))
            if not isinstance(value.kind, Tuple) or len(value.kind.kinds) != len(target.elts):
                raise TypeError(f"{len(target.elts)} variables are given {value.kind}")
            for part, item in zip(target.elts, arithmetic.split(value), strict=True):
                self._assign(part, item)
        else:
            place, kind = self._place(target)
            if place is None:
                indexing.assign(self, kind, value)
            else:
                self.store(arithmetic.convert(self, value, kind), place)

    def _place(self, target: ast.expr) -> tuple[str | None, Any]:
        """Where a number is to be written, and its kind; for a part of an array nothing, and that part."""
        if isinstance(target, ast.Subscript):
            array, indices = self.subscript(target, self.value(target.value))
            if len(indices) == array.kind.ndim and all(isinstance(i, str) for i in indices):
                return indexing.entry(self, array, [str(i) for i in indices]), array.kind.item
            return None, indexing.view(self, array, indices)
        if isinstance(target, ast.Attribute):
            place, kind = self.field(self.value(target.value), target.attr)
            return place, kind
        raise TypeError("this cannot be written to")
