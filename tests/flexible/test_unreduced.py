"""Unreduced bodies: freedoms of the mesh as coordinates, sparse tensors, elastic blocks eliminated first."""

from dataclasses import replace

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import FlexnetError, ModelError
from flexnet.fem import Reduction, TableOptions, build_table
from flexnet.formulation.state import State
from flexnet.kernels import unreduced
from tests.flexible.bodies import BODIES

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0, eta=1e-5)
TREES = ("joint", "absolute")
pytestmark = pytest.mark.filterwarnings("ignore:joint .* puts a moment on a single node of a shell")


def dense(tensor):
    return tensor.toarray() if hasattr(tensor, "toarray") else np.asarray(tensor)


def mechanism(kind, method, stiffening=True, inertia="consistent"):
    """A body on a pin that carries a rigid one on another.

    ground --(j)-- a [body] b --(w)-- hub
    """
    fe = BODIES[kind]()
    foot, tip = (fe.mesh.nodes[fe.frames[name]] for name in "ab")
    s = fx.System("carrier")
    s.gravity((0.0, -9.81, 0.0))
    how = {"method": method, "stiffening": stiffening, "inertia": inertia}
    body = s.flexible_body("body", fe, fx.Clamped(fe.frames["a"]), **how)
    hub = s.rigid_body("hub", 0.3, np.diag([1e-4, 2e-4, 3e-4]), position=tip)
    s.revolute("j", s.ground.frame("foot", foot), body["a"], axis="z")
    s.revolute("w", body["b"], hub, axis="z")
    s.start("j", angle=0.0, rate=3.0)
    s.channel("tip", fx.position(body["b"], "y"), "m")
    return s


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("inertia", ["consistent", "lumped"])
def test_its_tensors_are_those_of_the_full_table(kind, inertia):
    body, options = BODIES[kind](), TableOptions(inertia=inertia)
    full, sparse = (
        build_table(body, Reduction(fx.Clamped(body.frames["a"]), method=method), options)
        for method in ("full", "unreduced")
    )
    pairs = [(full.K, sparse.K), (full.C, sparse.C), (full.M, sparse.M)]
    pairs += [(getattr(full.inertia, n), getattr(sparse.inertia, n)) for n in ("N1", "sN", "NN", "s1", "s2")]
    pairs += [
        (getattr(full.geometric, n), getattr(sparse.geometric, n))
        for n in ("acceleration", "angular_acceleration", "omega_products", "frames")
    ]
    for rows in ("frames", "output"):
        a, b = getattr(full, rows), getattr(sparse, rows)
        pairs += [(a.position, b.position), (a.translation, b.translation), (a.rotation, b.rotation)]
    for a, b in pairs:
        assert np.abs(a - dense(b)).max() <= 1e-14 * np.abs(a).max()
    assert full.frames.names == sparse.frames.names


@pytest.mark.sweep(3)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("kind", BODIES)
def test_its_residual_energies_and_matrix_are_those_of_the_full_body(kind, tree):
    """At a random state: no term is lost, and what is eliminated is the matrix of all coordinates."""
    full, sparse = (fx.formulate(mechanism(kind, method), tree) for method in ("full", "unreduced"))
    rng, n, m = np.random.default_rng(1), full.n_v, full.m
    q = full.compose(full.initial.q, 1e-2 * full.sizes * rng.standard_normal(n))
    state = State(0.0, q, rng.standard_normal(n) * full.sizes)
    a, lam = rng.standard_normal(n) * full.sizes, rng.standard_normal(m)
    one, other = (e.residual(state, a, lam) for e in (full, sparse))
    assert np.abs(one[0] - other[0]).max() < 1e-13 * np.abs(one[0]).max()
    assert np.abs(full.energies(state) - sparse.energies(state)).max() < 1e-13 * full.energies(state).max()
    for c_q, c_v in ((0.0, 0.0), (1e-7, 3e-4)):
        d, f = sparse.dae(), full.dae()
        M, G = np.zeros((n, n)), np.zeros((m, n))
        f.residual(f.model, 0.0, q, state.v, a, lam, f.work, np.zeros(n), np.zeros(m))
        f.matrices(f.model, f.work, c_q, c_v, M, G)
        d.residual(d.model, 0.0, q, state.v, a, lam, d.work, np.zeros(n), np.zeros(m))
        d.matrices(d.model, d.work, c_q, c_v, d.unreduced.M, d.unreduced.G)
        assert unreduced.factor(d.unreduced, d.weights, c_q, c_v)
        x = np.concatenate([rng.standard_normal(n) * full.sizes, rng.standard_normal(m)])
        A = np.block([[M, G.T], [G, np.zeros((m, m))]])
        b = A @ x
        unreduced.solve(d.unreduced, b)
        w = d.weights
        error = np.linalg.norm(w * (A @ (b - x))) / np.linalg.norm(w * (A @ x))
        assert error < 1e-9, (c_q, error)
        out = np.zeros(m)
        unreduced.across(d.unreduced, x[:n], out)
        assert np.allclose(out, G @ x[:n], rtol=1e-12, atol=1e-12 * np.abs(G).max(initial=0.0))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("method", [fx.hht(-0.1), fx.generalised_alpha(0.8)], ids=lambda m: m.name)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("kind", BODIES)
def test_it_moves_as_the_full_body_does_in_every_tree(kind, tree, method):
    runs = [
        fx.simulate(mechanism(kind, how), 0.02, 5e-4, method, tree, newton=1e-12)
        for how in ("full", "unreduced")
    ]
    q = [run["state/q"] for run in runs]
    # what both correctors leave
    assert np.abs(q[0] - q[1]).max() < 1e-8 * np.abs(q[0]).max()
    strain = [run["energy/strain"] for run in runs]
    assert np.abs(strain[0] - strain[1]).max() < 1e-5 * strain[0].max()
    assert runs[1].energy_error < 1e-4 * runs[1]["energy/kinetic"].max()


def test_without_stiffening_and_with_rotations_without_inertia_it_moves_as_the_full_body_does():
    """Of rotations without inertia the full body begins with the least accelerations, not with K v̇ = 0."""
    for kind, how, near in (("beam", {"stiffening": False}, 4e-7), ("shell", {"inertia": "lumped"}, 1e-5)):
        runs = [
            fx.simulate(mechanism(kind, method, **how), 0.01, 5e-4, tree="joint")
            for method in ("full", "unreduced")
        ]
        q = [run["state/q"] for run in runs]
        assert np.abs(q[0] - q[1]).max() < near * np.abs(q[0]).max(), kind


def pendula(*methods, unit=1.0, stiffness=1.0, planar=False):
    """Beams on pins, one after another, in lengths of 1/unit m.

    ground --(j0)-- [beam 0] --(j1)-- [beam 1] …
    """
    rubber = fx.Material(E=stiffness * 2e8 / unit, nu=0.3, rho=1200.0 / unit**3)
    s = fx.System("pendula", planar=planar)
    s.gravity([0.0, -9.81 * unit] if planar else [0.0, -9.81 * unit, 0.0])
    before = s.ground
    for k, method in enumerate(methods):
        beam = fx.beam_body(0.5 * unit, 4, rubber, fx.rectangle(0.03 * unit, 0.02 * unit))
        where = [0.5 * unit * k, 0.0, 0.0][: 2 if planar else 3]
        modes = 3 if method == "attachment" else None
        link = s.flexible_body(f"b{k}", beam, fx.Clamped("start"), modes, method, position=where)
        s.revolute(f"j{k}", before, link["start"])
        before = link["end"]
    s.channel("tip", fx.position(before, "y"), "m" if unit == 1.0 else "")
    return s


@pytest.mark.sweep(1)
@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("tree", TREES)
def test_it_stands_beside_other_flexible_bodies(tree, planar):
    """Two unreduced ones and a reduced one between them, in one mechanism."""
    tips = [
        fx.simulate(pendula(a, "attachment", a, planar=planar), 0.05, 1e-3, tree=tree).channel("tip")
        for a in ("full", "unreduced")
    ]
    assert np.ptp(tips[0]) > 1e-3
    assert np.abs(tips[0] - tips[1]).max() < 1e-8


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "how",
    [
        {"tolerance": 1e-5, "interval": 0.005},
        {"method": fx.acceleration_level(-0.1), "tree": "absolute"},
        {"project": True, "tree": "absolute"},
    ],
    ids=["tolerance", "acceleration_level", "project"],
)
def test_steps_by_tolerance_and_projections_are_those_of_the_full_body(how):
    """Factors of the mass and of the last step stand side by side."""
    runs = [fx.simulate(pendula(method), 0.01, 1e-3, **how) for method in ("full", "unreduced")]
    assert np.abs(runs[0].channel("tip") - runs[1].channel("tip")).max() < 1e-8
    assert runs[0].status.steps == runs[1].status.steps


def test_events_and_states_beside_it_are_refused():
    s = pendula("unreduced")
    s.event("low", fx.position(s.bodies["b0"]["end"], "y") + 0.01, fx.stop())
    with pytest.raises(FlexnetError, match="do not go with events"):
        fx.simulate(s, 0.01, 1e-3)
    s = pendula("unreduced")
    drive = fx.lag(fx.quantity(2, "N*m/rad") * fx.joint_coordinate("j0"), 0.1)
    s.torque("drive", joint="j0", torque=drive)
    with pytest.raises(ModelError, match="does not go with first-order states"):
        fx.formulate(s).dae()


def test_its_motion_does_not_depend_on_units():
    one, other = (fx.simulate(pendula("unreduced", unit=u), 0.05, 1e-3) for u in (1.0, 1024.0))
    assert np.abs(1024.0 * one.channel("tip") - other.channel("tip")).max() < 1e-9 * 1024.0
    assert one.status.iterations == other.status.iterations


def test_a_stiff_one_moves_as_a_rigid_body_does():
    """At 1e9 times the stiffness; of the pendulum by hand, T = 2π √(2L/3g) at small angles."""
    s = pendula("unreduced", stiffness=1e9)
    run = fx.simulate(s, 0.2, 1e-3)
    L, g = 0.5, 9.81
    section = fx.rectangle(0.03, 0.02)
    I = L**2 / 3 + section.Iz / section.A  # over the mass
    angle, rate = 0.0, 0.0
    for _ in range(2000):  # Störmer and Verlet, a tenth of the step
        rate -= 0.5e-4 * g * L / 2 / I * np.cos(angle)
        angle += 1e-4 * rate
        rate -= 0.5e-4 * g * L / 2 / I * np.cos(angle)
    assert abs(run.channel("tip")[-1] - L * np.sin(angle)) < 2e-5 * L


def test_its_cost_grows_with_the_mesh_and_no_faster():
    """Entries of all tensors and of the factors a freedom: of a beam the same for every mesh."""
    counts = []
    for n in (20, 40, 80):
        s = fx.System("beam")
        beam = fx.beam_body(1.0, n, STEEL, fx.rectangle(0.02, 0.01))
        body = s.flexible_body("b", beam, fx.Clamped("start"), method="unreduced")
        s.revolute("j", s.ground, body["start"])
        e = fx.formulate(s)
        blocks = e.dae().unreduced
        data = len(e.model.flex_data) + len(e.work.flex) + len(e.model.flex_index)
        counts.append([x / (6 * n) for x in (data, blocks.L.shape[1], blocks.S.shape[1], len(blocks.P))])
        assert blocks.M.shape[0] < 40
    assert np.all(np.ptp(counts, axis=0) < 0.03 * np.max(counts, axis=0))


REFUSALS = {
    "energy_preserving": lambda s: fx.simulate(s, 0.01, 1e-3, fx.energy_preserving()),
    "radau": lambda s: fx.simulate(s, 0.01, 1e-3, fx.radau()),
    "dop853": lambda s: fx.simulate(s, 0.01, 1e-3, fx.dop853()),
    "reference": lambda s: fx.simulate(s, 0.01, 1e-3, fx.reference()),
    "symbolic": lambda s: fx.simulate(s, 0.01, 1e-3, engine="symbolic"),
    "linearise": lambda s: fx.linearise(fx.formulate(s)),
    "equilibrium": fx.equilibrium,
    "stress": lambda s: fx.simulate(s, 0.002, 1e-3).stress("b0"),
    "motion": lambda s: (lambda e: e.motion(e.initial))(fx.formulate(s)),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("what", REFUSALS)
def test_what_needs_a_matrix_of_all_coordinates_is_refused_in_a_sentence(what):
    with pytest.raises(FlexnetError, match="unreduced"):
        REFUSALS[what](pendula("unreduced"))


def test_bodies_that_cannot_stay_unreduced_are_refused():
    beam = fx.beam_body(0.5, 4, STEEL, fx.rectangle(0.03, 0.02))
    damped = replace(beam, damping=fx.ModalDamping(0.01))
    for body, support, modes, words in (
        (beam, fx.Free(), None, "needs a support"),
        (beam, fx.Clamped("start"), 3, "no modes to choose"),
        (damped, fx.Clamped("start"), None, "needs modes"),
    ):
        with pytest.raises(ModelError, match=words):
            build_table(body, Reduction(support, modes, method="unreduced"))


def slider_crank(elements, method, modes=None):
    """A rod of steel between a driven crank and a piston, in space.

    ground --(O, driven)-- crank --(A)-- [rod] --(B)-- piston --(slide)-- ground
    """
    s = fx.System("slider_crank")
    s.gravity((0.0, -9.81, 0.0))
    crank = s.rigid_body("crank", 0.5, 1e-3 * np.eye(3), position=(0.15, 0.0, 0.0))
    rod = fx.beam_body(1.0, elements, STEEL, fx.rectangle(0.02, 0.01))
    held = fx.Pinned("start", "end")
    rod = s.flexible_body("rod", rod, held, modes, method, position=(0.3, 0.0, 0.0))
    piston = s.rigid_body("piston", 0.5, 1e-3 * np.eye(3), position=(1.3, 0.0, 0.0))
    s.revolute("O", s.ground, crank.frame("hub", (-0.15, 0.0, 0.0)))
    s.revolute("A", crank.frame("pin", (0.15, 0.0, 0.0)), rod["start"])
    s.spherical("B", rod["end"], piston)
    s.prismatic("slide", s.ground, piston, axis="x")
    s.motion("drive", joint="O", angle=fx.polynomial(0.0, 20.0))
    s.channel("bow", fx.deflection(rod, elements // 2, "y"), "m")
    s.channel("x", fx.position(piston, "x"), "m")
    return s


def plate_four_bar(cells, method, modes=None):
    """Crank and coupler lift a plate, hinged along its left edge, at the middle of its right one.

    ground --(O, driven)-- crank --(A)-- coupler --(B)-- [plate] --(H)-- ground
    """
    s = fx.System("plate_four_bar")
    s.gravity((0.0, 0.0, -9.81))
    panel = fx.panel_body(
        (0.6, 0.6), (cells, cells), fx.ShellSection.uniform(0.003, STEEL),
        points={"hinge": (0.0, 0.3, 0.0), "edge": (0.6, 0.3, 0.0)}, frames={"hinge": "hinge", "edge": "edge"},
        links=[fx.RigidLink("hinge", "left"), fx.RigidLink("edge", "right")],
    )  # fmt: skip
    middle = panel.mesh.nearest_node(np.array([0.3, 0.3, 0.0]))
    plate = s.flexible_body("plate", panel, fx.Clamped("hinge"), modes, method)
    crank = s.rigid_body("crank", 0.4, 1e-3 * np.eye(3), position=(0.5, 0.3, 0.45))
    coupler = s.rigid_body("coupler", 0.4, np.diag([3e-3, 3e-3, 1e-4]), position=(0.6, 0.3, 0.225))
    s.revolute("H", s.ground.frame("h", (0.0, 0.3, 0.0)), plate["hinge"], axis="y")
    s.revolute("O", s.ground.frame("o", (0.5, 0.3, 0.5)), crank.frame("hub", (0.0, 0.0, 0.05)), axis="y")
    s.revolute("A", crank.frame("pin", (0.1, 0.0, 0.0)), coupler.frame("top", (0.0, 0.0, 0.225)), axis="y")
    s.spherical("B", coupler.frame("low", (0.0, 0.0, -0.225)), plate["edge"])
    s.motion("drive", joint="O", angle=fx.polynomial(0.0, 0.0, 40.0))
    s.channel("bow", fx.deflection(plate, middle, "z"), "m")
    return s


@pytest.mark.parametrize("tree", TREES)
def test_a_start_does_not_throw_light_nodes_of_a_fine_mesh(tree):
    """Dampers end their first motion within a step: it is not carried through, whatever the rest does.

    With v̈ of these nodes at the start, 19 J that were not there went through a mechanism of 12 J.
    """
    run = fx.simulate(slider_crank(80, "unreduced"), 0.005, 5e-4, tree=tree)
    assert run.energy_error < 1e-3 * run["energy/kinetic"].max()
    reduced = fx.simulate(slider_crank(80, "attachment", 40), 0.005, 5e-4, tree=tree)
    bow = reduced.channel("bow")
    assert np.abs(run.channel("bow") - bow).max() < 2e-2 * np.abs(bow).max()
    assert run["energy/strain"].max() < 2.0 * reduced["energy/strain"].max()


CASES = {"beam": (slider_crank, 334, 2004, 0.05), "plate": (plate_four_bar, 32, 6138, 0.04)}


@pytest.mark.slow
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("case", CASES)
def test_a_beam_of_2000_and_a_plate_of_6000_freedoms_agree_with_their_reduced_selves(case, tree):
    """Forty eigenmodes and all static shapes, of the same mesh."""
    build, size, freedoms, end = CASES[case]
    whole = fx.simulate(build(size, "unreduced"), end, 5e-4, tree=tree)
    assert whole.equations.n_v >= freedoms
    reduced = fx.simulate(build(size, "attachment", 40), end, 5e-4, tree=tree)
    bow = reduced.channel("bow")
    assert np.abs(whole.channel("bow") - bow).max() < 2e-3 * np.abs(bow).max()
    assert whole.status.iterations < 5 * whole.status.steps
