"""Mechanisms with a controller, friction and an event move alike in every tree and by both engines."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexnet as fx
from flexnet.graph import RULES

#: what a mechanism is; each has the joints ``held`` (PID), ``rubs`` (friction) and ``latches`` (event)
MECHANISMS = {}


def mechanism(build):
    MECHANISMS[build.__name__] = build
    return build


def link(s, name, rng, x, tail, joint, **how):
    """A link from x on, and where it ends."""
    half, mass = rng.uniform(0.1, 0.3), rng.uniform(0.5, 2.0)
    inertia = mass * half**2 / 3
    body = s.rigid_body(
        name, mass, inertia if s.is_planar else [0.2 * inertia, inertia, inertia],
        {"in": [-half, 0, 0], "out": [half, 0, 0]}, position=[x + half, 0, 0],
    )  # fmt: skip
    s.revolute(joint, tail, body["in"], **how)
    return body["out"], x + 2 * half


@mechanism
def chain(rng):
    """Three links in a plane."""
    s = fx.System("chain", planar=True)
    tail, x = s.ground.origin, 0.0
    for k, joint in enumerate(("held", "rubs", "latches")):
        tail, x = link(s, f"link_{k}", rng, x, tail, joint)
    return s


@mechanism
def spatial(rng):
    """Three links whose pins have other directions each, and a ball joint with a load."""
    s = fx.System("spatial")
    tail, x = s.ground.origin, 0.0
    for k, (joint, axis) in enumerate((("held", "z"), ("rubs", [0.2, 1, 0]), ("latches", "z"))):
        tail, x = link(s, f"link_{k}", rng, x, tail, joint, axis=axis)
    load = s.rigid_body("load", 0.3, [1e-3, 2e-3, 3e-3], {"top": [0, 0.1, 0]}, position=[x, -0.1, 0])
    s.spherical("ball", tail, load["top"])
    return s


@mechanism
def loop(rng):
    """Five bars: two freedoms, one loop."""
    s = fx.System("loop", planar=True)
    a, b = rng.uniform(0.2, 0.3, 2)
    c, base = rng.uniform(0.5, 0.6, 2)
    crank = s.rigid_body("crank", 1.0, 0.02, {"in": [0, -a / 2], "out": [0, a / 2]}, position=[0, a / 2])
    other = s.rigid_body("other", 1.2, 0.03, {"in": [0, -b / 2], "out": [0, b / 2]}, position=[base, b / 2])
    s.revolute("held", s.ground, crank["in"])
    s.revolute("latches", s.ground.frame("B", [base, 0]), other["in"])
    ends = np.array([0.0, a]), np.array([base, b])
    middle = 0.5 * (ends[0] + ends[1])
    off = np.array([0.0, np.sqrt(c**2 - np.sum((ends[1] - middle) ** 2))])
    for name, end, pin, at in (("left", ends[0], "rubs", crank), ("right", ends[1], "pin", other)):
        way = middle + off - end
        angle = float(np.arctan2(way[1], way[0]))
        frames = {"in": [-c / 2, 0], "out": [c / 2, 0]}
        bar = s.rigid_body(name, 0.5, 0.01, frames, [*(end + way / 2), 0], fx.rotation("z", angle))
        s.revolute(pin, at["out"], bar["in"])
    s.revolute("top", s.bodies["left"]["out"], s.bodies["right"]["out"])
    return s


@mechanism
def flexible(rng):
    """Two links in a plane, and a third that bends."""
    s = fx.System("flexible", planar=True)
    tail, x = s.ground.origin, 0.0
    for k, joint in enumerate(("held", "rubs")):
        tail, x = link(s, f"link_{k}", rng, x, tail, joint)
    steel = fx.Material(E=7e10, nu=0.33, rho=2700.0)
    bar = fx.beam_body(rng.uniform(0.3, 0.5), 2, steel, fx.rectangle(0.004, 0.02))
    bent = s.flexible_body("bar", bar, support=fx.Clamped("start"), modes=2, position=[x, 0, 0])
    s.revolute("latches", tail, bent["start"])
    s.channel("tip", fx.deflection(bent, "end", "y"))
    return s


def controlled(kind: str, seed: int) -> fx.System:
    """One of the mechanisms in its weight: a PID controller, friction, and a latch that strikes."""
    rng = np.random.default_rng(seed)
    s = MECHANISMS[kind](rng)
    s.gravity([0, -9.81, 0])
    s.servo("servo", "held", rng.uniform(-0.3, 0.3), 60.0, 40.0, 8.0)
    s.joint_friction("rub", "rubs", rng.uniform(0.1, 0.4), slip=0.1)
    s.start("latches", angle=0.2 if kind != "loop" else 0.0, rate=-6.0)
    past = 0.15 if kind != "loop" else -0.2
    angle = fx.joint_coordinate("latches")
    s.event("latch", angle - past + rng.uniform(0.05, 0.1), fx.lock("latches", impact=True), "falling")
    for joint in ("held", "rubs", "latches"):
        s.channel(joint, fx.joint_coordinate(joint))
    return s


def alike(kind, seed, trees, engines=("numeric", "symbolic")):
    how = {"end": 0.2, "step": 1e-3, "method": fx.dop853(), "interval": 0.02, "tolerance": 1e-9}
    first = fx.simulate(controlled(kind, seed), engine="numeric", **how)
    for tree in trees:
        for engine in engines:
            run = fx.simulate(controlled(kind, seed), tree=tree, engine=engine, **how)
            for one, other in zip(run.events, first.events, strict=True):
                assert one.t == pytest.approx(other.t, abs=1e-7)
                assert one.impulse == pytest.approx(other.impulse, rel=1e-5)
            for channel in first.equations.system.channels:
                assert run.channel(channel.name) == pytest.approx(first.channel(channel.name), abs=1e-6)
    return first


SAMPLE = [("chain", "absolute"), ("spatial", "joint"), ("loop", "absolute"), ("flexible", "joint")]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("kind", "tree"), SAMPLE)
def test_one_of_each_moves_alike_by_both_engines(kind, tree):
    assert len(alike(kind, 3, [tree]).events) == 1


@pytest.mark.slow
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(kind=st.sampled_from(list(MECHANISMS)), seed=st.integers(0, 10**6))
def test_random_mechanisms_move_alike_in_every_tree_and_by_both_engines(kind, seed):
    alike(kind, seed, RULES)
