"""Three bodies, two pins, nothing to the ground: Léger, benchmark A.3; eight degrees of freedom.

    ──[r4] m1 [r5]── h10 ──[r6] m2 [r7]── h11 ──[r8] m3 [r9]──        floating

Bars of 2 m and 2 kg along their own y axes, I = (1, 0.1, 1) kg m². h10 turns about the x axis of m2,
h11 about its z axis; b10 = π/3, b11 = π/4, m2 aligned with the ground. Gravity along -z.
"""

import numpy as np

import flexnet as fx

END = 5.0


def build(g: float = 9.81) -> fx.System:
    """Build the chain.

    Parameters
    ----------
    g : gravity, m/s².
    """
    s = fx.System("leger_a03_three_bodies")
    s.gravity([0.0, 0.0, -g])
    J, R1, R3 = [1.0, 0.1, 1.0], fx.rotation("x", -np.pi / 3), fx.rotation("z", np.pi / 4)
    m1 = s.rigid_body(
        "m1", 2.0, J, {"r4": [0, -1, 0], "r5": [0, 1, 0]},
        position=np.array([0, -1, 0]) - R1 @ [0, 1, 0], rotation=R1,
    )  # fmt: skip
    m2 = s.rigid_body("m2", 2.0, J, {"r6": [0, -1, 0], "r7": [0, 1, 0]})
    m3 = s.rigid_body(
        "m3", 2.0, J, {"r8": [0, -1, 0], "r9": [0, 1, 0]},
        position=np.array([0, 1, 0]) + R3 @ [0, 1, 0], rotation=R3,
    )  # fmt: skip
    s.floats(m2)
    s.revolute("h10", m1["r5"], m2["r6"], axis="x")
    s.revolute("h11", m2["r7"], m3["r8"], axis="z")
    s.start("h10", angle=np.pi / 3, rate=0.0)
    s.start("h11", angle=np.pi / 4, rate=0.0)
    s.channel("beta_10", fx.joint_coordinate("h10"), "rad")
    s.channel("beta_11", fx.joint_coordinate("h11"), "rad")
    s.channel("m2_z", fx.position(m2, "z"), "m")
    return s
