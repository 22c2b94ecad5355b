"""The work of ``flexnet tables``: words into a body and its reduction, its table, a drawing of its shapes."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from flexnet.errors import ModelError, StorageError
from flexnet.fem import (
    BeamRegion,
    BeamSection,
    Body,
    Clamped,
    FlexTable,
    Free,
    Material,
    Pinned,
    Reduction,
    ShellRegion,
    ShellSection,
    TableOptions,
    box,
    circle,
    flex_table,
    i_section,
    rectangle,
    tube,
)
from flexnet.mesh import read_mesh, write_mesh
from flexnet.validation import place_to_write

SHAPES: dict[str, Callable[..., BeamSection]] = {
    "rectangle": rectangle,
    "circle": circle,
    "tube": tube,
    "box": box,
    "i": i_section,
}


@dataclass(frozen=True, slots=True)
class TableJob:
    """The body of a table, in the words of the command line.

    Attributes
    ----------
    mesh : mesh file.
    material : ``E,NU,RHO`` or ``E,NU,RHO,ETA``, SI.
    thickness : ``[GROUP=]H`` of shell regions [m].
    section : ``[GROUP=]SHAPE:SIZES`` of beam regions [m].
    frames : ``NAME=NODE`` of attachment frames.
    """

    mesh: Path
    material: str
    thickness: tuple[str, ...] = ()
    section: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()

    def table(self, support: str, modes: str, limit: float | None, method: str, inertia: str) -> FlexTable:
        """Return the table of the body, from the cache if it is there."""
        body = self.body()
        if not modes and limit is None and method != "full":
            raise ModelError("which modes? Give --modes, or --limit and a frequency")
        reduction = Reduction(_support(support), _modes(modes), limit, method)
        return flex_table(body, reduction, TableOptions(inertia=inertia))

    def body(self) -> Body:
        """Read the mesh and give its groups their sections."""
        mesh, material = read_mesh(self.mesh), _material(self.material)
        regions: list[BeamRegion | ShellRegion] = []
        lines, triangles, quads = (dict(mesh.groups(kind)) for kind in ("line", "triangle", "quadrilateral"))
        for text in self.thickness:
            group, size = _split(text, "all triangles")
            triangles.setdefault("all triangles", np.arange(len(mesh.triangles)))
            if len(mesh.quadrilaterals):
                quads.setdefault("all triangles", np.arange(len(mesh.quadrilaterals)))
            regions.append(ShellRegion(group, ShellSection.uniform(_number(size), material)))
        for text in self.section:
            group, shape = _split(text, "all lines")
            lines.setdefault("all lines", np.arange(len(mesh.lines)))
            regions.append(BeamRegion(group, material, _section(shape, material.nu)))
        for count, kind, option in (
            (len(mesh.triangles) + len(mesh.quadrilaterals), "triangles", self.thickness),
            (len(mesh.lines), "lines", self.section),
        ):  # fmt: skip
            if count and not option:
                wanted = "--thickness" if kind == "triangles" else "--section"
                raise ModelError(f"{self.mesh} has {count} {kind}: give {wanted}")
        whole = replace(mesh, line_groups=lines, triangle_groups=triangles, quadrilateral_groups=quads)
        named = dict(_split(text, "") for text in self.frames)
        return Body(whole, regions, frames={name: _node(where) for name, where in named.items()})


def _split(text: str, default: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    return (name, value) if equals else (default, name)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ModelError(f"{text!r} is not a number") from None


def _node(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def _material(text: str) -> Material:
    values = [_number(word) for word in text.split(",")]
    if len(values) not in (3, 4):
        raise ModelError(f"material {text!r} is not E,NU,RHO or E,NU,RHO,ETA")
    return Material(*values)


def _section(text: str, nu: float) -> BeamSection:
    name, _, sizes = text.partition(":")
    if name not in SHAPES:
        raise ModelError(f"no section shape {name!r}; there are: {', '.join(SHAPES)}")
    try:
        return SHAPES[name](*(_number(word) for word in sizes.split(",")), nu=nu)
    except TypeError:
        wanted = ",".join(n for n in inspect.signature(SHAPES[name]).parameters if n != "nu")
        raise ModelError(f"section {text!r} is not {name}:{wanted}") from None


def _support(text: str) -> Free | Clamped | Pinned:
    kind, _, where = text.partition(":")
    nodes = [_node(word) for word in where.split(",") if word]
    match kind, nodes:
        case "free", []:
            return Free()
        case "clamped", [node]:
            return Clamped(node)
        case "pinned", [start, end]:
            return Pinned(start, end)
    raise ModelError(f"support {text!r} is not free, clamped:GROUP or pinned:A,B")


def _modes(text: str) -> int | list[int] | None:
    if not text:
        return None
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        raise ModelError(f"modes {text!r} are not a number or a list of numbers") from None
    return numbers if "," in text else numbers[0]


def write_shapes(table: FlexTable, prefix: Path) -> None:
    """Write the shapes of a table to PREFIX.vtu and PREFIX.png."""
    from flexnet.view.shapes import draw_shapes  # a table alone needs nothing that draws

    names = [f"{i + 1}: {f:.4g} Hz" for i, f in enumerate(table.modes.frequency)]
    fields = {name: table.output.translation[:, :, i] for i, name in enumerate(names)}
    write_mesh(place_to_write(prefix, StorageError, ".vtu"), table.mesh, fields)
    cells = {"lines": table.mesh.lines, "triangles": table.mesh.surface}
    draw_shapes(place_to_write(prefix, StorageError, ".png"), table.mesh.nodes, cells, fields)
