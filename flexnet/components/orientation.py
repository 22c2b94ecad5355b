"""Constant rotation matrices a user writes down."""

import numpy as np

from flexnet.components.frame import as_axis
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector


def rotation(axis: str | Vector, angle: float) -> Array:
    """Rotation matrix about an axis by an angle [rad], right-handed.

    >>> rotation("z", np.pi / 2).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    x, y, z = u = as_axis(axis, "axis of rotation")
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    out: Array = np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * np.outer(u, u)
    return out


def euler(sequence: str, angles: Vector) -> Array:
    """Rotation matrix of body-fixed Euler angles [rad]; ``sequence`` such as ``"313"`` or ``"zxz"``."""
    letters = sequence.translate(str.maketrans("123", "XYZ")).upper()
    if len(letters) != 3 or set(letters) - set("XYZ") or letters[0] == letters[1] or letters[1] == letters[2]:
        raise ModelError(f"Euler sequence must be three axes such as '313', got {sequence!r}")
    a, b, c = (rotation(axis.lower(), float(x)) for axis, x in zip(letters, angles, strict=True))
    out: Array = a @ b @ c
    return out
