r"""Peaucellier-Lipkin straight-line mechanism: Léger, benchmark A.9; one degree of freedom.

              P1
       m1 __/    \ m6               long bars m1, m2        0.40 m, 4.0 kg, 0.05333 kg m²
     O __-   m3\   E ·····│         rhombus  m3 … m6        0.20 m, 2.0 kg, 0.00667 kg m²
        -__   I     |     │ line    link     m7             0.15 m, 1.5 kg, 0.00281 kg m²
       m2   \ m5  / m4
              P2                    pivots O (0, 0) and (0.15, 0) m; E moves on a straight line

The figure with the joint labels is lost; the labels below fit every statement of the thesis about
them: h23, h24 long bars on the ground; h31 link on the ground; vp34 virtual planar joint at E on m6.
Start at rest with b23 = 0.50536, b24 = -0.50536, b31 = 0 rad; a torque
-0.1 t sin(πt) - 0.1 t sin(4πt) N m on the link; gravity along -z does no work.
"""

import numpy as np
import sympy as sp

import flexnet as fx

END = 10.0


def build() -> fx.System:
    """Build the mechanism; all its parameters are those of the thesis."""
    s = fx.System("leger_a09_peaucellier", planar=True)
    s.ground.add_frames({"r8": [0.15, 0.0]})
    b = 0.50536
    O, C, I = np.zeros(3), np.array([0.15, 0, 0]), np.array([0.30, 0, 0])
    P1 = 0.4 * np.array([np.cos(b), np.sin(b), 0])
    P2 = P1 * [1, -1, 1]
    E = P1 + P2 - I
    A, B, K = (0.4, 4.0, 0.05333), (0.2, 2.0, 0.00667), (0.15, 1.5, 0.00281)
    ends = [(O, P1, A), (O, P2, A), (P1, I, B), (P2, E, B), (P2, I, B), (P1, E, B), (C, I, K)]
    m, first, last = {}, {}, {}
    for i, (p, q, (length, mass, inertia)) in enumerate(ends, start=1):
        R = fx.rotation("z", np.arctan2(q[1] - p[1], q[0] - p[0]))
        arms = {f"r{7 + 2 * i}": [-length / 2, 0], f"r{8 + 2 * i}": [length / 2, 0]}
        m[i] = s.rigid_body(f"m{i}", mass, inertia, arms, (p + q) / 2, R)
        first[i], last[i] = m[i][f"r{7 + 2 * i}"], m[i][f"r{8 + 2 * i}"]
    s.revolute("h23", s.ground, first[1])
    s.revolute("h24", s.ground, first[2])
    s.revolute("h25", last[1], first[3])
    s.revolute("h26", last[2], first[4])
    s.revolute("h27", last[2], first[5])
    s.revolute("h28", last[1], first[6])
    s.revolute("h29", last[4], last[6])
    s.revolute("h30", last[3], last[5])
    s.revolute("h31", s.ground["r8"], first[7])
    s.revolute("h32", last[7], last[5])
    t = sp.Symbol("t")
    s.torque("td33", m[7], -sp.Rational(1, 10) * t * (sp.sin(sp.pi * t) + sp.sin(4 * sp.pi * t)))
    s.virtual("vp34", "planar", s.ground, last[6])
    s.start("h31", angle=0.0, rate=0.0)
    s.channel("E_x", fx.position(last[6], "x"), "m", "constant: the straight line")
    s.channel("E_y", fx.position(last[6], "y"), "m")
    s.channel("beta_31", fx.joint_coordinate("h31"), "rad")
    return s
