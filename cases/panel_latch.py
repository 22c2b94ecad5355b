r"""Deploying panels that latch: where the energy goes.

    satellite ═╗  hinge_1   hinge_2
               ╚══════o═══════o═══════      latched at 90° and 180°

Two folded panels (1 m, 3 kg each) are let go from a satellite of 200 kg that floats. Springs in the hinges
open them; where a hinge has come to its angle it latches: the joint is locked by a blow, in which momentum is
kept and kinetic energy is lost. Each latch and what it takes is in ``run.events``; the audit holds it as
damping. When both are latched everything turns as one body, as slowly as it began: not at all.
"""

import numpy as np

import flexnet as fx

END = 12.0
STEP = 5e-3


def build(length: float = 1.0, mass: float = 3.0, stiffness: float = 0.4, damping: float = 0.05) -> fx.System:
    """Build the satellite.

    Parameters
    ----------
    length : of a panel, m.
    mass : of a panel, kg.
    stiffness : of a hinge, N m/rad.
    damping : of a hinge, N m s/rad.
    """
    s = fx.System("panel_latch", planar=True)
    half = length / 2
    hub = s.rigid_body("hub", 200.0, 40.0, {"A": [0.5, 0.0]})
    s.floats(hub)
    panels = []
    for i, angle in enumerate((np.pi / 2, -np.pi / 2)):
        R = fx.rotation("z", angle)
        middle = [0.5, half, 0.0]
        panels.append(
            s.rigid_body(
                f"panel_{i + 1}", mass, mass * length**2 / 12, {"in": [-half, 0], "out": [half, 0]},
                position=middle, rotation=R,
            )
        )  # fmt: skip
    s.revolute("hinge_1", hub["A"], panels[0]["in"])
    s.revolute("hinge_2", panels[0]["out"], panels[1]["in"])
    for name, start, end in (("hinge_1", np.pi / 2, 0.0), ("hinge_2", -np.pi, 0.0)):
        angle = fx.joint_coordinate(name)
        s.start(name, angle=start)
        s.torsional_spring(
            f"spring_{name}", name, stiffness=stiffness, damping=damping, free_angle=-0.3 * start
        )
        direction = "falling" if start > 0 else "rising"
        s.event(f"latch_{name}", angle - end, fx.lock(name, impact=True), direction)
        s.channel(name, angle, "rad")
    s.channel("hub_rate", fx.angular_velocity(hub, "z"), "rad/s")
    return s
