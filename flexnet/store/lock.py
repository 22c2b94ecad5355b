"""One writer per file: a lock that ends with its holder, however that ends.

The lock is a record lock of an open file (`F_OFD_SETLK`) on a byte that no file reaches. HDF5 uses locks
of another kind (`flock`), so readers of a file that is being written are not kept out. Where the system
has no such locks, `flock` itself is used; where it has neither, nothing is locked.
"""

import struct
import sys

if sys.platform == "win32":  # pragma: no cover

    def try_lock(handle: int) -> bool:
        """Say that the file is ours; there are no such locks here."""
        return True

else:
    import fcntl

    _BYTE = 2**62

    def try_lock(handle: int) -> bool:
        """Lock an open file; False if somebody else has."""
        try:
            if hasattr(fcntl, "F_OFD_SETLK") and sys.platform == "linux":
                # struct flock: type, whence, start, length, process (0)
                wanted = struct.pack("hhqqi0q", fcntl.F_WRLCK, 0, _BYTE, 1, 0)
                fcntl.fcntl(handle, fcntl.F_OFD_SETLK, wanted)
            else:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            # a file system without locks
            return True
        return True
