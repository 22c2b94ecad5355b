"""Meshes as users of Gmsh make them: named curves and points, mixed cells, cells of second order."""

import logging

import meshio
import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import MeshError
from flexnet.fem import natural_modes, supported
from flexnet.mesh import Mesh, read_mesh
from flexnet.mesh.simplify import EDGES

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
#   6──7──8      two quadrilaterals on the left, four triangles on the right;
#   │  │ /│      curve "hinge" along 0 3 6, point "tip" at 8
#   3──4──5
#   │  │ /│
#   0──1──2
NODES = np.array([[0.5 * (i % 3), 0.5 * (i // 3), 0.0] for i in range(9)])
QUADS = [[0, 1, 4, 3], [3, 4, 7, 6]]
TRIANGLES = [[1, 2, 5], [1, 5, 4], [4, 5, 8], [4, 8, 7]]


def write(path, points, cells):
    """Write blocks (type, nodes, physical number); 1 is the panel, 2 the hinge, 3 the tip."""
    tags = {"gmsh:physical": [np.full(len(nodes), tag) for _, nodes, tag in cells]}
    tags["gmsh:geometrical"] = tags["gmsh:physical"]
    names = {"panel": np.array([1, 2]), "hinge": np.array([2, 1]), "tip": np.array([3, 0])}
    mesh = meshio.Mesh(points, [(kind, nodes) for kind, nodes, _ in cells], cell_data=tags, field_data=names)
    meshio.write(path, mesh, file_format="gmsh22", binary=False)


@pytest.fixture
def mixed(tmp_path):
    cells = [
        ("vertex", np.array([[8]]), 3),
        ("line", np.array([[0, 3], [3, 6]]), 2),
        ("quad", np.array(QUADS), 1),
        ("triangle", np.array(TRIANGLES), 1),
    ]
    write(tmp_path / "plate.msh", NODES, cells)
    return tmp_path / "plate.msh"


def body_of(mesh, **options):
    return fx.mesh_body(mesh, [fx.ShellRegion("panel", fx.ShellSection.uniform(0.01, STEEL))], **options)


def test_a_named_curve_is_an_edge_and_a_named_point_a_frame(mixed, caplog):
    with caplog.at_level(logging.INFO, "flexnet"):
        body = body_of(read_mesh(mixed), frames={"tip": "tip"})
    assert body.mesh.find_nodes("hinge").tolist() == [0, 3, 6]
    assert len(body.mesh.lines) == 0
    assert body.frames["tip"] == 8
    assert "name edges: hinge" in caplog.text
    assert [region.kind for region in body.regions] == ["triangle", "quadrilateral"]
    # the same plate by hand
    groups = {"triangle_groups": {"panel": np.arange(4)}, "quadrilateral_groups": {"panel": np.arange(2)}}
    by_hand = body_of(Mesh(NODES, triangles=np.array(TRIANGLES), quadrilaterals=np.array(QUADS), **groups))
    found, expected = (
        natural_modes(supported(b, fx.Clamped(where)), 3).omega
        for b, where in ((body, "hinge"), (by_hand, [0, 3, 6]))
    )
    assert np.allclose(found, expected, rtol=1e-10)


def test_a_rib_along_the_edge_stays_a_beam_where_it_has_a_region(mixed):
    mesh = read_mesh(mixed)
    rib = fx.BeamRegion("hinge", STEEL, fx.rectangle(0.02, 0.02))
    body = fx.mesh_body(mesh, [fx.ShellRegion("panel", fx.ShellSection.uniform(0.01, STEEL)), rib])
    assert len(body.mesh.lines) == 2
    assert body.mesh.find_nodes("hinge").tolist() == [0, 3, 6]


def test_lines_that_hang_on_nothing_else_still_need_a_region(mixed):
    mesh = read_mesh(mixed)
    stick = Mesh(
        np.vstack([mesh.nodes, [1.5, 1.0, 0.0]]),
        np.array([[8, 9]]),
        mesh.triangles,
        line_groups={"stick": [0]},
        triangle_groups=mesh.triangle_groups,
        quadrilaterals=mesh.quadrilaterals,
        quadrilateral_groups=mesh.quadrilateral_groups,
    )
    with pytest.raises(MeshError, match="line 0 belongs to 0 regions"):
        body_of(stick)


def test_one_name_for_nodes_and_an_edge_is_refused(mixed):
    with pytest.raises(MeshError, match="'hinge' names nodes and an edge"):
        body_of(read_mesh(mixed).with_node_group("hinge", [8]))


@pytest.mark.parametrize("kind", ["quad8", "quad9", "triangle6"])
def test_cells_of_second_order_are_reduced_to_their_corners(kind, tmp_path):
    corners = {"quad8": [0, 1, 2, 3], "quad9": [0, 1, 2, 3], "triangle6": [0, 1, 2]}[kind]
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 0.8, 0], [0, 0.8, 0]], dtype=float)[corners]
    sides = 0.5 * (points + np.roll(points, -1, axis=0))
    nodes = np.vstack([points, sides, *([points.mean(axis=0)] if kind == "quad9" else [])])
    n = len(corners)
    cells = [("line3", np.array([[0, 1, n]]), 2), (kind, np.arange(len(nodes))[None], 1)]
    write(tmp_path / "second.msh", nodes, cells)
    mesh = read_mesh(tmp_path / "second.msh")
    assert np.allclose(mesh.nodes, points)
    kind = "triangle" if n == 3 else "quadrilateral"
    assert mesh.cells(kind).tolist() == [list(range(n))]
    assert mesh.groups(kind)["panel"].tolist() == [0]
    assert body_of(mesh).mesh.find_nodes("hinge").tolist() == [0, 1]


def test_a_quadrilateral_that_is_not_convex_is_named():
    points = np.array([[0, 0, 0], [1, 0, 0], [0.2, 0.2, 0], [0, 1, 0]])
    with pytest.raises(MeshError, match=r"quadrilateral 0 on nodes .* is not convex"):
        body_of(Mesh(points, quadrilaterals=[[0, 1, 2, 3]], quadrilateral_groups={"panel": [0]}))


def test_node_and_element_sets_of_abaqus_are_kept(tmp_path):
    text = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 2, 0, 0
6, 2, 1, 0
*ELEMENT, TYPE=S4
1, 1, 2, 3, 4
2, 2, 5, 6, 3
*ELSET, ELSET=second
2
*NSET, NSET=left
1, 4
"""
    (tmp_path / "part.inp").write_text(text)
    mesh = read_mesh(tmp_path / "part.inp")
    assert mesh.quadrilateral_groups["second"].tolist() == [1]
    assert mesh.node_groups["left"].tolist() == [0, 3]


#: one tetrahedron of ten nodes and a named face of six, as Gmsh 4 writes them unless told otherwise
GMSH_4 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "held"
3 2 "part"
$EndPhysicalNames
$Entities
0 0 1 1
1 0 0 0 1 1 0 1 1 0
1 0 0 0 1 1 1 1 2 1 1
$EndEntities
$Nodes
1 10 1 10
3 1 0 10
{numbers}
{nodes}
$EndNodes
$Elements
2 2 1 2
2 1 9 1
1 1 2 3 5 6 7
3 1 11 1
2 1 2 3 4 5 6 7 8 10 9
$EndElements
"""
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
MIDDLES = np.array([0.5 * (CORNERS[i] + CORNERS[j]) for i, j in EDGES])


def test_a_named_face_of_second_order_is_read_as_gmsh_4_writes_it(tmp_path):
    nodes = "\n".join(" ".join(map(str, x)) for x in np.vstack([CORNERS, MIDDLES]))
    numbers = "\n".join(map(str, range(1, 11)))
    (tmp_path / "part.msh").write_text(GMSH_4.format(nodes=nodes, numbers=numbers))
    mesh = read_mesh(tmp_path / "part.msh")
    assert mesh.tetrahedra.tolist() == [list(range(10))]
    assert mesh.find_nodes("held").tolist() == [0, 1, 2, 4, 5, 6]
    assert mesh.groups("triangle")["held"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("order", [1, 2])
def test_a_named_face_or_edge_of_a_solid_names_all_its_nodes(order, tmp_path):
    """Of first order as well, where the nodes in the middle are new: else a link held the corners alone."""
    kinds = ("tetra", "triangle", "line") if order == 1 else ("tetra10", "triangle6", "line3")
    numbers = {"tetra": [0, 1, 2, 3], "triangle": [0, 1, 2], "line": [0, 1]}
    numbers |= {"tetra10": [*range(10)], "triangle6": [0, 1, 2, 4, 5, 6], "line3": [0, 1, 4]}
    points = CORNERS if order == 1 else np.vstack([CORNERS, MIDDLES])
    cells = [(kind, np.array([numbers[kind]])) for kind in kinds]
    tags = {"gmsh:physical": [np.array([k]) for k in (1, 2, 3)]}
    tags["gmsh:geometrical"] = tags["gmsh:physical"]
    names = {"part": np.array([1, 3]), "held": np.array([2, 2]), "edge": np.array([3, 1])}
    whole = meshio.Mesh(points, cells, cell_data=tags, field_data=names)
    meshio.write(tmp_path / "part.msh", whole, file_format="gmsh22", binary=False)
    mesh = read_mesh(tmp_path / "part.msh")
    assert len(mesh.nodes) == 10
    at = {name: mesh.nodes[mesh.find_nodes(name)] for name in ("held", "edge")}
    assert np.allclose(np.sort(at["held"], axis=0), np.sort(np.vstack([CORNERS[:3], MIDDLES[:3]]), axis=0))
    assert np.allclose(np.sort(at["edge"], axis=0), [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]])


def test_faces_that_are_not_on_tetrahedra_keep_their_corners(tmp_path):
    """A shell that meets a solid in one edge only."""
    points = np.vstack([CORNERS, [[1.0, 1.0, 0.0]]])
    cells = [("tetra", np.array([[0, 1, 2, 3]])), ("triangle", np.array([[1, 4, 2]]))]
    meshio.write(tmp_path / "both.vtu", meshio.Mesh(points, cells))
    assert read_mesh(tmp_path / "both.vtu").triangles.shape == (1, 3)


def test_bulk_data_without_its_head_and_facets_of_second_order_of_decks_are_read(tmp_path):
    grids = [f"GRID,{i + 1},,{x[0]},{x[1]},{x[2]}" for i, x in enumerate(CORNERS)]
    (tmp_path / "bulk.bdf").write_text("\n".join([*grids, "CTETRA,1,1,1,2,3,4", "ENDDATA", ""]))
    assert read_mesh(tmp_path / "bulk.bdf").tetrahedra.shape == (1, 10)
    nodes = [f"{i + 1}, {x[0]}, {x[1]}, {x[2]}" for i, x in enumerate(np.vstack([CORNERS, MIDDLES]))]
    for facet in ("CPS6", "S6"):
        lines = ["*NODE", *nodes, f"*ELEMENT, TYPE={facet}, ELSET=held", "1, 1, 2, 3, 5, 6, 7"]
        lines += ["*ELEMENT, TYPE=C3D10, ELSET=part", "2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10", ""]
        (tmp_path / "deck.inp").write_text("\n".join(lines))
        assert read_mesh(tmp_path / "deck.inp").find_nodes("held").tolist() == [0, 1, 2, 4, 5, 6]


def test_a_tetrahedron_that_folds_at_a_corner_is_refused_before_anything_is_computed():
    """Its volume at the four points of the stiffness is positive; strains are recovered at the corners."""
    points = np.vstack([CORNERS, MIDDLES])
    points[4, 0] = 0.24  # beside the first corner: dx/dζ changes its sign there below a quarter
    whole = Mesh(points, tetrahedra=[list(range(10))], tetrahedron_groups={"part": [0]})
    with pytest.raises(
        MeshError, match=r"tetrahedron 0 folds over itself at \(0, 0, 0\) m.*HighOrderOptimize"
    ):
        fx.mesh_body(whole, [fx.SolidRegion("part", STEEL)])
