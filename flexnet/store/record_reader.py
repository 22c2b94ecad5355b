"""Reading of record files, whole or left behind by a killed writer."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from flexnet.errors import FileFormatError, ResultError
from flexnet.store.column import Attribute, Column
from flexnet.store.hdf5 import open_file
from flexnet.store.text import plain_value
from flexnet.store.tree import Tree, read_tree
from flexnet.typing import AnyArray

BROKEN = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, UnicodeError)


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Lazy access to a record file: each question opens the file, reads the answer and closes it.

    Parameters
    ----------
    path : path of the file.
    kind : schema name and highest version read.
    """

    path: str | Path
    kind: tuple[str, int]

    def __post_init__(self) -> None:
        self.rows()

    def rows(self) -> int:
        """Count the complete rows."""
        with self._opened() as file:
            rows = int(file["run/rows"][()])
            lengths = [len(d) for d in _datasets(file)]
            if rows < 0 or any(n < rows for n in lengths):
                raise FileFormatError(f"{self.path}: run/rows is {rows}, a dataset has {min(lengths)} rows")
            return rows

    def status(self) -> tuple[str, str]:
        """How the run stands, and the sentence that says why."""
        with self._opened() as file:
            return file["run/status"].asstr()[()], file["run/message"].asstr()[()]

    def attributes(self) -> dict[str, Attribute]:
        """Root attributes."""
        with self._opened() as file:
            return {key: plain_value(value) for key, value in file.attrs.items()}

    def columns(self) -> tuple[Column, ...]:
        """Every growing dataset, in alphabetical order of its path."""
        with self._opened() as file:
            return tuple(_column(d) for d in _datasets(file))

    def paths(self) -> tuple[str, ...]:
        """List the paths of the growing datasets."""
        with self._opened() as file:
            return tuple(d.name.strip("/") for d in _datasets(file))

    def column(self, path: str) -> Column:
        """Return what one growing dataset holds."""
        with self._opened() as file:
            if path not in file or not _grows(file[path]):
                raise ResultError(f"{self.path}: no dataset {path!r}")
            return _column(file[path])

    def read(self, path: str, rows: slice | None = None) -> AnyArray:
        """Read complete rows of one column, all of them unless a slice is given."""
        with self._opened() as file:
            if path not in file or not _grows(file[path]):
                raise ResultError(f"{self.path}: no dataset {path!r}")
            start, stop, step = (rows or slice(None)).indices(int(file["run/rows"][()]))
            return np.asarray(file[path][start:stop:step])

    def tree_names(self) -> tuple[str, ...]:
        """Names of the fixed groups of text and arrays."""
        with self._opened() as file:
            return tuple(name for name, item in file.items() if name != "run" and _is_fixed(item))

    def tree(self, name: str) -> Tree:
        """Read a fixed group."""
        with self._opened() as file:
            if name not in file:
                raise ResultError(f"{self.path}: no group {name!r}")
            return read_tree(file[name])

    @contextmanager
    def _opened(self) -> Iterator[h5py.File]:
        """Open the file; whatever is broken in it becomes one sentence that names it."""
        try:
            with open_file(self.path, *self.kind) as file:
                yield file
        except BROKEN as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise FileFormatError(f"{self.path}: damaged or incomplete ({reason})") from error


def _datasets(file: h5py.File) -> list[h5py.Dataset]:
    """List the datasets that grow."""
    found: list[h5py.Dataset] = []
    file.visititems(lambda _, item: found.append(item) if _grows(item) else None)
    return found


def _grows(item: h5py.Dataset | h5py.Group) -> bool:
    return isinstance(item, h5py.Dataset) and bool(item.maxshape) and item.maxshape[0] is None


def _is_fixed(item: h5py.Dataset | h5py.Group) -> bool:
    return isinstance(item, h5py.Group) and not item.visititems(lambda _, inner: _grows(inner) or None)


def _column(dataset: h5py.Dataset) -> Column:
    attributes = {key: plain_value(value) for key, value in dataset.attrs.items()}
    return Column(dataset.name.strip("/"), tuple(dataset.shape[1:]), dataset.dtype.str[1:], attributes)
