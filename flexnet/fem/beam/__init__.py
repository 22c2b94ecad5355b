"""Beams: the 2-node, 3-D Mindlin element with quadratic rotation, and the sections of beams."""

from flexnet.fem.beam.recovery import BeamForces
from flexnet.fem.beam.region import BeamRegion
from flexnet.fem.beam.rod_section import RodSection
from flexnet.fem.beam.section import BeamSection
from flexnet.fem.beam.shapes import box, circle, i_section, rectangle, tube

__all__ = [
    "BeamForces",
    "BeamRegion",
    "BeamSection",
    "RodSection",
    "rectangle",
    "circle",
    "tube",
    "box",
    "i_section",
]
