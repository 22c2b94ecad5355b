import numpy as np
import pytest

from flexnet.errors import FlexnetError, MeshError
from flexnet.mesh import Mesh, beam_mesh, check_connected, check_mesh, merged, panel_mesh

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)


def test_a_mesh_cannot_be_changed():
    mesh = beam_mesh(1.0, 2)
    with pytest.raises(ValueError, match="read-only"):
        mesh.nodes[0, 0] = 1.0
    with pytest.raises(TypeError):
        mesh.node_groups["new"] = np.array([0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nodes": SQUARE[:, :2]}, r"nodes have shape \(4, 2\)"),
        ({"nodes": SQUARE * np.nan}, "node 0 has a coordinate that is not finite|finite numbers"),
        ({"nodes": SQUARE, "triangles": [[0, 1, 9]]}, "triangle 0 refers to node 9"),
        ({"nodes": SQUARE, "lines": [[0, 1], [-1, 2]]}, "line 1 refers to node -1"),
        ({"nodes": SQUARE, "node_groups": {"edge": [7]}}, "'edge' refers to index 7"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(FlexnetError, match=message):
        Mesh(**arguments)


@pytest.mark.parametrize(
    ("triangles", "message"),
    [
        ([[0, 1, 1]], "triangle 0 on nodes .* has no area"),
        ([[0, 1, 2], [2, 1, 0]], "triangle 1 repeats triangle 0"),
        ([[0, 1, 2], [0, 3, 2]], "is inverted"),
    ],
)
def test_bad_triangles_are_named(triangles, message):
    with pytest.raises(MeshError, match=message):
        check_mesh(Mesh(SQUARE, triangles=np.array(triangles)))


def test_the_one_inverted_triangle_of_a_panel_is_the_one_named():
    mesh = panel_mesh(1, 1, 4, 4)
    triangles = mesh.triangles.copy()
    triangles[13] = triangles[13][::-1]
    with pytest.raises(MeshError, match="triangle 13 is inverted"):
        check_mesh(Mesh(mesh.nodes, triangles=triangles))


def test_a_branching_surface_is_not_called_inverted():
    nodes = np.vstack([SQUARE, [[1, 0.5, 1]]])
    check_mesh(Mesh(nodes, triangles=np.array([[0, 1, 2], [0, 2, 3], [0, 2, 4]])))


def test_a_line_without_length_is_named():
    with pytest.raises(MeshError, match=r"line 1 on nodes .* has no length"):
        check_mesh(Mesh(np.vstack([SQUARE, SQUARE[:1]]), lines=np.array([[0, 1], [0, 4]])))


def test_a_loose_part_is_named_and_a_link_joins_it():
    two = merged(beam_mesh(1.0, 2), beam_mesh(1.0, 3).moved(r=(0, 1, 0)))
    with pytest.raises(MeshError, match=r"line 0 \(node 0\) is not connected"):
        check_connected(two)
    check_connected(two, np.array([[0, 3]]))
    with pytest.raises(MeshError, match="node 3 belongs to no element"):
        check_connected(beam_mesh(1.0, 2).with_nodes([0, 0, 1], "hub"))


def test_groups_are_found_by_name_or_the_error_lists_them():
    mesh = beam_mesh(1.0, 2)
    assert mesh.find_node("end") == 2
    assert mesh.find_nodes([0, 1]).tolist() == [0, 1]
    with pytest.raises(MeshError, match="no node group 'tip' in the mesh; there are: 'start', 'end'"):
        mesh.find_nodes("tip")
    with pytest.raises(MeshError, match="node 9 does not exist"):
        mesh.find_nodes(9)
    with pytest.raises(MeshError, match="stands for 2 nodes"):
        mesh.find_node([0, 1])


def test_merging_keeps_groups_apart_by_index():
    both = merged(beam_mesh(1.0, 1), panel_mesh(1, 1, 2, 2))
    assert len(both.nodes) == 11
    assert both.triangle_groups["panel"].tolist() == list(range(8))
    assert np.allclose(both.nodes[both.find_node("centre")], [0.5, 0.5, 0])
