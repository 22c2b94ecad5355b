"""Create and open HDF5 files that say what they are.

Every flexnet file carries two root attributes, ``schema`` (what kind of file) and ``schema_version``
(which layout); a reader checks both before it touches anything else.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path

import h5py

from flexnet.errors import FileFormatError
from flexnet.store.inside import BROKEN, attributes_of
from flexnet.store.text import fixed_text
from flexnet.store.unclosed import SIZE, UnclosedFile, has_superblock
from flexnet.validation import existing_file

NOT_HDF5 = "truncated, corrupt or foreign"
Attributes = Mapping[str, str | int | float | tuple[str, ...]]


def write_attributes(item: h5py.File | h5py.Dataset, attributes: Attributes) -> None:
    """Write attributes, text as text of fixed length."""
    for key, value in attributes.items():
        item.attrs[key] = value if isinstance(value, int | float) else fixed_text(value)


@contextmanager
def create_file(
    memory: BytesIO, schema: str, version: int, attributes: Attributes | None = None
) -> Iterator[h5py.File]:
    """Create an HDF5 file in memory that carries its schema and version; writers put its bytes on disk.

    Parameters
    ----------
    memory : receives the file.
    schema : kind of file, such as ``"flexnet-results"``.
    version : layout version.
    attributes : further root attributes.
    """
    with h5py.File(memory, "w", libver=("v110", "v110")) as file:
        write_attributes(file, {"schema": schema, "schema_version": version, **(attributes or {})})
        yield file


@contextmanager
def open_file(path: str | Path | BytesIO, schema: str, version: int) -> Iterator[h5py.File]:
    """Open an HDF5 file for reading after checking that it is of ``schema`` and at most of ``version``.

    A file that is still being written, or whose writer was killed, opens like any other.

    Raises
    ------
    FileFormatError
        If the file is missing, is not HDF5, is of another kind, or is newer than this flexnet.
    """
    with _opened(path) as file:
        try:
            attributes = attributes_of(file, ("schema", "schema_version"))
        except BROKEN as error:
            raise FileFormatError(f"{path}: not a readable HDF5 file ({NOT_HDF5})") from error
        found, found_version = attributes.get("schema"), attributes.get("schema_version", -1)
        if found != schema:
            raise FileFormatError(f"{path}: schema is {found!r}, expected {schema!r}")
        if not isinstance(found_version, int) or not 1 <= found_version <= version:
            raise FileFormatError(
                f"{path}: schema version {found_version}, this flexnet reads 1 to {version}"
            )
        yield file


def schema_of(path: Path) -> str | None:
    """Name of the schema of a file; None if it is not one of ours."""
    try:
        with _opened(path) as file:
            return str(attributes_of(file, ("schema",)).get("schema"))
    except (FileFormatError, *BROKEN):
        return None


def reason_of(error: Exception) -> str:
    """Say in a few words why the operating system refused a file."""
    text = str(error)
    known = {
        "No space left": "no space left on the disk",
        "Disk quota exceeded": "disk quota exceeded",
        "File too large": "file too large for this disk or its limits",
        "Permission denied": "permission denied",
        "Read-only file system": "read-only file system",
        "Is a directory": "it is a folder",
        "No such file": "its folder does not exist",
        "Not a directory": "its folder does not exist",
        "unable to lock": "another program holds it",
    }
    return next((plain for sign, plain in known.items() if sign in text), text.splitlines()[0])


@contextmanager
def _opened(path: str | Path | BytesIO) -> Iterator[h5py.File]:
    """Open a file for reading, also one that its writer has not closed.

    HDF5 sees nothing but regular files that begin as ours do: their metadata carry checksums, which it
    verifies before it believes them.
    """
    if not isinstance(path, BytesIO):
        existing_file(path, FileFormatError)
    with ExitStack() as stack:
        try:
            if not has_superblock(_head(path)):
                raise ValueError("no superblock of version 3")
            # readers keep nobody out and are kept out by nobody
            file = h5py.File(path, "r", locking=False)
        except (OSError, RuntimeError, ValueError) as error:
            try:
                if isinstance(path, BytesIO):
                    raise
                unclosed = stack.enter_context(UnclosedFile(Path(path)))
                file = h5py.File(unclosed, "r")
            except (OSError, RuntimeError, ValueError):
                raise FileFormatError(f"{path}: not a readable HDF5 file ({NOT_HDF5})") from error
        yield stack.enter_context(file)


def _head(path: str | Path | BytesIO) -> bytes:
    """First bytes of a file."""
    if isinstance(path, BytesIO):
        return path.getbuffer()[:SIZE].tobytes()
    with Path(path).open("rb") as file:
        return file.read(SIZE)
