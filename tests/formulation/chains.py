"""Mechanisms made for tests: every joint once, on frames with arbitrary positions and rotations."""

import numpy as np
import sympy as sp

import flexnet as fx
from tests.members import members

JOINTS = {
    "revolute": {"axis": (1.0, 2.0, -0.5)},
    "prismatic": {"axis": (0.3, -1.0, 0.7)},
    "cylindrical": {"axis": (0.0, 1.0, 1.0)},
    "spherical": {},
    "universal": {"axis_1": "x", "axis_2": (0.0, 1.0, 2.0)},
    "planar": {"axis": (1.0, 1.0, 1.0)},
    "weld": {},
    "free": {},
    "translational": {},
    "pin_in_slot": {"axis": "y", "slot": (1.0, 0.0, 1.0)},
}
x, y, z, phi = sp.symbols("x y z phi")
#: joints that bring conditions besides, or nothing else
FURTHER = {
    "screw": {"pitch": 0.4, "axis": (1.0, -2.0, 2.0)},
    "constant_velocity": {"axis": (2.0, 1.0, 0.5)},
    "distance_rod": {"length": 0.7},
    "point_on_curve": {"y": 0.3 * sp.sin(2 * x) + 0.1, "z": x**2 / 2},
    "point_on_surface": {"surface": x**2 + y**2 / 4 + sp.exp(z) - 1},
    **{name: arguments[0] for name, arguments in members(fx.Joint).items()},
}
SCALAR = tuple(name for name in JOINTS if name not in ("spherical", "free"))


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    return fx.rotation(rng.standard_normal(3), rng.uniform(-3, 3))


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Inertia of a few points of mass: always possible."""
    points = rng.standard_normal((5, 3))
    R = points - points.mean(axis=0)
    return sum(np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in R) * 0.1


def frames(rng: np.random.Generator) -> dict:
    return {key: (rng.uniform(-0.5, 0.5, 3), random_rotation(rng)) for key in ("a", "b")}


def chain(names, seed: int = 0, gravity: float = 9.81) -> fx.System:
    """Bodies in series from the ground, joined by the named joints."""
    rng = np.random.default_rng(seed)
    s = fx.System("chain")
    s.gravity([0.3 * gravity, 0.1 * gravity, -gravity])
    last = s.ground.frame("b", rng.uniform(-0.5, 0.5, 3), random_rotation(rng))
    R, p = last.rotation, last.position
    for i, name in enumerate(names):
        points = frames(rng)
        arm, turn = points["a"]
        R_body = R @ turn.T  # joint at its zero: tail and head frame coincide
        p_body = p - R_body @ arm
        body = s.rigid_body(
            f"body{i}", rng.uniform(0.5, 2), random_inertia(rng), points, position=p_body, rotation=R_body
        )
        getattr(s, name)(f"{name}{i}", last, body["a"], **(JOINTS | FURTHER)[name])
        last = body["b"]
        R, p = R_body @ last.rotation, p_body + R_body @ last.position
    return s
