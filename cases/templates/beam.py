"""A rod that bends swings from a pin and carries a weight at its tip.

    pin o===========[]

A beam of eight elements and two shapes, clamped to its own frame at the pin. SI units: m, kg, s, N, rad.
"""

import flexnet as fx

END = 2.0  # s
STEP = 5e-4  # s; without it a step is chosen for an error of 1e-6


def build(length: float = 1.0, side: float = 0.03, tip_mass: float = 0.1, modes: int = 2) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    length, side : of the rod and of its square section, m.
    tip_mass : kg.
    modes : shapes the rod may bend in.
    """
    s = fx.System("beam", planar=True)
    s.gravity([0.0, -9.81])

    nylon = fx.Material(E=2e8, nu=0.4, rho=1200.0, eta=1e-3)  # N/m², -, kg/m³, s
    beam = fx.beam_body(length, 8, nylon, fx.rectangle(side, side))
    rod = s.flexible_body("rod", beam, support=fx.Clamped("start"), modes=modes)
    weight = s.rigid_body("weight", tip_mass, 1e-4, position=[length, 0])

    s.revolute("pin", s.ground, rod["start"])
    s.weld("glue", rod["end"], weight)

    s.channel("angle", fx.joint_coordinate("pin"), "rad")
    s.channel("tip_deflection", fx.deflection(rod, "end", "y"), "m", "from the tangent at the pin")
    s.channel("pin_force", fx.force("pin"), "N")
    return s
