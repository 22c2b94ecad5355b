"""LLVM text of one function while it is written: registers, blocks, variables, memory."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from flexnet.kernels.kinds import BOOL, COMPLEX, FLOAT, INT, Kind, Record, Scalar, Value


def float_text(x: float) -> str:
    """A number in LLVM's letters, to the last bit."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', x))[0]:016X}"


class Writer:
    """Lines of a function's body.

    Attributes
    ----------
    lines : what is written so far, block by block.
    slots : variables; LLVM makes registers of them.
    is_open : whether the present block has no end yet.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.is_open = True
        self._count = 0

    def do(self, text: str) -> str:
        """Write an instruction; returns the register of its result."""
        self._count += 1
        self.lines.append(f"  %r{self._count} = {text}")
        return f"%r{self._count}"

    def say(self, text: str) -> None:
        """Write an instruction without a result."""
        self.lines.append("  " + text)

    def label(self) -> str:
        """Name of a block that is yet to begin."""
        self._count += 1
        return f"b{self._count}"

    def begin(self, label: str) -> None:
        """Begin a block; a block before it that has no end goes on there."""
        self.go(label)
        self.lines.append(f"{label}:")
        self.is_open = True

    def go(self, label: str) -> None:
        """End the block with a jump."""
        if self.is_open:
            self.say(f"br label %{label}")
            self.is_open = False

    def fork(self, condition: str, yes: str, no: str) -> None:
        """End the block with a choice."""
        self.say(f"br i1 {condition}, label %{yes}, label %{no}")
        self.is_open = False

    def slot(self, leaf: str) -> str:
        """Variable of the function."""
        self._count += 1
        self.slots.append(f"  %r{self._count} = alloca {leaf}")
        return f"%r{self._count}"

    @contextmanager
    def counted(self, count: str) -> Iterator[str]:
        """Repeat what is written inside; gives the number of the repetition."""
        place, head, body, end = self.slot("i64"), self.label(), self.label(), self.label()
        self.say(f"store i64 0, ptr {place}")
        self.begin(head)
        i = self.do(f"load i64, ptr {place}")
        self.fork(self.do(f"icmp slt i64 {i}, {count}"), body, end)
        self.begin(body)
        yield i
        self.say(f"store i64 {self.do(f'add nsw i64 {i}, 1')}, ptr {place}")
        self.go(head)
        self.begin(end)

    # -- memory ------------------------------------------------------------------------------------

    def shift(self, place: str, offset: int | str) -> str:
        """The place so many bytes further."""
        return place if offset in (0, "0") else self.do(f"getelementptr i8, ptr {place}, i64 {offset}")

    def load(self, kind: Scalar | Record, place: str) -> Value:
        """Read an item from memory; a record is where it is."""
        if isinstance(kind, Record):
            return Value(kind, (place,))
        if kind == BOOL:
            byte = self.do(f"load i8, ptr {place}")
            return Value(kind, (self.do(f"icmp ne i8 {byte}, 0"),))
        if kind == COMPLEX:
            real, imaginary = self.do(f"load double, ptr {place}"), self.shift(place, 8)
            return Value(kind, (real, self.do(f"load double, ptr {imaginary}")))
        assert kind in (FLOAT, INT), f"{kind} is not kept in memory"
        return Value(kind, (self.do(f"load {kind.leaves[0]}, ptr {place}"),))

    def store(self, value: Value, place: str) -> None:
        """Write a number to memory."""
        if value.kind == BOOL:
            self.say(f"store i8 {self.do(f'zext i1 {value.parts[0]} to i8')}, ptr {place}")
            return
        for i, (leaf, part) in enumerate(zip(value.kind.leaves, value.parts, strict=True)):
            self.say(f"store {leaf} {part}, ptr {self.shift(place, 8 * i)}")

    def keep(self, value: Value, slots: tuple[str, ...]) -> None:
        """Write a value of any kind to variables."""
        for leaf, part, slot in zip(value.kind.leaves, value.parts, slots, strict=True):
            self.say(f"store {leaf} {part}, ptr {slot}")

    def recall(self, kind: Kind, slots: tuple[str, ...]) -> Value:
        """Read a value of any kind from variables."""
        leaves = zip(kind.leaves, slots, strict=True)
        return Value(kind, tuple(self.do(f"load {leaf}, ptr {slot}") for leaf, slot in leaves))
