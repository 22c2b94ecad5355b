"""Planar slider-crank: Léger §2.1-2.3, figures 2.1-2.4.

Crank m1 and rod m2 lie along their own x axes; l4 … l7 are the signed x coordinates of the arms on
their bodies. A torque T12 turns the crank; there is no gravity.

    G ─ h8 ─[r4] m1 [r5]─ h9 ─[r6] m2 [r7]─ h10 ─ m3 ─ s11 ─ G

With T-tree h8, h9, h10 and R-tree h8, h10, s11 the equations are (2.35)-(2.43). Chapter 2 gives no
numbers; the defaults are those of its benchmark A.4.
"""

import numpy as np

import flexnet as fx

END = 10.0


def build(
    m: tuple[float, float, float] = (0.12, 0.50, 2.00),
    Izz: tuple[float, float, float] = (0.0001, 0.004, 0.0001),
    l4: float = -0.04,
    l5: float = 0.04,
    l6: float = -0.15,
    l7: float = 0.15,
    T12: fx.TimeLike = 0.01,
    beta8: float = 0.5,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    m, Izz : masses [kg] and moments of inertia [kg m²] of crank, rod and slider.
    l4, l5, l6, l7 : x coordinates of the arms on their bodies, m.
    T12 : torque on the crank, N m, a function of time.
    beta8 : initial crank angle, rad.
    """
    s = fx.System("slider_crank_leger", planar=True)
    R1 = fx.rotation("z", beta8)
    pin = R1 @ [l5 - l4, 0, 0]
    beta10 = -np.arcsin(pin[1] / (l7 - l6))
    R2 = fx.rotation("z", beta10)
    m1 = s.rigid_body(
        "m1", m[0], Izz[0], {"r4": [l4, 0], "r5": [l5, 0]}, position=R1 @ [-l4, 0, 0], rotation=R1
    )
    m2 = s.rigid_body(
        "m2", m[1], Izz[1], {"r6": [l6, 0], "r7": [l7, 0]}, position=pin - R2 @ [l6, 0, 0], rotation=R2
    )
    m3 = s.rigid_body("m3", m[2], Izz[2], position=pin + R2 @ [l7 - l6, 0, 0])
    s.revolute("h8", s.ground, m1["r4"])
    s.revolute("h9", m1["r5"], m2["r6"])
    s.revolute("h10", m3, m2["r7"])
    s.prismatic("s11", s.ground, m3, axis="x")
    s.torque("td12", m1, T12)
    s.start("h8", angle=beta8)
    s.channel("beta_8", fx.joint_coordinate("h8"), "rad")
    s.channel("slider", fx.joint_coordinate("s11", "displacement"), "m")
    return s
