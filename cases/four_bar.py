r"""Planar four-bar with flexible coupler and follower: FlexNet (Richard 2012) §5.1, after Khulief 1992.

         B
        o
       /  \    AB coupler, CB follower: flexible
    A o     \  OA crank: rigid, driven at constant speed
     /        \
    o O ------- o C

A rigid crank of 0.3 m turns at 210 rad/s, horizontal at the start; coupler and follower are tubes with
A = 1.767e-4 m² and I = 3.112e-8 m⁴, E = 2.0e11 N/m², ρ = 7800 kg/m³, eight Mindlin elements and two modes
each. The paper gives neither the lengths of coupler, follower and ground (0.6, 0.5 and 0.6 m are taken
here) nor the shear coefficient (0.5, that of a thin tube). Links start undeformed with the velocities of
the rigid mechanism. Recorded are the deflections of the midpoints of the links normal to their chords.

One body per link with two modes is the model of the paper. At this speed axial vibration and deflection
of a link act on each other: ``pieces=8, modes=0`` cuts each link into eight welded bodies and reaches the
geometrically exact solution (docs/verification_flexible.md), which ``exact=True, elements=32`` is itself.
"""

import numpy as np

import flexnet as fx

END = 0.0598
STEP = 1e-5


def build(
    speed: float = 210.0,
    crank: float = 0.3,
    coupler: float = 0.6,
    follower: float = 0.5,
    ground: float = 0.6,
    elements: int = 8,
    modes: int | str = 2,
    pieces: int | str = 1,
    stiffening: bool = True,
    shear: bool = True,
    rotary_inertia: bool = True,
    E: float = 2.0e11,
    eta: float = 0.0,
    exact: bool = False,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    speed : of the crank, rad/s.
    crank, coupler, follower, ground : lengths, m.
    elements : finite elements per link.
    modes : eigenmodes per link; where links are cut, per piece besides the three shapes of its end.
    pieces : flexible bodies per link, welded; ``auto`` for as many as its motion asks for.
    stiffening : whether axial forces stiffen the links.
    shear, rotary_inertia : of the beams.
    E : modulus of elasticity, N/m².
    eta : retardation time of the material, Kelvin–Voigt, s.
    exact : geometrically exact beams of so many elements, instead of bodies in floating frames.
    """
    s = fx.System("four_bar", planar=True)
    A, C = np.array([crank, 0.0, 0.0]), np.array([ground, 0.0, 0.0])
    # the joint B from the two circles about A and C, above the line AC
    d = ground - crank
    x = (coupler**2 - follower**2 + d**2) / (2 * d)
    B = A + np.array([x, np.sqrt(coupler**2 - x**2), 0.0])
    s.ground.frame("C", C)
    arm = s.rigid_body("crank", 1e-3, 1e-3, {"O": [0, 0], "A": [crank, 0]})
    material = fx.Material(E=E, nu=0.3, rho=7800.0, eta=eta)
    section = fx.BeamSection(A=1.767e-4, Iy=3.112e-8, Iz=3.112e-8, ky=0.5, kz=0.5)

    def exact_link(name: str, start: np.ndarray, velocity: np.ndarray, rate: float) -> fx.ExactBeam:
        """A geometrically exact beam that moves as the rigid link does at first."""
        way = B - start
        made = s.exact_beam(
            name, float(np.linalg.norm(way)), elements, material, section, start,
            fx.rotation("z", np.arctan2(way[1], way[0])), velocity, [0.0, 0.0, rate], shear,
        )  # fmt: skip
        s.channel(f"{name}_deflection", made.deflection("middle"), "m", f"midpoint of the {name}")
        return made

    def link(name: str, start: np.ndarray) -> fx.Body:
        """A flexible body."""
        way = B - start
        n = elements if pieces == "auto" else max(elements, pieces)
        beam = fx.beam_body(
            float(np.linalg.norm(way)), n, material, section, shear=shear, rotary_inertia=rotary_inertia
        )
        made = s.flexible_body(
            name, beam, support=fx.Pinned("start", "end"), modes=modes, stiffening=stiffening, position=start,
            rotation=fx.rotation("z", np.arctan2(way[1], way[0])), pieces=pieces,
        )  # fmt: skip
        middle = fx.deflection(made, n // 2, "y", ("start", "end"))
        s.channel(f"{name}_deflection", middle, "m", f"midpoint of the {name}")
        return made

    s.revolute("O", s.ground, arm["O"])
    if exact:
        # v_A + ω_AB × AB = ω_CB × CB
        ab, cb = B - A, B - C
        rates = np.linalg.solve([[-ab[1], cb[1]], [ab[0], -cb[0]]], [0.0, -speed * crank])
        v_A = np.array([0.0, speed * crank, 0.0])
        AB = exact_link("coupler", A, v_A, rates[0])
        CB = exact_link("follower", C, np.zeros(3), rates[1])
    else:
        AB, CB = link("coupler", A), link("follower", C)
    s.revolute("A", arm["A"], AB["start"])
    s.revolute("B", AB["end"], CB["end"])
    s.revolute("C", s.ground["C"], CB["start"])
    s.motion("drive", joint="O", angle=fx.ramp(speed))
    s.channel("crank_angle", fx.joint_coordinate("O"), "rad")
    s.channel("crank_torque", fx.torque("drive", "z"), "N*m", "torque that drives the crank")
    return s


LINKS = {"coupler_deflection": "vc_mid_m", "follower_deflection": "vf_mid_m"}
REFERENCES = [
    fx.Reference(
        source="floating frame of another program, two Euler–Bernoulli modes a link, no stiffening",
        file="references/four_bar_linear_2modes.csv",
        columns=LINKS,
        tolerances=("0.5%:rms",),
        settings={"stiffening": False, "shear": False, "rotary_inertia": False},
        end=0.0598,
        step=1e-5,
        method=fx.generalised_alpha(0.9),
    ),
    fx.Reference(
        source="geometrically exact beams of another program, 64 elements a link",
        file="references/four_bar_nonlinear.csv",
        columns=LINKS,
        tolerances=("3%",),
        settings={"pieces": 8, "modes": 0},
        end=0.0598,
        step=1e-5,
        method=fx.generalised_alpha(0.9),
        tree="joint",
    ),
    fx.Reference(
        source="geometrically exact beams of another program, 64 elements a link",
        file="references/four_bar_nonlinear.csv",
        columns=LINKS,
        tolerances=("3%",),
        settings={"exact": True, "elements": 32},
        end=0.0598,
        step=5e-6,
        method=fx.generalised_alpha(0.9),
    ),
]
