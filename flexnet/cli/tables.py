"""``flexnet tables``: the table of a flexible body from its mesh file."""

from pathlib import Path
from typing import Annotated

import typer

from flexnet.cli.console import say

#: panel and place in the list of verbs
PLACE = "Simulate", 25


def tables(
    mesh: Annotated[Path, typer.Argument(help="Mesh file: Gmsh, Abaqus, Nastran, VTK, XDMF.")],
    out: Annotated[Path, typer.Option(help="File to write.")],
    material: Annotated[str, typer.Option(metavar="E,NU,RHO[,ETA]", help="SI units.")],
    thickness: Annotated[
        list[str] | None, typer.Option(metavar="[GROUP=]H", help="Shell thickness, m, of all or of a group.")
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
        str, typer.Option(help="Basis, such as eigenmodes, attachment or inertia_relief.")
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
    from flexnet.cli.table_job import TableJob, write_shapes
    from flexnet.fem import write_table

    job = TableJob(mesh, material, tuple(thickness or ()), tuple(section or ()), tuple(frame or ()))
    table = job.table(support, modes, limit, method, inertia)
    say(table.mode_text())
    write_table(out, table)
    say(f"{table.m} coordinates, {table.inertia.mass:.6g} kg, written to {out}")
    if shapes is not None:
        write_shapes(table, shapes)
        say(f"shapes in {shapes}.vtu and {shapes}.png")
