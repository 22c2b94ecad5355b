"""Reading of record files, whole or left behind by a killed writer, undamaged or in part."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import h5py
import numpy as np

from flexnet.errors import FileFormatError, ResultError, StorageError
from flexnet.store.column import Attribute, Column
from flexnet.store.digest import Block, Lines, digest, read_lines, seal
from flexnet.store.hdf5 import open_file
from flexnet.store.inside import (
    BROKEN,
    Item,
    Survey,
    attributes_of,
    check_held,
    find,
    read_all,
    reason_in,
    survey,
)
from flexnet.store.tree import Tree, read_tree
from flexnet.typing import AnyArray, Array, IntArray
from flexnet.validation import shown

#: attributes with a text for every component
_LISTS = ("names", "units")

#: bytes that are read at once
SPAN = 1 << 23

UNKNOWN = ("running", "the file does not say how its run stands: its status is damaged or half written")


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Lazy access to a record file: each question opens the file, reads the answer and closes it.

    Every number is held against its digest before it is given out. What is damaged is an error that names
    dataset and rows; all else stays readable.

    Parameters
    ----------
    path : path of the file.
    kind : schema name and highest version read.

    Attributes
    ----------
    count : complete rows when it was opened.
    paths : of the growing datasets that could be read when it was opened, in alphabetical order.
    """

    path: str | Path
    kind: tuple[str, int]
    count: int = field(init=False, repr=False, compare=False)
    paths: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        with self._opened() as file:
            object.__setattr__(self, "count", self._rows(file))
            growing = tuple(path for path, item in survey(file)[0].items() if _grows(path, item))
            object.__setattr__(self, "paths", growing)

    def rows(self) -> int:
        """Count the complete rows."""
        with self._opened() as file:
            return self._rows(file)

    def status(self) -> tuple[str, str]:
        """How the run stands, and the sentence that says why."""
        with self._opened() as file:
            return _status(file)

    def attributes(self) -> dict[str, Attribute]:
        """Root attributes."""
        with self._opened() as file:
            return attributes_of(file)

    def columns(self) -> tuple[Column, ...]:
        """Every growing dataset that can be read, in alphabetical order of its path."""
        with self._opened() as file:
            return tuple(_columns(survey(file))[0])

    def column(self, path: str) -> Column:
        """Return what one growing dataset holds."""
        with self._opened() as file:
            return _column(self._dataset(file, path))

    def read(self, path: str, rows: slice | IntArray | None = None, part: int | None = None) -> AnyArray:
        """Read complete rows of one column, all of them unless a slice or their numbers are given.

        No more is held than that, and SPAN bytes. Of every row it is the entry ``part``, where that is given.
        Rows that are damaged are an error that names them.
        """
        with self._opened() as file:
            # the counter first: whatever it counts is there
            count = self._rows(file)
            dataset = self._dataset(file, path)
            wanted = _numbers(rows, count)
            check_held(dataset, count)
            if len(dataset) < count:
                raise self._damage(path, len(dataset), count)
            shape = len(wanted), *dataset.shape[1 if part is None else 2 :]
            picked: AnyArray = np.empty(shape, dtype=dataset.dtype)
            order = np.argsort(wanted, kind="stable")
            blocks = _blocks(dataset, count, _lines(file))
            place = np.searchsorted(wanted, [block[:2] for block in blocks], sorter=order).reshape(-1, 2)
            asked = [block for block, (low, high) in zip(blocks, place, strict=True) if low < high]
            for group in _spans(dataset, asked):
                start, stop = group[0][0], group[-1][1]
                inside = order[slice(*np.searchsorted(wanted, (start, stop), sorter=order))]
                data = np.asarray(dataset[start:stop])
                for low, high in _damaged(data, start, group):
                    raise self._damage(path, low, high)
                picked[inside] = (data if part is None else data[:, part])[wanted[inside] - start]
            return picked

    def memory_sizes(self) -> dict[str, int]:
        """Names and sizes of what the writer needs to go on."""
        with self._opened() as file:
            slots = find(file, "run/memory")
            return _memory_sizes(slots) if isinstance(slots, h5py.Dataset) else {}

    def memory(self) -> tuple[int, dict[str, Array]] | None:
        """The last row after which the writer left what it needs to go on, and that; None if nowhere."""
        with self._opened() as file:
            slots, last = find(file, "run/memory"), self._rows(file) - 1
            if not isinstance(slots, h5py.Dataset):
                return None
            sizes = _memory_sizes(slots)
            sound = [x for x in read_all(slots) if x[0] == digest(x[1:]) and 0 <= x[1] <= last]
            if not sound:
                return None
            best = max(sound, key=lambda x: float(x[1]))
            parts = np.split(best[2:], np.cumsum(list(sizes.values()))[:-1])
            return int(best[1]), dict(zip(sizes, parts, strict=True))

    def damage(self, is_deep: bool = True) -> tuple[str, ...]:
        """Say in words what is damaged: of all numbers, or only what shows when the file is opened."""
        with self._opened() as file:
            count, lines = self._rows(file), _lines(file)
            inside = survey(file)
            columns, found = _columns(inside)
            if _counted(file) is None:
                found.append(f"run/rows: the counter is damaged; {count} rows have digests")
            if is_deep:
                for column in columns:
                    found += _damage_of(inside[0][column.path], column.path, count, lines)
            if _status(file) == UNKNOWN:
                found.append("run/status: damaged or half written")
            for tree in self._trees(inside).values() if is_deep else ():
                try:
                    read_tree(tree)
                except (FileFormatError, *BROKEN) as error:
                    found.append(reason_in(error).removeprefix(f"{self.path}: "))
        return tuple(found)

    def tree_names(self) -> tuple[str, ...]:
        """Names of the fixed groups of text and arrays."""
        with self._opened() as file:
            return tuple(self._trees(survey(file)))

    def tree(self, name: str) -> Tree:
        """Read a fixed group."""
        with self._opened() as file:
            trees = self._trees(survey(file))
            if name not in trees:
                raise ResultError(f"{self.path}: no group {name!r}")
            return read_tree(trees[name])

    def _trees(self, inside: Survey) -> dict[str, dict[str, h5py.Dataset]]:
        """Datasets of every group at the root in which nothing grows, by their path in it."""
        datasets, broken = inside
        growing = {path.split("/")[0] for path, dataset in datasets.items() if _grows(path, dataset)}
        trees: dict[str, dict[str, h5py.Dataset]] = {}
        for path, dataset in datasets.items():
            name, _, rest = path.partition("/")
            if rest and name != "run" and name not in growing:
                trees.setdefault(name, {})[rest] = dataset
        for path, reason in broken.items():
            if path.split("/")[0] in trees:
                raise FileFormatError(f"{self.path}: {path} is damaged ({reason})")
        return trees

    def _dataset(self, file: h5py.File, path: str) -> h5py.Dataset:
        """A growing dataset, by its path."""
        item: Item | None = find(file, path)
        if not isinstance(item, h5py.Dataset) or not _grows(path, item):
            raise ResultError(f"{self.path}: no dataset {path!r}")
        return item

    def _rows(self, file: h5py.File) -> int:
        """Rows counted; where the counter is damaged, rows with digests."""
        count = _counted(file)
        if count is None:
            lines = _lines(file)
            if lines is not None and lines.is_sound.any():
                count = int(lines.numbers[lines.is_sound][-1, 0])
        if count is None:
            raise FileFormatError(f"{self.path}: the number of rows is damaged")
        held = len(self._dataset(file, "time"))
        if not 0 <= count <= held:
            raise FileFormatError(f"{self.path}: run/rows is {count}, a dataset has {held} rows")
        return count

    def _damage(self, path: str, low: int, high: int) -> FileFormatError:
        return FileFormatError(f"{self.path}: {_sentence(path, low, high)}; all else can be read")

    @contextmanager
    def _opened(self) -> Iterator[h5py.File]:
        """Open the file; whatever is broken in it becomes one sentence that names it."""
        try:
            with open_file(self.path, *self.kind) as file:
                yield file
        except BROKEN as error:
            raise FileFormatError(f"{self.path}: damaged or incomplete ({reason_in(error)})") from error


def _counted(file: h5py.File) -> int | None:
    """The counter of rows, if it has its digest; in version 1 it has none."""
    raw = _fixed(file, "run/rows")
    if raw.shape == ():
        return int(raw)
    return int(raw[0]) if raw.shape == (2,) and int(raw[1]) == digest(raw[:1]) else None


def _lines(file: h5py.File) -> Lines | None:
    """Digests of all blocks of rows; none in version 1."""
    lines = find(file, "run/digests")
    return read_lines(np.asarray(read_all(lines))) if isinstance(lines, h5py.Dataset) else None


def _blocks(dataset: h5py.Dataset, count: int, lines: Lines | None) -> list[Block]:
    """Blocks of rows of a dataset, each with its digest; a file of version 1 has one and no digest."""
    if lines is None:
        return [(0, count, -1)] if count else []
    return list(lines.blocks(int(dataset.attrs["digest_column"]), count))


def _numbers(rows: slice | IntArray | None, count: int) -> IntArray:
    """Numbers of the rows that are asked for."""
    if rows is None or isinstance(rows, slice):
        return np.arange(*(rows or slice(None)).indices(count))
    return np.arange(count)[rows]


def _spans(dataset: h5py.Dataset, blocks: list[Block]) -> Iterator[list[Block]]:
    """The blocks in groups of some SPAN bytes."""
    rows = max(1, SPAN // max(1, dataset.dtype.itemsize * int(np.prod(dataset.shape[1:]))))
    return (list(group) for _, group in groupby(blocks, lambda block: block[0] // rows))


def _columns(inside: Survey) -> tuple[list[Column], list[str]]:
    """Growing datasets that can be read, and what is wrong with the others."""
    datasets, broken = inside
    found, damage = [], [f"{path}: {reason}" for path, reason in broken.items()]
    for path, dataset in datasets.items():
        if _grows(path, dataset):
            try:
                found.append(_column(dataset))
            except BROKEN as error:
                damage.append(f"{path}: {reason_in(error)}")
    return found, damage


def _fixed(file: h5py.File, path: str) -> AnyArray:
    item = find(file, path)
    if not isinstance(item, h5py.Dataset):
        raise KeyError(f"no dataset {path!r}")
    return np.asarray(read_all(item))


def _status(file: h5py.File) -> tuple[str, str]:
    """How a run stands, and why; also where its writer was killed while it wrote that."""
    try:
        status, message = (_fixed(file, f"run/{name}") for name in ("status", "message"))
        sealed = find(file, "run/seal")
        if sealed is not None and int(sealed[()]) != seal(status, message):
            status, message = _coming(file, status, message)
        return status.item().decode(), message.item().decode()
    except BROKEN:
        return UNKNOWN


def _memory_sizes(slots: h5py.Dataset) -> dict[str, int]:
    names, sizes = (attributes_of(slots)[key] for key in ("names", "sizes"))
    assert isinstance(names, tuple)
    assert isinstance(sizes, tuple)
    return {name: int(size) for name, size in zip(names, sizes, strict=True)}


def _coming(file: h5py.File, status: AnyArray, message: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Status and message that a writer was about to write when it was killed, in the types of these."""
    raw, size = _fixed(file, "run/coming").tobytes(), status.itemsize
    coming = np.frombuffer(raw[8 : 8 + size], status.dtype), np.frombuffer(raw[8 + size :], message.dtype)
    if int.from_bytes(raw[:8], "little", signed=True) != seal(*coming):
        raise ValueError("the status is damaged")
    return coming[0], coming[1]


def _damaged(data: AnyArray, start: int, blocks: list[Block]) -> Iterator[tuple[int, int]]:
    """Blocks whose rows do not have their digest; ``data`` begins at row ``start``."""
    for low, high, expected in blocks:
        if expected is None or (expected >= 0 and digest(data[low - start : high - start]) != expected):
            yield low, high


def _damage_of(dataset: h5py.Dataset, path: str, count: int, lines: Lines | None) -> list[str]:
    """What is damaged of a column, in words."""
    found: list[str] = []
    try:
        check_held(dataset, count)
        for block in _blocks(dataset, count, lines):
            data = np.asarray(dataset[block[0] : block[1]])
            found += [_sentence(path, *rows) for rows in _damaged(data, block[0], [block])]
    except (FileFormatError, *BROKEN) as error:
        found.append(f"{path}: {reason_in(error)}")
    return found


def _sentence(path: str, low: int, high: int) -> str:
    rows = f"row {low}" if high == low + 1 else f"rows {low} to {high - 1}"
    return f"{path} is damaged in {rows} (not as their digest says)"


def _grows(path: str, item: Item) -> bool:
    is_open = isinstance(item, h5py.Dataset) and bool(item.maxshape) and item.maxshape[0] is None
    return is_open and not path.startswith("run/")


def _column(dataset: h5py.Dataset) -> Column:
    attributes: Mapping[str, Attribute] = attributes_of(dataset)
    told = {key: value for key, value in attributes.items() if key != "digest_column"}
    try:
        column = Column(dataset.name.strip("/"), tuple(dataset.shape[1:]), dataset.dtype.str[1:], told)
    except StorageError as error:
        raise FileFormatError(f"{dataset.file.filename}: {error}") from error
    for key, value in told.items():
        texts = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
        # they go to terminals, tables and pages
        is_fit = all(text.isprintable() for text in texts)
        if not is_fit or (key in _LISTS and (not isinstance(value, tuple) or (len(value),) != column.shape)):
            where = f"{dataset.file.filename}: {column.path}, attribute {key!r}"
            raise FileFormatError(f"{where} is {shown(value)}; flexnet writes no such file")
    return column
