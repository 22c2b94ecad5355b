"""Orientation of a frame as base · rot(axis, angle) · fixed: successive turns about one axis add up.

    R rot(n, β) = base rot(u, α) F rot(n, β) = base rot(u, α ± β) F     where F n = ±u               (1)

so that a chain of parallel axes has sums of angles and no products of matrices.
"""

from dataclasses import dataclass, field

import numpy as np

from flexnet.algebra import (
    UNIT,
    Expr,
    Mat,
    Vec,
    is_unit,
    matmul,
    matrix_of_numbers,
    numbers,
    rotate,
    rotation_about,
)
from flexnet.typing import Array

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
    axis: Array | None = None
    angle: Expr = 0
    fixed: Array = field(default_factory=lambda: np.eye(3))
    _matrix: Mat | None = None

    def place(self, C: Array) -> "Orientation":
        """Orientation of a frame fixed on this one."""
        if is_unit(C):
            return self
        return Orientation(self.base, self.axis, self.angle, self.fixed @ C)

    def turn(self, axis: Array, angle: Expr) -> "Orientation":
        """Turn about an axis given in this frame."""
        n = self.fixed @ axis
        if self.axis is None:
            return Orientation(self.base, n, angle, self.fixed)
        along = float(n @ self.axis)
        if abs(abs(along) - 1.0) < _PARALLEL:
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

    def vector(self, n: Array) -> Vec:
        """A constant vector of this frame, in ground."""
        m = self.fixed @ n
        length = float(np.linalg.norm(m))
        if self.axis is None:
            return rotate(self.base, numbers(m))
        if length > 0 and abs(abs(float(m @ self.axis)) - length) < _PARALLEL * length:
            return rotate(self.base, numbers(m))
        return rotate(self.matrix, numbers(n))
