"""Frames: the nodes of the graph, and the arms that reach them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexnet.errors import ModelError
from flexnet.typing import Array, Vector

#: letters a user may write for an axis
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


_UNIT = np.eye(3)
#: by which RᵀR of a rotation may differ from the unit matrix
_ROUND_OFF = 1e-9 + 1e-5 * _UNIT


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A reference frame fixed on a body (or on the ground).

    Attributes
    ----------
    name : node name in the graph, ``body.frame``; the body's own frame has the name of the body.
    body : name of the body it belongs to; ``ground`` for the datum's frames.
    position : (3,) origin in the body frame, m.
    rotation : (3, 3) orientation in the body frame; columns are the frame's axes.
    is_flexible : the frame moves and turns with the deformation of its body; position and rotation are
        those of the undeformed body.
    """

    name: str
    body: str
    position: Array
    rotation: Array
    is_flexible: bool = False

    @property
    def rotation_node(self) -> str:
        """Node of the R-graph the frame belongs to: its body, or itself on a flexible body."""
        return self.name if self.is_flexible else self.body

    @property
    def is_body_frame(self) -> bool:
        """Whether this is the frame the body edge ends at."""
        return self.name == self.body


def as_vector(value: Vector | float, what: str) -> Array:
    """Turn a sequence of two or three numbers into a (3,) array of its own."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be three numbers, got {value!r}") from None
    if array.shape == (2,):
        array = np.array([array[0], array[1], 0.0])
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ModelError(f"{what} must be three finite numbers, got {value!r}")
    return array


def as_axis(value: str | Vector, what: str) -> Array:
    """Turn ``"x"``, ``"-y"`` or a nonzero vector into a unit (3,) array."""
    if isinstance(value, str):
        letter, sign = value.removeprefix("-"), -1.0 if value.startswith("-") else 1.0
        if letter not in AXES:
            raise ModelError(f"{what} must be x, y, z or a vector, got {value!r}")
        return sign * np.array(AXES[letter])
    axis = as_vector(value, what)
    if np.max(np.abs(axis)) > 1e150:  # its square is no number
        axis = axis / np.max(np.abs(axis))
    length = float(np.linalg.norm(axis))
    if length < 1e-300:  # any unit will do for a direction
        raise ModelError(f"{what} has zero length")
    return axis / length


def as_rotation(value: Array | None, what: str) -> Array:
    """Check a (3, 3) rotation matrix; None is the identity."""
    if value is None:
        return _UNIT.copy()
    R = np.array(value, dtype=float)
    if R.shape != (3, 3) or not (np.abs(R.T @ R - _UNIT) <= _ROUND_OFF).all() or np.linalg.det(R) < 0:
        raise ModelError(f"{what} must be a proper (3, 3) rotation matrix")
    return R


def normals(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed triad (n₁, n₂, axis); simple for x, y and z."""
    n1, n2 = _normals(np.asarray(axis, dtype=float).tobytes())
    return n1.copy(), n2.copy()


@lru_cache(maxsize=1024)
def _normals(numbers: bytes) -> tuple[Array, Array]:
    """The same, of the numbers of an axis; most joints turn about an axis that others turn about, too."""
    axis = np.frombuffer(numbers)
    trial = _UNIT[int(np.argmin(np.abs(axis)))]
    n1 = trial - (trial @ axis) * axis
    n1 /= np.linalg.norm(n1)
    return n1, np.cross(axis, n1)


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
