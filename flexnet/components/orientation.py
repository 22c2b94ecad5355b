"""Constant rotation matrices a user writes down."""

import numpy as np
from scipy.spatial.transform import Rotation as ScipyRotation

from flexnet.components.frame import as_axis
from flexnet.errors import ModelError
from flexnet.typing import Array, Vector


def rotation(axis: str | Vector, angle: float) -> Array:
    """Rotation matrix about an axis by an angle [rad], right-handed.

    >>> rotation("z", np.pi / 2).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    return np.asarray(ScipyRotation.from_rotvec(angle * as_axis(axis, "axis of rotation")).as_matrix())


def euler(sequence: str, angles: Vector) -> Array:
    """Rotation matrix of body-fixed Euler angles [rad]; ``sequence`` such as ``"313"`` or ``"zxz"``."""
    letters = sequence.translate(str.maketrans("123", "XYZ")).upper()
    if len(letters) != 3 or set(letters) - set("XYZ") or letters[0] == letters[1] or letters[1] == letters[2]:
        raise ModelError(f"Euler sequence must be three axes such as '313', got {sequence!r}")
    return np.asarray(ScipyRotation.from_euler(letters, np.asarray(angles, dtype=float)).as_matrix())
