"""What rows ask for: formulas of displacements, angles and directions, and the rows made of them."""

from flexnet.algebra import (
    Expr,
    Mat,
    Vec,
    add,
    atan2,
    cos,
    cross,
    dot,
    mul,
    plus,
    sin,
    sqrt,
    times,
    transpose,
    where,
    wrap,
)
from flexnet.components.frame import normals
from flexnet.components.row import Relative, Row
from flexnet.components.time_function import TimeFunction
from flexnet.typing import Array

#: 1 + tr E below which two frames are half a turn apart, where their rotation has no direction
_HALF_TURN = 1e-12


def along(m: Relative) -> Expr:
    """Φ = n·d - f: displacement along a direction of the tail."""
    return add(dot(m.tail[0], m.d), -m.f)


def perpendicular(m: Relative) -> Expr:
    """Φ = n·a: a direction of the head stays normal to one of the tail."""
    return dot(m.tail[0], m.head[0])


def turned(m: Relative) -> Expr:
    """Φ = atan2(a·m, a·n) - f, less whole turns: a direction of the head in the plane (n, m) of the tail."""
    n, across = m.tail
    a = m.head[0]
    return wrap(add(atan2(dot(a, across), dot(a, n)), -m.f))


def counted(m: Relative) -> Expr:
    """Φ = θ - f, whole turns included."""
    return add(m.angle, -m.f)


def _oriented(m: Relative, j: int) -> Expr:
    """Component j of 2 sin(φ/2) u of the rotation E by φ about u, from the axes D of A, turned if driven."""
    D, B = transpose(m.R_A), transpose(m.R_B)
    if m.tail:
        D = _turned_axes(D, m.tail[0], m.f)
    k, l = (j + 1) % 3, (j + 2) % 3
    trace_E = add(*(dot(D[i], B[i]) for i in range(3)))
    difference = add(dot(D[l], B[k]), -dot(D[k], B[l]))
    rest = add(1, trace_E)
    return where(rest > _HALF_TURN, difference / sqrt(rest), 2)


def _turned_axes(D: Mat, u: Vec, f: Expr) -> Mat:
    """Axes turned by f about u: e cos f + u × e sin f + u (u·e)(1 - cos f)."""
    c, s = cos(f), sin(f)
    x, y, z = (plus(times(c, e), times(s, cross(u, e)), times(mul(dot(u, e), add(1, -c)), u)) for e in D)
    return x, y, z


def oriented_x(m: Relative) -> Expr:
    """Φ = x component of 2 sin(φ/2) u of the rotation from the (driven) tail to the head."""
    return _oriented(m, 0)


def oriented_y(m: Relative) -> Expr:
    """Φ = y component of the same."""
    return _oriented(m, 1)


def oriented_z(m: Relative) -> Expr:
    """Φ = z component of the same."""
    return _oriented(m, 2)


ORIENTED = (oriented_x, oriented_y, oriented_z)


def direction_label(vector: Array) -> str:
    """Name a direction: x, -y, or its components."""
    x = [float(c) for c in vector]
    k = max(range(3), key=lambda i: abs(x[i]))
    if abs(abs(x[k]) - 1.0) < 1e-5 and all(abs(c) <= 1e-9 for i, c in enumerate(x) if i != k):
        return "xyz"[k] if x[k] > 0 else f"-{'xyz'[k]}"
    return "(" + ", ".join(f"{c:.4g}" for c in x) + ")"


def displacement_row(vector: Array, function: TimeFunction | None = None) -> Row:
    """No displacement along a direction of the tail, or a known one."""
    return Row(f"force {direction_label(vector)}", along, "m", (vector,), function=function, held_by="T")


def angle_row(axis: Array, function: TimeFunction | None = None) -> Row:
    """No rotation about an axis, or a known one."""
    n, m = normals(axis)
    return Row(f"torque {direction_label(axis)}", turned, "rad", (n, m), (n,), function=function, held_by="R")


def perpendicular_row(n: Array, a: Array, axis: Array) -> Row:
    """N of the tail and a of the head stay perpendicular; the reaction is a torque about their normal."""
    return Row(f"torque {direction_label(axis)}", perpendicular, "rad", (n,), (a,), held_by="R")


def orientation_rows(axis: Array | None = None, function: TimeFunction | None = None) -> tuple[Row, ...]:
    """The same orientation, but for a known rotation about an axis."""
    about = () if axis is None or function is None else (axis,)
    return tuple(
        Row(f"torque {letter}", formula, "rad", about, function=function, held_by="R")
        for letter, formula in zip("xyz", ORIENTED, strict=True)
    )
