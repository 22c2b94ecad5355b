r"""Planar four-bar: Léger, benchmark A.1.

                 h13
        m2 ____--o
       __--       \ m3
    h12 o          \
    m1 /            o h14 = G
      o h11         |<─ r4 = -2 m ─>

Ground 2 m, crank m1 1 m, coupler m2 2 m, rocker m3 2 m; each 1 kg and 1 kg m² about z, centred.
A torque 75 sin(2πt) N m on the crank, gravity along -y. Angles of the thesis: b11 = 0, b12 = 1.31812,
b14 = 1.82348 rad; the loop closes with h14 2 m to the right of h11.
"""

import numpy as np

import flexnet as fx

END = 10.0


def build(torque: float = 75.0, g: float = 9.81, planar: bool = True) -> fx.System:
    """Build the four-bar.

    Parameters
    ----------
    torque : amplitude of the torque on the crank, N m.
    g : gravity, m/s².
    planar : planar system; False makes it of spatial pins, with three redundant constraints.
    """
    s = fx.System("leger_a01_four_bar", planar=planar)
    s.gravity([0.0, -g, 0.0])
    J = 1.0 if planar else [1.0, 1.0, 1.0]
    s.ground.add_frames({"r4": [-2.0, 0.0]})
    P = np.array([[-2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])  # h11, h12
    b12, b14 = 1.31812, 1.82348
    Q = 2.0 * np.array([np.cos(b14), np.sin(b14), 0.0])  # h13
    m1 = s.rigid_body("m1", 1.0, J, {"r5": [-0.5, 0], "r6": [0.5, 0]}, position=P.mean(axis=0))
    m2 = s.rigid_body(
        "m2", 1.0, J, {"r7": [-1, 0], "r8": [1, 0]}, position=(P[1] + Q) / 2, rotation=fx.rotation("z", b12)
    )
    m3 = s.rigid_body(
        "m3", 1.0, J, {"r9": [1, 0], "r10": [-1, 0]}, position=Q / 2, rotation=fx.rotation("z", b14)
    )
    s.revolute("h11", s.ground["r4"], m1["r5"])
    s.revolute("h12", m1["r6"], m2["r7"])
    s.revolute("h13", m2["r8"], m3["r9"])
    s.revolute("h14", s.ground, m3["r10"])
    s.torque("td15", m1, [0.0, 0.0, fx.harmonic(torque, 2 * np.pi)])
    s.start("h11", angle=0.0, rate=0.0)
    s.channel("crank_angle", fx.joint_coordinate("h11"), "rad")
    s.channel("rocker_angle", fx.joint_coordinate("h14"), "rad")
    return s
