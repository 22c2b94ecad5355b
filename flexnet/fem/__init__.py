"""Finite elements: materials, beams, shells, assembly, analyses, reduction, tables of flexible bodies."""

from flexnet.fem.assembly import Matrices, assemble
from flexnet.fem.beam import (
    BeamForces,
    BeamRegion,
    BeamSection,
    RodSection,
    box,
    circle,
    i_section,
    rectangle,
    tube,
)
from flexnet.fem.bodies import beam_body, mesh_body, panel_body
from flexnet.fem.body import Body
from flexnet.fem.cache import cache_folder, flex_table
from flexnet.fem.flex_table import FlexTable, FrameRows
from flexnet.fem.geometric_tensors import GeometricTensors
from flexnet.fem.imported import export_body, export_table, imported_body, imported_table
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.invariants import Invariants, adams_invariants
from flexnet.fem.links import AverageLink, RigidLink
from flexnet.fem.mass_points import MassPoints
from flexnet.fem.material import Damping, Material, ModalDamping, Rayleigh
from flexnet.fem.mode_table import ModeTable
from flexnet.fem.modes import Modes, buckling_modes, natural_modes
from flexnet.fem.point_mass import PointMass
from flexnet.fem.port import Piezo, Pressure, Spread, Temperature, port_rows
from flexnet.fem.recovery import Recovered, largest_strain, recover
from flexnet.fem.reduction import Reduction
from flexnet.fem.rotating import rotating_frequencies, rotating_modes, rotating_stiffness
from flexnet.fem.shell import Orthotropic, Ply, ShellRegion, ShellSection, ShellStress
from flexnet.fem.solid import SolidRegion, SolidStress
from flexnet.fem.statics import Loads, prestress, reactions, solve_static
from flexnet.fem.stress_modes import BodyMotion, StressModes, nodal_freedoms, nodal_shapes, stress_modes
from flexnet.fem.stress_point import StressRows, beams_at, shells_at, stress_rows
from flexnet.fem.structure import Structure, supported
from flexnet.fem.supports import Clamped, Free, Held, Pinned, Tripod
from flexnet.fem.table_builder import TableOptions, build_table, table_key
from flexnet.fem.table_file import read_table, write_table

__all__ = [
    # what a body is
    "Material",
    "Damping",
    "ModalDamping",
    "Rayleigh",
    "BeamSection",
    "RodSection",
    "rectangle",
    "circle",
    "tube",
    "box",
    "i_section",
    "ShellSection",
    "Ply",
    "Orthotropic",
    "BeamRegion",
    "ShellRegion",
    "SolidRegion",
    "RigidLink",
    "AverageLink",
    "PointMass",
    "Body",
    "beam_body",
    "mesh_body",
    "panel_body",
    # analyses
    "Piezo",
    "Pressure",
    "Spread",
    "Temperature",
    "port_rows",
    "Clamped",
    "Pinned",
    "Held",
    "Tripod",
    "Free",
    "Structure",
    "supported",
    "Matrices",
    "assemble",
    "Loads",
    "solve_static",
    "reactions",
    "prestress",
    "Modes",
    "natural_modes",
    "buckling_modes",
    "rotating_modes",
    "recover",
    "largest_strain",
    "Recovered",
    "BeamForces",
    "ShellStress",
    "SolidStress",
    "BodyMotion",
    "StressModes",
    "stress_modes",
    "nodal_freedoms",
    "nodal_shapes",
    "StressRows",
    "stress_rows",
    "beams_at",
    "shells_at",
    # tables
    "Reduction",
    "TableOptions",
    "flex_table",
    "build_table",
    "table_key",
    "cache_folder",
    "imported_body",
    "imported_table",
    "export_body",
    "export_table",
    "read_table",
    "write_table",
    "FlexTable",
    "FrameRows",
    "InertiaTensors",
    "GeometricTensors",
    "ModeTable",
    "MassPoints",
    "Invariants",
    "adams_invariants",
    "rotating_stiffness",
    "rotating_frequencies",
]
