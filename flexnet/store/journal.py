"""A journal: what is finished is written down at once, one record after the other, each with its digest.

A record is on its way to the disk as soon as it is known. A kill leaves whole ones and perhaps part of one,
which the next opening cuts off. Records are

    mark (4 bytes)  length of the head  length of the body  CRC-32 of both      unsigned 32-bit, little-endian
    head            JSON
    body            arrays, 64-bit floats, little-endian

The first record says what the journal is about and has no body; it is gone on with only by who says the same.
"""

import json
import math
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from flexnet.errors import FileFormatError, FlexnetError, StorageError
from flexnet.store.draft import BUSY, is_at
from flexnet.store.hdf5 import reason_of
from flexnet.store.lock import try_lock
from flexnet.store.text import parse_json
from flexnet.typing import Array
from flexnet.validation import existing_file

MARK = b"FXJ1"
_HEAD = struct.Struct("<4sIII")


class Journal:
    """Records by number in a file, for one writer at a time.

    Parameters
    ----------
    path : of the file.
    about : what it is about; JSON.
    is_new : whether to begin anew; a journal that is there is then emptied.

    Attributes
    ----------
    places : where the record of each number begins.

    Raises
    ------
    StorageError
        If another writer is at work, it is about something else or no journal, or the disk refuses.
    """

    def __init__(self, path: Path, about: Mapping[str, Any], is_new: bool) -> None:
        self.path = path
        self.places: dict[int, int] = {}
        self._end = 0
        try:
            if path.exists():
                existing_file(path, StorageError)
            handle = os.open(
                path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0), 0o666
            )
        except OSError as error:
            raise StorageError(f"{path}: cannot be written ({reason_of(error)})") from error
        self._file: BinaryIO = os.fdopen(handle, "r+b", buffering=0)
        try:
            if not try_lock(handle) or not is_at(path, handle):
                raise StorageError(f"{path}: cannot be written ({BUSY})")
            self._begin(about, is_new)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, about: Mapping[str, Any], is_new: bool) -> None:
        head = json.dumps(about, sort_keys=True).encode()
        begins = self._file.read(len(MARK))
        if begins not in (b"", MARK):
            raise StorageError(f"{self.path}: is no journal; choose another file, or remove it")
        if is_new or not begins:
            self._file.truncate(0)
            self._write(head, b"")
            return
        while (record := self._record(self._end)) is not None:
            stop, found, _ = record
            if self._end == 0:
                refuse_other(self.path, found, json.loads(head))
            else:
                self.places[self._number(found)] = self._end
            self._end = stop
        if self._end == 0:
            # killed before it was described: nothing was in it
            self._file.truncate(0)
            self._write(head, b"")
        # part of a row that a kill left
        self._file.truncate(self._end)

    def _record(self, at: int) -> tuple[int, Any, bytes] | None:
        try:
            return _record(self._file, at)
        except (UnicodeDecodeError, FileFormatError) as error:
            raise StorageError(f"{self.path}: is no journal ({reason_of(error)})") from error

    def _number(self, head: Any) -> int:
        """Number of a record that is one."""
        number = head.get("number") if isinstance(head, dict) else None
        if type(number) is not int or number < 0:
            raise StorageError(f"{self.path}: a record has no number; it is not one that flexnet wrote")
        return number

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, number: int, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Add a record: facts that JSON knows, and arrays."""
        shapes = [[name, x.shape] for name, x in arrays.items()]
        body = b"".join(np.ascontiguousarray(x, dtype="<f8").tobytes() for x in arrays.values())
        start = self._end
        self._write(json.dumps({"number": number, "facts": facts, "arrays": shapes}).encode(), body)
        self.places[number] = start

    def read(self, number: int) -> tuple[dict[str, Any], dict[str, Array]]:
        """Facts and arrays of a record."""
        record = self._record(self.places[number])
        if record is None:
            raise StorageError(f"{self.path}: record {number} is not as its digest says")
        _, head, body = record
        try:
            arrays = dict(_arrays(head["arrays"], body))
            return dict(head["facts"]), arrays
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise StorageError(
                f"{self.path}: record {number} is not one that flexnet wrote ({reason_of(error)})"
            ) from error

    def remove(self) -> None:
        """Remove the file: what it holds is elsewhere."""
        self.path.unlink(missing_ok=True)

    def _write(self, head: bytes, body: bytes) -> None:
        crc = zlib.crc32(body, zlib.crc32(head))
        try:
            self._file.seek(self._end)
            left = memoryview(_HEAD.pack(MARK, len(head), len(body), crc) + head + body)
            while left:
                left = left[self._file.write(left) :]
            self._end = self._file.tell()
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot be written ({reason_of(error)}); its"
                f" {len(self.places)} records are safe"
            ) from error


def _record(file: BinaryIO, at: int) -> tuple[int, Any, bytes] | None:
    """End, head and body of the record at a place; None if there is no whole one."""
    file.seek(at)
    start = _read(file, _HEAD.size)
    if len(start) < _HEAD.size:
        return None
    mark, n_head, n_body, crc = _HEAD.unpack(start)
    rest = _read(file, n_head + n_body) if mark == MARK else b""
    if mark != MARK or len(rest) < n_head + n_body or zlib.crc32(rest) != crc:
        return None
    return at + _HEAD.size + len(rest), parse_json(rest[:n_head].decode()), rest[n_head:]


def _arrays(told: list[tuple[str, list[int]]], body: bytes) -> Iterator[tuple[str, Array]]:
    """Arrays of a body, by the names and shapes in its head."""
    at = 0
    for name, shape in told:
        count = math.prod(shape)
        if not isinstance(name, str) or any(type(n) is not int or n < 0 for n in shape):
            raise ValueError("an array has no name or no shape")
        if at + 8 * count > len(body):
            raise ValueError(f"array {name!r} is longer than the record")
        yield name, np.frombuffer(body, "<f8", count, at).astype(float).reshape(shape)
        at += 8 * count


def _read(file: BinaryIO, count: int) -> bytes:
    """So many bytes, or all that are left."""
    parts, left = [], min(count, os.fstat(file.fileno()).st_size)
    while left > 0 and (part := file.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def refuse_other(path: Path, found: Any, wanted: Mapping[str, Any]) -> None:
    """Refuse to go on with another matter.

    Raises
    ------
    StorageError
        Naming what is not as it was.
    """
    if not isinstance(found, dict):
        raise FlexnetError(f"{path}: is no journal")
    for key in (*wanted, *(k for k in found if k not in wanted)):
        if found.get(key) != wanted.get(key):
            before, now = (" ".join(str(x.get(key, "not there")).split())[:80] for x in (found, wanted))
            raise StorageError(
                f"{path}: cannot be gone on with, {key} was {before} and is now {now}; use the same,"
                " or begin anew into another file"
            )
