"""Andrews' squeezer: GTM §4.6.4, IFToMM A03, IVP test set.

Seven bodies, ten pins, a spring and a motor torque; no gravity; one degree of freedom. Points as in
the literature: ground O, A, B, C; F on the crank K1; all of K2, K3, K4, K6 meet at E.

    O ─ K1 ─ F ─ K2 ─ E ─ K3 ─ B          C ~spring~ D (on K3)
                      E ─ K4 ─ G ─ K5 ─ A
                      E ─ K6 ─ H ─ K7 ─ A

Its T-graph has 36 edges and 26 nodes, its R-graph 18 edges and 8 nodes (dependent virtual work
edges not counted), as in the paper.
"""

import numpy as np

import flexnet as fx

END = 0.03

A, B, C = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), np.array([0.014, 0.072, 0])
MASS = {"K1": 0.04325, "K2": 0.00365, "K3": 0.02373, "K4": 0.00706, "K5": 0.07050, "K6": 0.00706,
        "K7": 0.05498}  # kg  # fmt: skip
INERTIA = {"K1": 2.194e-6, "K2": 4.410e-7, "K3": 5.255e-6, "K4": 5.667e-7, "K5": 1.169e-5, "K6": 5.667e-7,
           "K7": 1.912e-5}  # kg m²  # fmt: skip
d, da, e, ea = 0.028, 0.0115, 0.02, 0.01421  # m
rr, ra, ss, sa, sb, sc, sd = 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
#: consistent start of the IVP test set: beta, Theta, gamma, Phi, delta, Omega, epsilon, rad
Q0 = (-0.0617138900142764, 0.0, 0.455279819163070, 0.222668390165886, 0.487364979543843,
      -0.222668390165886, 1.23054744454982)  # fmt: skip


def build(torque: float = 0.033, stiffness: float = 4530.0, free_length: float = 0.07785,
          beta: float = Q0[0]) -> fx.System:  # fmt: skip
    """Build the squeezer.

    Parameters
    ----------
    torque : of the motor on the crank K1, N m.
    stiffness, free_length : of the spring between C and D, N/m and m.
    beta : initial crank angle, rad: -0.0617… in the IVP test set, -0.0620 in GTM and IFToMM.
    """
    s = fx.System("squeezer", planar=True)
    s.ground.add_frames({"A": A, "B": B, "C": C})
    _, Theta, gamma, Phi, delta, Omega, epsilon = Q0

    # frames of every body, from its centre of mass; angles of the bodies: see Q0
    K1 = _body(s, "K1", beta, [0, 0, 0], centre=[ra, 0], O=[0, 0], F=[rr, 0])
    F = fx.rotation("z", beta) @ [rr, 0, 0]
    K2 = _body(s, "K2", beta + Theta, F, centre=[-da, 0], F=[0, 0], E=[-d, 0])
    K3 = _body(s, "K3", gamma, B, centre=[sb, -sa], B=[0, 0], D=[sd, -sc], E=[0, -ss])
    G = A + fx.rotation("z", delta) @ [zt, 0, 0]
    K4 = _body(s, "K4", Phi + delta, G, centre=[0, -(e - ea)], G=[0, 0], E=[0, -e])
    K5 = _body(s, "K5", delta, A, centre=[ta, tb], A=[0, 0], G=[zt, 0])
    H = A + fx.rotation("z", epsilon) @ [0, -u, 0]
    K6 = _body(s, "K6", Omega + epsilon, H, centre=[zf - fa, 0], H=[0, 0], E=[zf, 0])
    K7 = _body(s, "K7", epsilon, A, centre=[-ub, -ua], A=[0, 0], H=[0, -u])

    s.revolute("O", s.ground, K1["O"])
    s.revolute("F", K1["F"], K2["F"])
    s.revolute("B", s.ground["B"], K3["B"])
    s.revolute("E2", K3["E"], K2["E"])
    s.revolute("A5", s.ground["A"], K5["A"])
    s.revolute("G", K5["G"], K4["G"])
    s.revolute("E4", K3["E"], K4["E"])
    s.revolute("A7", s.ground["A"], K7["A"])
    s.revolute("H", K7["H"], K6["H"])
    s.revolute("E6", K3["E"], K6["E"])
    s.spring("spring", s.ground["C"], K3["D"], stiffness=stiffness, free_length=free_length)
    s.torque("motor", K1, torque)
    s.start("O", angle=beta, rate=0.0)

    s.channel("beta", fx.joint_coordinate("O"), "rad", "crank angle")
    s.channel("beta_rate", fx.joint_rate("O"), "rad/s", "figure 21")
    s.channel("gamma", fx.joint_coordinate("B"), "rad")
    s.channel("F_x", fx.position(K1["F"], "x"), "m")
    s.channel("F_y", fx.position(K1["F"], "y"), "m")
    return s


def _body(
    s: fx.System, name: str, angle: float, origin: np.ndarray, centre: list[float], **points: list[float]
) -> fx.Body:
    """Add a body whose points and centre of mass are given in a frame at ``origin`` turned by ``angle``."""
    R = fx.rotation("z", angle)
    frames = {key: np.subtract(point, centre) for key, point in points.items()}
    return s.rigid_body(
        name, MASS[name], INERTIA[name], frames, position=np.asarray(origin) + R @ [*centre, 0], rotation=R
    )
