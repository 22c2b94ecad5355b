"""Beams: the 2-node, 3-D Mindlin element with quadratic rotation, and its sections."""

from flexnet.fem.beam.recovery import BeamForces
from flexnet.fem.beam.region import BeamRegion
from flexnet.fem.beam.section import BeamSection
from flexnet.fem.beam.shapes import box, circle, i_section, rectangle, tube

__all__ = ["BeamForces", "BeamRegion", "BeamSection", "rectangle", "circle", "tube", "box", "i_section"]
