"""Arrays packed for a page: one stream of bytes, compressed, as text; each array knows its place in it."""

import base64
import gzip

import numpy as np

from flexnet.typing import AnyArray

#: where an array is: first byte, type, shape
Place = dict[str, object]


class Numbers:
    """Arrays on their way into a page."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, array: AnyArray, kind: str = "f4") -> Place:
        """Add an array as ``f4``, ``f8``, ``u4`` or ``u2``; returns its place."""
        data = np.ascontiguousarray(array, dtype=f"<{kind}")
        raw = data.tobytes()
        raw += bytes(-len(raw) % 8)
        place: Place = {"at": self._size, "type": kind, "shape": list(data.shape)}
        self._pieces.append(raw)
        self._size += len(raw)
        return place

    def text(self) -> str:
        """All bytes, compressed, in base 64; the same bytes give the same text."""
        return base64.b64encode(gzip.compress(b"".join(self._pieces), 9, mtime=0)).decode()
