"""Machine code of kernels, kept by :mod:`flexnet.cache` instead of numba's own files.

numba executes whatever its files hold: a damaged one ends in a traceback or a segmentation fault. Here a file
is compared with its digest before numba sees it.

numba keeps the machine code of a function as long as its own file does not change; a kernel also holds the
code and the constants of kernels in other files. So the key of every kernel includes a hash of all files that
hold kernels: a change anywhere compiles all of them again.
"""

import logging
import pickle
import sys
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from flexnet.cache import folder_of, load, save

log = logging.getLogger(__name__)

KIND = "kernels"
#: chosen when the process starts, as its kernels are
FOLDER = folder_of(KIND)


def _hash_of_sources() -> str:
    package = Path(__file__).parent.parent
    digest = sha256()
    kept = ("kernels/*.py", "integrators/alpha_*.py", "integrators/energy_*.py")
    for path in sorted({path for pattern in kept for path in package.glob(pattern)}):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_STAMP = "\n".join(
    (_hash_of_sources(), numba.__version__, llvmlite.__version__, str(sys.implementation.cache_tag))
)


@lru_cache
def _hash_of_file(name: str) -> str:
    """Hash of a function's own file; generated code has none and is known by the name of its module."""
    path = Path(name)
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


class CodeCache(_Cache):
    """The machine code of one function, for all its signatures."""

    def __init__(self, function: Callable[..., Any]) -> None:
        code = function.__code__
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        self._enabled = True
        self._function = "\n".join(
            (
                _STAMP,
                f"{function.__module__}:{function.__qualname__}:{code.co_firstlineno}",
                _hash_of_file(code.co_filename),
                sha256(code.co_code).hexdigest(),
                sha256(dumps(cells)).hexdigest() if cells else "",
            )
        )

    @property
    def cache_path(self) -> str:
        """Folder of the files."""
        return str(FOLDER)

    @property
    def is_filled(self) -> bool:
        """Whether there is machine code for any signature."""
        return load(KIND, self._function, FOLDER) is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function, or ``None``."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        if not self._enabled or (found := load(KIND, key, FOLDER)) is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(found))
        except Exception as error:  # whatever it is, the function can be compiled
            log.warning("machine code of the cache cannot be used (%s); it is made again", error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, unless it holds addresses of this process."""
        if self._enabled and not data.library.has_dynamic_globals:
            save(KIND, self._key(sig, data.codegen), dumps(data._reduce()), FOLDER)
            save(KIND, self._function, b"", FOLDER)

    def enable(self) -> None:
        """Use the cache."""
        self._enabled = True

    def disable(self) -> None:
        """Leave the cache aside."""
        self._enabled = False

    def flush(self) -> None:
        """Nothing waits to be written."""

    def _key(self, sig: Any, codegen: Any) -> str:
        return "\n".join((self._function, str(sig), str(codegen.magic_tuple())))
