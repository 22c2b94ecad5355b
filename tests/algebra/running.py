"""Run a program in every language."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from flexnet.algebra import Node, Program, array_of, compile_programs, to_c, to_fortran, to_numpy

#: compiler of every language that needs one
COMPILERS = {"c": "gcc", "fortran": "gfortran"}
LANGUAGES = ("numpy", "machine", "c", "fortran")


def program_of(inputs: list[Node], outputs: list) -> Program:
    """A program ``f(x, out)``."""
    return Program("f", {"x": inputs}, {"out": array_of(outputs)})


def build_library(text: str, language: str, folder) -> ctypes.CDLL:
    """Compile exported text into a library."""
    compiler = shutil.which(COMPILERS[language])
    if compiler is None:
        pytest.skip(f"there is no {language} compiler")
    source = folder / {"c": "code.c", "fortran": "code.f90"}[language]
    source.write_text(text)
    options = ["-Wall", "-Werror=implicit"] if language == "c" else [f"-J{folder}"]
    command = [compiler, "-O1", "-shared", "-fPIC", *options, "-o", folder / "code.so", source, "-lm"]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return ctypes.CDLL(str(folder / "code.so"))


def runner(program: Program, language: str, folder, before: float = 0.0):
    """A function that gives the outputs of a program ``f(x, out)`` at x; ``before`` stands there already."""
    n = len(program.outputs["out"])
    if language == "numpy":
        space: dict = {}
        exec(to_numpy([program]), space)

        def run(x):
            x = np.asarray(x)
            out = np.full((n, *x.shape[1:]), before, dtype=x.dtype)
            space["f"](x, out)
            return out

        return run
    if language == "machine":
        code = compile_programs([program])

        def run(x):
            out = np.full(n, before)
            code("f", np.ascontiguousarray(x, dtype=float), out)
            return out

        return run
    library = build_library({"c": to_c, "fortran": to_fortran}[language]([program]), language, folder)

    def run(x):
        x, out = np.ascontiguousarray(x, dtype=float), np.full(n, before)
        library.f(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(out.ctypes.data))
        return out

    return run
