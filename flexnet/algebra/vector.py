"""Vectors of three scalars, matrices by rows, and rotations."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from flexnet.algebra.function import (
    atan2,
    cos,
    maximum,
    sin,
    sqrt,
    turn_c,
    turn_f1,
    turn_f2,
    turn_factor,
    turn_g1,
    turn_g2,
    turn_s,
    turn_w,
)
from flexnet.algebra.scalar import Expr, Node, add, mul, number, scale
from flexnet.typing import AnyArray

Vec: TypeAlias = tuple[Expr, Expr, Expr]
Mat: TypeAlias = tuple[Vec, Vec, Vec]

ZERO3: Vec = (0, 0, 0)
UNIT: Mat = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
#: component of a vector over its largest that is none
ROUND_OFF = 5e-15
#: 1 + tr R at half a turn, where round-off could make it negative
_HALF_TURN = 1e-30


def numbers(x: AnyArray) -> Vec:
    """Three numbers as a vector, without components that are round-off of the largest.

    What is an expression already stays one.
    """
    least = ROUND_OFF * max((abs(float(y)) for y in x if type(y) is not Node), default=0.0)
    a, b, c = (y if type(y) is Node else number(0.0 if abs(y) <= least else y) for y in x)
    return a, b, c


def matrix_of_numbers(C: AnyArray) -> Mat:
    """A (3, 3) array as a matrix."""
    return numbers(C[0]), numbers(C[1]), numbers(C[2])


def is_numeric(C: AnyArray) -> bool:
    """Whether an array has no expression in it."""
    return C.dtype != object or not any(type(x) is Node for x in C.flat)


_EYE = np.eye(3)


def is_unit(C: AnyArray) -> bool:
    """Whether an array is the identity but for round-off."""
    return is_numeric(C) and bool((np.abs(C.astype(float) - _EYE) <= 1e-14).all())


# -- vectors -----------------------------------------------------------------------------------


def plus(*vectors: Vec) -> Vec:
    """Sum."""
    x, y, z = (add(*(v[k] for v in vectors)) for k in range(3))
    return x, y, z


def minus(a: Vec, b: Vec) -> Vec:
    """Difference."""
    return add(a[0], -b[0]), add(a[1], -b[1]), add(a[2], -b[2])


def negative(a: Vec) -> Vec:
    """Minus a vector."""
    return -a[0], -a[1], -a[2]


def times(s: Expr, a: Vec) -> Vec:
    """Vector times scalar."""
    return mul(s, a[0]), mul(s, a[1]), mul(s, a[2])


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """Scalar product of vectors of any length."""
    return add(*map(mul, a, b))


def cross(a: Vec, b: Vec) -> Vec:
    """Vector product."""
    return (
        add(mul(a[1], b[2]), -mul(a[2], b[1])),
        add(mul(a[2], b[0]), -mul(a[0], b[2])),
        add(mul(a[0], b[1]), -mul(a[1], b[0])),
    )


# -- matrices ----------------------------------------------------------------------------------


def transpose(A: Mat) -> Mat:
    """Aᵀ."""
    x, y, z = zip(*A, strict=True)
    return x, y, z


def rotate(R: Mat, a: Vec) -> Vec:
    """R a."""
    return dot(R[0], a), dot(R[1], a), dot(R[2], a)


def rotate_back(R: Mat, a: Vec) -> Vec:
    """Rᵀ a."""
    return rotate(transpose(R), a)


def matmul(A: Mat, B: Mat) -> Mat:
    """A B."""
    Bt = transpose(B)
    x, y, z = (rotate(Bt, row) for row in A)
    return x, y, z


# -- rotations ---------------------------------------------------------------------------------


def rotation_about(axis: AnyArray, angle: Expr) -> Mat:
    """Rotation matrix about a constant unit vector."""
    c, s = cos(angle), sin(angle)
    n = numbers(axis)
    k = add(1, -c)
    skew = ((0, -n[2], n[1]), (n[2], 0, -n[0]), (-n[1], n[0], 0))

    def entry(i: int, j: int) -> Expr:
        nn = n[i] * n[j]
        if i != j:
            return add(mul(nn, k), mul(skew[i][j], s))
        return 1 if nn == 1 else add(c, mul(nn, k))

    x, y, z = ((entry(i, 0), entry(i, 1), entry(i, 2)) for i in range(3))
    return x, y, z


def quaternion_matrix(q: Sequence[Expr], is_unit: bool = True) -> Mat:
    """Rotation matrix of a quaternion (w, x, y, z), of unit length or brought to it."""
    w, x, y, z = q
    s = 2 if is_unit else 2 / dot(q, q)
    sx, sy, sz = mul(s, x), mul(s, y), mul(s, z)
    xx, yy, zz = mul(sx, x), mul(sy, y), mul(sz, z)
    xy, xz, yz = mul(sx, y), mul(sx, z), mul(sy, z)
    wx, wy, wz = mul(sx, w), mul(sy, w), mul(sz, w)
    return (
        (add(1, -yy, -zz), add(xy, -wz), add(xz, wy)),
        (add(xy, wz), add(1, -xx, -zz), add(yz, -wx)),
        (add(xz, -wy), add(yz, wx), add(1, -xx, -yy)),
    )


def exponential(phi: Vec) -> Mat:
    """Rotation exp(φ̃) = 1 + (sin φ/φ) φ̃ + f₁ φ̃φ̃ by a rotation vector."""
    x, y, z = phi
    xx, yy, zz = mul(x, x), mul(y, y), mul(z, z)
    square = add(xx, yy, zz)
    f1, s = turn_f1(square), add(1, -mul(square, turn_f2(square)))
    xy, yz, zx = mul(f1, mul(x, y)), mul(f1, mul(y, z)), mul(f1, mul(x, z))
    sx, sy, sz = mul(s, x), mul(s, y), mul(s, z)
    return (
        (add(1, -mul(f1, add(yy, zz))), add(xy, -sz), add(zx, sy)),
        (add(xy, sz), add(1, -mul(f1, add(xx, zz))), add(yz, -sx)),
        (add(zx, -sy), add(yz, sx), add(1, -mul(f1, add(xx, yy)))),
    )


def turn_rate(phi: Vec, x: Vec) -> Vec:
    """J x = x + f₁ φ × x + f₂ φ × (φ × x): the angular velocity of exp φ̃ for the rate x of φ."""
    square, across = dot(phi, phi), cross(phi, x)
    return plus(x, times(turn_f1(square), across), times(turn_f2(square), cross(phi, across)))


def turn_bias(phi: Vec, x: Vec) -> Vec:
    """J̇ x, φ̇ = x: what the angular acceleration of exp φ̃ has besides J φ̈."""
    square, along, across = dot(phi, phi), dot(phi, x), cross(phi, x)
    return plus(
        times(mul(turn_g1(square), along), across),
        times(mul(turn_g2(square), along), cross(phi, across)),
        times(turn_f2(square), cross(x, across)),
    )


def turned_quaternion(q: Sequence[Expr], phi: Vec) -> tuple[Expr, ...]:
    """``q ∘ exp(φ/2)``, of unit length: q turned by the rotation vector φ given in the turned frame."""
    x = dot(phi, phi)
    (w, *u), pw, p = q, turn_w(x), times(turn_s(x), phi)
    v = (u[0], u[1], u[2])
    turned = (add(mul(w, pw), -dot(v, p)), *plus(times(w, p), times(pw, v), cross(v, p)))
    over = 1 / sqrt(add(*(mul(y, y) for y in turned)))
    return tuple(mul(over, y) for y in turned)


def quaternion_of(E: Mat) -> tuple[Expr, Expr, Expr, Expr]:
    """Unit quaternion (w > 0) of a rotation by less than half a turn; at half a turn some finite number."""
    w = sqrt(maximum(add(1, E[0][0], E[1][1], E[2][2]), _HALF_TURN)) / 2
    s = 1 / (4 * w)
    x = mul(s, add(E[2][1], -E[1][2]))
    y = mul(s, add(E[0][2], -E[2][0]))
    z = mul(s, add(E[1][0], -E[0][1]))
    return w, x, y, z


def rotation_vector(E: Mat) -> Vec:
    """Rotation vector φ of a rotation by less than half a turn."""
    if E == UNIT:
        return ZERO3
    if E[2] == UNIT[2] and E[0][2] == E[1][2] == 0:
        return 0, 0, atan2(E[1][0], E[0][0])
    w, *v = quaternion_of(E)
    x, y, z = v
    return times(turn_factor(dot(v, v), w), (x, y, z))


def turn_work(phi: Vec, s: int, y: Vec) -> Vec:
    """``y - s φ × y/2 + c φ × (φ × y)``: J⁻¹y for s = 1, J⁻ᵀy for s = -1, J the left Jacobian of exp φ."""
    across = cross(phi, y)
    twice = cross(phi, across)
    c = turn_c(dot(phi, phi))
    x, z, w = (add(y[k], scale(-s, across[k]) / 2, mul(c, twice[k])) for k in range(3))
    return x, z, w
