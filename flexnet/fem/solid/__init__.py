"""Solids: tetrahedra of second order with ten nodes, three freedoms a node (docs/theory/solid.md)."""

from flexnet.fem.solid.recovery import SolidStress
from flexnet.fem.solid.region import SolidRegion

__all__ = ["SolidRegion", "SolidStress"]
