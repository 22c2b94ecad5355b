"""Planar slider-crank: Léger, benchmark A.4.

    G ─ h8 ─[r4] m1 [r5]─ h9 ─[r6] m2 [r7]─ h10 ─ m3 ─ s11 ─ G

Crank 0.08 m, 0.12 kg, 1e-4 kg m²; rod 0.30 m, 0.50 kg, 4e-3 kg m²; slider 2 kg, 1e-4 kg m². The
slider moves along x, gravity acts along -x. Start at rest with b8 = 1.00, b10 = -1.715380157 rad,
which closes only if crank and rod lie along their own y axes.
"""

import numpy as np

import flexnet as fx

END = 10.0


def build(g: float = 9.81, beta8: float = 1.0) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    g : gravity along -x, m/s².
    beta8 : initial crank angle, rad.
    """
    s = fx.System("leger_a04_slider_crank", planar=True)
    s.gravity([-g, 0.0])
    beta10 = -np.arccos(-0.08 * np.cos(beta8) / 0.30)
    R1, R2 = fx.rotation("z", beta8), fx.rotation("z", beta10)
    pin = R1 @ [0, 0.08, 0]
    m1 = s.rigid_body("m1", 0.12, 1e-4, {"r4": [0, -0.04], "r5": [0, 0.04]}, pin / 2, R1)
    m2 = s.rigid_body("m2", 0.50, 4e-3, {"r6": [0, -0.15], "r7": [0, 0.15]}, pin + R2 @ [0, 0.15, 0], R2)
    m3 = s.rigid_body("m3", 2.00, 1e-4, position=pin + R2 @ [0, 0.30, 0])
    s.revolute("h8", s.ground, m1["r4"])
    s.revolute("h9", m1["r5"], m2["r6"])
    s.revolute("h10", m3, m2["r7"])
    s.prismatic("s11", s.ground, m3, axis="x")
    s.start("h8", angle=beta8, rate=0.0)
    s.channel("beta_8", fx.joint_coordinate("h8"), "rad")
    s.channel("slider", fx.joint_coordinate("s11", "displacement"), "m")
    return s
