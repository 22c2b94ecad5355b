"""A new file takes its place only when it is whole, and takes nobody else's.

A file is prepared under a name nobody can foresee, created exclusively, and locked for as long as it is
open. What it replaces is locked too, is a regular file, and is of our own kind unless the user says that it
may be overwritten. Links are followed: the file they lead to is replaced. Drafts that a killed writer left
behind are removed by the next one.

What a file begins with is made in memory and written by us, not by HDF5: a disk that refuses there leaves
HDF5 with half an object, which it does not survive.
"""

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path

import h5py

from flexnet.errors import StorageError
from flexnet.store.hdf5 import reason_of, schema_of
from flexnet.store.lock import try_lock

BUSY = "another run is writing it; wait for its end, stop it, or choose another file"
_NAME_BYTES = 150  # of the file's name in that of its draft: a name has 255 at most
_TRIES = 10
_VERSIONS = ("v110", "v110")  # of HDF5: its metadata carry checksums, and one writer may be read by many
_OTHERS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)


@contextmanager
def replacing(
    path: Path, schema: str, begin: Callable[[h5py.File], None], may_overwrite: bool = False
) -> Iterator[h5py.File]:
    """Open a new file; when it is filled, let readers in and move it to its place.

    Parameters
    ----------
    path : its place.
    schema : kind of file that may be replaced there.
    begin : makes what the file begins with: groups, datasets, attributes.
    may_overwrite : whether any other regular file may be.

    Raises
    ------
    StorageError
        If something else is there, another writer is at work, or the disk refuses.
    """

    def is_ours(there: Path) -> bool:
        return may_overwrite or schema_of(there) == schema

    what = f"it is no {schema} file; choose another name, or allow it to be overwritten (--overwrite)"
    try:
        with claimed(path, is_ours, what) as (target, is_free):
            remove_left_behind(target)
            with _drafted(target, _image(begin)) as (file, draft):
                yield file
                file.swmr_mode = True
                install(draft, target, is_free)
    except (OSError, RuntimeError) as error:
        raise StorageError(f"{path}: cannot be written ({reason_of(error)})") from error


def is_at(path: Path, handle: int) -> bool:
    """Whether an open file is the one at a path."""
    try:
        there, here = path.stat(), os.fstat(handle)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


@contextmanager
def claimed(path: Path, is_ours: Callable[[Path], bool], why_not: str) -> Iterator[tuple[Path, bool]]:
    """The file that links lead to, locked if it is there, and whether the place is free.

    Parameters
    ----------
    path : place of the new file.
    is_ours : whether the regular file that is there may be replaced.
    why_not : said if it may not.
    """
    try:
        target = path.resolve()
    except RuntimeError as error:  # links in a ring
        raise OSError(str(error)) from error
    handle = _locked(target, path)
    try:
        if handle is not None and not is_ours(target):
            raise StorageError(f"{path}: stays as it is, for {why_not}")
        yield target, handle is None
    finally:
        if handle is not None:
            os.close(handle)


def _locked(target: Path, path: Path) -> int | None:
    """Open and lock a regular file; None if there is none."""
    for _ in range(_TRIES):
        try:
            mode = target.stat().st_mode
            if not stat.S_ISREG(mode):
                what = next((words for is_so, words in _OTHERS if is_so(mode)), "it is no regular file")
                raise StorageError(f"{path}: cannot be written ({what})")
            handle = os.open(target, os.O_RDWR | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError:
            return None
        if not try_lock(handle):
            os.close(handle)
            raise StorageError(f"{path}: cannot be written ({BUSY})")
        if is_at(target, handle):
            return handle
        os.close(handle)  # replaced while it was opened
    raise StorageError(f"{path}: cannot be written ({BUSY})")


def give_up(file: h5py.File) -> None:
    """Let go of a file as a kill would: nothing that HDF5 still wants to write reaches it."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), file.id.get_vfd_handle())
    with suppress(OSError, RuntimeError):
        # HDF5 may refuse to close what it could not write
        file.close()


def _image(begin: Callable[[h5py.File], None]) -> bytes:
    """The bytes of a new file, made in memory.

    Closed before they are taken: HDF5 1.14 gives the image of an open file a checksum that is not its own.
    """
    memory = BytesIO()
    with h5py.File(memory, "w", libver=_VERSIONS) as file:
        begin(file)
    return memory.getvalue()


@contextmanager
def _drafted(target: Path, image: bytes) -> Iterator[tuple[h5py.File, Path]]:
    """A locked file under a name of its own; removed unless it has been moved."""
    for _ in range(_TRIES):
        draft = target.with_name(f"{prefix(target)}{secrets.token_hex(8)}.part")
        file = None
        try:
            with os.fdopen(create(draft, target), "wb") as new:
                new.write(image)
            # no chunk cache: memory stays flat however many datasets there are
            file = h5py.File(draft, "r+", libver=_VERSIONS, rdcc_nbytes=0)
            handle = file.id.get_vfd_handle()
            # a writer beside us that removes unlocked drafts may have been faster than the lock
            if try_lock(handle) and is_at(draft, handle):
                yield file, draft
                return
            file.close()
        except BaseException:
            if file is not None:
                give_up(file)
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise
    raise OSError(BUSY)


def create(draft: Path, target: Path) -> int:
    """Open a file that must not exist yet, not even as a link.

    What it is to replace hands down who may read and write it.
    """
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with suppress(OSError):
        os.fchmod(handle, stat.S_IMODE(target.stat().st_mode))
    return handle


def install(draft: Path, target: Path, is_free: bool) -> None:
    """Move a draft to its place; to a free one without replacing what came there meanwhile."""
    if is_free:
        try:
            os.link(draft, target)
        except FileExistsError:
            raise OSError(BUSY) from None
        except OSError:
            draft.replace(target)  # a file system without hard links
        else:
            draft.unlink(missing_ok=True)  # another writer may have seen that it has two names
    else:
        draft.replace(target)


def prefix(target: Path) -> str:
    """What the names of all drafts of a file begin with."""
    return f".{os.fsdecode(os.fsencode(target.name)[:_NAME_BYTES])}."


def remove_left_behind(target: Path) -> None:
    """Remove drafts of this file that nobody holds any more."""
    pattern = re.compile(re.escape(prefix(target)) + r"[0-9a-f]{16}\.part(\.\w+)?")
    with suppress(OSError):
        for entry in os.scandir(target.parent):
            if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_unlocked(entry.path, target)


def _remove_unlocked(path: str, target: Path) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    try:
        # a writer that was killed as it took its place left a second name of the file there
        if is_at(target, handle) or try_lock(handle):
            Path(path).unlink()
    finally:
        os.close(handle)
