"""Spatial slider-crank with a flexible rod: DynaFlex §5.3, after Jonker (1989).

The planar slider-crank with its crank axis tilted by 45° about Y: the crank (0.15 m, 150 rad/s) turns in a
tilted plane; the rod (0.3 m, A = 2.826e-5 m², I = 6.361e-11 m⁴, E = 2.0e11 N/m², ρ = 7870 kg/m³) hangs on
a ball joint at the crank pin A and on a universal joint at the slider B (0.0334 kg), which moves along X. The
universal joint turns about Z of the slider, then about y of the rod. No gravity; the rod starts undeformed
with the velocities of the rigid mechanism. Recorded are the deflections of the middle of the rod from its
chord: v along y of the rod, which stays normal to Z, and w normal to it.
"""

import numpy as np

import flexnet as fx

END = 0.0837
STEP = 2e-5


def build(
    speed: float = 150.0,
    tilt: float = 45.0,
    crank: float = 0.15,
    rod: float = 0.3,
    elements: int = 8,
    modes: int | str = 4,
    pieces: int | str = 1,
    stiffening: bool = True,
    shear: bool = True,
    rotary_inertia: bool = True,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    speed : of the crank, rad/s.
    tilt : angle between the crank axis and Z, about Y, degrees.
    crank, rod : lengths, m.
    elements : finite elements of the rod.
    modes : bending modes of the rod, two planes together; where it is cut, of each piece besides the six
        shapes of its end.
    pieces : flexible bodies in the rod, welded; ``auto`` for as many as its motion asks for.
    stiffening : whether axial forces stiffen the rod.
    shear, rotary_inertia : of the rod.
    """
    s = fx.System("spatial_slider_crank")
    turn = fx.rotation("y", np.radians(tilt))
    s.ground.frame("O", [0, 0, 0], turn)
    pin = turn @ [crank, 0, 0]
    slide = np.array([pin[0] + np.sqrt(rod**2 - pin[1] ** 2 - pin[2] ** 2), 0, 0])
    along = (slide - pin) / rod
    across = np.cross([0, 0, 1], along) / np.linalg.norm(np.cross([0, 0, 1], along))
    n = elements if pieces == "auto" else max(elements, pieces)
    beam = fx.beam_body(
        rod, n, fx.Material(E=2.0e11, nu=0.3, rho=7870.0),
        fx.BeamSection(A=2.826e-5, Iy=6.361e-11, Iz=6.361e-11),
        shear=shear, rotary_inertia=rotary_inertia,
    )  # fmt: skip
    arm = s.rigid_body("crank", 1e-3, [1e-6, 1e-6, 1e-6], {"O": [0, 0, 0], "A": [crank, 0, 0]}, rotation=turn)
    link = s.flexible_body(
        "rod", beam, support=fx.Pinned("start", "end"), modes=modes, stiffening=stiffening, position=pin,
        rotation=np.column_stack([along, across, np.cross(along, across)]), pieces=pieces,
    )  # fmt: skip
    slider = s.rigid_body("slider", 0.0334, [1e-6, 1e-6, 1e-6], position=slide)
    s.revolute("O", s.ground["O"], arm["O"], axis="z")
    s.spherical("A", arm["A"], link["start"])
    s.universal("B", slider, link["end"], axis_1="z", axis_2="y")
    s.prismatic("slide", s.ground, slider, axis="x")
    s.motion("drive", joint="O", angle=fx.ramp(speed))
    for name, axis in (("v", "y"), ("w", "z")):
        middle = fx.deflection(link, n // 2, axis, ("start", "end"))
        s.channel(name, middle, "m", f"middle of the rod along {axis} of its chord")
    s.channel("crank_angle", fx.joint_coordinate("O"), "rad")
    s.channel("slider", fx.position(slider, "x"), "m")
    s.channel("crank_torque", fx.torque("drive", turn @ [0, 0, 1]), "N*m", "torque that drives the crank")
    return s


REFERENCES = [
    fx.Reference(
        source="floating frame of another program, two Euler–Bernoulli modes a plane, no stiffening",
        file="references/spatial_slider_crank_linear_2modes.csv",
        columns={"v": "v_mid_m", "w": "w_mid_m", "slider": "slider_x_m"},
        tolerances=("0.5%:rms",),
        settings={"stiffening": False, "shear": False, "rotary_inertia": False},
        end=0.0837,
        step=1e-5,
        method=fx.generalised_alpha(0.9),
    ),
    fx.Reference(
        source="geometrically exact beams of another program, 64 elements",
        file="references/spatial_slider_crank_nonlinear.csv",
        columns={"v": "v_mid_m", "w": "w_mid_m"},
        tolerances=("2%",),
        settings={"pieces": 4, "modes": 0},
        end=0.0837,
        step=2e-5,
        method=fx.generalised_alpha(0.9),
        tree="joint",
    ),
]
