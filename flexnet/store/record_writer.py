"""Files that grow row by row and survive the death of their writer.

The file is written in HDF5's single-writer, many-readers mode: every write leaves it consistent, so a
process killed at any moment leaves a file that opens. Data and their digests reach the disk first and the
row counter ``run/rows`` last; rows beyond the counter are not there for a reader.

What the writer needs to go on after a row is kept in two places in turn, ``run/memory``: while one is
written, the other stands. So is how the run stands: in ``run/coming`` first, then in ``run/status``,
``run/message`` and ``run/seal``.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np

from flexnet.errors import FlexnetError, StorageError
from flexnet.store.column import Column
from flexnet.store.digest import digest, line, seal
from flexnet.store.draft import give_up, is_at, replacing
from flexnet.store.hdf5 import Attributes, reason_of, write_attributes
from flexnet.store.record_reader import RecordReader
from flexnet.store.text import fixed_text
from flexnet.store.tree import Tree, write_tree
from flexnet.typing import AnyArray, Array

STATUS_BYTES = 32
MESSAGE_BYTES = 2000
#: numbers of ``run/digests`` stored together on disk
_DIGESTS = 4096

#: row after which a writer can go on, and what it needs for that, by name
Memory = tuple[int, Mapping[str, Array]]


class RecordWriter:
    """A file of columns that grow together.

    Use :meth:`create` or :meth:`reopen`; then :meth:`append`, :meth:`set_status`, :meth:`close`.
    """

    __slots__ = ("_columns", "_datasets", "_file", "_is_given_up", "_lines", "_run", "_slot", "path", "rows")

    def __init__(self, file: h5py.File, path: Path, columns: tuple[Column, ...]) -> None:
        self._file = file
        self._columns = columns
        self._datasets = [file[column.path].id for column in columns]
        self._run = {name: dataset.id for name, dataset in file["run"].items()}
        self._is_given_up = False
        self._lines = self._slot = 0
        self.path = path
        self.rows = 0

    @classmethod
    def create(
        cls,
        path: str | Path,
        kind: tuple[str, int],
        columns: Iterable[Column],
        attributes: Attributes | None = None,
        trees: Mapping[str, Tree] | None = None,
        memory: Mapping[str, int] | None = None,
        chunk_rows: int = 256,
        may_overwrite: bool = False,
    ) -> "RecordWriter":
        """Create a record file, ready to receive rows; one of the same kind is replaced.

        Parameters
        ----------
        path : path of the file; its folder must exist.
        kind : schema name and version.
        columns : every dataset that will grow; none can be added later.
        attributes : root attributes, constant over the life of the file.
        trees : fixed groups of text and arrays, by name.
        memory : names and sizes of what a writer needs to go on.
        chunk_rows : rows stored together on disk.
        may_overwrite : whether a regular file of another kind may be replaced.

        Raises
        ------
        StorageError
            If the path cannot be written, holds something else, or another writer is at work.
        """
        path, columns = Path(path), tuple(columns)
        root = {"schema": kind[0], "schema_version": kind[1], **(attributes or {})}

        def begin(file: h5py.File) -> None:
            _begin(file, root, trees or {}, columns, memory or {}, chunk_rows)

        with replacing(path, kind[0], begin, may_overwrite) as file:
            writer = cls(file, path, columns)
        return writer

    @classmethod
    def reopen(
        cls,
        path: str | Path,
        kind: tuple[str, int],
        rows: int | None = None,
        attributes: Attributes | None = None,
        chunk_rows: int = 256,
    ) -> "RecordWriter":
        """Reopen a record file to append after its last complete row, or after the first so many.

        The rows are copied to a new file, which then replaces the old one: the old file stays as it is
        until the new one is whole.

        Raises
        ------
        FileFormatError
            If the file is not a readable record file of this kind, or a row is damaged.
        StorageError
            If the new file cannot be written, or another writer is at work.
        """
        path = Path(path)
        old = RecordReader(path, kind)
        columns = old.columns()

        def begin(file: h5py.File) -> None:
            root = {**old.attributes(), **(attributes or {}), "schema_version": kind[1]}
            trees = {name: old.tree(name) for name in old.tree_names()}
            _begin(file, root, trees, columns, old.memory_sizes(), chunk_rows)

        with replacing(path, kind[0], begin) as file:
            memory, count = old.memory(), old.rows() if rows is None else rows
            if memory is not None and memory[0] >= count:
                memory = None
            writer = cls(file, path, columns)
            for start in range(0, count, 64 * chunk_rows):
                stop = min(start + 64 * chunk_rows, count)
                writer._write({c.path: old.read(c.path, slice(start, stop)) for c in columns}, memory)
        return writer

    @property
    def columns(self) -> tuple[Column, ...]:
        """The datasets that grow, in the order of their declaration."""
        return self._columns

    @property
    def is_closed(self) -> bool:
        """Whether the file has been closed or given up."""
        return self._is_given_up or not self._file

    def append(self, block: Mapping[str, AnyArray], memory: Memory | None = None) -> None:
        """Append rows and put them on disk; they are complete for readers when this returns.

        Parameters
        ----------
        block : one array per column path, all with the same number of rows.
        memory : a row from which the writer could go on, and what it would need.

        Raises
        ------
        StorageError
            If the disk refuses, or the file has been deleted; rows appended before stay readable.
        """
        try:
            self._write(block, memory)
        except (OSError, RuntimeError) as error:
            raise self._refused(error) from error

    def set_status(self, status: str, message: str = "") -> None:
        """Say how the run stands; text beyond the reserved bytes is cut."""
        texts = fixed_text(status, STATUS_BYTES), fixed_text(message, MESSAGE_BYTES)
        try:
            for name, value in _standing(*texts).items():
                self._file["run"][name][()] = value
                self._file["run"][name].flush()
        except (OSError, RuntimeError) as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Close the file.

        Raises
        ------
        StorageError
            If it is no longer at its place.
        """
        is_moved = not self.is_closed and not is_at(self.path, self._file.id.get_vfd_handle())
        with suppress(OSError, RuntimeError):
            # a disk that refuses leaves the file readable as after a kill
            self._file.close()
        if is_moved:
            raise StorageError(
                f"{self.path}: was moved or replaced while it was being written;"
                " what was found is in the file that was moved"
            )

    def _write(self, block: Mapping[str, AnyArray], memory: Memory | None) -> None:
        start = self.rows
        count = len(block[self._columns[0].path])
        stop = start + count
        digests = []
        # HDF5's own calls: h5py's slices cost more than the writing of a short block
        for column, dataset in zip(self._columns, self._datasets, strict=True):
            extent, rest = (stop, *column.shape), (0,) * len(column.shape)
            dataset.set_extent(extent)
            place = h5py.h5s.create_simple(extent)
            place.select_hyperslab((start, *rest), (count, *column.shape))
            rows = np.ascontiguousarray(block[column.path], dtype=column.dtype)
            dataset.write(h5py.h5s.create_simple(rows.shape), place, rows)
            digests.append(digest(rows))
        width = len(self._columns) + 2
        self._run["digests"].set_extent((self._lines + 1, width))
        _put(self._run["digests"], self._lines, line(stop, digests))
        if memory is not None and "memory" in self._run:
            self._remember(*memory)
        h5py.h5f.flush(self._file.id)
        # the counter goes last: whatever it counts is on disk
        counter = self._run["rows"]
        counter.write(h5py.h5s.ALL, h5py.h5s.ALL, _counter(stop))
        counter.flush()
        self._lines += 1
        self.rows = stop
        if os.fstat(self._file.id.get_vfd_handle()).st_nlink == 0:
            raise OSError("it was deleted while it was being written")

    def _remember(self, row: int, memory: Mapping[str, Array]) -> None:
        """Keep what is needed to go on after a row, in the older of two places."""
        slot = np.concatenate([np.zeros(1), np.array([float(row)]), *memory.values()])
        slot[0] = digest(slot[1:])
        _put(self._run["memory"], self._slot, slot)
        self._slot = 1 - self._slot

    def _refused(self, error: Exception) -> FlexnetError:
        """Let go of the file as it is on disk and say what happened."""
        self._is_given_up = True
        give_up(self._file)
        reason = reason_of(error)
        kept = "" if "deleted" in reason else f"; its first {self.rows} rows are safe"
        return StorageError(f"{self.path}: cannot be written ({reason}){kept}")


def _begin(
    file: h5py.File,
    attributes: Attributes,
    trees: Mapping[str, Tree],
    columns: tuple[Column, ...],
    memory: Mapping[str, int],
    chunk_rows: int,
) -> None:
    """Make what a file begins with: attributes, trees, growing datasets and the run's own record."""
    write_attributes(file, attributes)
    for name, tree in trees.items():
        write_tree(file.create_group(name), tree)
    for number, column in enumerate(columns):
        dataset = file.create_dataset(
            column.path,
            shape=(0, *column.shape),
            maxshape=(None, *column.shape),
            chunks=(chunk_rows, *column.shape),
            dtype=column.dtype,
        )
        write_attributes(dataset, {**column.attributes, "digest_column": number})
    run = file.create_group("run")
    run.create_dataset("rows", data=_counter(0))
    texts = fixed_text("running", STATUS_BYTES), fixed_text("", MESSAGE_BYTES)
    for name, value in _standing(*texts).items():
        run.create_dataset(name, data=value)
    width = len(columns) + 2
    run.create_dataset(
        "digests",
        shape=(0, width),
        maxshape=(None, width),
        chunks=(max(_DIGESTS // width, 1), width),
        dtype="i8",
    )
    if sum(memory.values()):
        slots = run.create_dataset("memory", data=np.full((2, sum(memory.values()) + 2), np.nan))
        sizes = tuple(str(size) for size in memory.values())
        write_attributes(slots, {"names": tuple(memory), "sizes": sizes})


def _standing(status: AnyArray, message: AnyArray) -> dict[str, AnyArray]:
    """How a run stands, by dataset in the order of writing: whole in one place before another."""
    sealed = np.array(seal(status, message), dtype="<i8")
    coming = np.frombuffer(sealed.tobytes() + status.tobytes() + message.tobytes(), dtype=np.uint8)
    return {"coming": coming, "message": message, "status": status, "seal": sealed}


def _put(dataset: h5py.h5d.DatasetID, row: int, numbers: AnyArray) -> None:
    """Write one row of a dataset."""
    place = dataset.get_space()
    place.select_hyperslab((row, 0), (1, len(numbers)))
    dataset.write(h5py.h5s.create_simple((1, len(numbers))), place, numbers)


def _counter(rows: int) -> AnyArray:
    """A number of rows and its digest."""
    return np.array([rows, digest(np.array([rows], dtype=np.int64))], dtype=np.int64)
