"""The registry of bases: every page keeps what it promises, and further theorems of each."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import FlexnetError, ModelError
from flexnet.fem import Reduction, TableOptions, build_table, natural_modes, nodal_shapes, supported
from flexnet.fem.attachment import frame_rows, relieved, static_shapes
from flexnet.fem.bases import BASES, LOADS, basis
from flexnet.fem.bases.derivatives import derivative_loads
from flexnet.fem.structure import rigid_motions

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
PLAIN = TableOptions(geometric=False)
SUPPORTS = {"clamped": fx.Clamped("start"), "pinned": fx.Pinned("start", "end"), "free": fx.Free()}


def bent_beam():
    """Two straight pieces in space, a mass on the way; frames at both ends."""
    mesh = fx.polyline_mesh([[0, 0, 0], [0.6, 0.1, 0], [1.0, 0.4, 0.3]], 4)
    region = fx.BeamRegion("beam", STEEL, fx.rectangle(0.02, 0.01))
    mass = fx.PointMass(3, 0.4, np.diag([1e-4, 2e-4, 3e-4]))
    return fx.mesh_body(mesh, [region], frames={"a": "start", "b": "end"}, masses=[mass])


def plate():
    return fx.panel_body(
        (0.8, 0.6), (4, 4), fx.ShellSection.uniform(0.004, STEEL),
        points={"start": (-0.05, 0.3, 0.02), "end": (0.85, 0.3, 0.0)}, frames={"a": "start", "b": "end"},
        links=[fx.RigidLink("start", "left"), fx.RigidLink("end", "right")],
    )  # fmt: skip


BODIES = {"beam": bent_beam, "plate": plate}


def unit_loads(structure, kind):
    """Loads (6n, k) of one of the kinds a page may promise to answer."""
    frames = frame_rows(structure, None).T.toarray()
    inertia = structure.full.unit_loads
    if structure.is_free:  # nothing holds it: combinations that are in balance among themselves
        R = rigid_motions(structure.body.mesh)
        frames = frames @ np.linalg.svd(R.T @ frames)[2][6:].T
    own = {"frames": frames, "gravity": inertia[:, :6], "rotation": inertia[:, 6:]}
    every = frame_rows(structure, None).T.toarray()
    return relieved(structure, every) if kind == "balanced" else own[kind]


@pytest.mark.sweep(16)
@pytest.mark.parametrize("support", SUPPORTS)
@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("shape", BODIES)
def test_a_basis_answers_the_loads_it_promises_as_the_whole_mesh_does(shape, name, support):
    body, held = BODIES[shape](), SUPPORTS[support]
    if name == "full" and support == "free":
        pytest.skip("refused: rigid motions are not deformations")
    modes = None if name == "full" else 2
    table = build_table(body, Reduction(held, modes, method=name), PLAIN)
    structure, shapes = supported(body, held), nodal_shapes(body, table)
    for kind in BASES[name].answers:
        F = unit_loads(structure, kind)
        exact = static_shapes(structure, F, None)
        found = shapes @ np.linalg.solve(table.K, shapes.T @ F)
        work = np.einsum("ij,ij->j", F, exact)
        error = np.einsum("ij,ij->j", found - exact, structure.full.K @ (found - exact))
        felt = (work > 1e-9 * work.max()) & (work > 0.0)
        assert felt.any() or (kind == "gravity" and support == "free"), (name, kind)
        assert (np.abs(error[felt]) < 1e-10 * work[felt]).all(), (name, kind)


def test_what_no_page_promises_eigenmodes_do_not_give():
    """The other way round: two eigenmodes leave more than a thousandth of these loads unanswered."""
    body, held = bent_beam(), fx.Clamped("start")
    table = build_table(body, Reduction(held, 2), PLAIN)
    structure, shapes = supported(body, held), nodal_shapes(body, table)
    assert BASES["eigenmodes"].answers == frozenset()
    for kind in LOADS:
        F = unit_loads(structure, kind)
        exact = static_shapes(structure, F, None)
        found = shapes @ np.linalg.solve(table.K, shapes.T @ F)
        assert np.linalg.norm(found - exact) > 1e-3 * np.linalg.norm(exact)


@pytest.mark.parametrize("shape", BODIES)
@pytest.mark.parametrize("support", ["clamped", "pinned"])
def test_craig_and_changs_modes_are_the_free_ones_seen_from_the_support(shape, support):
    """Frequencies of the reduced body left free to move, and its stiffness, are those of the free mesh."""
    body = BODIES[shape]()
    table = build_table(body, Reduction(SUPPORTS[support], 4, method="craig_chang", frames=[]), PLAIN)
    exact = natural_modes(supported(body, fx.Free()), 10).omega[6:]
    shapes, R = nodal_shapes(body, table), rigid_motions(body.mesh)
    M = supported(body, fx.Free()).full.M
    MR = M @ R
    mass = shapes.T @ (M @ shapes) - (MR.T @ shapes).T @ np.linalg.solve(R.T @ MR, MR.T @ shapes)
    found = np.sort(np.linalg.eigvals(np.linalg.solve(mass, table.K)).real) ** 0.5
    assert np.allclose(found, exact, rtol=1e-7)
    held = supported(body, SUPPORTS[support])
    assert np.linalg.matrix_rank(np.hstack([held.T.toarray(), shapes]), tol=1e-9) == held.n


def test_ritz_vectors_answer_slow_harmonic_loads_to_fourth_order_a_block():
    """Compliances of a plate: one block errs by ω⁴, a second one takes them below round-off of the first."""
    body, held = plate(), fx.Clamped("start")
    structure = supported(body, held)
    F = unit_loads(structure, "frames")
    first, TF = natural_modes(structure, 1).omega[0], structure.T.T @ F

    def error(extra, omega):
        table = build_table(body, Reduction(held, extra, method="ritz"), PLAIN)
        f = nodal_shapes(body, table).T @ F
        exact = TF.T @ np.linalg.solve((structure.K - omega**2 * structure.M).toarray(), TF)
        found = f.T @ np.linalg.solve(table.K - omega**2 * table.M, f)
        return np.abs(found - exact).max() / np.abs(exact).max(), table.m

    (slow, block), (fast, _) = error(0, 0.1 * first), error(0, 0.2 * first)
    assert np.log2(fast / slow) == pytest.approx(4.0, abs=0.1)
    assert error(0, 0.8 * first)[0] > 1e-6
    assert error(block, 0.8 * first)[0] < 1e-11


def test_derivatives_move_the_frames_by_the_foreshortening_of_the_table():
    """Reciprocity: -H of the table, element by element, beams and plates, rigid arms included."""
    for make in BODIES.values():
        body, held = make(), fx.Clamped("start")
        table = build_table(body, Reduction(held, 3))
        structure = supported(body, held)
        shapes = nodal_shapes(body, table)
        theta = -static_shapes(structure, derivative_loads(structure, shapes), None)
        rows = frame_rows(structure, None) @ theta
        i, j = np.triu_indices(3)
        H = table.geometric.frames.reshape(-1, 3, 3)[:, i, j]
        assert np.allclose(rows, -H, rtol=0, atol=1e-7 * np.abs(H).max())


def test_the_derivative_of_a_straight_beam_is_the_axial_way_of_its_bending():
    """θ(x) = -∫φ'φ' along the axis, beside differences of the deflections of a fine mesh."""
    body, held = fx.beam_body(1.0, 60, STEEL, fx.rectangle(0.02, 0.01)), fx.Clamped("start")
    structure = supported(body, held)
    phi = natural_modes(structure, 1).shapes
    theta = -static_shapes(structure, derivative_loads(structure, phi), None)[:, 0].reshape(-1, 6)
    w = phi[:, 0].reshape(-1, 6)[:, :3]
    slope = np.linalg.norm(np.diff(w, axis=0), axis=1) * 60
    assert np.allclose(theta[1:, 0], -np.cumsum(slope**2) / 60, rtol=2e-3, atol=1e-3 * abs(theta[-1, 0]))
    assert np.abs(theta[:, 1:]).max() < 1e-6 * abs(theta[-1, 0])
    table = build_table(body, Reduction(held, 2, method="derivatives", frames=[]), PLAIN)
    assert table.modes.kind[:2] == ("normal", "normal")
    assert set(table.modes.kind[2:]) == {"derivative"}


def test_a_load_that_the_support_carries_makes_no_shape():
    """A bent beam on its chord carries six of twelve loads; round-off had made a seventh shape at 0 Hz."""
    table = build_table(bent_beam(), Reduction(SUPPORTS["pinned"], 0, method="attachment"), PLAIN)
    first = natural_modes(supported(bent_beam(), SUPPORTS["pinned"]), 1).frequency[0]
    assert table.m == 6
    assert table.modes.frequency.min() >= first * (1 - 1e-9)


def test_a_basis_is_entered_once_and_by_known_promises():
    def eigenmodes(structure, reduction, factor):
        """Another."""

    with pytest.raises(FlexnetError, match="already is a basis 'eigenmodes'"):
        basis()(eigenmodes)
    eigenmodes.__name__ = "new"
    with pytest.raises(FlexnetError, match="there are frames, balanced, gravity, rotation"):
        basis("heat")(eigenmodes)
    assert "new" not in BASES


def test_ritz_vectors_are_counted_not_picked():
    with pytest.raises(ModelError, match="no eigenmodes to pick from"):
        Reduction(fx.Clamped("start"), frequency_limit=100.0, method="ritz")
    with pytest.raises(ModelError, match="no eigenmodes to pick from"):
        Reduction(fx.Clamped("start"), [1, 2], method="ritz")


def test_every_page_says_in_a_sentence_what_it_is():
    for name, family in BASES.items():
        assert family.summary.endswith("."), name
