r"""Deployment of two flexible panels: FlexNet (Richard 2012) §5.2.

    base ═o═══ panel 1 ═══o═══ panel 2 ═══       hinges about -y, o: ψ1 and ψ2

Two steel panels of 2 m × 2 m × 0.003 m (E = 2.1e11 N/m², ν = 0.3, ρ = 7800 kg/m³), 32 triangles each in a
symmetric mesh, with rigid links along the hinge lines: a hinge on a single node of a thin plate never
converges with the mesh. The drivers (71)-(72) unfold them in T = 14 s,

    ψ1 = π/2 (τ - sin(2πτ)/2π),   ψ2 = π - π (τ - sin(2πτ)/2π),   τ = t/T,

and hold them to 20 s. Four modes each, clamped at the hinge. With the drivers in the trees, which is the
default, the equations are ordinary differential equations in the elastic coordinates alone.
Recorded are the deflections of the centres of the panels normal to their hinged edges' planes.
"""

import numpy as np

import flexnet as fx

END = 20.0
STEP = 1e-2


def build(
    side: float = 2.0,
    thickness: float = 0.003,
    cells: int = 4,
    modes: int = 4,
    T: float = 14.0,
    stiffening: bool = True,
    inertia: str = "consistent",
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    side, thickness : of the panels, m.
    cells : squares along a side, even; two triangles each.
    modes : of each panel, clamped at its hinge.
    T : time of deployment, s.
    stiffening : whether membrane forces stiffen the panels.
    inertia : "consistent" or "lumped" masses.
    """
    s = fx.System("panel_deployment")
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    # nodes are numbered along x, then along y
    near, far = (cells // 2) * (cells + 1), (cells // 2) * (cells + 1) + cells
    rows = [i * (cells + 1) for i in range(cells + 1)]
    panel = fx.panel_body(
        (side, side), (cells, cells), fx.ShellSection.uniform(thickness, steel),
        frames={"hinge": near, "outer": far},
        links=[
            fx.RigidLink(near, [i for i in rows if i != near]),
            fx.RigidLink(far, [i + cells for i in rows if i + cells != far]),
        ],
    )  # fmt: skip
    how = {"support": fx.Clamped(near), "modes": modes, "stiffening": stiffening, "inertia": inertia}
    # folded: panel 2 lies on panel 1, upside down
    middle = side / 2
    one = s.flexible_body("panel_1", panel, position=[0, -middle, 0], **how)
    two = s.flexible_body(
        "panel_2", panel, position=[side, -middle, 0], rotation=fx.rotation([0, -1, 0], np.pi), **how
    )
    s.revolute("hinge_1", s.ground, one["hinge"], axis=(0, -1, 0))
    s.revolute("hinge_2", one["outer"], two["hinge"], axis=(0, -1, 0))
    s.motion("psi_1", joint="hinge_1", angle=fx.cycloidal(0.0, np.pi / 2, T))
    s.motion("psi_2", joint="hinge_2", angle=fx.cycloidal(np.pi, 0.0, T))
    centre = (near + far) // 2
    for body in (one, two):
        measure = fx.deflection(body, centre, "z")
        s.channel(f"{body.name}_centre", measure, "m", f"centre of {body.name.replace('_', ' ')}")
        measure = fx.deflection(body, "outer", "z")
        s.channel(f"{body.name}_edge", measure, "m", f"outer edge of {body.name.replace('_', ' ')}")
    s.channel("hinge_1_torque", fx.torque("psi_1", (0, -1, 0)), "N*m", "torque that drives hinge 1")
    s.channel("hinge_2_torque", fx.torque("psi_2", (0, -1, 0)), "N*m", "torque that drives hinge 2")
    return s
