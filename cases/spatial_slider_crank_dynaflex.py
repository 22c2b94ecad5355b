"""Spatial slider-crank with a rod in formulas: DynaFlex §5.3 as it is printed, figures 7-9.

The mechanism of ``spatial_slider_crank.py``, its rod an Euler–Bernoulli beam whose two deflections are sums
of Taylor monomials, three each, in a frame clamped at the slider: six elastic coordinates. The ball joint at
A hangs on the flexible arm e6. With the ball joint in the cotree there are ten branch coordinates,
q = (s1, α5, β5, θ12, q_f), and three constraints.

    G ─ e12 ─[e9] e10 [e11]─ e8 ─[e6] e2 ─ e5 ─ e3 ─ e1 ─ G         driver e13 beside e12
"""

import numpy as np

import flexnet as fx

END = 0.0837
STEP = 2e-5

ROD = {"E": 2.0e11, "nu": 0.3, "rho": 7870.0}
SECTION = {"A": 2.826e-5, "Iy": 6.361e-11, "Iz": 6.361e-11}


def rod_body(shapes: int = 3, functions: str = "taylor", length: float = 0.3) -> fx.PolynomialBeam:
    """The rod, in formulas."""
    return fx.PolynomialBeam(
        length, fx.Material(**ROD), fx.BeamSection(**SECTION), shapes, shapes, functions=functions
    )


def build(
    speed: float = 150.0,
    tilt: float = 45.0,
    crank: float = 0.15,
    rod: float = 0.3,
    shapes: int = 3,
    functions: str = "taylor",
    order: int = 2,
    driven: bool = True,
    rod_table: fx.FlexTable | None = None,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    speed : of the crank, rad/s.
    tilt : angle between the crank axis and Z, about Y, degrees.
    crank, rod : lengths, m.
    shapes : polynomials of each deflection of the rod.
    functions : ``taylor`` or ``chebyshev``.
    order : 2, or 1 for a deformation field without the shortening of the rod.
    driven : by the driver e13; otherwise by a torque T13 on the crank.
    rod_table : another table for the rod, such as one of finite elements clamped at the slider.
    """
    s = fx.System("spatial_slider_crank_dynaflex")
    turn = fx.rotation("y", np.radians(tilt))
    s.ground.frame("e16", [0, 0, 0], turn)
    pin = turn @ [crank, 0, 0]
    slide = np.array([pin[0] + np.sqrt(rod**2 - pin[1] ** 2 - pin[2] ** 2), 0, 0])
    along = (pin - slide) / rod
    across = np.cross(along, [0, 0, 1]) / np.linalg.norm(np.cross(along, [0, 0, 1]))
    e10 = s.rigid_body(
        "e10", 1e-3, [1e-6, 1e-6, 1e-6], {"e9": [0, 0, 0], "e11": [crank, 0, 0]}, rotation=turn
    )
    table = rod_table or rod_body(shapes, functions, rod).table()
    e2 = s.flexible_body(
        "e2", table, stiffening=order > 1, position=slide,
        rotation=np.column_stack([along, across, np.cross(along, across)]),
    )  # fmt: skip
    e3 = s.rigid_body("e3", 0.0334, [1e-6, 1e-6, 1e-6], position=slide)
    s.revolute("e12", s.ground["e16"], e10["e9"], axis="z")
    s.spherical("e8", e10["e11"], e2["end"])
    s.universal("e5", e3, e2, axis_1="z", axis_2="y")
    s.prismatic("e1", s.ground, e3, axis="x")
    if driven:
        s.motion("e13", joint="e12", angle=fx.ramp(speed))
    else:
        s.torque("e13", e10["e9"], [0, 0, 0.1], follows=True)
        s.start("e12", angle=0.0, rate=speed)
    chord, middle = (e2["end"], e2["start"]), len(table.output.names) // 2
    for name, axis in (("v", "y"), ("w", "z")):
        s.channel(
            name, fx.deflection(e2, middle, axis, chord), "m", f"middle of the rod along {axis} of its chord"
        )
    for axis in "xyz":
        s.channel(f"middle_{axis}", fx.node_position(e2, middle, axis), "m")
    s.channel("crank_angle", fx.joint_coordinate("e12"), "rad")
    s.channel("slider", fx.position(e3, "x"), "m")
    if driven:
        s.channel("crank_torque", fx.torque("e13", turn @ [0, 0, 1]), "N*m", "torque that drives the crank")
    return s
