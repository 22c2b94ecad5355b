"""Pictures, tables and pages take their place as result files do: whole, exclusively, and nobody else's."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flexnet.errors import StorageError
from flexnet.store.draft import claimed, create, install, prefix, remove_left_behind
from flexnet.store.hdf5 import reason_of, schema_of
from flexnet.store.lock import try_lock


@contextmanager
def writing(
    path: Path, begins: bytes, schema: str = "", kind_of: Callable[[Path], str | None] = schema_of
) -> Iterator[Path]:
    """A file to fill, with the ending of ``path``; once it is filled, it is moved to its place.

    Parameters
    ----------
    path : its place: free, or that of a regular file of the same kind. Links are followed.
    begins : what files of its kind begin with.
    schema : which it is, if it is an HDF5 file.
    kind_of : tells the schema of a file.

    Raises
    ------
    StorageError
        If something else is there, another writer is at work, or the disk refuses.
    """

    def is_ours(there: Path) -> bool:
        with there.open("rb") as file:
            is_alike = file.read(len(begins)) == begins
        return is_alike and (not schema or kind_of(there) == schema)

    what = f"it is no {path.suffix or 'such'} file as is to be written; choose another name, or remove it"
    try:
        with claimed(path, is_ours, what) as (target, is_free):
            remove_left_behind(target)
            draft = target.with_name(f"{prefix(target)}{secrets.token_hex(8)}.part{path.suffix}")
            handle = -1
            try:
                handle = create(draft, target)
                try_lock(handle)
                yield draft
                install(draft, target, is_free)
            finally:
                if handle >= 0:
                    os.close(handle)
                with suppress(OSError):
                    draft.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written ({reason_of(error)})") from error


def write_text(path: Path, text: str, begins: str | None = None) -> None:
    """Write a text; it replaces one that begins alike, in its first two lines if nothing else is said."""
    start = "".join(text.splitlines(keepends=True)[:2]) if begins is None else begins
    with writing(path, start.encode(errors="replace")) as draft:
        draft.write_text(text, encoding="utf-8", errors="replace")  # a name of a file may be no text
