r"""Deployment of two flexible panels: FlexNet (Richard 2012) §5.2.

    base ═o═══ panel 1 ═══o═══ panel 2 ═══       hinges about -y, o: ψ1 and ψ2

Two steel panels of 2 m × 2 m × 0.003 m (E = 2.1e11 N/m², ν = 0.3, ρ = 7800 kg/m³), 32 triangles each in the
symmetric mesh ``meshes/panel_32.msh``. The drivers (71)-(72) unfold them in T = 14 s,

    ψ1 = π/2 (τ - sin(2πτ)/2π),   ψ2 = π - π (τ - sin(2πτ)/2π),   τ = t/T,

and hold them to 20 s. Four modes each, clamped at the hinge. With the drivers in the trees, which is the
default, the equations are ordinary differential equations in the elastic coordinates alone.
Recorded are the deflections of the centres of the panels (the paper's figure 8) and of their outer edges,
normal to their hinged edges' planes.

The defaults are the model that other programs solve with these data, and figure 8 with them: masses lumped
at the nodes, as an exported flexible body has them, and panel 2 hung on the *mean* motion of the outer edge
of panel 1, which stays flexible. Both matter for 32 triangles: consistent masses raise the first frequency
by 2 % (finer meshes agree with either: docs/verification_flexible.md), a rigid bar along the outer edge
(``outer="rigid"``) makes the panels stiffer, and six seconds of hold turn that into a phase. A hinge on a
single node of a thin plate would not converge with the mesh: hinges are lines.
"""

import numpy as np

import flexnet as fx
from flexnet.examples import MESHES

SIDE = 2.0  # m, of the meshes
END = 20.0
STEP = 1e-2


def build(
    thickness: float = 0.003,
    triangles: int = 32,
    modes: int = 4,
    T: float = 14.0,
    stiffening: bool = True,
    inertia: str = "lumped",
    outer: str = "average",
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    thickness : of the panels, m.
    triangles : 32, 128, 512 or 2048 of a panel, a mesh of ``meshes/``.
    modes : of each panel, clamped at its hinge.
    T : time of deployment, s.
    stiffening : whether membrane forces stiffen the panels.
    inertia : "lumped" or "consistent" masses.
    outer : "average" or "rigid", the link between the outer edge of a panel and its frame.
    """
    s = fx.System("panel_deployment")
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    edge = {
        "rigid": fx.RigidLink("outer", "right"),
        "average": fx.AverageLink("outer", "right", rotation_length=SIDE),
    }
    panel = fx.mesh_body(
        fx.read_mesh(MESHES / f"panel_{triangles}.msh"),
        # bending as the elements of the reference have it
        [fx.ShellRegion("panel", fx.ShellSection.uniform(thickness, steel), bending_scale=1.0)],
        points={"hinge": (0.0, SIDE / 2, 0.0), "outer": (SIDE, SIDE / 2, 0.0)},
        frames={"hinge": "hinge", "outer": "outer", "centre": "centre"},
        links=[fx.RigidLink("hinge", "left"), edge[outer]],
    )
    how = {"support": fx.Clamped("hinge"), "modes": modes, "stiffening": stiffening, "inertia": inertia}
    # folded: panel 2 lies on panel 1, upside down
    one = s.flexible_body("panel_1", panel, position=[0, -SIDE / 2, 0], **how)
    two = s.flexible_body(
        "panel_2", panel, position=[SIDE, -SIDE / 2, 0], rotation=fx.rotation([0, -1, 0], np.pi), **how
    )
    s.revolute("hinge_1", s.ground, one["hinge"], axis=(0, -1, 0))
    s.revolute("hinge_2", one["outer"], two["hinge"], axis=(0, -1, 0))
    s.motion("psi_1", joint="hinge_1", angle=fx.cycloidal(0.0, np.pi / 2, T))
    s.motion("psi_2", joint="hinge_2", angle=fx.cycloidal(np.pi, 0.0, T))
    for body in (one, two):
        name = body.name.replace("_", " ")
        s.channel(f"{body.name}_centre", fx.deflection(body, "centre", "z"), "m", f"centre of {name}")
        s.channel(f"{body.name}_edge", fx.deflection(body, "outer", "z"), "m", f"outer edge of {name}")
    s.channel("hinge_1_torque", fx.torque("psi_1", (0, -1, 0)), "N*m", "torque that drives hinge 1")
    s.channel("hinge_2_torque", fx.torque("psi_2", (0, -1, 0)), "N*m", "torque that drives hinge 2")
    return s


def displacements(run: fx.Run, T: float = 14.0) -> dict[str, tuple[str, np.ndarray]]:
    """Displacements from the rigid motion, along its normals, m.

    A and C are the middles of the outer edges of panels 1 and 2, M1 and M2 their centres.
    """
    tau = np.clip(run.t / T, 0.0, 1.0)
    psi = np.pi / 2 * (tau - np.sin(2 * np.pi * tau) / (2 * np.pi))
    out, tip = {}, np.zeros((len(tau), 3))
    for panel, edge, centre, angle in (("panel_1", "dA", "dM1", psi), ("panel_2", "dC", "dM2", np.pi - psi)):
        along = np.stack([np.cos(angle), 0 * tau, np.sin(angle)], axis=1)
        normal = np.stack([-np.sin(angle), 0 * tau, np.cos(angle)], axis=1)
        for column, frame, distance in ((edge, "outer", SIDE), (centre, "centre", SIDE / 2)):
            moved = run[f"frames/{panel}.{frame}/position"] - tip - distance * along
            out[column] = ("m", np.einsum("ri,ri->r", normal, moved))
        tip = tip + SIDE * along
    return out


def _reference(file: str, source: str, *limits: str, **settings: object) -> fx.Reference:
    return fx.Reference(
        source=source,
        file=f"references/{file}.csv",
        tolerances=limits,
        settings=settings,
        end=END,
        step=STEP,
        method=fx.generalised_alpha(0.9),
        observe=displacements,
    )


FRAME = "DKT modes of another program in another floating frame"
REFERENCES = [
    _reference("panels_linear_4modes", f"4 {FRAME}, beside the case as it stands", "5%"),
    _reference("panels_linear_4modes", f"4 {FRAME}, without stiffening either", "4%", stiffening=False),
    _reference("panels_linear_20modes", f"20 {FRAME}", "4%", modes=20, stiffening=False),
    _reference(
        "panels_nonlinear", "ANCF plates of another program, not converged", "9%:rms",
        modes=20, inertia="consistent",
    ),
]  # fmt: skip
