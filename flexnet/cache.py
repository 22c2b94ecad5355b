"""What was computed before, kept in a folder of the user and believed only if it is what was asked for.

A cache is a convenience: whatever happens to it, the answer is the same, and only the time differs. Its files
may hold machine code, so they are guarded as programs are:

* The folder belongs to the user alone (mode 0700). One that another user owns, or that others may write to,
  is refused, and so is any file in it that is not a regular one of the user's own.
* A file begins with a digest over its kind, its key and its content. It is compared before a byte of the
  content is handed out: a truncated, altered or exchanged file is removed, said, and made again by who asked.
* A file appears under its name by renaming a finished draft of an unpredictable name, so several processes
  may share a folder. A folder that cannot be written to is read all the same.

What cannot be kept in the folder is kept in the memory of the process.
"""

import hashlib
import logging
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)

MAGIC = b"flexnet cache 1\n"
#: bytes that the files of one kind may take; the ones longest unused go first
LIMIT = 1 << 30

# a flag that this system does not know counts for nothing
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))
_memory: dict[tuple[Path, str], bytes] = {}
_told: set[str] = set()


def folder_of(kind: str) -> Path:
    """Folder of one kind of files: in ``$FLEXNET_CACHE``, else in the user's cache folder."""
    if chosen := os.environ.get("FLEXNET_CACHE"):
        return Path(chosen) / kind
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base) / "flexnet" / kind


def load(kind: str, key: str, folder: Path | None = None) -> bytes | None:
    """Return what was saved under a key, or ``None``.

    Parameters
    ----------
    kind : what sort of thing it is, such as ``"tables"``; a plain word.
    key : everything the content depends on, as text.
    folder : where it is kept, :func:`folder_of` the kind if not given.
    """
    folder = folder or folder_of(kind)
    path = folder / _name(kind, key)
    if (kept := _memory.get((folder, path.name))) is not None:
        return kept
    try:
        if reason := _refusal(folder.stat()):
            _tell(f"the cache folder {folder} is not used: {reason}")
            return None
        file = _read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        _tell(f"{path} of the cache cannot be read ({error.strerror}); its content is made again")
        return None
    content = file[len(MAGIC) + 32 :]
    if file[: len(MAGIC) + 32] != MAGIC + _digest(kind, key, content):
        with suppress(OSError):
            path.unlink()
        log.warning("%s of the cache is damaged or foreign; its content is made again", path)
        return None
    with suppress(OSError):
        os.utime(path)
    return content


def save(kind: str, key: str, content: bytes, folder: Path | None = None) -> None:
    """Keep a content under its key: in the folder if that can be, else in memory.

    Parameters
    ----------
    kind, key, folder : as for :func:`load`.
    content : what to keep.
    """
    folder = folder or folder_of(kind)
    name = _name(kind, key)
    try:
        _make(folder)
        if reason := _refusal(folder.stat()):
            _tell(f"the cache folder {folder} is not used: {reason}")
        else:
            _write(folder, name, MAGIC + _digest(kind, key, content) + content)
            _shorten(folder)
            return
    except OSError as error:
        _tell(
            f"the cache folder {folder} cannot be written to ({error.strerror}); what it would keep is lost"
        )
    _memory[folder, name] = content


def _name(kind: str, key: str) -> str:
    return f"{kind}-{hashlib.sha256(key.encode()).hexdigest()[:40]}"


def _digest(kind: str, key: str, content: bytes) -> bytes:
    """Digest of a content and of what it is the content of; lengths keep the three apart."""
    made = hashlib.sha256()
    for part in (kind.encode(), key.encode(), content):
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.digest()


def _refusal(at: os.stat_result) -> str | None:
    """Why a folder or file is not believed; ``None`` if nobody but the user (and root) can change it."""
    if os.name == "posix":
        if at.st_uid not in (os.geteuid(), 0):
            return "it belongs to another user"
        if at.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "others may write to it"
    return None


def _make(folder: Path) -> None:
    """Make a folder that is the user's alone; one of theirs that others may read is closed to them."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    at = folder.stat()
    if os.name == "posix" and at.st_uid == os.geteuid() and not _refusal(at) and at.st_mode & 0o077:
        folder.chmod(0o700)


def _read(path: Path) -> bytes:
    """Read a regular file of the user's own, without waiting for a pipe or following a link."""
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    with open(os.open(path, flags), "rb") as file:  # noqa: PTH123  (pathlib cannot refuse a link)
        at = os.fstat(file.fileno())
        if not stat.S_ISREG(at.st_mode) or at.st_size > LIMIT or _refusal(at):
            return b""  # fails the comparison of digests
        return file.read()


def _write(folder: Path, name: str, file: bytes) -> None:
    handle, draft = tempfile.mkstemp(prefix=".draft-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(file)
        Path(draft).replace(folder / name)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _shorten(folder: Path) -> None:
    """Remove the files longest unused, until the rest is within the limit."""
    found = []
    for entry in os.scandir(folder):
        with suppress(OSError):  # another process may have removed it
            at = entry.stat(follow_symlinks=False)
            found.append((at.st_mtime, at.st_size, entry.path))
    excess = sum(size for _, size, _ in found) - LIMIT
    for _, size, path in sorted(found):
        if excess <= 0:
            break
        with suppress(OSError):
            Path(path).unlink()
        excess -= size


def _tell(text: str) -> None:
    """Warn once in a process."""
    if text not in _told:
        _told.add(text)
        log.warning(text)
