"""How kernels are compiled: on first use, cached on disk, IEEE arithmetic kept.

Kernels never allocate, so they are compiled without reference counting: counting every array of the
packed model at every call would cost more than the mechanics.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import njit, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from flexnet.kernels.code_cache import CodeCache

typeof: Callable[[Any], Any] = numba.typeof

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Dispatcher of a function whose machine code is kept and verified by our own cache."""
    dispatcher = njit(**_OPTIONS, **options)(function)
    if not is_interpreted():
        dispatcher._cache = CodeCache(function)
    return dispatcher


def is_interpreted() -> bool:
    """Whether kernels run as plain Python, for a debugger or coverage (NUMBA_DISABLE_JIT=1)."""
    return bool(getattr(numba.config, "DISABLE_JIT"))  # noqa: B009  (numba sets it when it is imported)


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers; the machine code is cached on disk."""
    return cast(F, _compiled(function))


def shared(function: F) -> F:
    """Compile a kernel that only kernels call: it is handed to them as a fragment, see :class:`_Fragment`."""
    return cast(F, njit(**_PART_OPTIONS)(function))


def inner(function: F) -> F:
    """Compile a shared kernel into every kernel that calls it: for long argument lists and single callers."""
    return cast(F, njit(forceinline=True, **_PART_OPTIONS)(function))


class _NoMachineCode:
    """Stands where numba expects the owner of machine code; a fragment has none."""

    def set_env(self, name: str, env: object) -> None:
        """Nothing to set."""


class _Fragment(JITCodeLibrary):
    """Code of a shared kernel: linked into its callers as it is, there optimised and made machine code.

    The usual way optimises every function by itself and again in each of its callers, up to the outermost,
    and makes machine code of all; only that of the outermost is ever run.
    """

    @property
    def codegen(self) -> _NoMachineCode:
        """What would own the machine code."""
        return _NoMachineCode()

    def finalize(self) -> None:
        """Link what this fragment calls, each once."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _PartCompiler(Compiler):
    """numba's compiler with a fragment as its result."""

    def define_pipelines(self) -> Any:
        """The usual passes."""
        codegen = self.state.targetctx.codegen()
        self.state.library = _Fragment(codegen, self.state.func_id.func_qualname)
        return Compiler.define_pipelines(self)


_PART_OPTIONS: dict[str, Any] = {
    **_OPTIONS,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _PartCompiler,
}

_specialised: dict[tuple[Any, ...], Any] = {}


def kind_of(x: Any) -> Any:
    """What numba's type of a value rests on; its own word for it takes a millisecond for a model."""
    if isinstance(x, np.ndarray):
        return x.dtype, x.ndim, x.flags.c_contiguous, x.flags.aligned, x.flags.writeable
    return (type(x), *map(kind_of, x)) if isinstance(x, tuple) else type(x)


def specialise(
    loop: Callable[..., Any], functions: Sequence[tuple[Any, Sequence[Any]]], arguments: Sequence[Any]
) -> Callable[..., Any]:
    """Compile a loop that receives other kernels as its first arguments.

    The kernels are passed as first-class functions: the machine code of the loop depends on their
    signatures and not on which ones they are, so it is compiled once and cached on disk.

    Parameters
    ----------
    loop : the Python function to compile, not yet compiled.
    functions : the kernels it receives, each with an example of the arguments it will be called with.
    arguments : an example of every further argument.
    """
    if is_interpreted():
        return loop
    key = loop, tuple(kind_of(tuple(example)) for _, example in functions), kind_of(tuple(arguments))
    if key not in _specialised:
        signatures = [types.void(*(typeof(x) for x in example)) for _, example in functions]
        kinds = [types.FunctionType(s) for s in signatures] + [typeof(x) for x in arguments]
        made = _compiled(loop)
        made.compile(types.int64(*kinds))
        made.disable_compile()
        _specialised[key] = made
    return cast(Callable[..., Any], _specialised[key])


def address_of(function: Callable[..., Any], signature: Any) -> int:
    """Address of a function compiled for a signature, for machine code that calls it as one of C."""
    made = _compiled(function, no_cpython_wrapper=True)
    made.compile(signature)
    found = made.overloads[signature.args]
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name))


def is_cached(function: Callable[..., Any]) -> bool:
    """Whether machine code of a kernel, or of a loop yet to be compiled, is kept for its present source."""
    if is_interpreted():
        return True
    return CodeCache(function.py_func if isinstance(function, CPUDispatcher) else function).is_filled
