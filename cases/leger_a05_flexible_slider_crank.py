r"""Planar slider-crank with a flexible rod: Léger, benchmark A.5, in the letters of the thesis.

      h8
      o---___          m1 crank 0.15 m, turned by md7 at 150 rad/s
     /       ---___    fm2 rod 0.3 m, round, 3 mm, flexible: base at h9, tip (flexible arm fr6) at h8
    o md7          o h9
    G              m3 ═══ s10, slider on x, half the mass of the rod

E = 2.0e11 N/m², ρ = 7870 kg/m³, gravity normal to the plane. Crank and rod start in line, the rod undeformed.
The thesis bends the rod by three Chebyshev polynomials; here it has three modes of a clamped beam, whose
frame is the base. ``s10`` starts at 0.45 m. Ten radians of crank angle are simulated.

The crank stands on a pin h7 that md7 drives; the thesis has the driver alone.
"""

import numpy as np

import flexnet as fx

END = 10.0 / 150.0
STEP = 1e-5


def build(diameter: float = 0.003, speed: float = 150.0, elements: int = 8, modes: int = 3) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    diameter : of the rod, m.
    speed : of the crank, rad/s.
    elements : finite elements of the rod.
    modes : eigenmodes of the clamped rod.
    """
    crank, rod = 0.15, 0.3
    s = fx.System("leger_a05_flexible_slider_crank", planar=True)
    steel = fx.Material(E=2.0e11, nu=0.3, rho=7870.0)
    beam = fx.beam_body(rod, elements, steel, fx.circle(diameter / 2))
    mass = 7870.0 * np.pi / 4 * diameter**2 * rod
    half = [crank / 2, 0.0, 0.0]
    m1 = s.rigid_body(
        "m1", 1e-3, 1e-6, {"r4": [-crank / 2, 0], "r5": [crank / 2, 0]}, half,
        angular_velocity=[0, 0, speed],
    )  # fmt: skip
    # the base is at the slider: the rod looks back to the crank
    fm2 = s.flexible_body(
        "fm2", beam, support=fx.Clamped("start"), modes=modes, position=[crank + rod, 0, 0],
        rotation=fx.rotation("z", np.pi),
    )  # fmt: skip
    m3 = s.rigid_body("m3", mass / 2, 1e-6, position=[crank + rod, 0, 0])
    s.revolute("h7", s.ground, m1["r4"])
    s.revolute("h8", m1["r5"], fm2["end"])
    s.revolute("h9", m3, fm2)
    s.prismatic("s10", s.ground, m3, axis="x")
    s.motion("md7", joint="h7", angle=fx.ramp(speed))
    s.channel("crank_angle", fx.joint_coordinate("h7"), "rad")
    s.channel("slider", fx.position(m3, "x"), "m")
    return s
