"""Point on a surface."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.algebra import (
    Expr,
    Node,
    add,
    dot,
    gradient,
    mul,
    reach,
    rotate_back,
    sqrt,
    substituted,
    symbols,
)
from flexnet.components.curve import CurveLike, Formula, Pieces, Spline, Written, function
from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.row import Relative, Row
from flexnet.components.terminal import XYZ, Terminal, Translation
from flexnet.errors import ModelError


@dataclass(frozen=True, slots=True)
class Level:
    """Φ = g/|∇g| of g(x, y, z), the place of the head in the tail frame: the distance, near the surface."""

    surface: Written | Pieces

    def __call__(self, m: Relative) -> Expr:
        """Φ of a relative motion."""
        x, y, z = place = symbols("place_x place_y place_z")
        if isinstance(self.surface, Pieces):
            g = add(z, -self.surface(m.numbers, sqrt(add(mul(x, x), mul(y, y)))))
        else:
            g = self.surface(m.numbers, x=x, y=y, z=z)
        if not isinstance(g, Node) or not reach([g])[0] & set(place):
            raise ModelError("a surface is an expression of x, y and z; there is none of them in it")
        n = gradient(g, place)
        normal = (n[0], n[1], n[2])
        level = g / sqrt(dot(normal, normal))
        r = rotate_back(m.R_A, m.d)
        return substituted([level], dict(zip(place, r, strict=True)))[0]


@component
@dataclass(frozen=True, slots=True, eq=False)
class PointOnSurface(Joint):
    """The origin of the head stays on a surface fixed in the tail frame; it may turn as it likes.

    Motion space   {two tangents | any rotation}
    Reaction space {the normal}
    Terminal       g(x, y, z) = 0;  T = 0

    It is never a branch of its own: a tree that holds it has three translations and the row besides.

    Attributes
    ----------
    surface : g of the place in the tail frame; or the height z over the distance from the z axis.
    """

    symbol: ClassVar[str] = "ps"

    surface: Formula | Spline

    @property
    def terminal(self) -> Terminal:
        """One condition on the translation; not in the R-graph."""
        row = Row("force across the surface", Level(self.surface.shape), "m", numbers=self.surface.numbers)
        return Terminal(Translation(free=XYZ), None, (row,))


@builder
def point_on_surface(name: str, tail: Frame, head: Frame, surface: CurveLike) -> PointOnSurface:
    """Keep the origin of ``head`` on a surface of the tail frame.

    Parameters
    ----------
    surface : a sympy expression of ``x``, ``y``, ``z`` [m] that vanishes on it; or points (n, 2) of a surface
        of revolution: heights z over the distance from the z axis, through which a cubic spline is laid.
    """
    what = f"surface of {name!r}"
    return PointOnSurface(name, tail, head, function(surface, ("x", "y", "z"), what))
