"""Angles count whole turns in every tree, engine and method: springs, bushings and recorded joint angles.

The measure is a rotor wound up by several turns against a spring, J θ̈ = -k θ, whose angle is known in closed
form; its axis lies anyhow in space.
"""

from math import pi

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import State, formulate
from flexnet.formulation.symbolic import symbolic
from tests.symbolic.agreement import beside, distances

TREES = ("joint", "absolute", "absolute_angular", "default")
METHODS = {
    "hht": fx.hht(), "generalized": fx.generalised_alpha(0.9), "index-1": fx.acceleration_level(),
    "energy": fx.energy_preserving(), "decaying": fx.energy_decaying(),
}  # fmt: skip
J, K, WOUND = 0.3, 1.2, 13.0
OMEGA = (K / J) ** 0.5
TILT = fx.rotation("x", 0.7) @ fx.rotation("y", -0.4)
AXIS = TILT @ [0.0, 0.0, 1.0]


def rotor(element: str = "spring") -> fx.System:
    """A rotor on a pin that lies anyhow, begun 13 rad away from rest."""
    s = fx.System("rotor")
    body = s.rigid_body("rotor", 2.0, [0.2, 0.25, J], {"pin": [0, 0, 0]}, rotation=TILT)
    s.revolute("pin", s.ground.frame("at", [0, 0, 0], rotation=TILT), body["pin"], axis="z")
    if element == "spring":
        s.torsional_spring("winding", joint="pin", stiffness=K)
    elif element == "free spring":
        s.torsional_spring("winding", tail=s.ground["at"], head=body, axis="z", stiffness=K)
    else:
        s.bushing("winding", s.ground["at"], body["pin"], np.diag([0, 0, 0, 5.0, 7.0, K]), axis="z")
    s.start("pin", angle=0.0, rate=WOUND * OMEGA)
    s.channel("angle", fx.joint_coordinate("pin"), "rad")
    return s


def error(run: fx.Run) -> float:
    return float(np.abs(run.channel("angle") - WOUND * np.sin(OMEGA * run.t)).max())


@pytest.mark.parametrize("element", ["spring", "free spring", "bushing"])
@pytest.mark.parametrize("tree", TREES)
def test_a_wound_rotor_swings_as_its_closed_form(tree, element):
    """13 rad is twice round and more; a spring that wraps would never throw the rotor back."""
    run = fx.simulate(rotor(element), 4.0, 2e-3, tree=tree, interval=0.04)
    # h² ω² T θ̇/12: the error of the period of the method
    assert error(run) < 4e-4
    assert run.energy_error < 1e-3 * 0.5 * K * WOUND**2


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("element", ["spring", "free spring", "bushing"])
def test_every_method_and_engine_counts(element, tree, engine, method):
    run = fx.simulate(rotor(element), 4.0, 2e-3, METHODS[method], tree, interval=0.4, engine=engine)
    assert error(run) < 4e-4


@pytest.mark.parametrize("method", ["energy", "hht"])
def test_adaptive_steps_count(method):
    run = fx.simulate(rotor(), 4.0, 1e-3, METHODS[method], "absolute", tolerance=1e-5, interval=0.2)
    assert error(run) < 1e-3


def test_the_reference_route_counts():
    run = fx.simulate(rotor("bushing"), 4.0, 1e-3, fx.reference(1e-10), "absolute", interval=0.5)
    assert error(run) < 1e-7


@pytest.mark.parametrize("tree", TREES)
def test_rows_further_apart_than_a_turn_lose_none(tree):
    """Between two rows the rotor turns by up to 1.6 turns."""
    run = fx.simulate(rotor(), 4.0, 2e-3, tree=tree, interval=0.4)
    assert np.abs(np.diff(run.channel("angle"))).max() > 3 * pi
    assert error(run) < 4e-4


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("angle", [4.0, -4.0, 14.0, pi])
def test_a_start_angle_is_recorded_as_it_was_given(tree, angle):
    s = fx.System("start")
    body = s.rigid_body("body", 1.0, [0.1, 0.1, 0.1], {"end": [0.5, 0, 0]})
    s.revolute("pin", s.ground, body["end"], axis=[0.6, 0, 0.8])
    s.torsional_spring("spring", joint="pin", stiffness=2.0)
    s.start("pin", angle=angle, rate=0.0)
    s.channel("angle", fx.joint_coordinate("pin"), "rad")
    equations = formulate(s, tree)
    run = fx.simulate(equations, 1e-3, 1e-3)
    assert run.channel("angle")[0] == pytest.approx(angle, abs=1e-12)
    assert equations.energies(equations.initial)[1] == pytest.approx(0.5 * 2.0 * angle**2, rel=1e-12)


@pytest.mark.parametrize("method", ["hht", "energy"])
def test_a_stopped_run_goes_on_with_its_turns(tmp_path, method):
    """The same bits as a run that was never stopped."""
    settings = {"step": 4e-3, "method": METHODS[method], "interval": 0.1}
    whole = fx.simulate(formulate(rotor(), "absolute"), 4.0, out=tmp_path / "whole.h5", **settings)
    for end in (2.0, 4.0):
        part = fx.simulate(
            formulate(rotor(), "absolute"), end, out=tmp_path / "part.h5", resume=end > 2.0, **settings
        )
    for column in ("state/q", "channels/angle", "energy/potential"):
        assert np.array_equal(whole[column], part[column])
    assert np.ptp(part.channel("angle")) > 6 * pi


def test_poses_carry_turns_from_one_tree_to_another():
    """A state that knows no tree knows how often springs have been turned."""
    source = formulate(rotor(), "absolute")
    run = fx.simulate(source, 0.5, 1e-3, interval=0.5)
    state = State(0.5, run["state/q"][-1], run["state/v"][-1])
    energy = source.energies(state)
    for tree in TREES:
        target = formulate(rotor(), tree, poses=source.poses(state))
        assert target.energies(target.initial) == pytest.approx(energy, rel=1e-9)


def swivel(tilt: float = 0.6, axis: object = "z", turn: float = 1.1, at: object = (0.1, 0, 0)) -> fx.System:
    """A body on a bushing alone, far from its rest in every direction."""
    s = fx.System("swivel")
    rng = np.random.default_rng(2)
    A = rng.standard_normal((6, 6))
    R = fx.rotation([0.8, 0.6, 0.0], tilt) @ fx.rotation("z", turn)
    body = s.rigid_body("body", 1.0, [0.1, 0.2, 0.3], {"b": [0.1, 0.2, -0.1]}, at, rotation=R)
    damping = 0.1 * A.T @ A
    s.bushing("bushing", s.ground.frame("a", [0, 0.1, 0]), body["b"], A.T @ A + np.eye(6), damping, axis=axis)
    return s


@pytest.mark.parametrize("tilt", [0.0, 1e-5, 0.02, 0.6, 2.0, 3.0])
@pytest.mark.parametrize("axis", [None, "z", [0.6, 0, 0.8]])
def test_the_force_of_a_bushing_is_minus_the_slope_of_its_energy(tilt, axis):
    """However far it has swung and turned: F·v = -dV/dt along any motion, without the damping."""
    s = swivel(tilt, axis)
    e = formulate(s, "absolute")
    rng = np.random.default_rng(5)
    for _ in range(3):
        v = rng.standard_normal(6)
        at = e.compose(e.initial.q, 0.1 * rng.standard_normal(6))
        eps = 1e-5
        ends = [e.energies(State(0.0, e.compose(at, x * v), np.zeros(6)))[1] for x in (eps, -eps)]
        work = e.forces(State(0.0, at, np.zeros(6))) @ v
        assert work == pytest.approx(-(ends[0] - ends[1]) / (2 * eps), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("tilt", [0.3, 1.5, 2.8])
def test_the_torque_of_a_spring_is_minus_the_slope_of_its_energy(tilt):
    """However far its axes have swung apart: they are one at the start only."""
    s = fx.System("swung")
    body = s.rigid_body("body", 1.0, [0.1, 0.2, 0.3])
    s.torsional_spring("spring", head=body, axis=AXIS, stiffness=K)
    e = formulate(s, "absolute")
    at = e.compose(e.initial.q, np.array([0, 0, 0, 0.3, 0.8, -0.1]) * tilt)
    for v in np.eye(6):
        ends = [e.energies(State(0.0, e.compose(at, x * v), np.zeros(6)))[1] for x in (1e-5, -1e-5)]
        work = e.forces(State(0.0, at, np.zeros(6))) @ v
        assert work == pytest.approx(-(ends[0] - ends[1]) / 2e-5, rel=1e-6, abs=1e-8)


def test_a_bushing_with_and_without_an_axis_agree_to_first_order():
    """What they differ by is of the second order in the rotation."""
    off = []
    for turn in (1e-2, 1e-3):
        e = [formulate(swivel(0.0, axis, 0.0, (-0.1, -0.1, 0.1)), "absolute") for axis in ("z", None)]
        states = [State(0.0, x.compose(x.initial.q, [0, 0, 0, turn, -turn, turn]), np.zeros(6)) for x in e]
        forces = [x.forces(state) for x, state in zip(e, states, strict=True)]
        off.append(np.abs(forces[0] - forces[1]).max())
    assert off[0] / off[1] == pytest.approx(100.0, rel=0.1)


@pytest.mark.parametrize("axis", [None, "z", [0.6, 0, 0.8]])
@pytest.mark.parametrize("tree", ["absolute", "joint"])
def test_engines_agree_on_swing_and_twist(tree, axis):
    rng = np.random.default_rng(1)
    e = formulate(swivel(0.6, axis), tree)
    assert max(distances(symbolic(e), beside(e, rng), rng).values()) < 1e-9


@pytest.mark.parametrize("element", ["spring", "bushing"])
def test_engines_agree_beyond_half_a_turn_in_space(element):
    rng = np.random.default_rng(1)
    e = formulate(rotor(element), "absolute")
    moved = beside(e, rng)
    q = moved.q.copy()
    q[list(e.coordinates.counted.values())] += 4 * pi
    state = State(0.0, e.count(q, 0.0), moved.v)
    assert e.energies(state)[1] > 0.5 * K * (2 * pi) ** 2
    assert max(distances(symbolic(e), state, rng).values()) < 1e-9


def test_a_head_that_lies_otherwise_is_turned_about_the_same_axis():
    """The head's frame may point anywhere: the axis is the one at the start, and the torque acts along it."""
    runs = []
    for R in (np.eye(3), fx.rotation("x", pi / 2), fx.rotation("y", pi / 2), fx.rotation("x", pi)):
        s = fx.System("head")
        body = s.rigid_body("body", 2.0, [0.3, 0.3, 0.3])
        body.frame("h", [0, 0, 0], rotation=R)
        s.revolute("pin", s.ground, body, axis="z")
        # the angle of the head is measured from where its frame lies: a torque that does not depend on it
        s.torsional_spring("k", head=body["h"], axis="z", law=lambda x, rate, t: -0.2 * rate)
        s.start("pin", angle=0.0, rate=2.0)
        s.channel("torque", fx.torque("pin"), "N*m")
        runs.append(fx.simulate(s, 0.5, 2e-3, tree="absolute"))
    for run in runs:
        # of a torque of 0.4 N m along the axis, what the corrector leaves of it across the constraints:
        # docs/theory/corrector.md says 1e-5 at most
        assert np.abs(run.channel("torque")).max() < 1e-5 * 0.4
        assert run["energy/kinetic"] == pytest.approx(runs[0]["energy/kinetic"], rel=1e-8)


@pytest.mark.parametrize("tree", TREES)
def test_the_end_of_an_elastic_shaft_counts(tree):
    """A rotor at the end of a flexible body: an elastic frame between the two ends of the spring."""
    steel = fx.Material(E=2e11, nu=0.3, rho=7800.0)
    s = fx.System("shaft")
    beam = fx.beam_body(0.5, 2, steel, fx.circle(0.02))
    shaft = s.flexible_body("shaft", beam, support=fx.Clamped("start"))
    s.revolute("pin", s.ground, shaft["start"], axis="x")
    s.torsional_spring("winding", head=shaft["end"], axis="x", stiffness=20.0)
    s.start("pin", angle=0.0, rate=2000.0)
    s.channel("angle", fx.joint_coordinate("pin"), "rad")
    runs = [fx.simulate(s, 0.03, 2e-5, tree=t, interval=2e-3) for t in ("joint", tree)]
    assert np.ptp(runs[0].channel("angle")) > 2.5 * pi
    assert np.abs(runs[1].channel("angle") - runs[0].channel("angle")).max() < 1e-3


def test_a_bushing_without_an_axis_says_that_it_has_turned_over(tmp_path):
    """Its rotation vector jumps at half a turn: the run says so, and the file too."""
    s = fx.System("over")
    body = s.rigid_body("body", 1.0, [0.1, 0.1, 0.1], angular_velocity=[0, 0, 5.0])
    s.bushing("soft", s.ground, body, np.diag([1.0, 1, 1, 0.01, 0.01, 0.01]))
    with pytest.warns(UserWarning, match="bushing 'soft' has turned by half a turn and knows no axis"):
        run = fx.simulate(s, 1.0, 1e-2, out=tmp_path / "over.h5")
    assert "knows no axis" in fx.Results.open(tmp_path / "over.h5").status.message
    assert sum("knows no axis" in warning for warning in run.warnings) == 1


def test_steps_too_long_to_count_are_said():
    with pytest.warns(UserWarning, match="turned by .* in one step: beyond half a turn") as told:
        run = fx.simulate(rotor(), 1.0, 0.08, tree="absolute")
    assert {str(w.message).split(": ", 1)[1] for w in told} <= set(run.warnings)


def test_a_bushing_that_begins_half_a_turn_apart_is_refused():
    s = fx.System("flipped")
    body = s.rigid_body("body", 1.0, [0.1, 0.1, 0.1], rotation=fx.rotation("x", pi))
    s.bushing("soft", s.ground, body, np.eye(6), axis="z")
    with pytest.raises(fx.ModelError, match="bushing 'soft' begins with its frames half a turn apart"):
        formulate(s)


@pytest.mark.parametrize("R", [fx.rotation([1, 2, 3], 1.7), fx.rotation("y", pi / 2), fx.rotation("x", 2.9)])
@pytest.mark.parametrize("element", ["bushing", "spring"])
def test_a_head_with_another_axis_has_the_same_twist_in_every_tree(element, R):
    """The pin is a branch or is not: the twist is that of the quaternion, or of the head's own x or y."""
    start, found = 0.4, []
    for tree in TREES:
        s = fx.System("tilted")
        body = s.rigid_body("body", 2.0, [0.3, 0.4, 0.5], {"h": ([0, 0, 0], R)})
        s.revolute("pin", s.ground, body, axis="z")
        if element == "bushing":
            s.bushing("k", s.ground, body["h"], np.diag([0.0, 0, 0, 0, 0, K]), axis="z")
        else:
            s.torsional_spring("k", head=body["h"], axis="z", stiffness=K)
        s.start("pin", angle=start, rate=0.0)
        e = fx.formulate(s, tree)
        twist = np.sqrt(2 * e.energies(e.initial)[1] / K)
        found.append([twist, *fx.reactions(e, e.initial)["pin"].torque])
    turned = fx.rotation("z", start) @ R
    if element == "bushing":
        # R = swing · twist: the twist is the part of the quaternion along the axis
        expected = 2 * np.arctan2(turned[1, 0] - turned[0, 1], 1 + np.trace(turned))
    else:
        seen = turned[:, 0] if abs(turned[2, 0]) < 0.9 else turned[:, 1]
        expected = np.arctan2(seen[1], seen[0])
    assert np.array(found)[:, 0] == pytest.approx(abs(expected), rel=1e-12)
    assert np.ptp(found, axis=0).max() < 1e-12


def test_a_bushing_that_stands_still_at_more_than_a_right_angle_says_nothing():
    """What a rotation reaches next is told by its change from step to step, and the first has none."""
    s = fx.System("askew")
    body = s.rigid_body("body", 1.0, [0.1, 0.1, 0.1], rotation=fx.rotation("y", 2.0))
    s.bushing("soft", s.ground, body, np.diag([1.0, 1, 1, 1e-6, 1e-6, 1e-6]))
    assert fx.simulate(s, 0.02, 1e-3).warnings == ()
