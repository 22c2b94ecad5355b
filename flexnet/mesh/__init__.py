"""Meshes of beams and shells: containers, files, generators and checks. Lengths in metres."""

from flexnet.mesh.checks import check_connected, check_mesh, connected_parts
from flexnet.mesh.generators import (
    arc_mesh,
    beam_mesh,
    block_mesh,
    cylinder_mesh,
    disc_mesh,
    extruded_mesh,
    panel_mesh,
    polyline_mesh,
)
from flexnet.mesh.mesh import Mesh, NodeRef, merged
from flexnet.mesh.reading import read_mesh
from flexnet.mesh.writing import write_mesh, write_motion

__all__ = [
    "Mesh",
    "NodeRef",
    "merged",
    "beam_mesh",
    "polyline_mesh",
    "arc_mesh",
    "panel_mesh",
    "block_mesh",
    "disc_mesh",
    "cylinder_mesh",
    "extruded_mesh",
    "check_mesh",
    "check_connected",
    "connected_parts",
    "read_mesh",
    "write_mesh",
    "write_motion",
]
