"""A drawing shows every component once, keeps names apart, and is the same every time."""

import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import StorageError
from flexnet.graph import Kind, LinearGraph, layout, select, select_trees
from flexnet.view import draw_graph, draw_selection, write_drawing, write_graph
from flexnet.view.panel import STROKES, make_panels, names_of


def drawn(system: fx.System, prefix: Path, tree: str = "joint", **options: bool) -> tuple[Path, Path]:
    graph = system.graph
    T, R = select_trees(graph, tree)
    return write_graph(draw_graph(graph, T, R, title=system.name, **options), prefix)


def words(svg: Path) -> list[str]:
    return [
        "".join(node.itertext()).strip() for node in ET.parse(svg).iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.fixture(scope="module")
def drawings() -> dict[str, tuple[Path, Path]]:
    """Drawings made so far, by name of the mechanism."""
    return {}


@pytest.fixture
def files(mechanism: fx.System, drawings: dict, tmp_path: Path) -> tuple[Path, Path]:
    """SVG and PNG of a mechanism."""
    if mechanism.name not in drawings:
        drawings[mechanism.name] = drawn(mechanism, tmp_path / "new" / "graph.v1")
    return drawings[mechanism.name]


@pytest.mark.sweep(2)
def test_a_drawing_is_an_svg_and_a_png(files: tuple[Path, Path]) -> None:
    svg, png = files
    assert (svg.name, png.name) == ("graph.v1.svg", "graph.v1.png")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert svg.read_text().count("<svg") == 1


def test_every_name_is_text_in_the_svg(mechanism: fx.System, files: tuple[Path, Path]) -> None:
    found = words(files[0])
    for name in (mechanism.name, "ground", *mechanism.bodies):
        assert name in found
    for edge in mechanism.graph.edges:
        if edge.kind in (Kind.JOINT, Kind.DRIVER):
            assert edge.name in found
        elif edge.kind in (Kind.FORCE, Kind.ARM):
            assert any(edge.name.split(".")[-1] in text for text in found)


def test_a_body_is_named_once_in_each_graph(mechanism: fx.System, files: tuple[Path, Path]) -> None:
    found = words(files[0])
    for name in ("ground", *mechanism.bodies):
        assert found.count(name) == 2  # translational and rotational graph


def test_every_edge_is_drawn_and_branches_are_bold(mechanism: fx.System) -> None:
    graph = mechanism.graph
    T, R = select_trees(graph, "default")
    figure = draw_graph(graph, T, R)
    for axes, part, tree in zip(figure.axes, (graph.translational, graph.rotational), (T, R), strict=True):
        width = {line.get_gid(): line.get_linewidth() for line in axes.lines if line.get_gid()}
        shown = {f"edge {e.name}" for e in part.edges if e.kind is not Kind.DEPENDENT}
        assert set(width) == shown
        bold = {name for name, w in width.items() if w > 2}
        assert bold == {f"edge {name}" for name in tree.names}


def test_dependent_virtual_work_is_drawn_dashed_when_asked_for(build, tmp_path: Path) -> None:
    system = build["double_pendulum"]()
    without, _ = drawn(system, tmp_path / "without")
    with_them, _ = drawn(system, tmp_path / "with", dependent=True)
    name = "edge elbow@lower.A"
    assert name not in without.read_text()
    assert name in with_them.read_text()
    assert STROKES[Kind.DEPENDENT].text in words(with_them)


def test_the_same_graph_is_drawn_the_same_way(build, tmp_path: Path) -> None:
    first, second = (drawn(build["squeezer"](), tmp_path / name)[0] for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_nodes_keep_apart(mechanism: fx.System) -> None:
    place = layout(mechanism.graph)
    assert set(place) == set(mechanism.graph.nodes)
    for a, b in combinations(place, 2):
        assert np.linalg.norm(place[a] - place[b]) > 0.3, f"{a} lies on {b}"


def test_outlines_of_bodies_do_not_overlap(mechanism: fx.System) -> None:
    graph = mechanism.graph
    place = layout(graph)
    owner = graph.rotation_nodes
    for a, b in combinations(graph.nodes, 2):
        if owner[a] != owner[b]:
            assert np.linalg.norm(place[a] - place[b]) > 0.45, f"{a} is too near {b}"


def test_names_do_not_overlap(mechanism: fx.System) -> None:
    graph = mechanism.graph
    T, R = select_trees(graph, "joint")
    for panel in make_panels(graph.without(Kind.DEPENDENT), T, R, layout(graph)):
        for a, b in combinations(names_of(panel), 2):
            apart = np.abs(a.centre - b.centre) >= 0.45 * (a.size + b.size)
            assert apart.any(), f"{a.text} is written over {b.text}"


def test_rows_keep_the_order_of_the_mechanism() -> None:
    s = fx.System("two rods", planar=True)
    for name, x in (("right", 1.0), ("left", -1.0)):
        rod = s.rigid_body(name, 1.0, 0.1, {"top": [0, 0.5]}, position=[x, 0])
        s.revolute(f"pin_{name}", s.ground.frame(name, [x, 0.5]), rod["top"])
    at = {"right": [1.0, 0], "left": [-1.0, 0]}
    place = layout(s.graph, at={n: np.array(at.get(n.split(".")[-1], [0.0, 0])) for n in s.graph.nodes})
    assert place["left"][0] < place["right"][0]
    assert place["ground.left"][0] < place["ground.right"][0]


def test_a_graph_without_bodies_can_be_drawn(tmp_path: Path) -> None:
    r"""GTM figure 1: a network is a linear graph too.

      b --2-- c
     /1 \5   /3
    a --4-- d      (a is the datum)
    """
    edges = [("1", "a", "b"), ("2", "b", "c"), ("3", "c", "d"), ("4", "a", "d"), ("5", "b", "d")]
    graph = LinearGraph(tuple("abcd"), tuple(fx.Edge(*e) for e in edges), "a")
    svg, _ = write_graph(draw_graph(graph), tmp_path / "network")
    assert set("12345abcd") <= set(words(svg))


@pytest.mark.slow
def test_a_long_chain_can_be_drawn(tmp_path: Path) -> None:
    s = fx.System("chain", planar=True)
    end = s.ground
    for k in range(12):
        link = s.rigid_body(f"link{k}", 1.0, 0.1, {"a": [0, 0.5], "b": [0, -0.5]}, position=[0, -k])
        s.revolute(f"pin{k}", end, link["a"])
        end = link["b"]
    svg, png = drawn(s, tmp_path / "chain")
    assert "pin11" in words(svg)
    assert png.exists()


def test_a_place_that_cannot_be_written_is_named(build, tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        drawn(build["double_pendulum"](), blocker / "graph")


SVG = "{http://www.w3.org/2000/svg}"


def bold_in(panel: ET.Element) -> set[str]:
    return {path.attrib["data-edge"] for path in panel.iter(f"{SVG}path") if path.get("class") == "edge"}


def test_a_strip_shows_a_tree_grow_edge_by_edge(build) -> None:
    check_strip(build["slider_crank"](), "formulation_based")


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["default", "formulation_based"])
def test_every_strip_shows_a_tree_grow_edge_by_edge(mechanism: fx.System, rule: str) -> None:
    check_strip(mechanism, rule)


def check_strip(system: fx.System, rule: str) -> None:
    """Every row is a tree, every panel has one edge and the arms behind it more than the last."""
    graph = system.graph
    made = select(graph, rule)
    drawing = ET.fromstring(draw_selection(made, graph, title=system.name))
    panels = drawing.findall(f"{SVG}g[@class='panel']")
    assert len(panels) == sum(len(growth.steps) for growth in made.growths)
    shared = {group.get("id"): group for group in drawing.findall(f"{SVG}defs/{SVG}g")}
    first = 0
    for growth in made.growths:
        row = panels[first : first + len(growth.steps)]
        letter = growth.domain.value
        assert len({panel.attrib["transform"].split()[1] for panel in row}) == 1
        for k, (panel, step) in enumerate(zip(row, growth.steps, strict=True)):
            assert step.branch in bold_in(panel)
            assert step.branch in panel.findtext(f"{SVG}text")
            assert not bold_in(panel) & {later.branch for later in growth.steps[k + 1 :]}
            used = [use.attrib["href"][1:] for use in panel.findall(f"{SVG}use")]
            assert used == [f"{letter}-below", f"{letter}-above"]
        first += len(row)
        thin = shared[f"{letter}-below"].findall(f"{SVG}g/{SVG}path")
        part = graph.without(Kind.DEPENDENT)
        assert len(thin) == len((part.rotational if letter == "R" else part.translational).edges)
        names = {text.text for text in shared[f"{letter}-above"].iter(f"{SVG}text")}
        assert {"ground", *system.bodies} <= names
    assert bold_in(panels[-1]) == set((made.R if made.growths[-1].domain.value == "R" else made.T).names)


def test_a_strip_is_a_file_that_replaces_its_like_alone(build, tmp_path: Path) -> None:
    graph = build["double_pendulum"]().graph
    made = select(graph, "default")
    svg = write_drawing(draw_selection(made, graph, title="a < b & c"), tmp_path / "new" / "strip.svg")
    assert {"a < b & c", "elbow", "branch of the tree"} <= set(words(svg))
    assert write_drawing(draw_selection(made, graph), svg) == svg
    (tmp_path / "other.svg").write_text("something else")
    with pytest.raises(StorageError):
        write_drawing("<?xml", tmp_path / "other.svg")
    with pytest.raises(StorageError, match="cannot be written"):
        write_drawing("<?xml", tmp_path / "other.svg" / "strip.svg")


def test_trees_that_were_given_have_no_steps(build) -> None:
    graph = build["slider_crank"]().graph
    T, R = select_trees(graph)
    with pytest.raises(fx.GraphError, match="both trees were given"):
        draw_selection(select(graph, "joint", T.names, R.names), graph)
