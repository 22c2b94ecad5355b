"""Read HDF5 files whose writer is still at work or was killed.

HDF5 marks a file as open for writing in its superblock and refuses to read it until the mark is
cleared. A file written in single-writer, many-readers mode is consistent all the same. The view below
shows HDF5 such a file with the mark cleared; the file itself is not touched.

The superblock, version 3 (HDF5 file format specification, II.A): signature (8 bytes), version (1),
size of offsets (1), size of lengths (1), consistency flags (1), base, extension, end-of-file and root
addresses (8 each), checksum (4).
"""

import io
import struct
from pathlib import Path

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SIZE = 48
FLAGS = 11
END_OF_FILE = 28
OPEN_BY_SINGLE_WRITER = 0b101
RESERVE = 65536  # bytes that HDF5 may have allotted at the end of a file and not filled


def has_superblock(head: bytes) -> bool:
    """Whether a file begins with a superblock of version 3 and its right checksum."""
    is_whole = len(head) == SIZE and head[:9] == SIGNATURE + b"\x03"
    return is_whole and bool(struct.unpack_from("<I", head, SIZE - 4)[0] == lookup3(head[: SIZE - 4]))


class UnclosedFile(io.RawIOBase):
    """The bytes of an unclosed file as they would be had its writer closed it.

    Raises
    ------
    ValueError
        If the file is not marked as open by a single writer, or ends too early.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        head = self._file.read(SIZE)
        if len(head) < SIZE or head[:9] != SIGNATURE + b"\x03" or head[FLAGS] != OPEN_BY_SINGLE_WRITER:
            self._file.close()
            raise ValueError("not open for writing")
        self._size: int = struct.unpack_from("<Q", head, END_OF_FILE)[0]
        present = self._file.seek(0, io.SEEK_END)
        if present + RESERVE < self._size:
            self._file.close()
            raise ValueError(f"truncated: {present} bytes of {self._size}")
        self._size = max(self._size, present)
        head = head[:FLAGS] + b"\0" + head[FLAGS + 1 : SIZE - 4]
        self._head = head + struct.pack("<I", lookup3(head))
        self._at = 0

    def readable(self) -> bool:
        """Say that the file can be read."""
        return True

    def seekable(self) -> bool:
        """Say that the file has places."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        """Say the place."""
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # h5py passes a memoryview
        """Fill a buffer; reserved space that was never filled reads as zeros."""
        count = min(len(buffer), max(self._size - self._at, 0))
        self._file.seek(self._at)
        data = self._file.read(count).ljust(count, b"\0")
        if self._at < SIZE:
            head = self._head[self._at : self._at + count]
            data = head + data[len(head) :]
        buffer[:count] = data
        self._at += count
        return count

    def close(self) -> None:
        """Close the underlying file."""
        self._file.close()
        super().close()


def lookup3(data: bytes) -> int:
    """Return the checksum of HDF5 metadata: Bob Jenkins' ``hashlittle`` with seed 0."""
    blocks = -(-len(data) // 12)
    words: tuple[int, ...] = struct.unpack(f"<{3 * blocks}I", data.ljust(12 * blocks, b"\0"))
    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    for i in range(0, len(words) - 3, 3):
        a, b, c = a + words[i] & 0xFFFFFFFF, b + words[i + 1] & 0xFFFFFFFF, c + words[i + 2] & 0xFFFFFFFF
        for turn in (4, 6, 8, 16, 19, 4):
            # each round mixes one of the three into the next and turns their roles
            a = (a - c ^ _turned(c, turn)) & 0xFFFFFFFF
            c = c + b & 0xFFFFFFFF
            a, b, c = b, c, a
    a, b, c = a + words[-3] & 0xFFFFFFFF, b + words[-2] & 0xFFFFFFFF, c + words[-1] & 0xFFFFFFFF
    for turn in (14, 11, 25, 16, 4, 14, 24):
        c = (c ^ b) - _turned(b, turn) & 0xFFFFFFFF
        a, b, c = b, c, a
    return b


def _turned(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & 0xFFFFFFFF
