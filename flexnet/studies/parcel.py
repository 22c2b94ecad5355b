"""What goes between processes: pickled jobs and rows, never equations or machine code."""

import pickle
import struct
import sys
from typing import IO, Any

from flexnet.errors import FlexnetError

_LENGTH = struct.Struct("<Q")


def packed(thing: Any) -> bytes:
    """Bytes that another process can unpack; functions of a script or a notebook go by value.

    Raises
    ------
    FlexnetError
        If it cannot be sent.
    """
    try:
        import cloudpickle
    except ImportError as error:
        raise FlexnetError(f"{error.name} is not installed; try: pip install 'flexnet[study]'") from error
    # modules that were loaded from a path cannot be imported elsewhere
    for name, module in list(sys.modules.items()):
        if name.startswith("flexnet_case_"):
            cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(thing))
    except (pickle.PicklingError, TypeError, AttributeError, FlexnetError) as error:
        raise FlexnetError(
            f"the study cannot be sent to other processes: {' '.join(str(error).split())}"
        ) from error


def send(stream: IO[bytes], parcel: bytes) -> None:
    """Write a parcel."""
    stream.write(_LENGTH.pack(len(parcel)) + parcel)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a parcel and unpack it; None at the end of the stream or where it breaks off."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    parcel = stream.read(length)
    return pickle.loads(parcel) if len(parcel) == length else None


def unpacked(parcel: bytes) -> Any:
    """What was packed."""
    return pickle.loads(parcel)
