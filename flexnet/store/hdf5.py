"""Create and open HDF5 files that say what they are.

Every flexnet file carries two root attributes, ``schema`` (what kind of file) and ``schema_version``
(which layout); a reader checks both before it touches anything else.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import h5py

from flexnet.errors import FileFormatError


@contextmanager
def create_file(
    path: str | Path, schema: str, version: int, attributes: Mapping[str, str | int | float] | None = None
) -> Iterator[h5py.File]:
    """Create (or replace) an HDF5 file that carries its schema and version.

    Parameters
    ----------
    path : path of the file; its folder must exist.
    schema : kind of file, such as ``"flexnet-results"``.
    version : layout version.
    attributes : further root attributes.
    """
    try:
        file = h5py.File(path, "w", libver=("v110", "v110"))
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be written ({error})") from error
    with file:
        file.attrs["schema"] = schema
        file.attrs["schema_version"] = version
        for key, value in (attributes or {}).items():
            file.attrs[key] = value
        yield file


@contextmanager
def open_file(path: str | Path, schema: str, version: int, mode: str = "r") -> Iterator[h5py.File]:
    """Open an HDF5 file after checking that it is of ``schema`` and at most of ``version``.

    Raises
    ------
    FileFormatError
        If the file is missing, is not HDF5, is of another kind, or is newer than this flexnet.
    """
    path = Path(path)
    if not path.is_file():
        raise FileFormatError(f"{path}: no such file")
    try:
        file = h5py.File(path, mode)
    except OSError as error:
        raise FileFormatError(f"{path}: not a readable HDF5 file (truncated, corrupt or foreign)") from error
    with file:
        found = file.attrs.get("schema")
        if found != schema:
            raise FileFormatError(f"{path}: schema is {found!r}, expected {schema!r}")
        found_version = int(file.attrs.get("schema_version", -1))
        if not 1 <= found_version <= version:
            raise FileFormatError(f"{path}: schema version {found_version}, reads 1 to {version}")
        yield file
