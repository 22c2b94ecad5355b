"""Stresses by mode acceleration: a few modes of any basis give the stresses of the whole mesh."""

import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.sparse.linalg import spsolve

import flexnet as fx
from flexnet.analysis.stress import Recovery
from flexnet.errors import ModelError
from flexnet.fem import (
    BodyMotion,
    Loads,
    Reduction,
    assemble,
    beams_at,
    build_table,
    nodal_shapes,
    recover,
    shells_at,
    solve_static,
    stress_modes,
    supported,
)
from flexnet.fem.assembly import geometric_stiffness
from flexnet.fem.body import freedoms
from flexnet.fem.statics import load_vector
from flexnet.fem.unit_loads import omega_products
from flexnet.formulation import arm_loads, snapshot
from flexnet.formulation.reactions import nodal_sums
from tests.catalogue import build
from tests.flexible.bodies import BODIES

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
SUPPORTS = {"free": None, "clamped": fx.Clamped("start"), "pinned": fx.Pinned("start", "end")}
SHAPES = [("eigenmodes", 6), ("attachment", 0), ("attachment", 6), ("craig_bampton", 6), ("eigenmodes", 1),
          ("craig_chang", 3), ("inertia_relief", 0), ("ritz", 2), ("derivatives", 2)]  # fmt: skip


def at_rest(q, acceleration=(0, 0, 0), omega=(0, 0, 0), loads=None, a=None):
    """Motion of one instant without rates of the coordinates."""
    q = np.atleast_2d(q)
    rows, none = len(q), np.zeros((len(q), 3))
    loads = np.zeros((rows, 2, 6)) if loads is None else np.asarray(loads, dtype=float)[None]
    given = (np.tile(np.asarray(x, dtype=float), (rows, 1)) for x in (acceleration, omega))
    return BodyMotion(q, 0 * q, 0 * q if a is None else a, *given, none, loads)


@pytest.mark.sweep(12)
@pytest.mark.parametrize("support", SUPPORTS)
@pytest.mark.parametrize(("method", "modes"), SHAPES)
def test_the_root_tension_of_a_spinning_beam_is_right_with_any_basis(support, method, modes):
    """N(x) = ½ρAω²(L² - x²), held at its root by a force: six eigenmodes alone know nothing of it."""
    section, L, w = fx.rectangle(0.05, 0.03), 2.0, 30.0
    body = fx.beam_body(L, 8, STEEL, section)
    table = build_table(body, Reduction(SUPPORTS[support] or fx.Free(), modes, method=method))
    shapes, pull = nodal_shapes(body, table), 0.5 * STEEL.rho * section.A * w**2 * L**2
    structure = supported(body, SUPPORTS[support] or fx.Free())
    hold = (-pull, 0, 0, 0, 0, 0)
    f = load_vector(structure, Loads(nodes={"start": hold}, angular_velocity=(0, 0, w)))
    q = np.linalg.solve(table.K, shapes.T @ f)
    motion = at_rest(q, omega=(0, 0, w), loads=[hold, np.zeros(6)])
    N = stress_modes(body, table, SUPPORTS[support]).recover(motion)["beam"].forces[0, :, :, 0]
    x = body.mesh.nodes[body.mesh.lines, 0]
    assert np.allclose(N, 0.5 * STEEL.rho * section.A * w**2 * (L**2 - x**2), rtol=0, atol=5e-4 * pull)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("support", ["free", "clamped"])
def test_a_body_at_rest_has_the_stresses_of_the_whole_mesh(kind, support):
    """One mode of a body with links, masses and offsets under gravity and loads on its frames."""
    body = BODIES[kind]()
    held = fx.Clamped(body.frames["a"]) if support == "clamped" else fx.Free()
    table = build_table(body, Reduction(held, 1))
    loads = np.array([[0.0] * 6, [3.0, -2.0, 5.0, 0.2, 0.1, -0.3]])
    g = np.array([1.0, 9.0, 4.0])
    structure = supported(body, fx.Clamped(body.frames["a"]))
    given = Loads(nodes={body.frames["b"]: loads[1]}, acceleration=g)
    u = solve_static(structure, given)
    # what holds it at frame a
    loads[0] = (structure.full.K @ u - load_vector(structure, given)).reshape(-1, 6)[body.frames["a"]]
    if kind == "shell":  # carried nodes pass their reactions on to the one that carries them
        loads[0] = _reaction(structure, structure.full.K @ u - load_vector(structure, given), body)
    shapes = nodal_shapes(body, table)
    f = load_vector(
        structure, Loads(nodes=dict(zip(body.frames.values(), loads, strict=True)), acceleration=g)
    )
    q = np.linalg.solve(table.K, shapes.T @ f)
    found = stress_modes(body, table, held, is_stiffened=False).recover(at_rest(q, g, loads=loads))
    points = {region.group: _element_loads(body, region, g) for region in body.regions}
    expected = recover(body, u)
    for group, one in found.items():
        name = "forces" if hasattr(one, "forces") else "strains"
        wanted = getattr(expected[group], name)
        if name == "forces":
            region = next(r for r in body.regions if r.group == group)
            cells = body.elements(region)
            q_e = u[freedoms(cells)][None]
            X = region.geometry(body.mesh.nodes, cells)
            wanted = region.recover(cells, X, q_e, points[group][None]).forces
        assert np.allclose(getattr(one, name), wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


def _reaction(structure, r, body):
    """Force and moment at frame a of reactions r (6n,) at the nodes it carries and its own."""
    nodes = body.mesh.nodes - body.mesh.nodes[body.frames["a"]]
    rows = r.reshape(-1, 6)
    moving = np.abs(rows).max(axis=1) > 1e-9 * np.abs(rows).max()
    force = rows[moving, :3].sum(axis=0)
    torque = (rows[moving, 3:] + np.cross(nodes[moving], rows[moving, :3])).sum(axis=0)
    return np.concatenate([force, torque])


def _element_loads(body, region, g):
    cells = body.elements(region)
    points = region.mass_points(region.geometry(body.mesh.nodes, cells))
    return -np.einsum("ep,epai,a->ei", points.w, points.N, g)


@pytest.mark.parametrize("ratio", [0.3, 0.8, 1.6, 3.0])
def test_a_shaken_cantilever_has_the_moments_of_unreduced_finite_elements(ratio):
    """Shaken at ``ratio`` times the first frequency, two modes a plane; (K - ω²M) u = f is solved here."""
    body = fx.beam_body(1.0, 12, STEEL, fx.rectangle(0.02, 0.01))
    table = build_table(body, Reduction(fx.Clamped("start"), 4))
    structure = supported(body, fx.Clamped("start"))
    first = table.modes.frequency[0] * 2 * np.pi
    w, a = ratio * first, np.array([0.0, 1.0, 2.0])
    f = structure.full.unit_loads[:, :3] @ a
    u = structure.T @ spsolve(csc_array(structure.K - w**2 * structure.M), structure.T.T @ f)
    shapes = nodal_shapes(body, table)
    q = np.linalg.solve(table.K - w**2 * table.M, shapes.T @ f)
    motion = at_rest(q, a, a=-(w**2) * q[None])
    region, cells = body.regions[0], body.mesh.lines
    X = region.geometry(body.mesh.nodes, cells)
    points = region.mass_points(X)
    moved = a - w**2 * np.einsum("epai,ei->epa", points.N, u[freedoms(cells)])
    load = -np.einsum("ep,epai,epa->ei", points.w, points.N, moved)
    exact = region.recover(cells, X, u[freedoms(cells)][None], load[None]).forces[0]
    found = stress_modes(body, table, fx.Clamped("start")).recover(motion)["beam"].forces[0]
    plain = recover(body, shapes @ q)["beam"].forces[0]
    for k in (1, 2, 4, 5):
        size = np.abs(exact[..., k]).max()
        assert np.abs(found[..., k] - exact[..., k]).max() < 0.01 * size
    assert np.abs(plain[..., 1] - exact[..., 1]).max() > 0.03 * np.abs(exact[..., 1]).max()


@pytest.mark.parametrize(("edge", "centre", "side"), [("z", 0.0479, 0.0), ("z rx ry", 0.0229, -0.0513)])
def test_bending_moments_of_a_square_plate_are_kirchhoffs(edge, centre, side):
    """Under p = ρhg, m/(pa²) is within 1 % in the middle and in the middle of a side, with four modes.

    (Timoshenko and Woinowsky-Krieger, tables 8 and 35; clamped middle 0.02291.)
    """
    h, g = 0.01, 9.81
    body = fx.panel_body((1.0, 1.0), (16, 16), fx.ShellSection.uniform(h, STEEL))
    x, y = body.mesh.nodes[:, :2].T
    outline = np.flatnonzero((np.minimum(x, y) < 1e-9) | (np.maximum(x, y) > 1 - 1e-9))
    held = [fx.Held(outline, edge), fx.Held(int(outline[0]), "x y rz")]
    table = build_table(body, Reduction(held, 4))
    shapes = nodal_shapes(body, table)
    f = assemble(body).unit_loads[:, 2] * -g
    q = np.linalg.solve(table.K, shapes.T @ f)
    none = np.zeros((1, 0, 6))
    motion = BodyMotion(q[None], 0 * q[None], 0 * q[None], np.array([[0, 0, -g]]), *np.zeros((2, 1, 3)), none)
    found = stress_modes(body, table, held).recover(motion)
    load = STEEL.rho * h * g
    for place, wanted, error in (((0.5, 0.5, 0.0), centre, 0.01 * centre), ((1.0, 0.5, 0.0), side, 0.0005)):
        m = shells_at(found, body.mesh.nodes, body.mesh.nearest_node(place))[0].resultants()[0, 0, 3:]
        assert m[0] / load == pytest.approx(wanted, abs=error)


def spinning_strip(speed, modes):
    s = fx.System("strip")
    body = fx.beam_body(2.0, 8, STEEL, fx.rectangle(0.002, 0.05))
    strip = s.flexible_body("strip", body, fx.Clamped("start"), modes, angular_velocity=[0, 0, speed])
    s.revolute("hub", s.ground, strip["start"])
    s.motion("drive", joint="hub", angle=fx.ramp(rate=speed))
    return fx.simulate(s, 2e-3, 1e-3)


@pytest.mark.parametrize(("speed", "modes", "is_told"), [(2.0, 2, False), (4.0, 2, True), (4.0, 5, False)])
def test_a_strip_that_turns_fast_says_that_its_stresses_are_in_doubt(speed, modes, is_told, caplog):
    """Its first frequency is 2.6 rad/s; what its modes leave out is stiffened, too."""
    spinning_strip(speed, modes).stress("strip")
    assert ("and that is not counted" in caplog.text) == is_told


def test_what_prestress_does_to_what_modes_leave_out_is_the_largest_ratio_of_the_two_energies():
    """Equation (3) of stress modes beside all freedoms: the largest eigenvalue of R K_G, dense."""
    part = spinning_strip(4.0, 2).equations.system.components["strip"]
    structure = supported(part.body, part.support, matrices=assemble(part.body))
    K, T = structure.full.K.toarray(), structure.T.toarray()
    g = np.concatenate([np.zeros(6), omega_products([0.0, 0.0, 4.0])])
    u = T @ np.linalg.solve(T.T @ K @ T, T.T @ structure.full.unit_loads @ g)
    loads = geometric_stiffness(part.body, u, g)
    shapes = nodal_shapes(part.body, part.table)
    R = T @ np.linalg.solve(T.T @ K @ T, T.T) - shapes @ np.linalg.solve(part.table.K, shapes.T)
    exact = np.abs(np.linalg.eigvals(R @ loads)).max()
    motion = BodyMotion(
        *np.zeros((3, 1, part.table.m)), np.zeros((1, 3)), np.array([[0.0, 0.0, 4.0]]), np.zeros((1, 3)),
        np.zeros((1, 2, 6)),
    )  # fmt: skip
    assert part.stress_modes.prestress_left_out(motion) == pytest.approx(exact, rel=0.02)  # of four shapes


def mechanism():
    """A flexible beam that swings on a pin, with a body on a ball at its end and a spring at its middle."""
    s = fx.System("mechanism")
    s.gravity([0.0, 0.0, -9.81])
    body = fx.beam_body(
        1.0, 4, STEEL, fx.rectangle(0.02, 0.01), frames={"start": "start", "mid": 2, "end": "end"}
    )
    beam = s.flexible_body("beam", body, support=fx.Clamped("start"), modes=4, stiffening=False)
    ball = s.rigid_body(
        "ball", 0.7, [0.01, 0.02, 0.025], {"a": [-0.1, 0.05, 0.0]}, position=[1.1, -0.05, 0.0]
    )
    s.revolute("pin", s.ground, beam["start"], axis="y")
    s.universal("joint", beam["end"], ball["a"], axis_1="x", axis_2="z")
    s.spring("spring", s.ground.frame("hook", [0.5, 0.3, 0.6]), beam["mid"], stiffness=800.0, free_length=0.4)
    s.start("pin", rate=3.0)
    return s


@pytest.mark.parametrize("tree", ["default", "joint", "absolute", "absolute_angular"])
def test_inertia_and_attachment_loads_of_a_body_balance(tree):
    """Forces and moments about the frame of the deformed body: every load is there."""
    equations = fx.formulate(mechanism(), tree)
    run = fx.simulate(equations, 0.02, 1e-3)
    part = equations.system.components["beam"]
    last = [run[f"state/{k}"][-1:] for k in ("q", "v", "a", "lambda")]
    motion = Recovery(equations).motion("beam", snapshot(equations, run.t[-1:], *last))
    assert np.abs(motion.loads[0]).max(axis=1).min() > 0.1
    shapes, total = nodal_shapes(part.body, part.table), np.zeros(6)
    for cells, points in part.body.mass_batches():
        u, v, a = (
            np.einsum("epai,ei->epa", points.N, (shapes @ x[0])[freedoms(cells)])
            for x in (motion.q, motion.v, motion.a)
        )
        s, w, alpha = points.s + u, motion.omega[0], motion.alpha[0]
        acceleration = motion.acceleration[0] + np.cross(alpha, s) + np.cross(w, np.cross(w, s)) + a
        force = -points.w[..., None] * (acceleration + 2 * np.cross(w, v))
        total[:3] += force.sum(axis=(0, 1))
        total[3:] += np.cross(s, force).sum(axis=(0, 1))
    frames = part.table.frames
    for place, moved, load in zip(
        frames.position, frames.translation @ motion.q[0], motion.loads[0], strict=True
    ):
        total[:3] += load[:3]
        total[3:] += load[3:] + np.cross(place + moved, load[:3])
    assert np.abs(total).max() < 1e-6 * np.abs(motion.loads).max()


def test_virtual_joints_do_not_change_the_loads_on_the_frames():
    """Where a virtual joint is a branch, loads come from the nodal form."""
    system = build("four_bar")
    plain, virtual = fx.formulate(system), fx.formulate(system, "formulation_based", virtual=True)
    poses = plain.poses(plain.initial)
    found = []
    for equations in (plain, virtual):
        state = equations.state(poses)
        motion = equations.motion(state)
        rows = snapshot(equations, [state.t], [state.q], [state.v], [motion.a], [motion.lam])
        found.append(arm_loads(equations, equations.system.components["coupler"], rows))
    assert np.abs(found[0]).max() > 1.0
    assert np.allclose(*found, rtol=1e-7, atol=1e-7 * np.abs(found[0]).max())


def test_the_nodal_form_has_the_torque_of_a_gear_on_the_frame_of_the_other_joint():
    """A row with two pairs of frames loads both: what a tree's cutsets carry to the body, its balance has."""
    s = mechanism()
    wheel = s.rigid_body("wheel", 1.0, [0.1, 0.1, 0.1], position=[0.0, 0.0, 0.5])
    s.revolute("hub", s.ground.frame("P", [0.0, 0.0, 0.5]), wheel, axis="y")
    s.gear_pair("gear", "pin", "hub", ratio=-2.0)
    s.torque("drive", joint="hub", torque=5.0)
    equations = fx.formulate(s)
    state = equations.initial
    motion = equations.motion(state)
    rows = snapshot(equations, [state.t], [state.q], [state.v], [motion.a], [motion.lam])
    (loads,) = arm_loads(equations, equations.system.components["beam"], rows)
    _, torque = nodal_sums(equations, state, motion)
    nodal = equations.nodal
    found = [
        branch.sign * torque[nodal.packer.rotation_node[branch.child]]
        for branch in nodal.R.branches
        if branch.edge.name.startswith("beam.")
    ]
    assert np.abs(loads[0, 4]) > 0.1
    assert np.allclose(found, loads[:, 3:], rtol=1e-7, atol=1e-7 * np.abs(loads).max())


def test_few_modes_of_the_coupler_have_the_bending_moment_of_many():
    """The moment is as good as the deflection, whatever the modes."""
    runs = {
        modes: fx.simulate(
            build("four_bar", modes=modes, stiffening=False), 0.006, 2e-5, method=fx.generalised_alpha(0.9)
        )
        for modes in (2, 8)
    }
    few, many = (run.stress("coupler")["beam"].forces[..., 5] for run in runs.values())
    w = [run.channel("coupler_deflection") for run in runs.values()]
    deflection = np.abs(w[0] - w[1]).max() / np.abs(w[1]).max()
    moment = np.abs(few - many).max() / np.abs(many).max()
    assert moment < 1.5 * deflection


def test_a_channel_records_the_stress_of_a_point():
    s = build("four_bar")
    coupler = s.bodies["coupler"]
    s.channel("moment", fx.stress(coupler, 4, "Mz"), "N*mm")
    s.channel("sigma", fx.stress(coupler, 4, "sigma"), "MPa")
    run = fx.simulate(s, 1e-3, 1e-5)
    found = run.stress("coupler")
    ends = np.concatenate([x.forces[:, :, 0] for x in beams_at(found, 4)], axis=1)
    assert np.allclose(np.abs(run.channel("moment")), 1e3 * np.abs(ends[..., 5]).max(axis=1), rtol=1e-10)
    assert np.allclose(
        run.channel("sigma"),
        1e-6 * np.max([x.outer_stress().max(axis=(1, 2)) for x in beams_at(found, 4)], axis=0),
    )
    peak = next(p for p in run.stress_peaks() if (p.body, p.quantity) == ("coupler", "Mz"))
    assert abs(peak.value) == pytest.approx(np.abs(found["beam"].forces[..., 5]).max())
    assert np.allclose(peak.history, np.abs(found["beam"].forces[..., 5]).max(axis=(1, 2)))
    row, element, end = np.unravel_index(
        np.abs(found["beam"].forces[..., 5]).argmax(), found["beam"].forces.shape[:3]
    )
    assert (peak.time, peak.element) == (run.t[row], element)
    assert np.allclose(peak.place, run.equations.system.components["coupler"].body.mesh.nodes[element + end])


def test_a_stress_that_is_not_there_is_refused_in_words():
    s = build("four_bar")
    coupler = s.bodies["coupler"]
    for words, make in {
        "no component 'Mx'": lambda: fx.stress(coupler, 4, "Mx"),
        "face 'side'": lambda: fx.stress(coupler, 4, "von_mises", "side"),
        "no shell or solid at node 4": lambda: s.channel("a", fx.stress(coupler, 4, "von_mises"), "Pa"),
        "node 99": lambda: s.channel("b", fx.stress(coupler, 99, "N"), "N"),
        "crank": lambda: s.channel("c", fx.stress(s.bodies["crank"], 0, "N"), "N"),
        "recorded in N": lambda: s.channel("d", fx.stress(coupler, 4, "N"), "m"),
    }.items():
        with pytest.raises(ModelError, match=words):
            make()
