"""Gears and racks couple two joints: their rows in generated code are those of the kernels, in every tree."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation.symbolic import symbolic_dae


def planetary() -> fx.System:
    """Carrier, planet and sun in space; the planet meshes with the sun."""
    s = fx.System("planetary")
    s.gravity([0, -9.81, 0])
    inertia = [0.2, 0.2, 0.1]
    carrier = s.rigid_body("carrier", 1.0, inertia, frames={"pin": [1.0, 0, 0]})
    planet = s.rigid_body("planet", 1.5, inertia, {"O": [0.02, 0.01, 0]}, position=[0.98, -0.01, 0])
    sun = s.rigid_body("sun", 2.0, inertia)
    s.revolute("arm", s.ground, carrier)
    s.revolute("pin", carrier["pin"], planet["O"])
    s.revolute("shaft", carrier, sun)
    s.gear_pair("mesh", "shaft", "pin", ratio=-2.0, phase=0.3)
    s.start("arm", angle=0.4, rate=1.5)
    s.start("shaft", angle=-0.7, rate=0.8)
    return s


def rack() -> fx.System:
    """A pinion whose centre is off its axle drives a rack that pulls a spring."""
    s = fx.System("rack")
    s.gravity([0, -9.81, 0])
    inertia = [0.2, 0.3, 0.2]
    pinion = s.rigid_body("pinion", 1.0, inertia, {"O": [0.05, 0, 0]}, position=[-0.05, 0, 0])
    body = s.rigid_body("rack", 4.0, inertia, position=[0.2, -0.3, 0])
    s.revolute("axle", s.ground, pinion["O"])
    s.prismatic("guide", s.ground.frame("rail", [0, -0.3, 0]), body, axis="x")
    s.rack_pair("teeth", "axle", "guide", radius=0.3, phase=0.1)
    s.start("axle", angle=1.1, rate=-2.0)
    return s


@pytest.mark.sweep(4)
@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular", "default"])
@pytest.mark.parametrize("build", [planetary, rack])
def test_both_engines_have_the_same_equations_of_coupled_joints(build, tree):
    equations = fx.formulate(build(), tree)
    rng = np.random.default_rng(5)
    n, m = equations.n_v, equations.m
    a, lam = rng.standard_normal(n), rng.standard_normal(m)
    found = []
    for dae in (equations.dae(), symbolic_dae(equations)):
        r, phi, rate, bias = np.zeros(n), np.zeros(m), np.zeros(m), np.zeros(m)
        dae.residual(dae.model, dae.t, dae.q, dae.v, a, lam, dae.work, r, phi)
        dae.rates(dae.model, dae.v, a, dae.work, rate, bias)
        found.append(np.concatenate([r, phi, rate, bias]))
    assert found[1] == pytest.approx(found[0], rel=1e-11, abs=1e-11 * np.abs(found[0]).max())


@pytest.mark.parametrize("build", [planetary, rack])
def test_coupled_joints_move_the_same_by_either_engine(build):
    one, two = (fx.simulate(build(), 0.05, 1e-3, tree="absolute", engine=e) for e in ("numeric", "symbolic"))
    assert two["state/q"] == pytest.approx(one["state/q"], abs=1e-9)
    assert two["state/lambda"] == pytest.approx(one["state/lambda"], abs=1e-6)
