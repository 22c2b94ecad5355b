"""Pendulums whose answers are known, shared by the tests of the analyses."""

import numpy as np

import flexnet as fx

G = 9.81


def pendulum(angle: float = 0.3, rate: float = 0.0, length: float = 1.0, planar: bool = True) -> fx.System:
    """A point mass of 2 kg on a rod, hanging at an angle from the vertical."""
    s = fx.System("pendulum", planar=planar)
    s.gravity([0, -G, 0])
    R = fx.rotation("z", angle)
    inertia = 1e-9 if planar else [1e-9, 1e-9, 1e-9]
    bob = s.rigid_body("bob", 2.0, inertia, {"O": [0, length, 0]}, R @ [0, -length, 0], R)
    s.revolute("pivot", s.ground, bob["O"])
    s.start("pivot", angle=angle, rate=rate)
    s.channel("angle", fx.joint_coordinate("pivot"), "rad")
    return s


def governor(speed: float, length: float = 1.0) -> fx.System:
    """A pendulum on a shaft that is driven round the vertical (z); it swings about the shaft's y axis."""
    s = fx.System("governor")
    s.gravity([0, 0, -G])
    theta = float(np.arccos(min(G / (length * speed**2), 1.0)))
    R = fx.rotation("y", -theta)
    shaft = s.rigid_body("shaft", 1.0, [0.1, 0.1, 0.1])
    bob = s.rigid_body("bob", 2.0, [1e-9] * 3, {"O": [0, 0, length]}, R @ [0, 0, -length], R)
    s.revolute("bearing", s.ground, shaft)
    s.revolute("hinge", shaft, bob["O"], axis="y")
    s.motion("motor", joint="bearing", angle=fx.ramp(speed))
    s.start("hinge", angle=-theta, rate=0.0)
    return s


def slider_crank() -> fx.System:
    """A crank that hangs, a rod and a slider on a spring; planar, under gravity."""
    s = fx.System("slider_crank", planar=True)
    s.gravity([0, -G])
    rod_angle = float(np.arcsin(0.3 / 0.8))
    crank = s.rigid_body("crank", 1.0, 0.01, {"O": [0, 0.15], "A": [0, -0.15]}, position=[0, -0.15])
    rod = s.rigid_body(
        "rod", 1.0, 0.05, {"A": [-0.4, 0], "B": [0.4, 0]},
        position=[0.4 * np.cos(rod_angle), -0.15], rotation=fx.rotation("z", rod_angle),
    )  # fmt: skip
    slider = s.rigid_body("slider", 2.0, 0.01, position=[0.8 * np.cos(rod_angle), 0.0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider)
    s.spring("spring", s.ground.frame("wall", [1.5, 0]), slider, stiffness=200.0, free_length=0.7)
    s.start("O", angle=0.3)
    return s
