"""Orientation of a frame as base · rot(axis, angle) · fixed: successive turns about one axis add up.

    R rot(n, β) = base rot(u, α) F rot(n, β) = base rot(u, α ± β) F     where F n = ±u               (1)

so that a chain of parallel axes has sums of angles and no products of matrices. Constant vectors and
rotations are arrays of numbers, or of expressions where a family is traced.
"""

from dataclasses import dataclass, field

import numpy as np

from flexnet.algebra import (
    UNIT,
    Expr,
    Mat,
    Vec,
    is_numeric,
    is_unit,
    matmul,
    matrix_of_numbers,
    numbers,
    rotate,
    rotation_about,
)
from flexnet.typing import AnyArray

_PARALLEL = 1e-13


@dataclass(slots=True, eq=False)
class Orientation:
    """An orientation in ground, kept in factors.

    Attributes
    ----------
    base : (3, 3) expressions.
    axis : (3,) unit vector of the last turns; None if there are none yet.
    angle : sum of the last turns.
    fixed : (3, 3) constant rotation after them.
    """

    base: Mat = UNIT
    axis: AnyArray | None = None
    angle: Expr = 0
    fixed: AnyArray = field(default_factory=lambda: np.eye(3))
    _matrix: Mat | None = None

    def place(self, C: AnyArray) -> "Orientation":
        """Orientation of a frame fixed on this one."""
        if is_unit(C):
            return self
        return Orientation(self.base, self.axis, self.angle, self.fixed @ C)

    def turn(self, axis: AnyArray, angle: Expr) -> "Orientation":
        """Turn about an axis given in this frame."""
        n = self.fixed @ axis
        if self.axis is None:
            return Orientation(self.base, n, angle, self.fixed)
        along = _cosine(n, self.axis)
        if along:
            total = self.angle + (angle if along > 0 else -angle)
            return Orientation(self.base, self.axis, total, self.fixed)
        return Orientation(self.matrix, axis, angle)

    def times(self, R_e: Mat) -> "Orientation":
        """Follow with a rotation matrix."""
        return Orientation(matmul(self.matrix, R_e))

    @property
    def matrix(self) -> Mat:
        """Rotation matrix, (3, 3) expressions."""
        if self._matrix is None:
            R = self.base
            if self.axis is not None and self.angle != 0:
                turned = rotation_about(self.axis, self.angle)
                R = turned if R is UNIT else matmul(R, turned)
            if not is_unit(self.fixed):
                R = matmul(R, matrix_of_numbers(self.fixed))
            self._matrix = R
        return self._matrix

    def vector(self, n: AnyArray) -> Vec:
        """A constant vector of this frame, in ground."""
        m = self.fixed @ n
        if self.axis is None or _cosine(m, self.axis):
            return rotate(self.base, numbers(m))
        return rotate(self.matrix, numbers(n))


def _cosine(n: AnyArray, axis: AnyArray) -> float:
    """1 or -1 where a constant vector is along a unit one or against it, 0 where it is neither."""
    if not (is_numeric(n) and is_numeric(axis)):
        return 0.0
    length, along = float(np.linalg.norm(n.astype(float))), float(n @ axis)
    return float(np.sign(along)) if abs(abs(along) - length) < _PARALLEL * length else 0.0
