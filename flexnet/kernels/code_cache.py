"""Machine code of kernels, kept by :mod:`flexnet.cache` instead of numba's own files.

numba executes whatever its files hold: a damaged one ends in a traceback or a segmentation fault. Here a file
is compared with its digest before numba sees it.

numba keeps the machine code of a function as long as its own file does not change; a kernel also holds the
code and the constants of kernels in other files. So the key of a kernel includes a hash of its file and of
all files that one imports, directly or not: a change compiles again what rests on it, and nothing else.
"""

import logging
import pickle
import re
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
#: told of everything that is compiled: the command line says it
announced = logging.getLogger("flexnet.compile")
#: chosen when the process starts, as its kernels are
FOLDER = folder_of(KIND)

_STAMP = "\n".join((numba.__version__, llvmlite.__version__, str(sys.implementation.cache_tag)))
_ROOT = Path(__file__).parent.parent.parent


#: a module of the package that is imported, and the names taken from it
_IMPORT = re.compile(r"^from (flexnet[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


def _imports(path: Path) -> list[Path]:
    """Files of the package that a file imports."""
    found = []
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        place = _ROOT.joinpath(*module.split("."))
        found += [place.with_suffix(".py"), *(place / f"{name}.py" for name in re.findall(r"\w+", names))]
    return [p for p in found if p.is_file()]


@lru_cache
def _hash_of_file(name: str) -> str:
    """Hash of a function's file and of those it imports; generated code has none, its module names it."""
    waiting, files = [Path(name)], set[Path]()
    while waiting:
        path = waiting.pop()
        if path not in files and path.is_file():
            files.add(path)
            waiting += _imports(path)
    digest = sha256()
    for path in sorted(files):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


class CodeCache(_Cache):
    """The machine code of one function, for all its signatures."""

    def __init__(self, function: Callable[..., Any]) -> None:
        code = function.__code__
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        self._enabled = True
        self.name = function.__name__
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
            if not self.name.startswith("_"):
                announced.info("compiling %s, once; it is kept for later runs", self.name)
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
