r"""Deployment of two flexible panels: FlexNet (Richard 2012) §5.2.

    base ═o═══ panel 1 ═══o═══ panel 2 ═══       hinges about -y, o: ψ1 and ψ2

Two steel panels of 2 m × 2 m × 0.003 m (E = 2.1e11 N/m², ν = 0.3, ρ = 7800 kg/m³), 32 triangles each in a
symmetric mesh, with rigid links along the hinge lines: a hinge on a single node of a thin plate never
converges with the mesh. With ``outer="average"`` panel 2 hangs on the mean motion of the outer edge of
panel 1, which then stays flexible. The drivers (71)-(72) unfold them in T = 14 s,

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
    outer: str = "rigid",
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
    outer : "rigid" or "average", the link between the outer edge of a panel and its frame.
    """
    s = fx.System("panel_deployment")
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    middle = side / 2
    edge = {
        "rigid": fx.RigidLink("outer", "right"),
        "average": fx.AverageLink("outer", "right", rotation_length=side),
    }
    panel = fx.panel_body(
        (side, side), (cells, cells), fx.ShellSection.uniform(thickness, steel),
        points={"hinge": (0.0, middle, 0.0), "outer": (side, middle, 0.0)},
        frames={"hinge": "hinge", "outer": "outer"},
        links=[fx.RigidLink("hinge", "left"), edge[outer]],
    )  # fmt: skip
    how = {"support": fx.Clamped("hinge"), "modes": modes, "stiffening": stiffening, "inertia": inertia}
    # folded: panel 2 lies on panel 1, upside down
    one = s.flexible_body("panel_1", panel, position=[0, -middle, 0], **how)
    two = s.flexible_body(
        "panel_2", panel, position=[side, -middle, 0], rotation=fx.rotation([0, -1, 0], np.pi), **how
    )
    s.revolute("hinge_1", s.ground, one["hinge"], axis=(0, -1, 0))
    s.revolute("hinge_2", one["outer"], two["hinge"], axis=(0, -1, 0))
    s.motion("psi_1", joint="hinge_1", angle=fx.cycloidal(0.0, np.pi / 2, T))
    s.motion("psi_2", joint="hinge_2", angle=fx.cycloidal(np.pi, 0.0, T))
    centre = panel.mesh.find_node("centre")
    for body in (one, two):
        measure = fx.deflection(body, centre, "z")
        s.channel(f"{body.name}_centre", measure, "m", f"centre of {body.name.replace('_', ' ')}")
        measure = fx.deflection(body, "outer", "z")
        s.channel(f"{body.name}_edge", measure, "m", f"outer edge of {body.name.replace('_', ' ')}")
    s.channel("hinge_1_torque", fx.torque("psi_1", (0, -1, 0)), "N*m", "torque that drives hinge 1")
    s.channel("hinge_2_torque", fx.torque("psi_2", (0, -1, 0)), "N*m", "torque that drives hinge 2")
    return s


def displacements(run: fx.Run, side: float = 2.0, T: float = 14.0) -> dict[str, tuple[str, np.ndarray]]:
    """Displacements of the middles A, C of the outer edges from the rigid motion, along its normals, m."""
    tau = np.clip(run.t / T, 0.0, 1.0)
    psi = np.pi / 2 * (tau - np.sin(2 * np.pi * tau) / (2 * np.pi))
    out, tip = {}, np.zeros((len(tau), 3))
    for name, panel, angle in (("dA", "panel_1", psi), ("dC", "panel_2", np.pi - psi)):
        along = np.stack([np.cos(angle), 0 * tau, np.sin(angle)], axis=1)
        normal = np.stack([-np.sin(angle), 0 * tau, np.cos(angle)], axis=1)
        tip = tip + side * along
        moved = run[f"frames/{panel}.outer/position"] - tip
        out[name] = ("m", np.einsum("ri,ri->r", normal, moved))
    return out


def _reference(file: str, source: str, limit: str, **settings: object) -> fx.Reference:
    return fx.Reference(
        source=source,
        file=f"references/{file}.csv",
        tolerances=(limit,),
        settings={"outer": "average", **settings},
        end=END,
        step=STEP,
        method=fx.generalised_alpha(0.9),
        observe=displacements,
    )


REFERENCES = [
    *(
        _reference(
            f"panels_linear_{n}modes", f"{n} DKT modes of another program in another floating frame", "3%",
            modes=n, stiffening=False, inertia="lumped",
        )
        for n in (4, 20)
    ),
    _reference("panels_nonlinear", "ANCF plates of another program, not converged", "8%:rms", modes=20),
]  # fmt: skip
