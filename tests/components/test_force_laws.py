"""Springs, dampers, actuators, bushings, forces and torques: laws against plain computations."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import flexnet as fx
from flexnet.formulation import State
from tests.formulation.chains import random_inertia, random_rotation

x_, v_, t_ = sp.symbols("x v t")
K, C, REST = 70.0, 3.0, 0.4

LAWS = {
    "linear": {"stiffness": K, "damping": C},
    "callable": {"law": lambda x, v, t: K * (REST - x) - C * v},
    "expression": {"law": K * (REST - x_) - C * v_},
}


def two_bodies(seed=0):
    """Two free bodies in general position and motion, each with a turned frame."""
    rng = np.random.default_rng(seed)
    s = fx.System("pair")
    for name in ("one", "two"):
        s.rigid_body(
            name, rng.uniform(0.5, 2), random_inertia(rng),
            {"p": (rng.uniform(-0.5, 0.5, 3), random_rotation(rng))},
            position=rng.uniform(-1, 1, 3), rotation=random_rotation(rng),
            velocity=rng.uniform(-2, 2, 3), angular_velocity=rng.uniform(-2, 2, 3),
        )  # fmt: skip
        s.free(f"float_{name}", s.ground, s.bodies[name])
    return s, s.bodies["one"]["p"], s.bodies["two"]["p"]


def wrenches(system, t=0.0):
    """Applied force and torque about its frame on every body: (bodies, 6) from d'Alembert's terms."""
    equations = fx.formulate(system, "absolute")
    state = State(t, equations.initial.q, equations.initial.v)
    names = equations.coordinates.v_names
    poses = equations.poses(state)
    F = equations.forces(state)
    out = []
    for i, (name, body) in enumerate(system.bodies.items(), start=1):
        force = [F[names.index(f"{name}.{c}")] for c in "xyz"]
        moment = poses.R[i] @ [F[names.index(f"{name}.omega_{c}")] for c in "xyz"]
        J = poses.R[i] @ system.components[name].inertia @ poses.R[i].T
        moment = moment + np.cross(poses.omega[i], J @ poses.omega[i])
        out.append(np.concatenate([force, moment]))
        assert body.name == name
    return np.array(out), poses


def points(system, poses):
    """Position, velocity and orientation of the two attachment frames."""
    found = []
    for i, body in enumerate(system.bodies.values(), start=1):
        arm = poses.R[i] @ body["p"].position
        found.append(
            (
                poses.p[i] + arm,
                poses.v[i] + np.cross(poses.omega[i], arm),
                poses.R[i] @ body["p"].rotation,
                arm,
            )
        )
    return found


@pytest.mark.parametrize("axis", [None, (1.0, -2.0, 0.5)])
@pytest.mark.parametrize("law", LAWS)
def test_translational_spring(law, axis):
    system, a, b = two_bodies()
    system.spring("s", a, b, free_length=REST, axis=axis, force=fx.harmonic(2.0, 1.0), **LAWS[law])
    found, poses = wrenches(system, t=0.7)
    (pa, va, Ra, arm_a), (pb, vb, _, arm_b) = points(system, poses)
    d, dv = pb - pa, vb - va
    if axis is None:
        x = np.linalg.norm(d)
        u, rate = d / x, dv @ d / x
    else:
        u = Ra @ axis / np.linalg.norm(axis)
        x, rate = u @ d, u @ (dv - np.cross(poses.omega[1], d))
    f = (K * (REST - x) - C * rate + 2 * math.sin(0.7)) * u
    assert np.allclose(found[1], [*f, *np.cross(arm_b, f)], rtol=1e-12, atol=1e-12)
    # on the tail the opposite force acts along the same line
    assert np.allclose(
        found[0], [*-f, *-np.cross(arm_a + (d if axis is not None else 0), f)], rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("law", LAWS)
def test_torsional_spring_on_a_joint(law, tree):
    """T = k (θ₀ - θ) - c θ̇, joint a branch or a chord."""
    s = fx.System("hinge")
    R = random_rotation(np.random.default_rng(1))
    body = s.rigid_body("body", 1.0, [1.0, 2.0, 1.5], {"p": ([0, 0, 0], R.T)}, rotation=R)
    s.revolute("pin", s.ground, body["p"], axis=(1, 2, 2))
    s.torsional_spring("s", joint="pin", free_angle=REST, **LAWS[law])
    s.start("pin", angle=-0.9, rate=1.7)
    equations = fx.formulate(s, tree)
    a = equations.motion(equations.initial)
    equations.residual(equations.initial, a.a, a.lam)
    omega_dot = equations.work.omega_dot[1].copy()
    axis = np.array([1, 2, 2]) / 3
    J = (
        equations.poses(equations.initial).R[1]
        @ np.diag([1.0, 2.0, 1.5])
        @ equations.poses(equations.initial).R[1].T
    )
    torque = K * (REST + 0.9) - C * 1.7
    assert axis @ omega_dot == pytest.approx(torque / (axis @ J @ axis), rel=1e-10)


def test_torsional_spring_counts_whole_turns_where_its_joint_is_a_branch():
    s = fx.System("hinge", planar=True)
    body = s.rigid_body("body", 1.0, 2.0)
    s.revolute("pin", s.ground, body)
    s.torsional_spring("s", joint="pin", stiffness=K)
    s.start("pin", angle=7.0, rate=0.0)
    equations = fx.formulate(s, "joint")
    assert equations.initial.q == pytest.approx([7.0])
    assert equations.motion(equations.initial).a == pytest.approx([-K * 7.0 / 2.0])


def test_torsional_spring_between_frames_without_a_joint():
    system, a, b = two_bodies(3)
    system.torsional_spring("s", tail=a, head=b, axis="z", stiffness=K, damping=C, free_angle=REST)
    found, poses = wrenches(system)
    (_, _, Ra, _), (_, _, Rb, _) = points(system, poses)
    E = Ra.T @ Rb
    angle = math.atan2(E[:, 0] @ normals_z()[1], E[:, 0] @ normals_z()[0])
    # the axis of the tail at the start is that of both, and the torque acts along it
    rate = Ra[:, 2] @ (poses.omega[2] - poses.omega[1])
    T = (K * (REST - angle) - C * rate) * Ra[:, 2]
    assert np.allclose(found[1, 3:], T, rtol=1e-8, atol=1e-7)
    assert np.allclose(found[0, 3:], -T, rtol=1e-8, atol=1e-7)
    assert np.abs(found[:, :3]).max() < 1e-12


def normals_z():
    return np.array([1.0, 0, 0]), np.array([0, 1.0, 0])


def test_torque_on_a_joint_acts_on_both_bodies():
    system, a, b = two_bodies(4)
    system.revolute("pin", a, b, axis="x")
    system.torque("motor", joint="pin", torque=fx.ramp(2.0, start=1.0))
    assert system.components["motor"].joint == "pin"
    equations = fx.formulate(system, "joint", rotation=["float_one", "pin"])
    before = equations.forces(State(0.0, equations.initial.q, equations.initial.v))
    later = equations.forces(State(2.0, equations.initial.q, equations.initial.v))
    change = later - before
    k = equations.coordinates.v_names.index("pin.angle")
    assert change[k] == pytest.approx(4.0)
    assert np.abs(np.delete(change, k)).max() < 1e-10


@pytest.mark.parametrize("follows", [False, True])
def test_force_and_torque_fixed_in_ground_or_following_the_frame(follows):
    system, a, _ = two_bodies(5)
    system.force("f", a, [1.0, fx.ramp(2.0), -3.0], follows=follows)
    system.torque("m", a, [0.5, 0.0, fx.ramp(1.0)], follows=follows)
    found, poses = wrenches(system, t=1.5)
    (_, _, Ra, arm), _ = points(system, poses)
    R = Ra if follows else np.eye(3)
    F, T = R @ [1.0, 3.0, -3.0], R @ [0.5, 0.0, 1.5]
    assert np.allclose(found[0], [*F, *(T + np.cross(arm, F))], rtol=1e-12, atol=1e-12)
    assert np.abs(found[1]).max() < 1e-12


def bushing_pair(seed=6, scale=0.0):
    """Two frames that coincide, up to a small displacement."""
    rng = np.random.default_rng(seed)
    s = fx.System("bushing")
    arm, turn = rng.uniform(-0.5, 0.5, 3), random_rotation(rng)
    R = random_rotation(rng)
    s.ground.frame("a", R @ arm, R @ turn)
    s.rigid_body("body", 1.0, [1.0, 1.0, 1.0], {"b": (arm, turn)}, rotation=R)
    s.free("float", s.ground.frames["a"], s.bodies["body"]["b"])
    A = rng.standard_normal((6, 6))
    stiffness = 100 * (A @ A.T + np.eye(6))
    damping = 5 * (A.T @ A + np.eye(6))
    s.bushing("bush", s.ground.frames["a"], s.bodies["body"]["b"], stiffness, damping)
    return s, stiffness, damping


def test_bushing_tangent_is_its_stiffness_and_damping():
    """Generalised forces of a free joint at the bushing: ∂F/∂q = -K, ∂F/∂v = -C at the unloaded state."""
    system, stiffness, damping = bushing_pair()
    equations = fx.formulate(system, "joint")
    q, n = equations.initial.q, equations.n_v
    assert n == 6
    h = 1e-6
    zero = np.zeros(n)

    def force(dq, dv):
        return equations.forces(State(0.0, equations.compose(q, dq), dv))

    K_found = np.array([(force(h * e, zero) - force(-h * e, zero)) / (2 * h) for e in np.eye(n)]).T
    C_found = np.array([(force(zero, h * e) - force(zero, -h * e)) / (2 * h) for e in np.eye(n)]).T
    assert np.allclose(-K_found, stiffness, rtol=1e-6, atol=1e-5)
    assert np.allclose(-C_found, damping, rtol=1e-6, atol=1e-5)
    assert np.abs(force(zero, zero)).max() < 1e-10


def bushing_potential(stiffness, pa, Ra, pb, Rb):
    x = np.concatenate([Ra.T @ (pb - pa), Rotation.from_matrix(Ra.T @ Rb).as_rotvec()])
    return 0.5 * x @ stiffness @ x


def test_bushing_far_from_its_rest_has_the_potential_of_displacement_and_rotation_vector():
    """The wrench on the head is minus the gradient of ½ (d, φ)ᵀK(d, φ); the tail balances it."""
    A = np.random.default_rng(8).standard_normal((6, 6))
    stiffness = A @ A.T
    system, a, b = two_bodies(9)
    system.bushing("bush", a, b, stiffness)
    found, poses = wrenches(system)
    (pa, _, Ra, arm_a), (pb, _, Rb, arm_b) = points(system, poses)
    h = 1e-6
    gradient = np.zeros(6)
    for k, e in enumerate(np.eye(3)):
        gradient[k] = sum(s * bushing_potential(stiffness, pa, Ra, pb + s * h * e, Rb) for s in (1, -1))
        turned = {s: Rotation.from_rotvec(s * h * e).as_matrix() @ Rb for s in (1, -1)}
        gradient[3 + k] = sum(s * bushing_potential(stiffness, pa, Ra, pb, R) for s, R in turned.items())
    F, T = -gradient[:3] / (2 * h), -gradient[3:] / (2 * h)
    assert np.allclose(found[1], [*F, *(T + np.cross(arm_b, F))], rtol=1e-7, atol=1e-7)
    assert np.allclose(found[0], [*-F, *-(T + np.cross(arm_a + pb - pa, F))], rtol=1e-7, atol=1e-7)


def test_a_law_that_is_given_twice_or_makes_no_sense_is_refused():
    system, a, b = two_bodies()
    with pytest.raises(fx.ModelError, match="both a law and a stiffness"):
        system.spring("s", a, b, stiffness=1.0, law=lambda x, v, t: 0.0)
    with pytest.raises(fx.ModelError, match=r"spring\('s'\): stiffness is nan; expected a finite"):
        system.spring("s", a, b, stiffness=math.nan)
    with pytest.raises(fx.ModelError, match=r"finite \(6, 6\) stiffness"):
        system.bushing("s", a, b, np.eye(3))
    system.spring("s", a, b, law=sp.Symbol("y") * x_)
    with pytest.raises(fx.ModelError, match=r"law of 's' contains \['y'\]; it may contain x, v and t"):
        fx.formulate(system)


@pytest.mark.parametrize(
    ("law", "told"),
    [
        (lambda x, v, t: math.nan, "the law of 's' gave a value that is not a number"),
        (
            lambda x, v, t: math.sqrt(-1.0),
            "the law of 's' gave a value that is not a number: math domain error",
        ),
        (lambda x, v, t: "much", "the law of 's' gave a value that is not a number: could not convert"),
        (sp.log(-x_), "the law of 's' gave a value that is not a number"),
    ],
)
def test_a_law_that_gives_no_number_is_named(law, told):
    system, a, b = two_bodies()
    system.spring("s", a, b, law=law)
    equations = fx.formulate(system)
    with pytest.raises(fx.ModelError, match=told):
        equations.motion(equations.initial)


def test_a_force_that_becomes_nan_is_named():
    system, a, _ = two_bodies()
    system.force("push", a, [lambda t: math.nan, 0.0, 0.0])
    equations = fx.formulate(system)
    with pytest.raises(fx.ModelError, match="the law of 'push' gave a value that is not a number"):
        equations.motion(equations.initial)


def test_a_driver_that_becomes_nan_is_named():
    system, _, b = two_bodies()
    system.motion("drive", head=b, angle=lambda t: math.nan if t > 0.1 else t)
    equations = fx.formulate(system)
    with pytest.raises(fx.ModelError, match="'drive' gave a value that is not a number"):
        equations.motion(State(0.5, equations.initial.q, equations.initial.v))
