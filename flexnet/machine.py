"""Machine code of LLVM text: made once, loaded into memory.

What keeps object code between processes is :mod:`flexnet.cache`; whoever makes it says under which key.
"""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """Object code in memory.

    Attributes
    ----------
    addresses : of each function by its name.
    engine : what holds the code; it must live as long as the code is called.
    """

    addresses: dict[str, int]
    engine: Any


def _target(level: int) -> Any:
    """The processor; an engine that is given it will own it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level,
        reloc="pic", codemodel="jitdefault",
    )  # fmt: skip


@cache
def processor() -> str:
    """What object code rests on besides its text: processor and version of LLVM."""
    features = llvm.get_host_cpu_features().flatten()
    return f"{llvm.get_host_cpu_name()} {platform.machine()} {llvm.llvm_version_info} {features}"


def make_object(text: str, level: int = 2, pairs_operations: bool = True) -> bytes:
    """Object code of LLVM text.

    Parameters
    ----------
    level : how much is optimised, 0 to 3.
    pairs_operations : whether straight-line code is searched for operations that fit into vectors.
    """
    target = _target(level)
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(target.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=level)
    tuning.slp_vectorization = pairs_operations
    tuning.loop_vectorization = level > 2
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def load_object(code: bytes, names: Sequence[str]) -> Loaded:
    """Load object code and find its functions."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(0))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Loaded({name: engine.get_function_address(name) for name in names}, engine)


def name_address(name: str, address: int) -> None:
    """Tell code that is loaded from now on where something of a name is."""
    llvm.add_symbol(name, address)
