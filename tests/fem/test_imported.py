"""Bodies of other programs: written in each layout, read again, and moved in a mechanism as the original."""

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy.linalg import eigh

import flexnet as fx
from flexnet.errors import FileFormatError, ModelError
from flexnet.fem import (
    Body,
    BodyMotion,
    TableOptions,
    assemble,
    build_table,
    natural_modes,
    stress_modes,
    supported,
)
from flexnet.fem.imported import READERS, imported_body, imported_table
from flexnet.fem.imported.columns import read_columns
from flexnet.fem.imported.op4 import read_op4
from flexnet.fem.links import arm_matrix
from flexnet.fem.reduction import Reduction
from tests.fem.decks import (
    binary_op4,
    deck,
    write_abaqus,
    write_binary_nastran,
    write_calculix,
    write_nastran,
)

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7850.0)


def panel(**options):
    section = fx.ShellSection.uniform(0.004, STEEL)
    return fx.panel_body((0.4, 0.2), (4, 2), section, frames={"A": 0, "B": "centre"}, **options)


def block(**options):
    return Body(fx.block_mesh(0.2, 0.03, 0.02, (2, 1, 1)), [fx.SolidRegion("block", STEEL)], **options)


def write_plain(folder, body, inertia="consistent"):
    fx.export_body(folder / "m.h5", body, inertia)
    return {"path": folder / "m.h5"}


WRITE = {
    "plain": write_plain, "calculix": write_calculix, "abaqus": write_abaqus, "nastran": write_nastran,
    "nastran, binary": write_binary_nastran,
}  # fmt: skip


def test_every_layout_is_tried():
    assert len(WRITE) == len(READERS) + 2  # the plain one needs no deck, and one comes in two forms


@pytest.mark.parametrize("layout", WRITE)
def test_matrices_come_back_in_every_layout(layout, tmp_path):
    for body in (panel(), block()):
        back = imported_body(**WRITE[layout](tmp_path, body))
        for name in "KM":
            one, other = getattr(assemble(body), name), getattr(assemble(back), name)
            assert abs(one - other).max() <= 1e-14 * abs(one).max()
        loads = assemble(body).unit_loads
        if body.regions[0].kind == "tetrahedron":  # a solid's mass tells every integral
            assert np.abs(assemble(back).unit_loads - loads).max() <= 1e-11 * np.abs(loads).max()
        if "nastran" not in layout:  # whose decks name no nodes
            assert set(body.mesh.node_groups) <= set(back.mesh.node_groups)
        (tmp_path / "m.h5").unlink(missing_ok=True)


def tensors_agree(one, other, tolerance):
    for key in ("mass", "s1", "s2"):
        a, b = (np.asarray(getattr(t.inertia, key)) for t in (one, other))
        assert np.abs(a - b).max() <= tolerance * np.abs(a).max(), key
    sign = np.sign(
        np.einsum("fim,fim->m", one.output.translation, other.output.translation[: len(one.output.nodes)])
    )
    for key, product in (("N1", sign), ("sN", sign), ("NN", np.outer(sign, sign))):
        a, b = getattr(one.inertia, key), getattr(other.inertia, key) * product
        assert np.abs(a - b).max() <= tolerance * max(np.abs(a).max(), 1e-3), key
    assert np.abs(one.K - other.K * np.outer(sign, sign)).max() <= tolerance * one.K.max()


@pytest.mark.parametrize("layout", WRITE)
def test_tensors_of_a_shell_with_lumped_mass_are_those_of_the_original(layout, tmp_path):
    body = panel()
    back = imported_body(**WRITE[layout](tmp_path, body, "lumped"), frames={"A": 0, "B": 7})
    how = Reduction(fx.Clamped([0, 5, 10]), 4), TableOptions(inertia="lumped", geometric=False)
    tensors_agree(build_table(body, *how), build_table(back, *how), 1e-9)


TIED = {
    "points": {"P": (0.0, 0.015, 0.01), "Q": (0.2, 0.015, 0.01)},
    "links": [fx.RigidLink("P", "left"), fx.AverageLink("Q", "right")],
    "frames": {"P": "P", "Q": "Q"},
}


def tied_block():
    return fx.mesh_body(fx.block_mesh(0.2, 0.03, 0.02, (2, 1, 1)), [fx.SolidRegion("block", STEEL)], **TIED)


@pytest.mark.parametrize("support", [fx.Clamped("P"), fx.Free()], ids=["clamped", "free"])
def test_tensors_of_a_solid_follow_from_its_consistent_mass(support, tmp_path):
    back = imported_body(**write_calculix(tmp_path, block()), **TIED)
    how = Reduction(support, 3, method="attachment"), TableOptions(geometric=False)
    tensors_agree(build_table(tied_block(), *how), build_table(back, *how), 1e-8)


def swinging(body):
    s = fx.System("arm")
    s.gravity([0, 0, -9.81])
    arm = s.flexible_body("arm", body, fx.Clamped("P"), modes=2, method="attachment", stiffening=False)
    s.revolute("pin", s.ground, arm["P"], axis="y")
    tip = s.rigid_body("tip", 2.0, [1e-3, 1e-3, 1e-3], position=[0.2, 0.0, 0.0])
    s.weld("tip_weld", arm["Q"], tip)
    s.channel("tip", fx.position(arm["Q"], along="z"), unit="m")
    s.channel("bend", fx.deflection(arm, "Q", along="z"), unit="m")
    return fx.simulate(s, 0.02, step=2e-4)


def test_an_imported_bracket_swings_as_the_original(tmp_path):
    one = swinging(tied_block())
    other = swinging(imported_body(**write_abaqus(tmp_path, block()), **TIED))
    for name in ("tip", "bend"):
        a, b = one[f"channels/{name}"], other[f"channels/{name}"]
        assert np.abs(a - b).max() <= 1e-7 * np.ptp(a)
    assert np.ptp(one["channels/bend"]) > 0.0


def test_a_reduced_body_comes_back_whole(tmp_path):
    body = panel()
    table = build_table(body, Reduction(fx.Clamped("left"), 4))
    fx.export_table(tmp_path / "t.h5", table)
    back = imported_table(tmp_path / "t.h5")
    for part in ("inertia", "geometric", "frames", "output"):
        for key in type(getattr(table, part)).__slots__:
            a, b = (getattr(getattr(t, part), key) for t in (table, back))
            assert np.array_equal(a, b), (part, key)
    assert np.array_equal(back.K, table.K)
    assert np.allclose(back.modes.frequency, table.modes.frequency, rtol=1e-9)


def test_nodal_masses_give_the_tensors_of_lumped_inertia(tmp_path):
    import h5py

    body, lump = panel(), TableOptions(inertia="lumped", geometric=False)
    table = build_table(body, Reduction(fx.Clamped("left"), 3), lump)
    fx.export_table(tmp_path / "t.h5", table)
    with h5py.File(tmp_path / "t.h5", "a", libver=("v110", "v110")) as file:
        del file["tensors"]
        file["mass"] = assemble(body, "lumped").M.diagonal()[::6]
    tensors_agree(table, imported_table(tmp_path / "t.h5"), 1e-12)


def test_millimetres_and_tonnes_are_the_same_body(tmp_path):
    body = panel()
    small = body.mesh.moved()
    small = fx.Mesh(small.nodes * 1e3, triangles=small.triangles, node_groups=small.node_groups,
                    triangle_groups=small.triangle_groups)  # fmt: skip
    sheet = fx.ShellSection.uniform(4.0, fx.Material(E=2.1e5, nu=0.3, rho=7850e-12))
    files = write_abaqus(tmp_path, Body(small, [fx.ShellRegion("panel", sheet)]))
    back = imported_body(**files, units=("mm", "t", "s"))
    for name in "KM":
        one, other = getattr(assemble(body), name), getattr(assemble(back), name)
        assert abs(one - other).max() <= 1e-12 * abs(one).max()


def test_nodes_of_another_mesh_are_found_out(tmp_path):
    files = write_calculix(tmp_path, block())
    told = files["path"].read_text().splitlines()
    told[2], told[3] = told[2].split(",")[0] + told[3][2:], told[3].split(",")[0] + told[2][2:]
    files["path"].write_text("\n".join(told))
    with pytest.raises(FileFormatError, match="resists a rigid rotation"):
        imported_body(**files)
    with pytest.raises(FileFormatError, match="no unit of mass"):
        imported_body(**write_calculix(tmp_path, block()), units=("mm", "N", "s"))


@pytest.mark.parametrize(
    ("ending", "line", "text", "said"),
    [
        ("sti", 3, "1 two 3.0", "m.sti, line 4: 3 numbers were expected, got '1 two 3.0'"),
        ("sti", 3, "1 999 3.0", "m.sti: an entry in row 999 of"),
        ("sti", 3, "1 2 nan", "m.sti: an entry is no number"),
        ("mas", 3, "1.5 2 3.0", "m.mas: rows, columns, nodes and freedoms are whole numbers"),
        ("dof", 3, "10.7", "m.dof, line 4: node.direction was expected"),
        ("dof", 3, "99.1", "m.dof: node 99 is none of the"),
        ("dof", 3, "10.1", "a freedom of a node stands in two rows"),
        ("inp", 3, "20, zero, 0, 0", "m.inp, line 4: could not convert"),
        ("inp", 3, "*INCLUDE, INPUT=x.inp", "m.inp, line 4: another file is to be included"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(ending, line, text, said, tmp_path):
    files = write_calculix(tmp_path, block())
    told = (tmp_path / f"m.{ending}").read_text().splitlines()
    told[line] = text
    (tmp_path / f"m.{ending}").write_text("\n".join(told) + "\n")
    with pytest.raises(FileFormatError) as error:
        imported_body(**files)
    assert said in str(error.value)


def test_an_op4_that_ends_early_is_refused(tmp_path):
    files = write_nastran(tmp_path, panel())
    text = files["stiffness"].read_text()
    files["stiffness"].write_text(text[: len(text) // 3])
    with pytest.raises(FileFormatError, match="line"):
        imported_body(**files)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["dense", "packed", "big"])
@pytest.mark.parametrize("width", [4, 8])
def test_binary_matrices_come_back_in_every_form(order, kind, width, tmp_path):
    A = np.diag([2.0, 0.0, 3.0, 4.0, 5.0, 6.0]) + np.eye(6, k=2) + np.eye(6, k=-2)
    content = [binary_op4(name, x, kind, order, width) for name, x in (("OTHER", A + 1), ("KGG", A))]
    (tmp_path / "k.op4").write_bytes(b"".join(content))
    assert np.array_equal(read_op4(tmp_path / "k.op4", ("KGG",), 6).toarray(), A)
    with pytest.raises(FileFormatError, match="none of MGG is there; its matrices: OTHER, KGG"):
        read_op4(tmp_path / "k.op4", ("MGG",), 6)


def test_a_binary_op4_cut_or_changed_anywhere_is_one_sentence(tmp_path):
    """Every length of the file, and every byte of its whole numbers turned over."""
    path, whole = tmp_path / "k.op4", binary_op4("KGG", np.diag([1.0, 2.0]), "packed")
    for size in range(9, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError):
            read_op4(path, ("KGG",), 2)
    told = set()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with suppress(FileFormatError):
            read_op4(path, ("KGG",), 2)
            told.add(place)
    # the form, the two numbers, and what stands behind the last column's number
    assert told <= {*range(12, 16), *range(52, 60), *range(84, 92), *range(104, len(whole))}


def test_a_matrix_without_entries_is_one_sentence(tmp_path):
    (tmp_path / "m.mtx").write_text("* only a remark\n")
    with pytest.raises(FileFormatError, match="it holds no entries"):  # a warning beside it fails
        read_columns(tmp_path / "m.mtx", 3)


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(FileFormatError, match=r"none\.inp"):
        imported_body(tmp_path / "none.inp")
    files = write_calculix(tmp_path, block())
    with pytest.raises(FileFormatError, match=r"known are \.h5"):
        imported_body(files["path"], tmp_path / "m.xyz")
    with pytest.raises(ModelError, match="frame 'A' sits on node 0 of a solid, which has no rotations"):
        imported_body(**files, frames={"A": 0})


def test_a_block_that_calculix_wrote_has_its_frequencies_here_and_imported():
    """tests/data/calculix: a block of twelve C3D10 by CalculiX 2.20, its matrices and four frequencies."""
    folder = Path(__file__).parents[1] / "data" / "calculix"
    rows = [line.split() for line in (folder / "held.dat").read_text().splitlines()]
    theirs = np.array([float(r[3]) for r in rows if len(r) == 5 and r[0].isdigit()][:4])
    imported = imported_body(folder / "block.inp")
    ours = Body(fx.block_mesh(0.1, 0.04, 0.03, (2, 1, 1)), [fx.SolidRegion("block", STEEL)])
    for body, rel in ((imported, 1e-6), (ours, 5e-3)):
        found = natural_modes(supported(body, fx.Clamped("left")), 4).frequency
        assert found == pytest.approx(theirs, rel=rel)
    assert abs(assemble(ours).K - assemble(imported).K).max() <= 1e-9 * abs(assemble(ours).K).max()
    assert assemble(imported).M.sum() == pytest.approx(3 * 7850.0 * 0.1 * 0.04 * 0.03, rel=1e-9)


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_a_bracket_has_the_frequencies_of_calculix_here_and_imported(tmp_path):
    mesh = fx.block_mesh(0.2, 0.04, 0.03, (6, 2, 2))
    held = ["*BOUNDARY", "left, 1, 3", "*STEP", "*FREQUENCY", "4", "*END STEP"]
    stored = ["*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "4", "*END STEP"]
    for name, steps in (("f", held), ("k", stored)):
        (tmp_path / f"{name}.inp").write_text(deck(mesh, steps, STEEL))
        subprocess.run(["ccx", name], cwd=tmp_path, capture_output=True, check=False, timeout=120)
    rows = [line.split() for line in (tmp_path / "f.dat").read_text().splitlines()]
    theirs = np.array([float(r[3]) for r in rows if len(r) == 5 and r[0].isdigit()][:4])
    ours = Body(mesh, [fx.SolidRegion("block", STEEL)])
    imported = imported_body(tmp_path / "k.inp")
    assert natural_modes(supported(ours, fx.Clamped("left")), 4).frequency == pytest.approx(theirs, rel=5e-3)
    found = natural_modes(supported(imported, fx.Clamped("left")), 4).frequency
    assert found == pytest.approx(theirs, rel=1e-6)
    assert abs(assemble(ours).K - assemble(imported).K).max() <= 1e-10 * abs(assemble(ours).K).max()


def test_stresses_of_an_imported_solid_are_those_of_the_original(tmp_path):
    """The same inertia loads, by mode acceleration with one mode: nodal means of the tetrahedra."""
    body = block()
    fx.export_body(tmp_path / "b.h5", body)
    foreign = imported_body(tmp_path / "b.h5")
    rng = np.random.default_rng(3)
    found = []
    for one in (body, foreign):
        table = build_table(one, Reduction(fx.Free(), 1))
        modes = stress_modes(one, table)
        given = [rng.standard_normal((2, 3)) for _ in range(3)]
        none = np.zeros((2, 1))
        found.append(modes.recover(BodyMotion(none, none, none, *given, np.zeros((2, len(one.frames), 6)))))
        rng = np.random.default_rng(3)
    ours, theirs = found[0]["block"], found[1]["imported"]
    mean = np.zeros((2, len(body.mesh.nodes), 6))
    np.add.at(mean, (slice(None), ours.cells[:, :4]), ours.stress())
    count = np.bincount(ours.cells[:, :4].reshape(-1), minlength=len(body.mesh.nodes))
    nodes = theirs.cells[:, 0]
    expected = mean[:, nodes] / count[nodes][:, None]
    assert np.allclose(theirs.stress, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def test_a_stress_matrix_that_does_not_fit_is_found_out(tmp_path):
    fx.export_body(tmp_path / "b.h5", block())
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        file["stress/value"][0] += 1e12
    with pytest.raises(FileFormatError, match="a rigid motion has stresses"):
        imported_body(tmp_path / "b.h5")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        file["stress/row"][0] = 10**6
    with pytest.raises(FileFormatError, match="stress has an entry outside"):
        imported_body(tmp_path / "b.h5")


def test_a_run_says_that_an_imported_body_is_not_stiffened(tmp_path):
    fx.export_body(tmp_path / "b.h5", block())
    for stiffening in (True, False):
        s = fx.System("spin")
        made = s.flexible_body("b", imported_body(tmp_path / "b.h5"), modes=2, stiffening=stiffening)
        s.floats(made)
        assert any("no geometric stiffness" in text for text in s.warnings) == stiffening


def bent_beam(**options):
    mesh = fx.polyline_mesh([[0.1, 0.05, 0.0], [0.5, 0.15, 0.1], [0.6, 0.5, 0.45]], [3, 3])
    rubber = fx.Material(E=2.0e8, nu=0.3, rho=1200.0)
    region = fx.BeamRegion("beam", rubber, fx.rectangle(0.04, 0.03), offset=(0.01, -0.015))
    return fx.mesh_body(mesh, [region], frames={"P": "start", "Q": "end"}, **options)


def test_rigid_motions_as_shapes_have_the_integrals_of_the_rigid_body(tmp_path):
    """NN_ab = ∫ρ N_a N_b of e_i and e_i × s, from mass, s₁ and s₂ alone, though elements have rotations."""
    part = imported_body(**write_plain(tmp_path, bent_beam())).parts[0]
    X = bent_beam().mesh.nodes[part.nodes]
    of = part.tensors(X, arm_matrix(X).reshape(-1, 6), "consistent")
    moments = np.block([[np.array([[of.mass]]), of.s1[None]], [of.s1[:, None], of.s2]])
    # displacement components by (1, s): e_i, and e_i × s
    N = np.zeros((3, 4, 6))
    N[:, 0, :3] = np.eye(3)
    N[:, 1:, 3:] = np.cross(np.eye(3)[:, None], np.eye(3)).transpose(2, 1, 0)
    assert np.allclose(of.NN, np.einsum("aci,cd,bdj->abij", N, moments, N), rtol=1e-9, atol=1e-12)
    assert np.allclose(of.sN, np.einsum("cd,bdj->cbj", moments[1:], N), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("where", ["P", "Q"])
def test_an_imported_beam_has_the_mass_of_the_original_in_every_deformed_state(where, tmp_path):
    """Of a clamped body far from its undeformed state, to what the mesh leaves of NN; none is negative."""
    found = []
    for body in (bent_beam(), imported_body(**write_plain(tmp_path, bent_beam()))):
        s = fx.System("beam")
        support = fx.Clamped(body.frames[where])
        made = s.flexible_body("beam", body, support, modes=3, method="craig_bampton", stiffening=False)
        s.floats(made)
        equations = fx.formulate(s)
        table = s.components["beam"].table
        elastic = [k for k, name in enumerate(equations.coordinates.q_names) if ".elastic_" in name]
        q = equations.initial.q.copy()
        free = table.frames.translation[1 - "PQ".index(where)]
        q[elastic] = np.linalg.solve(table.K, free.T @ [3.0, -4.0, 5.0])
        found.append(equations.mass_and_jacobian(q, 0.0)[0])
    # 0.90 to 1.13, where the mesh tells NN apart; with NN of whole shapes -4.2 to 17
    ratio = eigh(found[1], found[0], eigvals_only=True)
    assert ratio.min() > 0.85
    assert ratio.max() < 1.2
