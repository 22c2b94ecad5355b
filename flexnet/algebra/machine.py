"""Machine code of programs: LLVM text made object code once, kept in the user's cache, and loaded.

Its key is the hash of the text, of the processor and of the version of LLVM. Long programs are one block of
thousands of instructions without a loop; searching it for pairs of operations that fit into vectors costs
more than it gains, so that is done for short ones only.
"""

import ctypes
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import llvmlite.binding as llvm

from flexnet.algebra.llvm import to_llvm
from flexnet.algebra.tape import Program
from flexnet.cache import load, save
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


def _target() -> Any:
    """The processor; an engine that is given it will own it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, reloc="pic",
        codemodel="jitdefault",
    )  # fmt: skip


def code_key(text: str) -> str:
    """Hash of LLVM text for this processor and this version of LLVM."""
    machine = (llvm.get_host_cpu_name(), platform.machine(), llvm.llvm_version_info)
    return sha256(f"{machine}\n{text}".encode()).hexdigest()


def make_object(text: str) -> bytes:
    """Object code of LLVM text."""
    target = _target()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(target.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.slp_vectorization = text.count("\n") < _LONG
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def compile_programs(programs: Sequence[Program], text: str | None = None) -> MachineCode:
    """Machine code of programs; equal ones are compiled once.

    Parameters
    ----------
    text : their LLVM text, where it was written before.
    """
    text = to_llvm(programs) if text is None else text
    key, names = code_key(text), [p.name for p in programs]
    if (made := find_machine_code(key, names)) is None:
        save(_KIND, key, code := make_object(text))
        made = _loaded(key, code, names)
    return made


def find_machine_code(key: str, names: Sequence[str]) -> MachineCode | None:
    """Machine code of the programs of these names that is kept under a key, or ``None``."""
    code = load(_KIND, key)
    return None if code is None else _loaded(key, code, names)


def _loaded(key: str, code: bytes, names: Sequence[str]) -> MachineCode:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return MachineCode(key, {name: engine.get_function_address(name) for name in names}, engine)
