"""Spatial serial manipulator: Léger, benchmark A.10; six degrees of freedom.

    G ─ h12 ─[r5] m1 [r6]─ h13 ─[r7] m2 [r8]─ h14 ─[r9] m3 [r10]─ b15 ─[r11] m4
                    └───────────── vp16 (virtual planar) ─────┘

h12 turns about z, h13 and h14 about the x axis of m1. Body 1: 1 m, 312.04 kg, along its z axis; bodies
2 and 3: 2 m, 624.08 kg; body 4: 1 m, 312.04 kg, along their x axes. Start at rest with b12 = 0,
b13 = π/2, b14 = 0 and Euler 3-1-3 angles (-π/2, π/2, π/2) of b15 rad; gravity along -z.

The thesis does not give the constant rotations of the arms. Here bodies 2 and 3 stand up along z of m1
when their joint angle is zero, and the Euler angles of b15 turn m4 from the frame at the end of m3.
"""

import numpy as np

import flexnet as fx

END = 4.0

#: frame at the ends of bodies 2 and 3: its x axis is the joint axis, its z axis the bar
HINGE = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def build(g: float = 9.81) -> fx.System:
    """Build the manipulator.

    Parameters
    ----------
    g : gravity, m/s².
    """
    s = fx.System("leger_a10_serial")
    s.gravity([0.0, 0.0, -g])
    long_J, short_J = [4.1605, 210.1069, 210.1069], [2.0803, 27.0435, 27.0435]
    R = fx.rotation("x", np.pi / 2) @ HINGE.T
    shoulder = np.array([0.0, 0.0, 1.0])
    elbow, wrist = shoulder + R @ [2, 0, 0], shoulder + R @ [4, 0, 0]
    R4 = R @ HINGE @ fx.euler("313", [-np.pi / 2, np.pi / 2, np.pi / 2])
    m1 = s.rigid_body(
        "m1", 312.04, [27.0435, 27.0435, 2.0803], {"r5": [0, 0, -0.5], "r6": [0, 0, 0.5]}, shoulder / 2
    )
    m2 = s.rigid_body(
        "m2", 624.08, long_J, {"r7": ([-1, 0, 0], HINGE), "r8": ([1, 0, 0], HINGE)},
        position=(shoulder + elbow) / 2, rotation=R,
    )  # fmt: skip
    m3 = s.rigid_body(
        "m3", 624.08, long_J, {"r9": ([-1, 0, 0], HINGE), "r10": ([1, 0, 0], HINGE)},
        position=(elbow + wrist) / 2, rotation=R,
    )  # fmt: skip
    m4 = s.rigid_body(
        "m4", 312.04, short_J, {"r11": [-0.5, 0, 0]}, position=wrist + R4 @ [0.5, 0, 0], rotation=R4
    )
    s.revolute("h12", s.ground, m1["r5"], axis="z")
    s.revolute("h13", m1["r6"], m2["r7"], axis="x")
    s.revolute("h14", m2["r8"], m3["r9"], axis="x")
    s.spherical("b15", m3["r10"], m4["r11"])
    s.virtual("vp16", "planar", m1["r6"], m3["r9"], axis="x")
    s.start("h12", angle=0.0, rate=0.0)
    s.start("h13", angle=np.pi / 2, rate=0.0)
    s.start("h14", angle=0.0, rate=0.0)
    s.channel("beta_12", fx.joint_coordinate("h12"), "rad")
    s.channel("beta_13", fx.joint_coordinate("h13"), "rad")
    s.channel("hand_z", fx.position(m4, "z"), "m")
    return s
