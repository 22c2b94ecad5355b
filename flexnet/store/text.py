"""Text in record files: UTF-8 of fixed length, which HDF5 keeps where a checksum guards it.

Text of variable length lives in a heap without checksum, in which a damaged byte can make the HDF5
library search for ever.
"""

from collections.abc import Sequence

import h5py
import numpy as np

from flexnet.typing import AnyArray


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
    """Return what an attribute holds as a plain Python value."""
    if isinstance(value, np.ndarray):
        return tuple(str(plain_value(v)) for v in value.ravel())
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.generic):
        return value.item()  # type: ignore[no-any-return]  # numpy types every item as Any
    assert isinstance(value, str | int | float)
    return value
