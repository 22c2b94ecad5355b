r"""Run a foreign parser on one mesh file: a program of its own, started by :mod:`flexnet.mesh.guard`.

meshio's parsers trust their files: some loop for ever at an early end, allocate what a header claims, or open
other files that the first one names. Here one runs in a process that may use so much processor time and
memory, and may open the mesh file and the data file beside it, and nothing else. What it found goes to
standard output as plain arrays:

    b"mesh\n", then a NumPy archive without objects, with a JSON manifest in its array ``manifest``; or
    b"error\n", then one sentence.

This file imports nothing of flexnet, so that the process starts quickly.
"""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import meshio
import numpy as np
from meshio.abaqus._abaqus import abaqus_to_meshio_type as abaqus_types

READERS: dict[str, Callable[[Any], Any]] = {
    ".msh": meshio.gmsh.read,
    ".inp": meshio.abaqus.read,
    ".bdf": meshio.nastran.read,
    ".nas": meshio.nastran.read,
    ".fem": meshio.nastran.read,
    ".vtk": meshio.vtk.read,
    ".vtu": meshio.vtu.read,
    ".xdmf": meshio.xdmf.read,
    ".stl": meshio.stl.read,
}
#: facets of second order that Gmsh and CalculiX write and meshio's table leaves out
FACETS = {"CPS6": "triangle6", "CPS8": "quad8", "S6": "triangle6", "S8": "quad8"}
#: cell data that name groups
TAGS = ("gmsh:physical", "nastran:ref", "tag", "medit:ref")
#: formats whose parser reads on after the end of the file
ENDLESS = (".bdf", ".nas", ".fem")


class _Lines(io.TextIOWrapper):
    """A text file that can be read to its end once."""

    def readline(self, *_: Any) -> str:  # type: ignore[override]  # text, as of every text file
        """Return the next line; the end of the file is an error, which a whole file never meets."""
        line = super().readline()
        if not line:
            raise EOFError("the file ends before ENDDATA")
        return line


def parse(path: str) -> bytes:
    """Return the answer for a mesh file."""
    suffix = Path(path).suffix.lower()
    try:
        if suffix in ENDLESS:
            with open(path, "rb") as file:  # noqa: PTH123  (as the parsers do)
                deck = file.read()
            head = b"" if b"BEGIN BULK" in deck else b"BEGIN BULK\n"  # Gmsh writes bulk data alone
            raw = READERS[suffix](_Lines(io.BytesIO(head + deck), encoding="utf-8"))
        else:
            for facet, kind in FACETS.items():
                abaqus_types.setdefault(facet, kind)
            raw = READERS[suffix](path)
        return b"mesh\n" + _packed(raw)
    except MemoryError:
        return b"error\nit needs more memory than a file of its size may"
    except (Exception, SystemExit) as error:  # a foreign parser that meets a broken file may raise anything
        text = " ".join(str(error).split())[:300] if str(error) else type(error).__name__
        return b"error\n" + text.encode(errors="replace")


def _packed(raw: Any) -> bytes:
    """What groups and elements are made of, as an archive of arrays."""
    arrays: dict[str, Any] = {}

    def kept(array: Any) -> str:
        name = f"array{len(arrays)}"
        arrays[name] = np.asarray(array)
        return name

    manifest = {
        "points": kept(raw.points),
        "cells": [[str(block.type), kept(block.data)] for block in raw.cells],
        "cell_data": {k: [kept(tags) for tags in raw.cell_data[k]] for k in TAGS if k in raw.cell_data},
        "cell_sets": {
            str(name): [None if members is None else kept(members) for members in sets]
            for name, sets in (raw.cell_sets or {}).items()
            if not str(name).startswith("gmsh:")
        },
        "point_sets": {str(name): kept(members) for name, members in (raw.point_sets or {}).items()},
        "field_data": {
            str(n): [int(x) for x in v] for n, v in (raw.field_data or {}).items() if np.size(v) == 2
        },
    }
    out = io.BytesIO()
    text = np.frombuffer(json.dumps(manifest).encode(), dtype=np.uint8)
    np.savez(out, allow_pickle=False, manifest=text, **arrays)
    return out.getvalue()


def stay_inside(path: str) -> None:
    """From now on open nothing but a mesh file and, for XDMF, the HDF5 file beside it."""
    if path.lower().endswith(".xdmf"):
        import h5py

        real, beside = h5py.File, Path(path).resolve().with_suffix(".h5")

        def checked(name: Any, *_: Any) -> Any:
            if Path(name).resolve() != beside or not beside.is_file():
                raise OSError(f"it refers to {Path(name).name!r}; only {beside.name!r} beside it is opened")
            return real(name, "r")

        h5py.File = checked

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            name = os.fsdecode(arguments[0])
            if Path(name).absolute() != Path(path).absolute():
                raise OSError(f"it refers to another file, {Path(name).name!r}, which is not opened")
        elif event.startswith(("subprocess.", "os.exec", "os.system", "socket.", "shutil.", "ctypes.")):
            raise OSError("its parser tried to leave the process")

    sys.addaudithook(watch)


def limit(seconds: int, size: int) -> None:
    """Bound the processor time [s] and the memory [bytes] of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    limit(int(sys.argv[2]), int(sys.argv[3]))
    answer_to = sys.stdout.buffer
    sys.stdout = sys.stderr  # parsers print
    stay_inside(sys.argv[1])
    answer_to.write(parse(sys.argv[1]))
