"""Stresses of bodies that came as matrices: by the elements and sections of their decks."""

import logging
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import FileFormatError, ModelError
from flexnet.fem import Body, TableOptions, build_table, recover, stress_modes
from flexnet.fem.imported import imported_body
from flexnet.fem.reduction import Reduction
from tests.fem.decks import deck, write_abaqus, write_binary_nastran, write_calculix, write_nastran

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7850.0)
WRITE = {
    "calculix": write_calculix, "abaqus": write_abaqus, "nastran": write_nastran,
    "nastran, binary": write_binary_nastran,
}  # fmt: skip
TIED = {
    "points": {"P": (0.0, 0.02, 0.015), "Q": (0.1, 0.02, 0.015)},
    "links": [fx.RigidLink("P", "left"), fx.AverageLink("Q", "right")],
    "frames": {"P": "P", "Q": "Q"},
}
DATA = Path(__file__).parents[1] / "data" / "calculix"


def block(**options):
    return fx.mesh_body(
        fx.block_mesh(0.1, 0.04, 0.03, (2, 1, 1)), [fx.SolidRegion("block", STEEL)], **options
    )


def panel(diagonals="right"):
    mesh = fx.panel_mesh(0.4, 0.2, 4, 2, diagonals)
    return fx.mesh_body(mesh, [fx.ShellRegion("panel", fx.ShellSection.uniform(0.004, STEEL))])


def loaded(body):
    """Stresses per unit force and torque on the frame Q of a body held at P, by a mode and what it leaves."""
    table = build_table(body, Reduction(fx.Clamped("P"), 1), TableOptions(geometric=False))
    modes = stress_modes(body, table, fx.Clamped("P"), is_stiffened=False)
    (found,) = modes.groups.values()
    weights = np.zeros((6, 1 + 12 + 12 + 9 + 1))  # z = (q, twelve of the frame, P, Q, c, q̇)
    weights[:, 19:25] = np.eye(6)
    q = table.frames.names.index("Q")
    weights[:, 0] = np.concatenate([table.frames.translation[q], table.frames.rotation[q]])[:, 0] / table.K
    return found.combined(weights[:, modes.entries])


def test_a_block_of_calculix_has_the_stresses_of_ours():
    """tests/data/calculix: K of CalculiX 2.20 is ours, so statics agree whatever the mode."""
    one, other = (
        loaded(body).stress() for body in (imported_body(DATA / "block.inp", **TIED), block(**TIED))
    )
    assert np.abs(one - other).max() <= 1e-8 * np.abs(other).max()
    assert one[0, :, :, 0].mean() == pytest.approx(1.0 / (0.04 * 0.03), rel=0.02)  # σ = Fx/A


def swinging(body):
    s = fx.System("arm")
    s.gravity([0, 0, -9.81])
    arm = s.flexible_body("arm", body, fx.Clamped("P"), modes=2, method="attachment", stiffening=False)
    s.revolute("pin", s.ground, arm["P"], axis="y")
    tip = s.rigid_body("tip", 2.0, [1e-3, 1e-3, 1e-3], position=[0.1, 0.02, 0.015])
    s.weld("tip_weld", arm["Q"], tip)
    return fx.simulate(s, 0.004, step=1e-4)


def test_a_bracket_of_calculix_swings_with_the_stresses_of_ours():
    """Within what its mass matrix differs by: frequencies of this coarse block by 0.5 %."""
    foreign, ours = (swinging(body) for body in (imported_body(DATA / "block.inp", **TIED), block(**TIED)))
    one, other = foreign.stress("arm")["E"].stress(), ours.stress("arm")["block"].stress()
    assert np.abs(one - other).max() <= 5e-3 * np.abs(other).max()
    peaks = {p.quantity: p.value for p in foreign.stress_peaks()}
    assert peaks["von Mises"] == pytest.approx(
        {p.quantity: p.value for p in ours.stress_peaks()}["von Mises"], rel=5e-3
    )


@pytest.mark.parametrize("layout", WRITE)
@pytest.mark.parametrize("make", [block, panel, lambda: panel("quadrilaterals")], ids=["solid", "S3", "S4"])
def test_every_deck_tells_the_stresses_of_its_elements(layout, make, tmp_path, caplog):
    """Any displacements of the nodes: the strains are those of the original's elements."""
    body = make()
    back = imported_body(**WRITE[layout](tmp_path, body))
    assert not caplog.records
    u = np.random.default_rng(1).standard_normal((6 * len(body.mesh.nodes), 2)) * 1e-6
    if make is block:
        u.reshape(-1, 6, 2)[:, 3:] = 0.0
    (one,) = (part.recover(back.mesh.nodes, u) for part in back.parts[0].elements)
    (other,) = recover(body, u.T).values()
    # nine digits of the deck's coordinates and modulus
    assert np.allclose(one.strains, other.strains, rtol=0, atol=3e-8 * np.abs(other.strains).max())
    kind = (lambda s: s.stress()) if make is block else (lambda s: s.stress("top"))
    assert np.allclose(kind(one), kind(other), rtol=0, atol=3e-8 * np.abs(kind(other)).max())


def test_millimetres_and_tonnes_have_stresses_in_pascal(tmp_path):
    mesh = fx.panel_body((400.0, 200.0), (4, 2), fx.ShellSection.uniform(4.0, STEEL)).mesh
    sheet = fx.ShellSection.uniform(4.0, fx.Material(E=2.1e5, nu=0.3, rho=7850e-12))
    files = write_abaqus(tmp_path, Body(mesh, [fx.ShellRegion("panel", sheet)]))
    back, body = imported_body(**files, units=("mm", "t", "s")), panel("symmetric")
    u = np.random.default_rng(1).standard_normal((6 * len(mesh.nodes), 1)) * 1e-6
    (one,) = (part.recover(back.mesh.nodes, u) for part in back.parts[0].elements)
    expected = recover(body, u[:, 0])["panel"].stress("bottom")
    assert np.allclose(one.stress("bottom"), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_four_nodes_and_a_mirrored_numbering_have_the_strains_of_a_linear_field(tmp_path):
    body = block()
    files = write_calculix(tmp_path, body)
    text = files["path"].read_text().splitlines()
    begin = text.index("*ELEMENT, TYPE=C3D10, ELSET=E") + 1
    rows = [[int(v) for v in line.split(",")] for line in text[begin : begin + 12]]
    four = [[k, c[1], c[0], c[2], c[3]] for k, *c in rows]
    text[begin - 1 : begin + 12] = ["*ELEMENT, TYPE=C3D4, ELSET=E", *(", ".join(map(str, r)) for r in four)]
    files["path"].write_text("\n".join(text))
    back = imported_body(**files)
    G = np.array([[1.0, 0.4, -0.3], [0.1, -0.5, 0.6], [0.2, 0.7, 0.8]]) * 1e-3
    u = np.zeros((len(body.mesh.nodes), 6))
    u[:, :3] = body.mesh.nodes @ G.T
    (one,) = (part.recover(back.mesh.nodes, u.reshape(-1, 1)) for part in back.parts[0].elements)
    e = 0.5 * (G + G.T)
    strain = [e[0, 0], e[1, 1], e[2, 2], 2 * e[0, 1], 2 * e[1, 2], 2 * e[2, 0]]
    assert np.allclose(one.strains, strain, rtol=0, atol=1e-15)
    assert one.corner_stress().shape == (1, 12, 4)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("*ELASTIC", "*ELASTIC, TYPE=ORTHO", "E: material 'S' is not isotropic, or not here"),
        ("MATERIAL=s", "MATERIAL=t", "E: material 'T' is not isotropic, or not here"),
        ("ELSET=E, MATERIAL", "ELSET=F, MATERIAL", "16 elements without a section"),
        ("0.004, 5", "0.004, 5\n*ELEMENT, TYPE=B31, ELSET=X\n90, 10, 20", "B31: elements of another kind"),
        ("*SHELL SECTION", "*SHELL SECTION, OFFSET=0.5", "E: a shell with offset"),
        ("*SHELL SECTION", "*SHELL SECTION, COMPOSITE", "E: a shell with composite"),
        ("*SHELL SECTION", "*SOLID SECTION", "E: S3 with a section of another kind"),
    ],
)
def test_what_has_no_stresses_is_said_when_it_is_read(old, new, said, tmp_path, caplog):
    files = write_abaqus(tmp_path, panel())
    files["path"].write_text(files["path"].read_text().replace(old, new))
    back = imported_body(**files, frames={"A": 0})
    assert f"no stresses of some elements ({said})" in caplog.text
    if "B31" not in said:
        s = fx.System("one")
        s.flexible_body("plate", back, modes=1, stiffening=False)
        with pytest.raises(ModelError, match=r"'plate'.*without stresses"):
            s.components["plate"].stress_modes  # noqa: B018


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0.004, 5", "-0.004, 5", "the thickness of a shell is -0.004"),
        ("0.004, 5", "thin, 5", "could not convert"),
        ("210000000000.0, 0.3", "stiff, 0.3", "could not convert"),
    ],
)
def test_a_damaged_section_is_named_with_its_line(old, new, said, tmp_path):
    files = write_abaqus(tmp_path, panel())
    text = files["path"].read_text().replace(old, new)
    files["path"].write_text(text)
    line = text.splitlines().index(new) + 1
    with pytest.raises(FileFormatError, match=rf"m\.inp, line {line}: .*{said}"):
        imported_body(**files)


@pytest.mark.parametrize(("old", "new"), [("0.004", "4.0"), ("210000000000.0", "2.1e5")])
def test_sections_that_are_not_those_of_the_matrices_are_found_by_their_energy(old, new, tmp_path, caplog):
    files = write_abaqus(tmp_path, panel())
    for changed in (False, True):
        text = files["path"].read_text()
        files["path"].write_text(text.replace(old, new) if changed else text)
        back = imported_body(**files, frames={"A": 0})
        table = build_table(back, Reduction(fx.Free(), 2), TableOptions(geometric=False))
        with caplog.at_level(logging.WARNING):
            stress_modes(back, table, is_stiffened=False)
        assert ("of the energy of its matrices" in caplog.text) == changed


def test_a_deck_of_solids_tells_its_sections_without_a_data_line(tmp_path):
    """As the deck of ``tests/data/calculix``: *SOLID SECTION is followed by the step."""
    (tmp_path / "a.inp").write_text(deck(block().mesh, ["*STEP", "*END STEP"], STEEL))
    from flexnet.fem.imported.deck import read_deck

    told = read_deck(tmp_path / "a.inp")
    assert [(s.group, s.material) for s in told.sections] == [("E", "S")]
    assert told.elastic == {"S": (2.1e11, 0.3)}
