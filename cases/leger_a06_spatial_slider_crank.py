"""Spatial slider-crank: Léger, benchmark A.6 (after Haug).

    G ─[r4]─ h9 ─[r5] m1 [r6]─ b10 ─[r7] m2 [r8]─ u11 ─ m3 ─ s12 ─ G

The crank turns about x at (0, 0.12, 0.10) m, along its own y axis; a ball at its tip, a rod of 0.30 m
along its own x axis, a universal joint (first about x of the slider, then about z of the rod) at the
slider, which moves along x. Gravity along -z. Start: θ9 = 0, α11 = 0.46365, β11 = -0.84107 rad with
θ9' = -6, α11' = -1.92, β11' = 1.07331 rad/s. Pivot and directions follow from these numbers.
The rod's inertia is used as printed, although its small moment is not about the rod's own axis.
"""

import numpy as np

import flexnet as fx

END = 10.0


def build(g: float = 9.81, speed: float = -6.0) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    g : gravity, m/s².
    speed : initial crank rate, rad/s.
    """
    s = fx.System("leger_a06_spatial_slider_crank")
    s.gravity([0.0, 0.0, -g])
    pivot, slide = np.array([0.0, 0.12, 0.10]), np.array([0.2, 0.0, 0.0])
    alpha, beta = 0.46365, -0.84107
    s.ground.add_frames({"r4": pivot})
    tip = pivot + np.array([0, 0.08, 0])
    tilt = fx.rotation("x", alpha) @ fx.rotation("z", beta)
    m1 = s.rigid_body(
        "m1", 0.12, [1e-4, 1e-5, 1e-4], {"r5": [0, -0.04, 0], "r6": [0, 0.04, 0]},
        position=(pivot + tip) / 2, angular_velocity=[speed, 0, 0],
    )  # fmt: skip
    m2 = s.rigid_body(
        "m2", 0.50, [0.004, 0.004, 0.0004], {"r7": [-0.15, 0, 0], "r8": [0.15, 0, 0]},
        position=(tip + slide) / 2, rotation=tilt,
    )  # fmt: skip
    m3 = s.rigid_body("m3", 2.00, [1e-4, 1e-4, 1e-4], position=slide)
    s.revolute("h9", s.ground["r4"], m1["r5"], axis="x")
    s.spherical("b10", m1["r6"], m2["r7"])
    s.universal("u11", m3, m2["r8"], axis_1="x", axis_2="z")
    s.prismatic("s12", s.ground, m3, axis="x")
    s.start("h9", angle=0.0, rate=speed)
    s.channel("theta_9", fx.joint_coordinate("h9"), "rad")
    s.channel("slider", fx.joint_coordinate("s12", "displacement"), "m")
    s.channel("slider_rate", fx.joint_rate("s12", "displacement"), "m/s")
    return s
