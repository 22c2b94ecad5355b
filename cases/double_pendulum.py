"""Double pendulum: GTM §4.6.1, figures 13-15.

Two rigid bodies in series, pinned to the ground and to one another, under gravity. Each body lies
along its own x axis; arms of the paper in brackets.

    ground ─ h7 ─[r3] m1 [r4]─ h8 ─[r5] m2 [r6]─ tip

The paper gives no numbers; the defaults are two uniform rods of 1 m and 1 kg.
"""

import numpy as np

import flexnet as fx

END = 5.0


def build(
    m1: float = 1.0,
    m2: float = 1.0,
    I1: float = 1.0 / 12.0,
    I2: float = 1.0 / 12.0,
    l3: float = 0.5,
    l4: float = 0.5,
    l5: float = 0.5,
    l6: float = 0.5,
    g: float = 9.81,
    theta: tuple[float, float] = (0.0, 0.5),
) -> fx.System:
    """Build the double pendulum.

    Parameters
    ----------
    m1, m2 : masses, kg.
    I1, I2 : moments of inertia about the centres of mass, kg m².
    l3, l4 : from the centre of mass of body 1 to h7 and to h8, m.
    l5, l6 : from the centre of mass of body 2 to h8 and to the tip, m.
    g : gravity, m/s².
    theta : initial angles of the bodies from the horizontal, rad.
    """
    s = fx.System("double_pendulum", planar=True)
    s.gravity([0.0, -g])
    R1, R2 = fx.rotation("z", theta[0]), fx.rotation("z", theta[1])
    elbow = R1 @ [l3 + l4, 0, 0]
    upper = s.rigid_body("m1", m1, I1, {"r3": [-l3, 0], "r4": [l4, 0]}, position=R1 @ [l3, 0, 0], rotation=R1)
    lower = s.rigid_body(
        "m2", m2, I2, {"r5": [-l5, 0], "r6": [l6, 0]}, position=elbow + R2 @ [l5, 0, 0], rotation=R2
    )
    s.revolute("h7", s.ground, upper["r3"])
    s.revolute("h8", upper["r4"], lower["r5"])
    s.start("h7", angle=theta[0])
    s.start("h8", angle=float(np.subtract(theta[1], theta[0])))
    s.channel("angle_1", fx.joint_coordinate("h7"), "rad")
    s.channel("angle_2", fx.joint_coordinate("h8"), "rad", "relative to the upper body")
    s.channel("tip_x", fx.position(lower["r6"], "x"), "m")
    s.channel("tip_y", fx.position(lower["r6"], "y"), "m")
    s.channel("pivot_force", fx.force("h7"), "N")
    return s
