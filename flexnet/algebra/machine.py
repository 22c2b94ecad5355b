"""Machine code of programs: LLVM text made object code once, kept in the user's cache, and loaded.

Its key is the hash of the text, of the processor and of the version of LLVM. Long programs are one block of
thousands of instructions without a loop; searching it for pairs of operations that fit into vectors costs
more than it gains, so that is done for short ones only.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from flexnet.algebra.llvm import to_llvm
from flexnet.algebra.tape import Program
from flexnet.cache import load, save
from flexnet.machine import load_object, make_object, processor
from flexnet.typing import AnyArray

_KIND = "formulas"
#: more lines of text than this are not searched for vectors
_LONG = 2000


@dataclass(frozen=True, slots=True, eq=False)
class MachineCode:
    """Programs in memory.

    Attributes
    ----------
    key : hash of what they were made from.
    addresses : of each program by its name.
    engine : what holds the code; it must live as long as the code is called.
    """

    key: str
    addresses: dict[str, int]
    engine: Any

    def __call__(self, name: str, *arguments: float | AnyArray) -> None:
        """Call a program with numbers and contiguous arrays, in the order of its inputs and outputs."""
        kinds = [ctypes.c_double if isinstance(x, float) else ctypes.c_void_p for x in arguments]
        function = ctypes.CFUNCTYPE(None, *kinds)(self.addresses[name])
        function(*(x if isinstance(x, float) else x.ctypes.data for x in arguments))


def code_key(text: str) -> str:
    """Hash of LLVM text for this processor and this version of LLVM."""
    return sha256(f"{processor()}\n{text}".encode()).hexdigest()


def compile_programs(programs: Sequence[Program], text: str | None = None) -> MachineCode:
    """Machine code of programs; equal ones are compiled once.

    Parameters
    ----------
    text : their LLVM text, where it was written before.
    """
    text = to_llvm(programs) if text is None else text
    key, names = code_key(text), [p.name for p in programs]
    if (made := find_machine_code(key, names)) is None:
        save(_KIND, key, code := make_object(text, pairs_operations=text.count("\n") < _LONG))
        made = _loaded(key, code, names)
    return made


def find_machine_code(key: str, names: Sequence[str]) -> MachineCode | None:
    """Machine code of the programs of these names that is kept under a key, or ``None``."""
    code = load(_KIND, key)
    return None if code is None else _loaded(key, code, names)


def _loaded(key: str, code: bytes, names: Sequence[str]) -> MachineCode:
    made = load_object(code, names)
    return MachineCode(key, made.addresses, made.engine)
