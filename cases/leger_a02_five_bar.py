r"""Planar five-bar: Léger, benchmark A.2; two degrees of freedom.

    h15 o──── m2 ────o h16
        │          _-
     m1 │       _-  m3
        │  h17 o
        │        \ m4
    h14 o───r5────o h18

All bodies 2 m, 1 kg, 1 kg m² about z; h18 2 m to the right of h14. Torques 30 sin(2πt) N m on m1 and
20 sin(4πt) N m on m4; gravity along -y. Angles of the thesis: b14 = π/2, b15 = -π/2, b17 = 4.18879
(of m3 as seen from m4), b18 = 2.61799 rad.
"""

import numpy as np

import flexnet as fx

END = 10.0


def build(g: float = 9.81) -> fx.System:
    """Build the five-bar.

    Parameters
    ----------
    g : gravity, m/s².
    """
    s = fx.System("leger_a02_five_bar", planar=True)
    s.gravity([0.0, -g])
    s.ground.add_frames({"r5": [2.0, 0.0]})
    b14, b15, b17, b18 = 1.57080, -1.57080, 4.18879, 2.61799
    starts = [[0, 0], [0, 2], None, [2, 0]]
    starts[2] = [2 + 2 * np.cos(b18), 2 * np.sin(b18)]
    angles = [b14, b14 + b15, b18 + b17, b18]
    arms = [("r6", "r7"), ("r8", "r9"), ("r11", "r10"), ("r13", "r12")]
    m = []
    for i, (start, angle, (first, last)) in enumerate(zip(starts, angles, arms, strict=True), start=1):
        R = fx.rotation("z", angle)
        centre = np.array([*start, 0.0]) + R @ [1, 0, 0]
        m.append(s.rigid_body(f"m{i}", 1.0, 1.0, {first: [-1, 0], last: [1, 0]}, centre, R))
    s.revolute("h14", s.ground, m[0]["r6"])
    s.revolute("h15", m[0]["r7"], m[1]["r8"])
    s.revolute("h16", m[1]["r9"], m[2]["r10"])
    s.revolute("h17", m[3]["r12"], m[2]["r11"])
    s.revolute("h18", s.ground["r5"], m[3]["r13"])
    s.torque("td19", m[0], fx.harmonic(30.0, 2 * np.pi))
    s.torque("td20", m[3], fx.harmonic(20.0, 4 * np.pi))
    s.start("h14", angle=b14, rate=0.0)
    s.start("h18", angle=b18, rate=0.0)
    s.channel("beta_14", fx.joint_coordinate("h14"), "rad")
    s.channel("beta_18", fx.joint_coordinate("h18"), "rad")
    return s
