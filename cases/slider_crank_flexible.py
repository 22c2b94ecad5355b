r"""Planar slider-crank with a flexible rod: Jonker (1989), Meijaard (1991); Léger, benchmark A.5.

      A
      o---___          OA crank 0.15 m, rigid, 150 rad/s
     /       ---___    AB rod 0.3 m, round, flexible
    o O            o B ═══ slider on x, half the mass of the rod

E = 2.0e11 N/m², ρ = 7870 kg/m³, no gravity in the plane. Crank and rod start in line, the rod undeformed
with the velocities of the rigid mechanism. Rod diameters: 6 mm (Jonker and those after him), 3 mm as Léger
prints it (``diameter=0.003``, three modes, 10 rad of crank angle: the rod deflects by 7 % of its length).
Recorded is the deflection of the middle of the rod normal to its chord.
"""

import numpy as np

import flexnet as fx

END = 0.1
STEP = 2e-5


def build(
    diameter: float = 0.006,
    speed: float = 150.0,
    crank: float = 0.15,
    rod: float = 0.3,
    elements: int = 8,
    modes: int | tuple[int, ...] = 2,
    stiffening: bool = True,
    shear: bool = True,
    rotary_inertia: bool = True,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    diameter : of the rod, m.
    speed : of the crank, rad/s.
    crank, rod : lengths, m.
    elements : finite elements of the rod.
    modes : eigenmodes of the rod, or their numbers: 1 to 5 are bending modes, 6 is the first axial one.
    stiffening : whether axial forces stiffen the rod.
    shear, rotary_inertia : of the rod.
    """
    s = fx.System("slider_crank_flexible", planar=True)
    steel = fx.Material(E=2.0e11, nu=0.3, rho=7870.0)
    beam = fx.beam_body(
        rod, elements, steel, fx.circle(diameter / 2), shear=shear, rotary_inertia=rotary_inertia
    )
    mass = 7870.0 * np.pi / 4 * diameter**2 * rod
    arm = s.rigid_body("crank", 1e-3, 1e-6, {"O": [0, 0], "A": [crank, 0]}, angular_velocity=[0, 0, speed])
    link = s.flexible_body(
        "rod", beam, support=fx.Pinned("start", "end"), modes=modes, stiffening=stiffening,
        position=[crank, 0, 0],
    )  # fmt: skip
    slider = s.rigid_body("slider", mass / 2, 1e-6, position=[crank + rod, 0, 0])
    s.revolute("O", s.ground, arm["O"])
    s.revolute("A", arm["A"], link["start"])
    s.revolute("B", link["end"], slider)
    s.prismatic("slide", s.ground, slider, axis="x")
    s.motion("drive", joint="O", angle=fx.ramp(speed))
    middle = fx.deflection(link, elements // 2, "y", ("start", "end"))
    s.channel("deflection", middle, "m", "middle of the rod normal to its chord")
    s.channel("crank_angle", fx.joint_coordinate("O"), "rad")
    s.channel("slider", fx.position(slider, "x"), "m")
    return s


REFERENCES = [
    fx.Reference(
        source="linear floating frame, two sine and two axial shapes: independent program, 1e-8",
        file="references/crank_d6mm_linear_FFRF_2modes.csv",
        columns={"deflection": "q1", "slider": "x3"},
        tolerances=("0.2%",),
        settings={"modes": (1, 2, 6), "stiffening": False, "shear": False, "rotary_inertia": False},
        end=0.1,
        step=5e-6,
        method=fx.hht(-0.1),
    ),
    fx.Reference(
        source="cable elements of another program, 16 elements, confirmed by a discrete elastic rod",
        file="references/slidercrank_planar_d6mm.csv",
        columns={"deflection": "w_mid", "slider": "slider_x"},
        tolerances=("1%", "slider=0.02%"),
        settings={"modes": 3},
        end=0.0533,
        step=1e-5,
        method=fx.generalised_alpha(0.9),
    ),
]
