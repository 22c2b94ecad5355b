import meshio
import numpy as np
import pytest

from flexnet.errors import MeshError
from flexnet.mesh import (
    Mesh,
    beam_mesh,
    merged,
    panel_mesh,
    polyline_mesh,
    read_mesh,
    write_mesh,
    write_motion,
)


def frame_and_panel() -> Mesh:
    beam = beam_mesh(1.0, 3).moved(r=(0, -0.5, 0))
    plain = Mesh(beam.nodes, beam.lines, node_groups={"start": [0]}, line_groups={"beam": [0, 1, 2]})
    return merged(panel_mesh(1.0, 0.5, 2, 2), plain)


def test_an_element_of_two_groups_comes_back_once_and_in_both(tmp_path):
    mesh = polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 2)
    write_mesh(tmp_path / "bent.msh", mesh)
    back = read_mesh(tmp_path / "bent.msh")
    assert np.array_equal(back.lines, mesh.lines)
    assert back.line_groups["piece 1"].tolist() == [2, 3]
    assert back.line_groups["beam"].tolist() == [0, 1, 2, 3]


def test_gmsh_files_keep_nodes_elements_and_every_group_exactly(tmp_path):
    mesh = frame_and_panel()
    write_mesh(tmp_path / "body.msh", mesh)
    back = read_mesh(tmp_path / "body.msh")
    assert np.array_equal(back.nodes, mesh.nodes)
    assert np.array_equal(back.lines, mesh.lines)
    assert np.array_equal(back.triangles, mesh.triangles)
    for groups, found in (
        (mesh.node_groups, back.node_groups),
        (mesh.line_groups, back.line_groups),
        (mesh.triangle_groups, back.triangle_groups),
    ):
        assert {k: v.tolist() for k, v in groups.items()} == {k: v.tolist() for k, v in found.items()}


@pytest.mark.parametrize("suffix", [".vtu", ".vtk", ".xdmf"])
def test_paraview_files_keep_the_mesh_and_its_fields(tmp_path, suffix):
    mesh = frame_and_panel()
    u = np.random.default_rng(1).normal(size=(len(mesh.nodes), 3))
    write_mesh(tmp_path / f"m{suffix}", mesh, {"mode 1": u}, {"energy": np.arange(11.0)})
    back = read_mesh(tmp_path / f"m{suffix}")
    assert np.allclose(back.nodes, mesh.nodes, atol=1e-15)
    assert np.array_equal(back.triangles, mesh.triangles)
    raw = meshio.read(tmp_path / f"m{suffix}")
    assert np.allclose(next(iter(raw.point_data.values())), u)


def test_abaqus_sets_become_groups(tmp_path):
    (tmp_path / "plate.inp").write_text(
        "*NODE\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 1., 1., 0.\n4, 0., 1., 0.\n5, 9., 9., 9.\n"
        "*ELEMENT, TYPE=S3, ELSET=skin\n1, 1, 2, 3\n2, 1, 3, 4\n"
        "*ELEMENT, TYPE=B31, ELSET=rib\n3, 1, 2\n"
        "*NSET, NSET=root\n1, 4\n"
    )
    mesh = read_mesh(tmp_path / "plate.inp")
    assert len(mesh.nodes) == 4  # the fifth belongs to nothing
    assert mesh.triangle_groups["skin"].tolist() == [0, 1]
    assert mesh.line_groups["rib"].tolist() == [0]
    assert mesh.node_groups["root"].tolist() == [0, 3]


def test_nastran_properties_become_groups(tmp_path):
    (tmp_path / "plate.bdf").write_text(
        "BEGIN BULK\n"
        "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"
        "CTRIA3,1,7,1,2,3\nCTRIA3,2,8,1,3,4\n"
        "ENDDATA\n"
    )
    mesh = read_mesh(tmp_path / "plate.bdf")
    assert mesh.triangle_groups["property 7"].tolist() == [0]
    assert mesh.triangle_groups["property 8"].tolist() == [1]


def test_an_unsupported_element_type_is_named(tmp_path):
    cube = meshio.Mesh(np.arange(24.0).reshape(8, 3), [("hexahedron", [list(range(8))])])
    meshio.vtk.write(str(tmp_path / "solid.vtk"), cube)
    with pytest.raises(
        MeshError, match=r"solid\.vtk: element type 'hexahedron' \(1 elements\) is not supported"
    ):
        read_mesh(tmp_path / "solid.vtk")


@pytest.mark.parametrize("suffix", [".msh", ".vtu", ".vtk", ".xdmf", ".inp", ".bdf", ".stl"])
def test_a_foreign_file_gives_an_error_with_its_name(tmp_path, suffix):
    path = tmp_path / f"noise{suffix}"
    path.write_bytes(bytes(range(1, 256)) * 3)
    with pytest.raises(MeshError, match="noise"):
        read_mesh(path)


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_a_truncated_gmsh_file_gives_an_error_with_its_name(tmp_path, cut):
    whole = tmp_path / "whole.msh"
    write_mesh(whole, frame_and_panel())
    text = whole.read_text()
    part = tmp_path / "part.msh"
    part.write_text(text[: int(cut * len(text))])
    with pytest.raises(MeshError, match="part"):
        read_mesh(part)


def test_a_missing_file_or_unknown_suffix_is_named(tmp_path):
    with pytest.raises(MeshError, match=r"nothing\.msh: no such file"):
        read_mesh(tmp_path / "nothing.msh")
    with pytest.raises(MeshError, match=r"'\.doc' is not one of"):
        read_mesh(tmp_path / "mesh.doc")
    with pytest.raises(MeshError, match=r"'\.doc' is not one of"):
        write_mesh(tmp_path / "mesh.doc", beam_mesh(1.0, 1))


def test_a_motion_is_written_step_by_step(tmp_path):
    mesh = beam_mesh(1.0, 2)
    u = np.zeros((2, 3, 3))
    u[1, :, 1] = [0, 0.1, 0.3]
    write_motion(tmp_path / "motion.xdmf", mesh, np.array([0.0, 0.5]), u)
    with meshio.xdmf.TimeSeriesReader(str(tmp_path / "motion.xdmf")) as reader:
        reader.read_points_cells()
        time, point_data, _ = reader.read_data(1)
    assert time == 0.5
    assert np.allclose(point_data["displacement"], u[1])


def test_fields_of_the_wrong_length_are_refused(tmp_path):
    mesh = beam_mesh(1.0, 2)
    with pytest.raises(MeshError, match="point field 'u' has 2 rows for 3 nodes"):
        write_mesh(tmp_path / "a.vtu", mesh, {"u": np.zeros((2, 3))})
    with pytest.raises(MeshError, match="cell field 'e' has 5 rows for 2 elements"):
        write_mesh(tmp_path / "a.vtu", mesh, cell_data={"e": np.zeros(5)})
    with pytest.raises(MeshError, match="do not fit"):
        write_motion(tmp_path / "a.xdmf", mesh, np.zeros(2), np.zeros((3, 3, 3)))
