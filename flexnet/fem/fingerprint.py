"""A fingerprint of plain data: the same for equal contents, different for anything else."""

import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array


def fingerprint(*things: Any) -> str:
    """Return the SHA-256 of frozen dataclasses, arrays, matrices, mappings, sequences, numbers, texts, None.

    Every value is hashed with its type and length, so that no two structures run into each other; floats are
    hashed by their bits.
    """
    digest = hashlib.sha256()
    for thing in things:
        _add(digest, thing)
    return digest.hexdigest()


def _add(digest: Any, thing: Any) -> None:
    match thing:
        case None | bool() | int() | str() | np.integer():
            _tag(digest, type(thing).__name__, str(thing).encode())
        case Real():
            _tag(digest, "float", struct.pack("<d", float(thing)))
        case np.ndarray():
            values = np.ascontiguousarray(thing)
            _tag(digest, f"array {values.dtype.str} {values.shape}", values.tobytes())
        case csr_array():
            _tag(digest, f"matrix {thing.shape}", b"")
            for part in (thing.data, thing.indices.astype(np.int64), thing.indptr.astype(np.int64)):
                _add(digest, part)
        case Mapping():
            _tag(digest, f"mapping {len(thing)}", b"")
            for key in thing:
                _add(digest, key)
                _add(digest, thing[key])
        case Sequence():
            _tag(digest, f"sequence {len(thing)}", b"")
            for item in thing:
                _add(digest, item)
        case _ if is_dataclass(thing):
            _tag(digest, f"{type(thing).__module__}.{type(thing).__qualname__}", b"")
            for field in fields(thing):
                _add(digest, field.name)
                _add(digest, getattr(thing, field.name))
        case _:
            raise TypeError(f"no fingerprint of a {type(thing).__name__}")


def _tag(digest: Any, kind: str, content: bytes) -> None:
    digest.update(f"{kind}:{len(content)}:".encode())
    digest.update(content)
