r"""Quick-return mechanism: GTM §4.6.2, figures 16-19.

The crank BC turns steadily; its pin slides along the rocker AD, whose tip drives the ram at E
through a link. The ram goes to the left slowly and comes back fast.

        E ═══[m13]═══ s20, y = l1
              \ m12
               D                     h14 link-ram       s19 block on rocker
              /                      h15 link-rocker    s20 ram on ground
        C o[m10]  m9 rocker          h16 ground-rocker  h17 crank-block
         / B crank m11               h18 ground-crank   w21 driver of the crank
        A (0, -l2)

The paper takes its lengths from Haug (1989) without printing them, and they are not recoverable
from its equations; the lengths and masses below are ours, with its initial crank angle 0.4356 rad
and crank speed 4π rad/s.
"""

import numpy as np

import flexnet as fx

END = 1.0


def build(
    crank: float = 0.75,
    rocker: float = 3.5,
    link: float = 1.0,
    l1: float = 1.5,
    l2: float = 1.5,
    speed: float = 4.0 * np.pi,
    angle: float = 0.4356,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    crank : length BC = l7 + l8, m.
    rocker : length AD = l3 + l4, m.
    link : length DE = l5 + l6, m.
    l1 : height of the ram above the crank pivot B, m.
    l2 : depth of the rocker pivot A below B, m.
    speed : of the crank, rad/s.
    angle : of the crank at the start, rad.
    """
    s = fx.System("quick_return", planar=True)
    s.ground.add_frames({"R1": [0.0, l1], "R2": [0.0, -l2]})
    A, C = np.array([0.0, -l2, 0.0]), crank * np.array([np.cos(angle), np.sin(angle), 0.0])
    theta9 = np.arctan2(*(C - A)[1::-1])  # rocker, eq. (115)
    D = A + rocker * np.array([np.cos(theta9), np.sin(theta9), 0.0])
    theta12 = np.arccos((l1 - D[1]) / link)  # link along its own y axis, eq. (116)
    E = D + link * np.array([-np.sin(theta12), np.cos(theta12), 0.0])

    turned = [fx.rotation("z", a) for a in (theta9, angle, theta12)]
    m9 = s.rigid_body(
        "m9", 10.0, 10.0 * rocker**2 / 12, {"r3": [-rocker / 2, 0], "r4": [rocker / 2, 0]},
        position=(A + D) / 2, rotation=turned[0],
    )  # fmt: skip
    m10 = s.rigid_body("m10", 1.0, 0.01, position=C, rotation=turned[0])
    m11 = s.rigid_body(
        "m11", 3.0, 3.0 * crank**2 / 12, {"r7": [-crank / 2, 0], "r8": [crank / 2, 0]},
        position=C / 2, rotation=turned[1],
    )  # fmt: skip
    m12 = s.rigid_body(
        "m12", 2.0, 2.0 * link**2 / 12, {"r6": [0, -link / 2], "r5": [0, link / 2]},
        position=(D + E) / 2, rotation=turned[2],
    )  # fmt: skip
    m13 = s.rigid_body("m13", 5.0, 0.1, position=E)

    s.revolute("h14", m12["r5"], m13)
    s.revolute("h15", m12["r6"], m9["r4"])
    s.revolute("h16", s.ground["R2"], m9["r3"])
    s.revolute("h17", m11["r8"], m10)
    s.revolute("h18", s.ground, m11["r7"])
    s.prismatic("s19", m9["r3"], m10, axis="x")
    s.prismatic("s20", s.ground["R1"], m13, axis="x")
    s.motion("w21", joint="h18", angle=fx.ramp(speed, start=angle))
    s.channel("ram", fx.joint_coordinate("s20", "displacement"), "m", "figure 19")
    s.channel("rocker_angle", fx.joint_coordinate("h16"), "rad")
    s.channel("crank_torque", fx.torque("w21", "z"), "N m")
    return s
