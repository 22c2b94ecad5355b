"""Planar slider-crank: GTM §4.1 and §4.6.3, figures 10-12.

          h10
         o────____ [r8]
    m1  / [r6]  m2 ────o h11 ▭ m3 ──► F13
       / [r5]           ═══════ s12 along x
    h9 o

Crank along its own x axis, rod from h10 to h11 along its own -y axis: then the equations of motion in
the trees of the paper are its (125), (134)-(139) as printed. The paper gives no numbers.
"""

import numpy as np

import flexnet as fx

END = 2.0


def build(
    m: tuple[float, float, float] = (1.0, 1.5, 2.0),
    I: tuple[float, float, float] = (0.01, 0.05, 0.01),
    l5: float = 0.1,
    l6: float = 0.1,
    l7: float = 0.3,
    l8: float = 0.3,
    F13: fx.TimeLike = 1.0,
    theta1: float = 0.7,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    m : masses of crank, rod and slider, kg.
    I : their moments of inertia, kg m².
    l5, l6 : from the crank's centre of mass to h9 and h10, m.
    l7, l8 : from the rod's centre of mass to h10 and h11, m.
    F13 : force on the slider along x, N, a function of time.
    theta1 : initial crank angle, rad.
    """
    s = fx.System("slider_crank_gtm", planar=True)
    L1, L2 = l5 + l6, l7 + l8
    pin = L1 * np.array([np.cos(theta1), np.sin(theta1), 0.0])
    theta2 = np.arccos(pin[1] / L2)
    along = np.array([np.sin(theta2), -np.cos(theta2), 0.0])
    R1, R2 = fx.rotation("z", theta1), fx.rotation("z", theta2)
    crank = s.rigid_body(
        "m1", m[0], I[0], {"r5": [-l5, 0], "r6": [l6, 0]}, position=R1 @ [l5, 0, 0], rotation=R1
    )
    rod = s.rigid_body(
        "m2", m[1], I[1], {"r7": [0, l7], "r8": [0, -l8]}, position=pin + l7 * along, rotation=R2
    )
    slider = s.rigid_body("m3", m[2], I[2], position=pin + L2 * along)
    s.revolute("h9", s.ground, crank["r5"])
    s.revolute("h10", crank["r6"], rod["r7"])
    s.revolute("h11", slider, rod["r8"])
    s.prismatic("s12", s.ground, slider, axis="x")
    s.force("F13", slider, [F13, 0.0])
    s.start("h9", angle=theta1)
    s.channel("crank_angle", fx.joint_coordinate("h9"), "rad")
    s.channel("slider", fx.joint_coordinate("s12", "displacement"), "m")
    s.channel("side_force", fx.force("s12", "y"), "N")
    return s
