"""A panel from a mesh file opens on a hinge and rings.

    hinge o==========  panel
         psi(t)

The mesh file stands beside this one; Gmsh makes such, with a physical surface `panel` and physical curves
`left` and `right`. SI units: m, kg, s, N, rad.
"""

from pathlib import Path

import numpy as np

import flexnet as fx

MESH = Path(__file__).with_suffix(".msh")
END = 10.0  # s
STEP = 1e-2  # s


def build(thickness: float = 0.003, modes: int = 6, opening: float = 8.0) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    thickness : of the panel, m.
    modes : shapes the panel may bend in.
    opening : time the hinge takes for a quarter of a turn, s.
    """
    s = fx.System("shell")
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)  # N/m², -, kg/m³

    mesh = fx.read_mesh(MESH)
    left, right = (mesh.nodes[mesh.find_nodes(group)] for group in ("left", "right"))
    # a hinge holds a whole edge: on a single node of a thin shell it would not converge with the mesh
    panel = fx.mesh_body(
        mesh,
        [fx.ShellRegion("panel", fx.ShellSection.uniform(thickness, steel))],
        points={"hinge": tuple(left.mean(axis=0)), "tip": tuple(right.mean(axis=0))},
        frames={"hinge": "hinge", "tip": "tip"},
        links=[fx.RigidLink("hinge", "left"), fx.AverageLink("tip", "right", rotation_length=1.0)],
    )
    body = s.flexible_body("panel", panel, support=fx.Clamped("hinge"), modes=modes)

    s.revolute("hinge", s.ground, body["hinge"], axis=(0, -1, 0))
    s.motion("motor", joint="hinge", angle=fx.cycloidal(0.0, np.pi / 2, opening))

    s.channel("psi", fx.joint_coordinate("hinge"), "rad", "angle of the hinge")
    s.channel("tip_deflection", fx.deflection(body, "tip", "z"), "m", "of the outer edge")
    s.channel("torque", fx.torque("motor", (0, -1, 0)), "N*m", "of the motor in the hinge")
    return s
