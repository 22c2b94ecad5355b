"""Beams, contacts and networks have no body of their own, and are drawn all the same."""

from itertools import pairwise

import numpy as np
import pytest
from catalogue import build

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.results import Results, Symbol
from flexnet.view.curves import bent, touched
from flexnet.view.numbers import Numbers
from flexnet.view.page_data import told_page
from flexnet.view.parts import links, sections
from flexnet.view.scene import scene_of


def written(system, end, step, path) -> Results:
    fx.simulate(system, end, step, out=path, throw=False)
    return Results.open(path)


def test_an_exact_beam_is_one_line_through_its_sections_in_one_colour(tmp_path) -> None:
    results = written(build("roll_up"), 2.0, 1e-2, tmp_path / "r.h5")
    mechanism = results.mechanism()
    assert len(set(links(mechanism).values())) == 1
    hidden = sections(mechanism)
    scene = scene_of(results, results.time[[0, -1]])
    assert not hidden & {shape.name for shape in scene.shapes}
    pieces = [shape for shape in scene.shapes if shape.name.startswith("strip")]
    assert len(pieces) == len(hidden) - 1
    for one, other in pairwise(pieces):  # where one ends the next begins
        np.testing.assert_allclose(one.points[:, -1], other.points[:, 0], atol=1e-12)


def test_a_piece_of_a_beam_leaves_its_sections_along_them_and_a_straight_one_is_straight() -> None:
    flat = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    ends = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    straight = bent(ends[None], flat[None])[0]
    np.testing.assert_allclose(straight[:, 1:], 0.0, atol=1e-15)
    half = np.pi / 8  # a quarter of a circle about its middle: the head has turned by 90 degrees
    turned = np.array([flat[0], [np.cos(2 * half), 0.0, 0.0, np.sin(2 * half)]])
    arc = bent(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])[None], turned[None])[0]
    assert abs(arc[1, 1]) < 0.3 * arc[1, 0]  # along x first
    radius = np.linalg.norm(arc - [0.0, 1.0, 0.0], axis=1)
    np.testing.assert_allclose(radius, 1.0, atol=0.05)  # chord-long tangents: near the circle


@pytest.mark.parametrize(("shape", "sizes", "reach"), [
    ("plane", (0.0, 1.0, 0.0), 0.5), ("sphere", (0.3,), 0.3), ("cylinder", (0.0, 0.0, 1.0, 0.2, 0.0), 0.2),
    ("box", (0.1, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.05), 0.229129),
])  # fmt: skip
def test_what_a_contact_touches_has_an_outline_of_its_size(shape, sizes, reach) -> None:
    points, lines = touched(Symbol(look="contact", shape=shape, sizes=sizes), 1.0, is_planar=True)
    assert lines.max() < len(points)
    assert np.linalg.norm(points, axis=1).max() == pytest.approx(reach, abs=1e-6)
    if shape == "plane":
        np.testing.assert_allclose(points @ sizes[:3], 0.0, atol=1e-15)


def test_contacts_stand_in_the_file_as_they_were_built_in_ground_axes(tmp_path) -> None:
    s = fx.System("marble")
    s.gravity([0, 0, -9.81])
    ball = s.rigid_body("ball", 0.1, [1e-5] * 3, position=[0, 0, 0.5])
    tilted = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    s.plane_contact("floor", s.ground.frame("table", [0, 0, 0.1], tilted), ball, 1e4, axis="x", radius=0.02)
    results = written(s, 0.01, 1e-3, tmp_path / "m.h5")
    symbol = results.mechanism().symbols["floor"]
    assert (symbol.look, symbol.shape, symbol.radius) == ("contact", "plane", 0.02)
    np.testing.assert_allclose(symbol.sizes, tilted @ [1.0, 0.0, 0.0], atol=1e-15)
    (part,) = (p for p in told_page([results], Numbers())["parts"] if p["name"] == "floor")
    assert part["shape"] == "plane"


def test_a_symbol_with_sizes_of_another_shape_is_refused() -> None:
    with pytest.raises(ModelError, match="are not the sizes of a shape 'sphere'"):
        Symbol(look="contact", shape="sphere", sizes=(1.0, 2.0))


@pytest.mark.parametrize("name", ["gtm_electrical", "motor_four_bar"])
def test_networks_are_in_the_file_and_in_the_page(name, tmp_path) -> None:
    system = build(name)
    results = written(system, 1e-3, 1e-4, tmp_path / "n.h5")
    mechanism, network = results.mechanism(), system.network
    edges = {e.name: (e.tail, e.head) for e in mechanism.edges if e.role == "network"}
    assert edges == {p.name: (p.tail, p.head) for p in network.ports.values()}
    assert set(mechanism.trees["network"]) == set(network.tree.names)
    told = told_page([results], Numbers())
    assert {e["name"] for e in told["graph"]["N"]["edges"]} == set(edges)
    owned = {c["edge"] for c in told["runs"][0]["curves"]}
    assert set(edges) <= owned


def test_a_block_of_inertia_does_not_hide_the_mechanism(tmp_path) -> None:
    """Its moments of inertia are those of a block of 3 m, and nothing depends on them."""
    s = fx.System("slide", planar=True)
    block = s.rigid_body("block", 1.0, 2.0, position=[0.1, 0])
    s.prismatic("guide", s.ground, block, axis="x")
    s.spring("spring", s.ground, block, stiffness=10.0, free_length=0.1)
    results = written(s, 0.01, 1e-3, tmp_path / "b.h5")
    (body,) = (b for b in results.mechanism().bodies if not b.is_ground)
    assert np.ptp(body.points, axis=0).max() <= 0.25 * 0.1 * (1 + 1e-12)
