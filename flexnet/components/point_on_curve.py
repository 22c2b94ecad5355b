"""Point on a curve: pin in a curved slot, roller on a cam, bead on a wire."""

from dataclasses import dataclass
from typing import ClassVar

from flexnet.algebra import Expr, add, atan2, mul, rotate_back, sqrt
from flexnet.components.curve import CurveLike, Formula, Pieces, Spline, Written, evaluated, function
from flexnet.components.frame import Frame
from flexnet.components.joint import Joint
from flexnet.components.registry import builder, component
from flexnet.components.row import Relative, Row
from flexnet.components.terminal import XYZ, Terminal, Translation
from flexnet.errors import ModelError


@dataclass(frozen=True, slots=True)
class Height:
    """Φ = y - y(x) or z - z(x), (x, y, z) the place of the head in the tail frame."""

    curve: Written | Pieces
    axis: int

    def __call__(self, m: Relative) -> Expr:
        """Φ of a relative motion."""
        r = rotate_back(m.R_A, m.d)
        return add(r[self.axis], -evaluated(self.curve, m.numbers, "x", r[0]))


@dataclass(frozen=True, slots=True)
class Radius:
    """Φ = √(x² + y²) - ρ(φ), φ = atan2(y, x): a closed curve around the z axis of the tail."""

    curve: Written | Pieces

    def __call__(self, m: Relative) -> Expr:
        """Φ of a relative motion."""
        x, y, _ = rotate_back(m.R_A, m.d)
        phi = atan2(y, x)
        return add(sqrt(add(mul(x, x), mul(y, y))), -evaluated(self.curve, m.numbers, "phi", phi))


@component
@dataclass(frozen=True, slots=True, eq=False)
class PointOnCurve(Joint):
    """The origin of the head stays on a curve fixed in the tail frame; it may turn as it likes.

    Motion space   {tangent | any rotation}
    Reaction space {the two normals}
    Terminal       y = y(x), z = z(x), or x² + y² = ρ(φ)², z = 0;  T = 0

    It is never a branch of its own: a tree that holds it has three translations and the rows besides.

    Attributes
    ----------
    y, z : heights over x, in the tail frame; m.
    radius : distance from the z axis over the angle φ, instead of y and z.
    """

    symbol: ClassVar[str] = "pc"

    y: Formula | Spline | None
    z: Formula | Spline | None
    radius: Formula | Spline | None

    @property
    def terminal(self) -> Terminal:
        """Two conditions on the translation; not in the R-graph."""
        rows = []
        across, out = "force across the curve", "force out of the plane"
        if (rho := self.radius) is not None:
            rows.append(Row(across, Radius(rho.shape), "m", numbers=rho.numbers))
        if (y := self.y) is not None:
            rows.append(Row(across, Height(y.shape, 1), "m", numbers=y.numbers))
        if (z := self.z) is not None:
            is_flat = isinstance(z, Spline) and z.is_zero
            rows.append(Row(out, Height(z.shape, 2), "m", numbers=z.numbers, is_spatial=is_flat))
        return Terminal(Translation(free=XYZ), None, tuple(rows))


@builder
def point_on_curve(
    name: str,
    tail: Frame,
    head: Frame,
    y: CurveLike | None = None,
    z: CurveLike = 0.0,
    radius: CurveLike | None = None,
) -> PointOnCurve:
    """Keep the origin of ``head`` on a curve of the tail frame, such as a slot, a wire or a cam.

    Parameters
    ----------
    y, z : heights of the curve over x [m]: a number, a sympy expression of ``x``, or points (n, 2), through
        which a cubic spline is laid.
    radius : instead of y: distance from the z axis over the angle ``phi`` from x [m], an expression or points
        (n, 2) from -π to π, through which a closed cubic spline is laid.
    """
    if (y is None) == (radius is None):
        raise ModelError(f"point on a curve {name!r} needs either y or a radius")
    what = f"of the curve {name!r}"
    return PointOnCurve(
        name,
        tail,
        head,
        None if y is None else function(y, ("x",), f"y {what}"),
        function(z, ("x",), f"z {what}"),
        None if radius is None else function(radius, ("phi",), f"radius {what}", is_periodic=True),
    )
