"""``flexnet graph``: what a mechanism's graph is, what its trees make of it, and a drawing."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from flexnet.cli.console import say
from flexnet.cli.options import CaseFile, Settings
from flexnet.cli.trees import (
    CountsName,
    Required,
    Rotation,
    Translation,
    TreeName,
    Virtual,
    offered,
    split_names,
)
from flexnet.errors import StorageError
from flexnet.validation import place_to_write

if TYPE_CHECKING:
    from flexnet.formulation import Equations, Report
    from flexnet.graph import Selection, Tree
    from flexnet.system import System
    from flexnet.typing import Array

#: panel and place in the list of verbs
PLACE = "Simulate", 23


def graph(
    case: CaseFile,
    settings: Settings = None,
    tree: TreeName = "default",
    translation: Translation = "",
    rotation: Rotation = "",
    require: Required = "",
    virtual: Virtual = False,
    counts: CountsName = "spatial",
    compare: Annotated[
        bool, typer.Option("--compare", help="Count and time the trees of every rule and their neighbours.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell, with --out draw, how the rule came to its trees.")
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
    from flexnet.cli.case import build_case, load_case
    from flexnet.formulation import compare_trees, formulate, report

    system = offered(build_case(case, settings or []), virtual)
    given, needed = (split_names(translation), split_names(rotation)), split_names(require) or ()
    made = formulate(system, tree, *given, require=needed, counts=counts)
    wanted = {edge: edge_equations(made.T, made.R, edge) for edge in equations or []}
    _print_report(report(made))
    for edge, lines in wanted.items():
        _print_lines(f"equations of {edge}", lines)
    if explain:
        from flexnet.graph import explain as told
        from flexnet.graph import select

        selection = select(made.graph, tree, *given, needed, counts)
        _print_lines(f"how {tree} chooses", told(selection, made.graph))
        if out is not None and selection.growths:
            _draw_steps(selection, made, tree, out)
    if compare:
        _print_comparison(compare_trees(system, require=needed, counts=counts))
        _print_contest(system, load_case(case), needed, counts)
    if out is not None:
        _draw(made, out, dependent)


def edge_equations(T: "Tree", R: "Tree", name: str) -> list[str]:
    """Cutset or circuit equations of an edge in the T-graph and the R-graph, each that it is in."""
    from flexnet.errors import GraphError
    from flexnet.graph import circuit_equation, cutset_equation, rotation_circuit_equation

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


def frame_positions(equations: "Equations") -> "dict[str, Array]":
    """Positions (2,) of all frames at the start, seen so that the mechanism is spread widest."""
    import numpy as np

    poses = equations.poses(equations.initial)
    frames = equations.system.frames
    body = {name: i for i, name in enumerate(equations.packer.bodies)}
    p = np.array([poses.p[body[f.body]] + poses.R[body[f.body]] @ f.position for f in frames.values()])
    view = np.eye(3)[:2]
    if not equations.system.is_planar:
        _, _, axes = np.linalg.svd(p - p.mean(axis=0))
        view = axes[:2]
        # of the two ways to look along an axis, the one that keeps left and right
        view = view * np.sign(view[np.arange(2), np.abs(view).argmax(axis=1)])[:, None]
    return dict(zip(frames, p @ view.T, strict=True))


def _draw(made: "Equations", out: Path, dependent: bool) -> None:
    from flexnet.view import draw_graph, write_graph

    system = made.system
    figure = draw_graph(
        made.graph, made.T, made.R, at=frame_positions(made), title=system.name, dependent=dependent,
        network=system.network.tree if system.elements else None,
    )  # fmt: skip
    svg, png = write_graph(figure, out)
    say(f"\ndrawn in {svg} and {png}")


def _draw_steps(selection: "Selection", made: "Equations", tree: str, out: Path) -> None:
    from flexnet.view import draw_selection, write_drawing

    title = f"{made.system.name}: how {tree} chooses"
    text = draw_selection(selection, made.graph, frame_positions(made), title)
    say(f"\nsteps drawn in {write_drawing(text, place_to_write(out, StorageError, '_steps.svg'))}")


def _has(tree: "Tree", name: str) -> bool:
    return any(edge.name == name for edge in tree.graph.edges)


def _hint(T: "Tree", R: "Tree", name: str) -> str:
    near = get_close_matches(name, [e.name for e in (*T.graph.edges, *R.graph.edges)], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _print_report(made: "Report") -> None:
    say(made.title, "bold")
    for heading, lines in made.sections():
        is_warning = heading in ("suggestion", "warnings") or (
            made.redundant and heading.startswith(("redundant", "loads"))
        )
        _print_lines(heading, lines, "yellow" if is_warning else "")


def _print_lines(heading: str, lines: Sequence[str], style: str = "") -> None:
    say(f"\n{heading}", "bold cyan")
    for line in lines:
        say(f"  {line}", style)


def _print_comparison(reports: "dict[str, Report]") -> None:
    from flexnet.formulation import format_tree_table

    head, *rows = format_tree_table(reports).splitlines()
    say(f"\n{head}", "bold cyan")
    for row in rows:
        say(row)


def _print_contest(system: "System", module: ModuleType, require: Sequence[str], counts: str) -> None:
    """Candidates timed side by side, the fastest first, the chosen one marked."""
    from flexnet.analysis import measure_trees
    from flexnet.graph import count_trees

    step, end = (getattr(module, name, None) for name in ("STEP", "END"))
    contest = measure_trees(system, step, require=require, counts=counts, end=end)
    head = "    n   m torques forces operations  µs/step  condition"
    say(f"\n{'timed side by side':44} {head}", "bold cyan")
    for name, t in sorted(contest.timings.items(), key=lambda item: item[1].seconds):
        e = t.equations
        count = count_trees(e.T, e.R, e.graph)
        mark = "*" if name == contest.chosen else " "
        say(
            f"{mark} {name:42} {e.n_v:5d} {e.m:3d} {count.torques:7d} {count.forces:6d}"
            f" {_operations(e):>10} {t.seconds * 1e6:8.2f} {t.condition:10.3g}"
        )
    say(
        "operations: additions, multiplications and function calls of M, G, F and the bias of the constraints"
        " at one state, written in symbols, equal parts once"
    )
    say(str(contest))


def _operations(equations: "Equations") -> str:
    """Operations of the equations in symbols; a dash where they cannot be written so."""
    from flexnet.errors import FlexnetError
    from flexnet.formulation.symbolic import count_operations, symbolic

    try:
        return str(count_operations(symbolic(equations)).total)
    except FlexnetError:
        return "-"
