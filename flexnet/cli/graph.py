"""``flexnet graph``: what a mechanism's graph is, what its trees make of it, and a drawing."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from flexnet.cli.case import build_case
from flexnet.errors import GraphError
from flexnet.formulation import Equations, Report, compare_trees, format_tree_table, formulate, report
from flexnet.graph import (
    CHOICES,
    Tree,
    circuit_equation,
    cutset_equation,
    rotation_circuit_equation,
)
from flexnet.typing import Array
from flexnet.view import draw_graph, write_graph


def graph(
    case: Annotated[Path, typer.Argument(help="Python file with a function build() that returns a System.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of build().")
    ] = None,
    tree: Annotated[str, typer.Option(help=f"Ready-made trees: {', '.join(CHOICES)}.")] = "default",
    translation: Annotated[
        str, typer.Option(metavar="A,B,…", help="Branches of the T-tree, arms left out.")
    ] = "",
    rotation: Annotated[str, typer.Option(metavar="A,B,…", help="Branches of the R-tree.")] = "",
    compare: Annotated[
        bool, typer.Option("--compare", help="Count the equations of every ready-made tree.")
    ] = False,
    equations: Annotated[
        list[str] | None,
        typer.Option(metavar="EDGE", help="Write the cutset or circuit equations of an edge."),
    ] = None,
    dependent: Annotated[
        bool, typer.Option("--dependent", help="Draw the dependent virtual work edges, too.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="PREFIX", help="Draw the graph to PREFIX.svg and PREFIX.png.")
    ] = None,
) -> None:
    """Print and draw the linear graph of a case: nodes, edges, trees, coordinates, equations.

    Examples: flexnet graph cases/squeezer.py --compare --out squeezer;
    flexnet graph cases/squeezer.py --tree joint --equations O
    """
    console = Console(soft_wrap=True, highlight=False)
    system = build_case(case, settings or [])
    made = formulate(system, tree, _names(translation), _names(rotation))
    wanted = {edge: edge_equations(made.T, made.R, edge) for edge in equations or []}
    _print_report(console, report(made))
    for edge, lines in wanted.items():
        _print_lines(console, f"equations of {edge}", lines)
    if compare:
        _print_comparison(console, compare_trees(system))
    if out is not None:
        figure = draw_graph(
            made.graph, made.T, made.R, at=frame_positions(made), title=system.name, dependent=dependent
        )
        svg, png = write_graph(figure, out)
        console.print(Text(f"\ndrawn in {svg} and {png}"))


def edge_equations(T: Tree, R: Tree, name: str) -> list[str]:
    """Cutset or circuit equations of an edge in the T-graph and the R-graph, each that it is in."""
    if not _has(T, name) and not _has(R, name):
        raise GraphError(f"no edge is called {name!r}{_hint(T, R, name)}")
    lines = []
    for letter, tree in (("T", T), ("R", R)):
        if not _has(tree, name):
            continue
        if name in tree.names:
            lines.append(f"{letter}-cutset:  {cutset_equation(tree, name)}")
        elif letter == "T":
            lines.append(f"T-circuit: {circuit_equation(tree, name)}")
        else:
            lines.append(f"R-circuit: {rotation_circuit_equation(tree, name)}")
    return lines


def frame_positions(equations: Equations) -> dict[str, Array]:
    """Positions (2,) of all frames at the start, seen so that the mechanism is spread widest."""
    poses = equations.poses(equations.initial)
    frames, body = equations.system.frames, equations.packer.body_index
    p = np.array([poses.p[body(f)] + poses.R[body(f)] @ f.position for f in frames.values()])
    view = np.eye(3)[:2]
    if not equations.system.is_planar:
        _, _, axes = np.linalg.svd(p - p.mean(axis=0))
        view = axes[:2]
        # of the two ways to look along an axis, the one that keeps left and right
        view = view * np.sign(view[np.arange(2), np.abs(view).argmax(axis=1)])[:, None]
    return dict(zip(frames, p @ view.T, strict=True))


def _has(tree: Tree, name: str) -> bool:
    return any(edge.name == name for edge in tree.graph.edges)


def _hint(T: Tree, R: Tree, name: str) -> str:
    near = get_close_matches(name, [e.name for e in (*T.graph.edges, *R.graph.edges)], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _names(text: str) -> list[str] | None:
    """Names between commas; None if there are none."""
    return [name.strip() for name in text.split(",") if name.strip()] or None


def _print_report(console: Console, made: Report) -> None:
    console.print(Text(made.title, style="bold"))
    for heading, lines in made.sections():
        is_warning = heading == "suggestion" or (heading.startswith("redundant") and made.redundant)
        _print_lines(console, heading, lines, "yellow" if is_warning else "")


def _print_lines(console: Console, heading: str, lines: Sequence[str], style: str = "") -> None:
    console.print()
    console.print(Text(heading, style="bold cyan"))
    for line in lines:
        console.print(Text(f"  {line}", style=style))


def _print_comparison(console: Console, reports: dict[str, Report]) -> None:
    head, *rows = format_tree_table(reports).splitlines()
    console.print()
    console.print(Text(head, style="bold cyan"))
    for row in rows:
        console.print(Text(row))
