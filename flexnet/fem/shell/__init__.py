"""Flat triangular shell: DKT bending and OPT membrane, six freedoms per node.

Every function takes node coordinates ``X`` (n_e, 3, 3) of a batch of facets and a section, and works on
all facets at once. Freedoms per node are (ux, uy, uz, θx, θy, θz) in body axes, 18 per facet. Units are
SI. The theory is in docs/theory/shell.md.
"""

from flexnet.fem.shell.drilling import side_normals
from flexnet.fem.shell.inertia import mass_points
from flexnet.fem.shell.kinematics import CENTROID, CORNERS, generalised_strain, stiffness
from flexnet.fem.shell.loads import body_load, edge_load, pressure_load, traction_load
from flexnet.fem.shell.ply import Orthotropic, Ply
from flexnet.fem.shell.prestress import geometric_stiffness
from flexnet.fem.shell.recovery import ShellStress
from flexnet.fem.shell.region import ShellRegion
from flexnet.fem.shell.section import ShellSection

__all__ = [
    "ShellRegion",
    "ShellSection",
    "ShellStress",
    "Ply",
    "Orthotropic",
    "side_normals",
    "stiffness",
    "mass_points",
    "geometric_stiffness",
    "body_load",
    "pressure_load",
    "traction_load",
    "edge_load",
    "CENTROID",
    "CORNERS",
    "generalised_strain",
]
