"""Entries and parts of arrays.

No index is looked at: one that is not within its array is a mistake of the kernel, as in C. A negative one is
counted from the end only where it is written as a number.
"""

from dataclasses import dataclass

from flexnet.kernels.arithmetic import convert, strides
from flexnet.kernels.kinds import INT, Array, Record, Value
from flexnet.kernels.writer import Writer


@dataclass(frozen=True, slots=True)
class Cut:
    """A slice ``first:last``; what is not given is an end of the axis."""

    first: str | None = None
    last: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is cut away."""
        return self.first is None and self.last is None


Index = str | Cut


def index_of(w: Writer, value: Value, length: str) -> str:
    """An index as a register."""
    if value.kind != INT:
        raise TypeError(f"an index is a whole number, not {value.kind}")
    if value.known is not None and value.known < 0:
        return w.do(f"add nsw i64 {length}, {value.known}")
    return value.parts[0]


def lengths(array: Value) -> tuple[str, ...]:
    """Registers of an array's lengths."""
    return array.parts[1 : 1 + array.kind.ndim]


def _offset(w: Writer, array: Value, firsts: list[str]) -> str:
    """Place of an entry from the beginning: in entries if the array is contiguous, else in bytes."""
    steps = [] if array.kind.is_contiguous else strides(w, array)
    total = "0"
    for k, (first, length) in enumerate(zip(firsts, lengths(array), strict=True)):
        if steps:
            first = first if first == "0" else w.do(f"mul nsw i64 {first}, {steps[k]}")
        elif total != "0":
            total = w.do(f"mul nsw i64 {total}, {length}")
        if first != "0":
            total = first if total == "0" else w.do(f"add nsw i64 {total}, {first}")
    return total


def entry(w: Writer, array: Value, indices: list[str]) -> str:
    """Where the entry of so many indices is."""
    at, item = _offset(w, array, indices), array.kind.item
    if at == "0":
        return array.parts[0]
    if not array.kind.is_contiguous:
        return w.shift(array.parts[0], at)
    if isinstance(item, Record) or len(item.leaves) > 1:
        return w.shift(array.parts[0], w.do(f"mul nsw i64 {at}, {item.bytes}"))
    leaf = "i8" if item.bytes == 1 else item.leaves[0]
    return w.do(f"getelementptr inbounds {leaf}, ptr {array.parts[0]}, i64 {at}")


def view(w: Writer, array: Value, indices: list[Index]) -> Value:
    """The part of an array that indices and slices leave; one that is not used need not be within it."""
    kind, all_lengths = array.kind, lengths(array)
    indices = [*indices, *[Cut()] * (kind.ndim - len(indices))]
    firsts = [(i.first or "0") if isinstance(i, Cut) else i for i in indices]
    at = _offset(w, array, firsts)
    if kind.is_contiguous and at != "0":
        at = w.do(f"mul nsw i64 {at}, {kind.item.bytes}")
    kept = [k for k, i in enumerate(indices) if isinstance(i, Cut)]
    ends = []
    for k in kept:
        cut, length = indices[k], all_lengths[k]
        assert isinstance(cut, Cut)
        last = cut.last or length
        ends.append(last if cut.first is None else w.do(f"sub nsw i64 {last}, {cut.first}"))
    # contiguous: whole axes after the first that is kept, and no index among them
    tail = indices[kept[0] + 1 :]
    is_contiguous = kind.is_contiguous and all(isinstance(i, Cut) and i.is_whole for i in tail)
    steps = [] if is_contiguous else [strides(w, array)[k] for k in kept]
    return Value(Array(kind.item, len(kept), is_contiguous), (w.shift(array.parts[0], at), *ends, *steps))


def _count(w: Writer, array: Value) -> str:
    """Number of entries."""
    first, *rest = lengths(array)
    for length in rest:
        first = w.do(f"mul nsw i64 {first}, {length}")
    return first


def _flat(array: Value, count: str) -> Value:
    return Value(Array(array.kind.item, 1), (array.parts[0], count))


def assign(w: Writer, array: Value, value: Value) -> None:
    """Write a number into all entries of an array, or another array of the same lengths entry by entry."""
    is_array = isinstance(value.kind, Array)
    if is_array and value.kind.ndim != array.kind.ndim:
        raise TypeError("an array is written into one with as many axes")
    if array.kind.ndim > 1 and array.kind.is_contiguous and (not is_array or value.kind.is_contiguous):
        n = _count(w, array)
        array, value = _flat(array, n), _flat(value, n) if is_array else value
    if array.kind.ndim > 1:
        with w.counted(lengths(array)[0]) as i:
            assign(w, view(w, array, [i]), view(w, value, [i]) if is_array else value)
        return
    with w.counted(lengths(array)[0]) as i:
        item = w.load(value.kind.item, entry(w, value, [i])) if is_array else value
        w.store(convert(w, item, array.kind.item), entry(w, array, [i]))
