"""Files that grow row by row and survive the death of their writer.

The file is written in HDF5's single-writer, many-readers mode: every write leaves it consistent, so a
process killed at any moment leaves a file that opens. Data reach the disk first and the row counter
``run/rows`` last; rows beyond the counter are not there for a reader. A new file is prepared under a
temporary name beside its place and moved there only when it is ready to receive rows.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import h5py
import numpy as np

from flexnet.errors import StorageError
from flexnet.store.column import Column
from flexnet.store.hdf5 import Attributes, reason_of, write_attributes
from flexnet.store.record_reader import RecordReader
from flexnet.store.text import fixed_text
from flexnet.store.tree import Tree, write_tree
from flexnet.typing import AnyArray

STATUS_BYTES = 32
MESSAGE_BYTES = 2000


class RecordWriter:
    """A file of columns that grow together.

    Use :meth:`create` or :meth:`reopen`; then :meth:`append`, :meth:`set_status`, :meth:`close`.
    """

    __slots__ = ("_columns", "_datasets", "_file", "_is_given_up", "path", "rows")

    def __init__(self, file: h5py.File, path: Path, columns: tuple[Column, ...], rows: int) -> None:
        self._file = file
        self._columns = columns
        self._datasets = [file[column.path].id for column in columns]
        self._is_given_up = False
        self.path = path
        self.rows = rows

    @classmethod
    def create(
        cls,
        path: str | Path,
        kind: tuple[str, int],
        columns: Iterable[Column],
        attributes: Attributes | None = None,
        trees: Mapping[str, Tree] | None = None,
        chunk_rows: int = 256,
    ) -> "RecordWriter":
        """Create (or replace) a record file, ready to receive rows.

        Parameters
        ----------
        path : path of the file; its folder must exist.
        kind : schema name and version.
        columns : every dataset that will grow; none can be added later.
        attributes : root attributes, constant over the life of the file.
        trees : fixed groups of text and arrays, by name.
        chunk_rows : rows stored together on disk.

        Raises
        ------
        StorageError
            If the path cannot be written or the disk is full.
        """
        path, columns = Path(path), tuple(columns)
        with _prepared(path) as file:
            write_attributes(file, {"schema": kind[0], "schema_version": kind[1], **(attributes or {})})
            for name, tree in (trees or {}).items():
                write_tree(file.create_group(name), tree)
            _create_datasets(file, columns, chunk_rows)
        return cls(file, path, columns, 0)

    @classmethod
    def reopen(cls, path: str | Path, kind: tuple[str, int], chunk_rows: int = 256) -> "RecordWriter":
        """Reopen a record file to append after its last complete row.

        The complete rows are copied to a new file, which then replaces the old one: the old file stays
        as it is until the new one is whole.

        Raises
        ------
        FileFormatError
            If the file is not a readable record file of this kind.
        StorageError
            If the new file cannot be written.
        """
        old = RecordReader(path, kind)
        path, columns, rows = Path(path), old.columns(), old.rows()
        with _prepared(path) as file:
            write_attributes(file, old.attributes())
            for name in old.tree_names():
                write_tree(file.create_group(name), old.tree(name))
            _create_datasets(file, columns, chunk_rows)
            writer = cls(file, path, columns, 0)
            for start in range(0, rows, 64 * chunk_rows):
                stop = min(start + 64 * chunk_rows, rows)
                writer._write({c.path: old.read(c.path, slice(start, stop)) for c in columns})
        return writer

    @property
    def columns(self) -> tuple[Column, ...]:
        """The datasets that grow, in the order of their declaration."""
        return self._columns

    @property
    def is_closed(self) -> bool:
        """Whether the file has been closed or given up."""
        return self._is_given_up or not self._file

    def append(self, block: Mapping[str, AnyArray]) -> None:
        """Append rows and put them on disk; they are complete for readers when this returns.

        Parameters
        ----------
        block : one array per column path, all with the same number of rows.

        Raises
        ------
        StorageError
            If the disk refuses; rows appended before stay readable.
        """
        try:
            self._write(block)
        except (OSError, RuntimeError) as error:
            raise self._refused(error) from error

    def set_status(self, status: str, message: str = "") -> None:
        """Say how the run stands; text beyond the reserved bytes is cut."""
        try:
            run = self._file["run"]
            run["message"][()] = fixed_text(message, MESSAGE_BYTES)
            run["message"].flush()
            run["status"][()] = fixed_text(status, STATUS_BYTES)
            run["status"].flush()
        except (OSError, RuntimeError) as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Close the file; a disk that refuses leaves it readable as after a kill."""
        with suppress(OSError, RuntimeError):
            self._file.close()

    def _write(self, block: Mapping[str, AnyArray]) -> None:
        start = self.rows
        count = len(block[self._columns[0].path])
        stop = start + count
        # HDF5's own calls: h5py's slices cost more than the writing of a short block
        for column, dataset in zip(self._columns, self._datasets, strict=True):
            extent, rest = (stop, *column.shape), (0,) * len(column.shape)
            dataset.set_extent(extent)
            place = h5py.h5s.create_simple(extent)
            place.select_hyperslab((start, *rest), (count, *column.shape))
            rows = np.ascontiguousarray(block[column.path], dtype=column.dtype)
            dataset.write(h5py.h5s.create_simple(rows.shape), place, rows)
        self._file.flush()
        # the counter goes last: whatever it counts is on disk
        counter = self._file["run/rows"]
        counter[()] = stop
        counter.flush()
        self.rows = stop

    def _refused(self, error: Exception) -> StorageError:
        """Let go of the file as it is on disk, as a kill would, and say what happened."""
        with Path(os.devnull).open("wb") as nowhere:
            # whatever HDF5 still wants to write when it closes must not reach the file
            os.dup2(nowhere.fileno(), self._file.id.get_vfd_handle())
        # HDF5 may refuse to close what it could not write; nobody may touch the file again
        self._is_given_up = True
        self.close()
        reason = reason_of(error)
        return StorageError(f"{self.path}: cannot be written ({reason}); its first {self.rows} rows are safe")


def _create_datasets(file: h5py.File, columns: tuple[Column, ...], chunk_rows: int) -> None:
    """Create the growing datasets and the run's own record."""
    for column in columns:
        dataset = file.create_dataset(
            column.path,
            shape=(0, *column.shape),
            maxshape=(None, *column.shape),
            chunks=(chunk_rows, *column.shape),
            dtype=column.dtype,
        )
        write_attributes(dataset, column.attributes)
    run = file.create_group("run")
    run.create_dataset("rows", data=np.int64(0))
    run.create_dataset("status", data=fixed_text("running", STATUS_BYTES))
    run.create_dataset("message", data=fixed_text("", MESSAGE_BYTES))


@contextmanager
def _prepared(path: Path) -> Iterator[h5py.File]:
    """Open a file under a temporary name; when it is filled, let readers in and move it to its place."""
    if path.is_dir():
        raise StorageError(f"{path}: cannot be written (it is a folder)")
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    file = None
    try:
        # no chunk cache: memory stays flat however many datasets there are
        file = h5py.File(draft, "w", libver=("v110", "v110"), rdcc_nbytes=0)
        yield file
        file.swmr_mode = True
        draft.replace(path)
    except BaseException as error:
        if file is not None:
            with suppress(OSError, RuntimeError):
                file.close()
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError | RuntimeError):
            raise StorageError(f"{path}: cannot be written ({reason_of(error)})") from error
        raise
