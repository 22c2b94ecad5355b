"""Mechanisms small enough to read, shared by the tests of drawings, reports and the command line."""

from collections.abc import Callable
from math import cos, pi, sin

import numpy as np

import flexnet as fx


def double_pendulum(planar: bool = True) -> fx.System:
    """Two rods hanging from the ground."""
    s = fx.System("double pendulum", planar=planar)
    s.gravity([0, -9.81, 0])
    inertia = 0.1 if planar else [0.1, 0.01, 0.1]
    upper = s.rigid_body("upper", 1.0, inertia, {"O": [0, 0.5], "A": [0, -0.5]}, position=[0, -0.5])
    lower = s.rigid_body("lower", 1.0, inertia, {"A": [0, 0.5]}, position=[0, -1.5])
    s.revolute("shoulder", s.ground, upper["O"])
    s.revolute("elbow", upper["A"], lower["A"])
    return s


def slider_crank() -> fx.System:
    """Crank, rod and slider, the crank driven by a torque; planar."""
    s = fx.System("slider-crank", planar=True)
    crank = s.rigid_body("crank", 1.0, 0.01, {"O": [-0.5, 0], "A": [0.5, 0]}, position=[0.3, 0.4])
    rod = s.rigid_body("rod", 1.0, 0.1, {"A": [-1, 0], "B": [1, 0]}, position=[1.3, 0.4])
    slider = s.rigid_body("slider", 1.0, 0.1, position=[2.2, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider)
    s.torque("motor", joint="O", torque=1.0)
    s.start("O", angle=0.9)
    return s


def four_bar(planar: bool = False) -> fx.System:
    """Driven planar four-bar made of spatial revolutes: three constraints are redundant."""
    s = fx.System("four-bar", planar=planar)
    s.gravity([0, -9.81, 0])
    J = 0.1 if planar else [0.1, 0.1, 0.1]
    ends = {"1": [-0.5, 0, 0], "2": [0.5, 0, 0]}
    up = fx.rotation("z", pi / 2)
    crank = s.rigid_body("crank", 1.0, J, ends, position=[0, 0.5, 0], rotation=up)
    coupler = s.rigid_body("coupler", 1.0, J, ends, position=[0.5, 1, 0])
    follower = s.rigid_body("follower", 1.0, J, ends, position=[1, 0.5, 0], rotation=up)
    s.revolute("O", s.ground, crank["1"])
    s.revolute("A", crank["2"], coupler["1"])
    s.revolute("B", coupler["2"], follower["2"])
    s.revolute("C", s.ground.frame("C", [1, 0, 0]), follower["1"])
    s.motion("drive", joint="O", angle=fx.polynomial(pi / 2, 2.0))
    return s


def squeezer() -> fx.System:
    """Andrews' squeezer: seven bodies, ten pins, a spring and a motor (GTM §4.6.4)."""
    s = fx.System("squeezer", planar=True)
    A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
    beta, gamma, delta, epsilon = -0.0617138900142764, 0.455279819163070, 0.487364979543843, 1.23054744454982
    phi, omega = 0.222668390165886, -0.222668390165886

    def body(name: str, mass: float, J: float, at: list[float], angle: float, **frames: tuple[float, float]):
        R = fx.rotation("z", angle)
        return s.rigid_body(name, mass, J, frames, position=at, rotation=R)

    def turn(angle: float, x: float, y: float) -> list[float]:
        return [x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)]

    def place(origin, angle: float, x: float, y: float) -> list[float]:
        return [float(v) for v in np.add(origin, turn(angle, x, y))]

    F = turn(beta, 0.007, 0)
    G = place(A, delta, 0.04, 0)
    H = place(A, epsilon, 0, -0.04)
    ra, d, da = 0.00092, 0.028, 0.0115
    K1 = body("K1", 0.04325, 2.194e-6, turn(beta, ra, 0), beta, O=(-ra, 0), F=(0.007 - ra, 0))
    K2 = body("K2", 0.00365, 4.410e-7, place(F, beta, -da, 0), beta, F=(da, 0), E=(da - d, 0))
    K3 = body(
        "K3", 0.02373, 5.255e-6, place(B, gamma, 0.01043, -0.01874), gamma,
        B=(-0.01043, 0.01874), D=(0.02 - 0.01043, 0.01874 - 0.018), E=(-0.01043, 0.01874 - 0.035),
    )  # fmt: skip
    K4 = body(
        "K4", 0.00706, 5.667e-7, place(G, phi + delta, 0, 0.01421 - 0.02), phi + delta,
        G=(0, 0.02 - 0.01421), E=(0, -0.01421),
    )  # fmt: skip
    K5 = body(
        "K5", 0.07050, 1.169e-5, place(A, delta, 0.02308, 0.00916), delta,
        A=(-0.02308, -0.00916), G=(0.04 - 0.02308, -0.00916),
    )  # fmt: skip
    K6 = body(
        "K6", 0.00706, 5.667e-7, place(H, omega + epsilon, 0.02 - 0.01421, 0), omega + epsilon,
        H=(0.01421 - 0.02, 0), E=(0.01421, 0),
    )  # fmt: skip
    K7 = body(
        "K7", 0.05498, 1.912e-5, place(A, epsilon, -0.00449, -0.01228), epsilon,
        A=(0.00449, 0.01228), H=(0.00449, 0.01228 - 0.04),
    )  # fmt: skip
    at_A, at_B, at_C = (s.ground.frame(n, p) for n, p in (("A", A), ("B", B), ("C", C)))
    s.revolute("O", s.ground, K1["O"])
    s.revolute("F", K1["F"], K2["F"])
    s.revolute("B", at_B, K3["B"])
    s.revolute("E23", K2["E"], K3["E"])
    s.revolute("E34", K3["E"], K4["E"])
    s.revolute("E36", K3["E"], K6["E"])
    s.revolute("G", K4["G"], K5["G"])
    s.revolute("A5", at_A, K5["A"])
    s.revolute("A7", at_A, K7["A"])
    s.revolute("H", K6["H"], K7["H"])
    s.spring("spring", at_C, K3["D"], stiffness=4530.0, free_length=0.07785)
    s.torque("motor", K1, [0, 0, 0.033])
    s.start("O", angle=beta)
    return s


def platform() -> fx.System:
    """Platform on six telescopic legs: thirteen bodies, six freedoms."""
    s = fx.System("platform")
    s.gravity([0, 0, -9.81])
    angles = [2 * pi * k / 6 for k in range(6)]
    tops = {f"t{k + 1}": [0.5 * cos(a + 0.4), 0.5 * sin(a + 0.4), 0] for k, a in enumerate(angles)}
    plate = s.rigid_body("plate", 10.0, [1.0, 1.0, 1.8], tops, position=[0, 0, 1])
    for k, a in enumerate(angles):
        foot = np.array([cos(a), sin(a), 0])
        top = np.array([*tops[f"t{k + 1}"][:2], 1.0])
        w = (top - foot) / np.linalg.norm(top - foot)
        x = np.cross([0, 0, 1.0], w)
        x /= np.linalg.norm(x)
        R = np.column_stack([x, np.cross(w, x), w])
        length = float(np.linalg.norm(top - foot))
        lower = s.rigid_body(f"low{k + 1}", 1.0, [0.1, 0.1, 0.01], {"foot": [0, 0, -0.3]}, foot + 0.3 * w, R)
        upper = s.rigid_body(
            f"up{k + 1}", 1.0, [0.1, 0.1, 0.01], {"top": [0, 0, 0.3]}, foot + (length - 0.3) * w, R
        )
        base = s.ground.frame(f"b{k + 1}", foot, R)
        s.universal(f"u{k + 1}", base, lower["foot"])
        s.prismatic(f"s{k + 1}", lower, upper, axis="z")
        s.spherical(f"b{k + 1}", upper["top"], plate[f"t{k + 1}"])
        s.spring(f"jack{k + 1}", lower, upper, force=20.0, axis="z")
    return s


MECHANISMS: dict[str, Callable[[], fx.System]] = {
    "double_pendulum": double_pendulum,
    "slider_crank": slider_crank,
    "four_bar": four_bar,
    "squeezer": squeezer,
    "platform": platform,
}
