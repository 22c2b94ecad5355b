"""Tables as HDF5 files: schema version, key of what they were made from, digest of what they hold.

The layout is specified in docs/theory/flextable.md.
"""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.errors import FileFormatError, FlexnetError, ModelError
from flexnet.fem.fingerprint import fingerprint
from flexnet.fem.flex_table import FlexTable, FrameRows
from flexnet.fem.geometric_tensors import GeometricTensors
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.mode_table import ModeTable
from flexnet.mesh import Mesh
from flexnet.store import create_file, open_file, plain_value, read_arrays, writing
from flexnet.typing import AnyArray

SCHEMA = "flexnet-table"
VERSION = 1
GROUPS = ("node_groups", "line_groups", "triangle_groups")
FURTHER = {
    "quadrilaterals": "quadrilateral_groups",
    "tetrahedra": "tetrahedron_groups",
}  # where there are some


def write_table(path: str | Path, table: FlexTable) -> None:
    """Write a table; the file appears under its name only when it is complete, and replaces only a table."""
    with writing(Path(path), b"\x89HDF", SCHEMA) as draft:
        draft.write_bytes(table_bytes(table))


def table_bytes(table: FlexTable) -> bytes:
    """The bytes of the file of a table."""
    if table.is_sparse:
        raise ModelError("the table of an unreduced body is not written: it is made as fast as it is read")
    memory, arrays = BytesIO(), _to_arrays(table)
    attributes = {"key": table.key, "digest": fingerprint(arrays)}
    with create_file(memory, SCHEMA, VERSION, attributes) as file:
        for name, values in arrays.items():
            file.create_dataset(name, data=values)
    return memory.getvalue()


def read_table(path: str | Path | BytesIO) -> FlexTable:
    """Read a table back, from a file or from its bytes in memory, bit by bit as it was written.

    Raises
    ------
    FileFormatError
        If the file is missing, truncated, corrupt, of another kind, or newer than this flexnet.
    """
    try:
        with open_file(path, SCHEMA, VERSION) as file:
            arrays = read_arrays(file)
            key, digest = (str(plain_value(file.attrs[name])) for name in ("key", "digest"))
    except (OSError, KeyError, RuntimeError, ValueError, TypeError) as error:
        raise FileFormatError(f"{path}: a part of the table cannot be read ({error})") from error
    try:
        table = _from_arrays(key, arrays)
        written = fingerprint(_to_arrays(table))
    except (KeyError, IndexError, ValueError, TypeError, FlexnetError) as error:
        raise FileFormatError(f"{path}: the table is incomplete or damaged ({error})") from error
    if written != digest:
        raise FileFormatError(f"{path}: the contents do not match their digest; the file is damaged")
    return table


def _to_arrays(table: FlexTable) -> dict[str, AnyArray]:
    """Name in the file → array."""
    arrays: dict[str, AnyArray] = {"elastic/K": table.K, "elastic/C": table.C}
    parts = (
        ("inertia", table.inertia),
        ("geometric", table.geometric),
        ("frames", table.frames),
        ("output", table.output),
        ("modes", table.modes),
    )
    for group, part in parts:
        for name in type(part).__slots__:
            arrays[f"{group}/{name}"] = _encoded(getattr(part, name))
    mesh = table.mesh
    arrays |= {"mesh/nodes": mesh.nodes, "mesh/lines": mesh.lines, "mesh/triangles": mesh.triangles}
    further = {cells: group for cells, group in FURTHER.items() if len(getattr(mesh, cells))}
    arrays |= {f"mesh/{cells}": getattr(mesh, cells) for cells in further}
    for group in (*GROUPS, *further.values()):
        members = getattr(mesh, group)
        arrays[f"mesh/{group}_names"] = _encoded(tuple(members))
        for number, indices in enumerate(members.values()):
            arrays[f"mesh/{group}/{number}"] = indices
    return arrays


def _from_arrays(key: str, arrays: dict[str, AnyArray]) -> FlexTable:
    def part(group: str, kind: type) -> Any:
        return kind(**{name: _decoded(arrays[f"{group}/{name}"]) for name in kind.__slots__})  # type: ignore[attr-defined]  # slots of a slotted dataclass

    def members(group: str) -> dict[str, AnyArray]:
        names = _decoded(arrays[f"mesh/{group}_names"])
        return {name: arrays[f"mesh/{group}/{number}"] for number, name in enumerate(names)}

    further = {cells: group for cells, group in FURTHER.items() if f"mesh/{cells}" in arrays}
    held: dict[str, Any] = {cells: arrays[f"mesh/{cells}"] for cells in ("lines", "triangles", *further)}
    held |= {group: members(group) for group in (*GROUPS, *further.values())}
    mesh = Mesh(arrays["mesh/nodes"], **held)
    return FlexTable(
        key=key,
        inertia=part("inertia", InertiaTensors),
        K=arrays["elastic/K"],
        C=arrays["elastic/C"],
        frames=part("frames", FrameRows),
        output=part("output", FrameRows),
        geometric=part("geometric", GeometricTensors),
        modes=part("modes", ModeTable),
        mesh=mesh,
    )


def _encoded(value: Any) -> AnyArray:
    """Numbers and arrays as they are; a tuple of names as UTF-8 bytes."""
    if isinstance(value, tuple):
        return np.array([name.encode() for name in value], dtype=np.bytes_).reshape(len(value))
    return np.asarray(value)


def _decoded(array: AnyArray) -> Any:
    if array.dtype.kind == "S":
        return tuple(bytes(name).decode() for name in array)
    return array.item() if array.ndim == 0 else array
