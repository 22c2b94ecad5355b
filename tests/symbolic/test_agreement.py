"""The symbolic and the numeric engine are two writings of one set of equations."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation as Turn

import flexnet as fx
from flexnet.algebra import add, array_of, mul
from flexnet.formulation import State
from flexnet.formulation.symbolic import Evaluator, make_program, symbolic, symbolic_embedding
from flexnet.formulation.symbolic.embedding import eliminate
from tests.catalogue import NAMES, TREES, build
from tests.formulation.chains import FURTHER, JOINTS, chain, random_rotation
from tests.sampling import random_pair, random_poses
from tests.symbolic.agreement import beside, distance, distances

TOLERANCE = 1e-11
LARGE = ("leger_a10_serial", "leger_a11_stewart", "leger_a12_parallel_manipulator")


def check(equations, rng, rotations="quaternion"):
    far = distances(symbolic(equations, rotations=rotations), beside(equations, rng), rng)
    assert max(far.values()) < TOLERANCE, far
    return max(far.values())


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", NAMES)
def test_engines_agree_at_a_random_state(name):
    rng = np.random.default_rng(1)
    system = build(name)
    poses = random_poses(system, rng)
    check(fx.formulate(system, "joint", poses=poses), rng)
    if name not in LARGE:
        check(fx.formulate(system, "absolute", poses=poses), rng)
        check(fx.formulate(system, "default", *random_pair(system, rng), poses=poses), rng)


@pytest.mark.parametrize("name", ["slider_crank_gtm", "leger_a06_spatial_slider_crank", "leger_a08_3rpr"])
def test_accelerations_by_the_embedding_form_are_those_of_the_augmented_form(name):
    """At a random state: the pivots chosen at the start still do."""
    rng = np.random.default_rng(12)
    system = build(name)
    start = fx.formulate(system, "joint")
    made = symbolic(start)
    form = symbolic_embedding(made)
    at = fx.embed(start, start.initial, form.independent).M
    solved = eliminate(form.M.copy(), form.F[:, None].copy(), at)[:, 0]
    free = [add(*(mul(x, y) for x, y in zip(row, solved, strict=True))) for row in form.B]
    v_dot = array_of([add(x, y) for x, y in zip(free, form.bias, strict=True)])
    program = make_program(made, "equations", {"a": v_dot})
    state = start.state(random_poses(system, rng, travel=0.3))
    found = Evaluator(made, [program])("equations", state.t, q=state.q, v=state.v)
    assert distance(found["a"], start.motion(state).a) < 1e-9


def test_a_force_whose_edge_is_a_branch_is_not_mistaken_for_its_coordinates():
    """F13 has components F13.x and F13.y; as a branch it brings coordinates of the same names."""
    equations = fx.formulate(
        build("slider_crank_gtm"), translation=["m2", "h9", "F13"], rotation=["m3", "h10", "h9"]
    )
    assert "F13.x" in equations.coordinates.v_names
    check(equations, np.random.default_rng(1))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_engines_agree_for_ready_made_and_random_trees(name, seed):
    rng = np.random.default_rng([seed, 3])
    system = build(name)
    poses = random_poses(system, rng)
    choices = [(tree, None, None) for tree in TREES]
    choices += [("default", *random_pair(system, rng)) for _ in range(2 if name in LARGE else 5)]
    for tree, T, R in choices:
        check(fx.formulate(system, tree, T, R, poses=poses), rng)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("joint", JOINTS | FURTHER)
def test_engines_agree_for_every_joint_branch_or_chord(joint):
    rng = np.random.default_rng(2)
    check(fx.formulate(chain([joint], seed=3), "absolute"), rng)
    system = chain([joint, joint], seed=3)
    check(fx.formulate(system, "default", *random_pair(system, rng)), rng)


def loaded():
    """Every kind of force between the bodies of a chain, linear, by expression and by callable."""
    x, v, t = sp.symbols("x v t")
    system = chain(["universal", "spherical", "revolute"], seed=5)
    a, b, c = (system.bodies[f"body{i}"] for i in range(3))
    rng = np.random.default_rng(8)
    system.spring("line", system.ground, b["a"], stiffness=30.0, damping=2.0, free_length=0.3)
    system.spring("along", a["b"], c["b"], axis=(1.0, 2.0, 0.5), stiffness=5.0, force=fx.harmonic(2.0, 3.0))
    system.spring("stop", a["a"], c["a"], law=50 * sp.Max(0, 1 - x) ** 2 - sp.tanh(v) + sp.sin(t) * sp.Abs(x))
    system.spring("called", b["b"], system.ground, law=lambda x, v, t: np.cos(x) - v * t)
    system.torsional_spring("twist", joint="revolute2", stiffness=3.0, damping=0.2, free_angle=0.1)
    A = rng.standard_normal((6, 6))
    system.bushing("bush", a["b"], c["b"], stiffness=A @ A.T, damping=0.1 * A.T @ A)
    system.force("push", b["b"], [fx.ramp(2.0), fx.smooth_step(0, 3, 1.0), 1.5])
    system.force("follow", c["b"], [1.0, fx.harmonic(2, 5), 0.0], follows=True)
    system.torque("turn", c["a"], [0.0, fx.table([0, 1, 2], [0.0, 2.0, 1.0]), 1.0])
    return system


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_engines_agree_for_every_kind_of_force(tree):
    rng = np.random.default_rng(4)
    check(fx.formulate(loaded(), tree), rng)


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_engines_agree_for_drivers_of_every_kind(tree):
    rng = np.random.default_rng(6)
    s = fx.System("driven")
    s.gravity([0, 0, -9.81])
    R = random_rotation(rng)
    one = s.rigid_body("one", 1.0, [1.0, 2.0, 1.5], {"p": ([0.1, 0, 0.2], R.T)}, rotation=R)
    two = s.rigid_body("two", 2.0, [1.0, 0.5, 0.7], {"p": ([0, 0.3, 0], R.T)}, rotation=R)
    s.cylindrical("slide", s.ground, one["p"], axis=(1, 2, 2))
    s.motion("push", joint="slide", displacement=fx.harmonic(0.1, 3.0))
    s.motion("turn", joint="slide", angle=fx.cycloidal(0.0, 1.0, 2.0))
    s.motion("swing", tail=one, head=two["p"], angle=fx.harmonic(0.4, 2.0), axis=(1, 0, 2))
    s.motion("carry", head=two["p"], displacement=[fx.ramp(1.0), fx.harmonic(0.2, 1.0), fx.ramp(0.3)])
    check(fx.formulate(s, tree), rng)


@pytest.mark.parametrize("sequence", ["zxz", "xyz", "zyx"])
def test_angles_of_the_users_choice_describe_the_same_motion(sequence):
    """With ω = B(q) q̇ the equations in angles are Bᵀ times those in angular velocities."""
    rng = np.random.default_rng(9)
    system = chain(["spherical", "revolute"], seed=2)
    equations = fx.formulate(system, "joint")
    made = symbolic(equations, rotations=sequence)
    angles = rng.uniform(0.3, 0.9, 3)
    rates = rng.standard_normal(3)
    axes = [dict(zip("xyz", np.eye(3), strict=True))[c] for c in sequence]
    turns = [fx.rotation(axis, angle) for axis, angle in zip(axes, angles, strict=True)]
    R = turns[0] @ turns[1] @ turns[2]
    # ω in the turned frame, column by column
    B = np.column_stack([R.T @ axes[0], (turns[1] @ turns[2]).T @ axes[1], turns[2].T @ axes[2]])
    quaternion = np.roll(Turn.from_matrix(R).as_quat(), 1)
    start = equations.initial
    place = equations.coordinates.rotation["spherical0"]
    q, v = start.q.copy(), rng.standard_normal(equations.n_v)
    q[place.q : place.q + 4] = quaternion
    w = v.copy()
    v[place.v : place.v + 3] = rates
    w[place.v : place.v + 3] = B @ rates
    q_angles = np.concatenate([q[: place.q], angles, q[place.q + 4 :]])
    found = Evaluator(made)("equations", 0.0, q=q_angles, v=v)
    T = np.eye(equations.n_v)
    T[place.v : place.v + 3, place.v : place.v + 3] = B
    M, _ = equations.mass_and_jacobian(q)
    assert np.allclose(found["M"], T.T @ M @ T, rtol=1e-11, atol=1e-12)
    # the rate of B by differences of the symbolic force against the numeric one
    expected = np.linalg.solve(M, equations.forces(State(0.0, q, w)))
    rest = expected - T @ np.linalg.solve(found["M"], found["F"])
    h = 1e-6
    moved = [
        fx.rotation(axis, angle + h * rate) for axis, angle, rate in zip(axes, angles, rates, strict=True)
    ]
    Rh = moved[0] @ moved[1] @ moved[2]
    Bh = np.column_stack([Rh.T @ axes[0], (moved[1] @ moved[2]).T @ axes[1], moved[2].T @ axes[2]])
    assert np.allclose(rest[place.v : place.v + 3], (Bh - B) @ rates / h, atol=1e-5)
    assert np.allclose(np.delete(rest, range(place.v, place.v + 3)), 0.0, atol=1e-9)


def test_a_sequence_of_axes_that_cannot_be_is_refused():
    equations = fx.formulate(chain(["spherical"]), "joint")
    with pytest.raises(fx.FlexnetError, match="zzx"):
        symbolic(equations, rotations="zzx")


@pytest.mark.parametrize("name", ["slider_crank_dynaflex", "leger_a06_spatial_slider_crank", "squeezer"])
def test_embedding_form_agrees(name):
    equations = fx.formulate(build(name), "joint")
    made = symbolic(equations)
    form = symbolic_embedding(made)
    expected = fx.embed(equations, equations.initial, form.independent)
    outputs = {"M": form.M, "F": form.F, "B": form.B, "bias": form.bias}
    program = make_program(made, "equations", outputs)
    found = Evaluator(made, [program])("equations", 0.0, q=equations.initial.q, v=equations.initial.v)
    for key in outputs:
        assert distance(found[key], getattr(expected, key)) < 1e-10, key


#: flexible cases, small enough to be written out
ELASTIC = {
    "four_bar": {"modes": 2},
    "slider_crank_flexible": {"modes": 2},
    "spatial_slider_crank": {"modes": 4},
    "spatial_slider_crank_dynaflex": {},
    "spin_up_beam": {"modes": 3},
    "panel_deployment": {"modes": 2},
    "swing": {"pieces": 4},
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ELASTIC)
def test_engines_agree_for_flexible_bodies(name):
    """Every tensor of the table, geometric stiffening and the motion of its mass included."""
    rng = np.random.default_rng(5)
    equations = fx.formulate(build(name, **ELASTIC[name]), "joint")
    far = distances(symbolic(equations), beside(equations, rng, 0.01), rng)
    assert max(far.values()) < TOLERANCE, far


@pytest.mark.slow
@pytest.mark.parametrize("name", ELASTIC)
def test_engines_agree_for_flexible_bodies_in_ready_made_and_random_trees(name):
    rng = np.random.default_rng(7)
    system = build(name, **ELASTIC[name])
    choices = [(tree, None, None) for tree in TREES] + [("default", *random_pair(system, rng))]
    for tree, T, R in choices:
        equations = fx.formulate(system, tree, T, R)
        far = distances(symbolic(equations), beside(equations, rng, 0.01), rng)
        assert max(far.values()) < TOLERANCE, (tree, far)
