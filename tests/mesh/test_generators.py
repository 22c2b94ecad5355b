import numpy as np
import pytest

from flexnet.errors import MeshError
from flexnet.mesh import (
    arc_mesh,
    beam_mesh,
    check_connected,
    check_mesh,
    cylinder_mesh,
    disc_mesh,
    extruded_mesh,
    panel_mesh,
    polyline_mesh,
)


def areas(mesh):
    a, b, c = np.moveaxis(mesh.nodes[mesh.triangles], 1, 0)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def normals(mesh):
    a, b, c = np.moveaxis(mesh.nodes[mesh.triangles], 1, 0)
    n = np.cross(b - a, c - a)
    return n / np.linalg.norm(n, axis=1)[:, None]


def test_a_four_by_four_symmetric_panel_has_32_triangles_and_both_mirror_symmetries():
    mesh = panel_mesh(1.0, 2.0, 4, 4)
    assert len(mesh.triangles) == 32
    for flip in (np.array([1.0, 0, 0]), np.array([0, 2.0, 0])):
        mirror = np.where(flip > 0, flip - mesh.nodes, mesh.nodes)
        partner = np.array([mesh.nearest_node(p) for p in mirror])
        original = {frozenset(t) for t in mesh.triangles.tolist()}
        mirrored = {frozenset(partner[t].tolist()) for t in mesh.triangles}
        assert original == mirrored


@pytest.mark.parametrize("pattern", ["symmetric", "right", "left", "alternate"])
def test_every_panel_pattern_covers_the_rectangle_with_upward_normals(pattern):
    mesh = panel_mesh(3.0, 2.0, 6, 4, pattern)
    check_mesh(mesh)
    check_connected(mesh)
    assert areas(mesh).sum() == pytest.approx(6.0)
    assert np.allclose(normals(mesh), [0, 0, 1])
    assert len(mesh.node_groups["left"]) == 5
    assert len(mesh.node_groups["top"]) == 7
    assert len(mesh.node_groups["corners"]) == 4


def test_a_disc_is_a_polygon_of_its_outer_nodes():
    mesh = disc_mesh(2.0, 5)
    check_mesh(mesh)
    check_connected(mesh)
    n = 30
    assert len(mesh.triangles) == 6 * 25
    assert len(mesh.node_groups["edge"]) == n
    assert areas(mesh).sum() == pytest.approx(0.5 * n * 4.0 * np.sin(2 * np.pi / n))
    assert np.allclose(np.linalg.norm(mesh.nodes[mesh.node_groups["edge"]], axis=1), 2.0)


def test_a_closed_cylinder_has_no_seam_and_outward_normals():
    mesh = cylinder_mesh(1.5, 4.0, 12, 3)
    check_mesh(mesh)
    check_connected(mesh)
    assert len(mesh.nodes) == 12 * 4
    edges = np.sort(
        np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    )
    _, count = np.unique(edges, axis=0, return_counts=True)
    assert np.count_nonzero(count == 1) == 24  # two free rims
    centre = mesh.nodes[mesh.triangles].mean(axis=1) * [1, 1, 0]
    assert ((normals(mesh) * centre).sum(axis=1) > 0).all()


def test_a_sector_of_a_cylinder_keeps_its_straight_edges():
    mesh = cylinder_mesh(1.0, 2.0, 4, 2, angles=(0.0, np.pi / 2))
    check_mesh(mesh)
    assert len(mesh.node_groups["first"]) == 3
    assert np.allclose(mesh.nodes[mesh.node_groups["last"]][:, 0], 0.0)


def test_extruded_facets_follow_their_curve():
    mesh = extruded_mesh([[0, 0, 0], [1, 0, 1], [2, 0, 0]], (0, 3, 0), 2)
    check_mesh(mesh)
    assert areas(mesh).sum() == pytest.approx(2 * np.sqrt(2) * 3)


def test_polyline_names_its_corners_and_pieces():
    mesh = polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 2, 0]], [2, 4])
    assert np.allclose(mesh.nodes[mesh.find_node("point 1")], [1, 0, 0])
    assert np.allclose(mesh.nodes[mesh.find_node("end")], [1, 2, 0])
    assert mesh.line_groups["piece 1"].tolist() == [2, 3, 4, 5]
    assert mesh.nodes[mesh.find_node("middle")].tolist() == [1, 0.5, 0]


def test_straight_beam_and_arc():
    mesh = beam_mesh(2.0, 4, (0, 0, 3))
    assert mesh.nodes[-1].tolist() == [0, 0, 2]
    arc = arc_mesh(2.0, np.pi / 2, 8)
    assert np.allclose(np.linalg.norm(arc.nodes, axis=1), 2.0)
    assert np.allclose(arc.nodes[arc.find_node("end")], [0, 2, 0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: panel_mesh(1, 1, 3, 4), "even"),
        (lambda: panel_mesh(1, 1, 2, 2, "zigzag"), "zigzag"),
        (lambda: panel_mesh(-1, 1, 2, 2), "no panel"),
        (lambda: beam_mesh(0.0, 2), "no beam"),
        (lambda: polyline_mesh([[0, 0, 0]], 1), "two points"),
        (lambda: polyline_mesh([[0, 0, 0], [1, 0, 0]], [1, 2]), "a whole number from 1 on$"),
        (lambda: polyline_mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [1]), "one for each of the 2 pieces"),
        (lambda: disc_mesh(1.0, 0), "no disc"),
        (lambda: extruded_mesh([[0, 0, 0]], (1, 0, 0), 1), "surface"),
    ],
)
def test_an_impossible_mesh_is_refused_in_words(make, message):
    with pytest.raises(MeshError, match=message):
        make()
