"""Machine code of kernels, kept by :mod:`flexnet.cache`, which compares a file with its digest.

A kernel holds the code and the constants of kernels in other files. So the key of a kernel includes a hash of
its file and of all files that one imports, directly or not: a change compiles again what rests on it, and
nothing else.
"""

import logging
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from flexnet.cache import folder_of, load, save
from flexnet.kernels.kinds import Kind
from flexnet.machine import load_object, make_object, processor

KIND = "kernels"
#: told of everything that is compiled: the command line says it, and a script on its standard error
announced = logging.getLogger("flexnet.compile")
_SAID = "compiling %s, once; it is kept for later runs"
#: chosen when the process starts, as its kernels are
FOLDER = folder_of(KIND)

_ROOT = Path(__file__).parent.parent.parent


#: a module of the package that is imported, and the names taken from it
_IMPORT = re.compile(r"^from (flexnet[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_NAME = re.compile(r"\w+")


@cache
def _page(path: str) -> tuple[bytes, list[str]] | None:
    """Digest of a file and what it may import of the package; none where there is no such file."""
    try:
        text = Path(path).read_bytes()
    except OSError:
        return None
    places = []
    for module, names in _IMPORT.findall(text.decode()):
        place = f"{_ROOT}/{module.replace('.', '/')}"
        places += [f"{place}.py", *(f"{place}/{name}.py" for name in _NAME.findall(names))]
    return sha256(text).digest(), places


def _rests_on(name: str) -> dict[str, bytes]:
    """Digests of a file and of all that it imports, directly or not."""
    waiting, files = [name], dict[str, bytes]()
    while waiting:
        path = waiting.pop()
        if path not in files and (page := _page(path)) is not None:
            files[path] = page[0]
            waiting += page[1]
    return files


@cache
def _hash_of_file(name: str) -> str:
    """Hash of a function's file and of those it imports; generated code has none, its module names it.

    Where the files lie is not in it: a checkout may be moved.
    """
    digest = sha256()
    for path, content in sorted(_rests_on(name).items(), key=lambda file: (Path(file[0]).name, file[1])):
        digest.update(Path(path).name.encode() + content)
    return digest.hexdigest()


@cache
def _stamp() -> str:
    """What all machine code rests on: the language of kernels, Python and the processor."""
    translator = _hash_of_file(str(Path(__file__).with_name("translate.py")))
    way_in = _hash_of_file(str(Path(__file__).with_name("compile.py")))
    sizes = f"{sys.implementation.cache_tag} {object.__basicsize__} {tuple.__basicsize__}"
    return "\n".join((translator, way_in, sizes, processor()))


class CodeCache:
    """The machine code of one function, for all kinds of arguments, as far optimised as a level says."""

    def __init__(self, function: Callable[..., Any], level: int) -> None:
        code = function.__code__
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        self.name, self.level = function.__name__, level
        self._function = "\n".join(
            (
                _stamp(),
                f"{function.__module__}:{function.__qualname__}:{code.co_firstlineno}",
                _hash_of_file(code.co_filename),
                sha256(code.co_code).hexdigest(),
                repr(cells),
                f"{level=}",
            )
        )

    def load(self, kinds: tuple[Kind, ...], names: Sequence[str]) -> dict[str, int] | None:
        """Addresses of the functions of kept machine code, or ``None``."""
        found = load(KIND, self._key(kinds), FOLDER)
        return None if found is None else _loaded(found, names)

    def announce(self) -> None:
        """Say that the function is compiled."""
        if self.name.startswith("_"):
            return
        if announced.hasHandlers():
            announced.info(_SAID, self.name)
        else:  # a script that knows of no logging waits as long
            sys.stderr.write(f"{_SAID % self.name}\n")

    def make(self, kinds: tuple[Kind, ...], names: Sequence[str], text: str) -> dict[str, int]:
        """Make machine code of LLVM text, keep it and load it."""
        code = make_object(text, self.level)
        save(KIND, self._key(kinds), code, FOLDER)
        return _loaded(code, names)

    def _key(self, kinds: tuple[Kind, ...]) -> str:
        return f"{self._function}\n{kinds!r}"


#: what holds machine code that is called
_engines: list[Any] = []


def _loaded(code: bytes, names: Sequence[str]) -> dict[str, int]:
    made = load_object(code, names)
    _engines.append(made.engine)
    return made.addresses
