"""``flexnet tables``: the table of a flexible body from its mesh file."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from flexnet.errors import ModelError
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
    write_table,
)
from flexnet.mesh import Mesh, read_mesh, write_mesh
from flexnet.view.shapes import draw_shapes

SHAPES: dict[str, Callable[..., BeamSection]] = {
    "rectangle": rectangle,
    "circle": circle,
    "tube": tube,
    "box": box,
    "i": i_section,
}


def tables(
    mesh: Annotated[Path, typer.Argument(help="Mesh file: Gmsh, Abaqus, Nastran, VTK, XDMF.")],
    out: Annotated[Path, typer.Option(help="File to write.")],
    material: Annotated[str, typer.Option(metavar="E,NU,RHO[,ETA]", help="SI units.")],
    thickness: Annotated[
        list[str] | None, typer.Option(metavar="[GROUP=]H", help="Shell thickness [m], of all or of a group.")
    ] = None,
    section: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[GROUP=]SHAPE:SIZES", help="Beam section, such as rectangle:0.02,0.01 or tube:0.05,0.04."
        ),
    ] = None,
    support: Annotated[
        str, typer.Option(metavar="free | clamped:GROUP | pinned:A,B", help="Frame of reference.")
    ] = "free",
    frame: Annotated[
        list[str] | None, typer.Option(metavar="NAME=NODE", help="Attachment frame: node group or number.")
    ] = None,
    modes: Annotated[str, typer.Option(metavar="N or I,J,…", help="How many modes, or which.")] = "",
    limit: Annotated[float | None, typer.Option(metavar="HZ", help="All modes up to this frequency.")] = None,
    method: Annotated[
        str, typer.Option(help="eigenmodes, attachment, craig_bampton or full.")
    ] = "eigenmodes",
    inertia: Annotated[str, typer.Option(help="consistent, linear or lumped.")] = "consistent",
    shapes: Annotated[
        Path | None, typer.Option(metavar="PREFIX", help="Write the shapes to PREFIX.vtu and PREFIX.png.")
    ] = None,
) -> None:
    """Compute the constant tensors of a flexible body, print its mode table and write the table.

    Example: flexnet tables meshes/panel_32.msh --material 2.1e11,0.3,7800 --thickness 0.003
    --support clamped:left --modes 6 --out panel.h5
    """
    console = Console(soft_wrap=True, highlight=False)
    body = _body(read_mesh(mesh), _material(material), thickness or [], section or [], frame or [])
    reduction = Reduction(_support(support), _modes(modes), limit, method)
    table = flex_table(body, reduction, TableOptions(inertia=inertia))
    console.print(table.modes.text())
    write_table(out, table)
    console.print(f"{table.m} coordinates, {table.inertia.mass:.6g} kg, written to {out}")
    if shapes is not None:
        _write_shapes(table, shapes)
        console.print(f"shapes in {shapes}.vtu and {shapes}.png")


def _body(
    mesh: Mesh, material: Material, thickness: list[str], section: list[str], frames: list[str]
) -> Body:
    regions: list[BeamRegion | ShellRegion] = []
    lines, triangles = dict(mesh.line_groups), dict(mesh.triangle_groups)
    for text in thickness:
        group, size = _split(text, "all triangles")
        triangles.setdefault("all triangles", np.arange(len(mesh.triangles)))
        regions.append(ShellRegion(group, ShellSection.uniform(_number(size), material)))
    for text in section:
        group, shape = _split(text, "all lines")
        lines.setdefault("all lines", np.arange(len(mesh.lines)))
        regions.append(BeamRegion(group, material, _section(shape, material.nu)))
    whole = Mesh(mesh.nodes, mesh.lines, mesh.triangles, mesh.node_groups, lines, triangles)
    named = dict(_split(text, "") for text in frames)
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
    except TypeError as error:
        raise ModelError(f"section {text!r}: {error}") from error


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


def _write_shapes(table: FlexTable, prefix: Path) -> None:
    names = [f"{i + 1}: {f:.4g} Hz" for i, f in enumerate(table.modes.frequency)]
    fields = {name: table.output.translation[:, :, i] for i, name in enumerate(names)}
    write_mesh(prefix.with_name(prefix.name + ".vtu"), table.mesh, fields)
    cells = {"lines": table.mesh.lines, "triangles": table.mesh.triangles}
    draw_shapes(prefix.with_name(prefix.name + ".png"), table.mesh.nodes, cells, fields)
