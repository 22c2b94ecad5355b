"""Text in record files: UTF-8 of fixed length, which HDF5 keeps where a checksum guards it; JSON in it.

Text of variable length lives in a heap without checksum, in which a damaged byte can make the HDF5
library search for ever.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np

from flexnet.errors import FileFormatError
from flexnet.typing import AnyArray

#: lists and objects within each other in a JSON text
DEEPEST = 32
#: a text that never ends goes to the end: were it none, every quotation mark in it would be tried for another
_OPENING_OR_TEXT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)


def fixed_text(text: str | Sequence[str], size: int | None = None) -> AnyArray:
    """Return a text, or several, as HDF5 text of fixed length.

    Parameters
    ----------
    text : what to store.
    size : bytes reserved for it; a longer text is cut at a whole character. As many as needed if not given.
    """
    raw = np.array([t.encode()[:size] for t in ([text] if isinstance(text, str) else text)], dtype=np.bytes_)
    if size is not None:
        raw = np.array([t.decode(errors="ignore").encode() for t in raw], dtype=np.bytes_)
    typed = raw.astype(h5py.string_dtype("utf-8", size or max(raw.dtype.itemsize, 1)))
    return typed[0:1].reshape(()) if isinstance(text, str) else typed


def plain_value(value: object) -> str | int | float | tuple[str, ...]:
    """Return what an attribute holds as a plain Python value.

    Raises
    ------
    FileFormatError
        If it holds anything but text and numbers.
    """
    if isinstance(value, np.ndarray):
        return tuple(str(plain_value(v)) for v in value.ravel())
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, str | int | float):
        raise FileFormatError(f"an attribute is neither text nor a number but {type(value).__name__}")
    return value


def parse_json(text: str) -> Any:
    """Parse a JSON text from a file, bounded in depth.

    Raises
    ------
    FileFormatError
        If it is not JSON, lists and objects are nested more than :data:`DEEPEST` deep, or a text in it is
        none that can be written (half a surrogate pair).
    """
    depth = 0
    for sign in _OPENING_OR_TEXT.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(sign[0], 0)
        if depth > DEEPEST:
            raise FileFormatError(f"a JSON text is nested more than {DEEPEST} deep")
    try:
        found = json.loads(text)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except ValueError as error:
        raise FileFormatError(f"a text is not JSON ({error})") from error
