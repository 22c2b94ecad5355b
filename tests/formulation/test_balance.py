"""Vertex postulate: at every body, joint loads and applied loads balance inertia.

Applied loads are computed here from the poses alone, in plain numpy.
"""

import numpy as np
import pytest

import flexnet as fx
from flexnet.components import Force, Torque, TranslationalSpring
from flexnet.graph import Kind
from tests.catalogue import NAMES, TREES, build
from tests.formulation.chains import JOINTS, chain
from tests.sampling import answer, random_pair, random_poses

#: force elements whose loads this page computes
WRITTEN = {"Force", "Torque", "TranslationalSpring", "Weight"}


def value(function, t):
    """Value of the kinds of functions that loads of the cases use."""
    if function.kind == "constant":
        return function.parameters[0]
    if function.kind == "harmonic":
        amplitude, omega, phase, offset = function.parameters
        return offset + amplitude * np.sin(omega * t + phase)
    (symbol,) = function.expression.free_symbols
    return float(function.expression.subs(symbol, t))


class Balance:
    """Sums of forces and of torques about the body frames."""

    def __init__(self, system, poses):
        self.system, self.poses = system, poses
        self.index = {name: i for i, name in enumerate(["ground", *system.bodies])}
        self.force, self.torque = np.zeros_like(poses.p), np.zeros_like(poses.p)

    def where(self, frame):
        i = self.index[frame.body]
        return self.poses.p[i] + self.poses.R[i] @ frame.position

    def speed(self, frame):
        i = self.index[frame.body]
        return self.poses.v[i] + np.cross(self.poses.omega[i], self.poses.R[i] @ frame.position)

    def push(self, body, point, force, torque=(0.0, 0.0, 0.0)):
        i = self.index[body]
        self.force[i] += force
        self.torque[i] += torque + np.cross(point - self.poses.p[i], force)

    def pair(self, part, force, torque=(0.0, 0.0, 0.0)):
        """A load on the head at the head's origin and its opposite, at the same point, on the tail."""
        point = self.where(part.head)
        self.push(part.head.body, point, force, torque)
        self.push(part.tail.body, point, np.negative(force), np.negative(torque))

    def apply(self, part):
        t = self.poses.t
        if isinstance(part, Force | Torque):
            load = np.array([value(f, t) for f in part.components])
            if part.follows:
                load = self.poses.R[self.index[part.head.body]] @ part.head.rotation @ load
            if isinstance(part, Force):
                self.push(part.head.body, self.where(part.head), load)
            else:
                self.torque[self.index[part.head.body]] += load
        elif isinstance(part, TranslationalSpring):
            d = self.where(part.head) - self.where(part.tail)
            dv = self.speed(part.head) - self.speed(part.tail)
            i = self.index[part.tail.body]
            if part.axis is None:
                u, x = d / np.linalg.norm(d), np.linalg.norm(d)
            else:
                u = self.poses.R[i] @ part.tail.rotation @ part.axis
                x, dv = u @ d, dv - np.cross(self.poses.omega[i], d)
            f = part.stiffness * (part.rest - x) - part.damping * (u @ dv) + value(part.actuator, t)
            self.pair(part, f * u)
        else:
            assert type(part).__name__ in WRITTEN, f"{part.name} is not written here"


def imbalance(system, poses, equations):
    """Largest unbalanced force and torque relative to the largest load."""
    balance = Balance(system, poses)
    motion = equations.motion(equations.initial)
    loads = fx.reactions(equations, equations.initial, motion)
    found = answer(equations, equations.initial, motion)
    for part in system.components.values():
        if part.kind is Kind.FORCE:
            balance.apply(part)
        elif part.kind in (Kind.JOINT, Kind.DRIVER):
            balance.pair(part, loads[part.name].force, loads[part.name].torque)
    bodies = [part for part in system.components.values() if part.kind is Kind.BODY]
    for i, body in enumerate(bodies, start=1):
        balance.force[i] += body.mass * (system._gravity - found.linear[i])
        J = poses.R[i] @ body.inertia @ poses.R[i].T
        w = poses.omega[i]
        balance.torque[i] -= J @ found.angular[i] + np.cross(w, J @ w)
    scale = 1e-9 + max(np.abs([load.force for load in loads.values()]).max(initial=0.0),
                       max(b.mass for b in bodies) * 9.81)  # fmt: skip
    reach = max(np.abs(poses.p).max(), 0.01)
    forces, torques = np.abs(balance.force[1:]).max(), np.abs(balance.torque[1:]).max()
    return forces / scale, torques / (scale * reach)


@pytest.mark.sweep(9)
@pytest.mark.parametrize("name", NAMES)
def test_forces_and_torques_balance_on_every_body_in_every_tree(name):
    system = build(name)
    others = {type(p).__name__ for p in system.components.values() if p.kind is Kind.FORCE} - WRITTEN
    if others:
        pytest.skip(f"not written in plain numpy here, held by check_component: {', '.join(others)}")
    rng = np.random.default_rng(21)
    poses = random_poses(system, rng)
    choices = [(tree, None, None) for tree in TREES]
    choices += [("default", *random_pair(system, rng)) for _ in range(3)]
    for tree, T, R in choices:
        equations = fx.formulate(system, tree, T, R, poses=poses)
        forces, torques = imbalance(system, poses, equations)
        assert forces < 1e-9
        assert torques < 1e-9


@pytest.mark.parametrize("joint", JOINTS)
def test_the_load_of_every_joint_lies_in_its_reaction_space(joint):
    """F·d = 0 for every free direction, T·u = 0 for every free rotation, about the head's origin."""
    system = chain([joint, "spherical"], seed=22)
    rng = np.random.default_rng(22)
    poses = random_poses(system, rng)
    part = system.components[f"{joint}0"]
    tail = system.ground.frames["b"].rotation
    head = poses.R[1] @ part.head.rotation
    for tree in TREES:
        equations = fx.formulate(system, tree, poses=poses)
        assert max(imbalance(system, poses, equations)) < 1e-10
        load = fx.reactions(equations, equations.initial)[part.name]
        for direction in part.terminal.translation.free:
            assert abs(load.force @ tail @ direction.vector) < 1e-9
        for u in turning_axes(part.terminal.rotation, tail, head):
            assert abs(load.torque @ u) < 1e-9


def turning_axes(rotation, tail, head):
    """Axes of the free rotations in ground."""
    if rotation.kind == "free":
        return list(np.eye(3))
    if rotation.kind == "universal":
        return [tail @ rotation.axes[0], head @ rotation.axes[1]]
    return [tail @ axis for axis in rotation.axes] if rotation.kind == "axis" else []
