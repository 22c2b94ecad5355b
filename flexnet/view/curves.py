"""Lines of what has no body of its own: beams from section to section, shapes that a contact touches."""

import numpy as np

from flexnet.results import Symbol
from flexnet.results.rotation import rotate
from flexnet.typing import Array, IntArray

#: points of a piece of a beam, and of a circle
PIECE, CIRCLE = 6, 33


def bent(ends: Array, turns: Array) -> Array:
    """Points (times, n, 3) along a beam that leaves both its sections along their x axes.

    Parameters
    ----------
    ends : (times, 2, 3) places of the sections, m.
    turns : (times, 2, 4) their orientations.

    """
    shares, vectors = bending(ends, turns)
    curve: Array = ends[:, :1] + shares @ vectors
    return curve


def bending(ends: Array, turns: Array) -> tuple[Array, Array]:
    """Shares (n, 3) that the points of such a beam have in three vectors (times, 3, 3) from its first end, m.

    Notes
    -----
    Cubic of Hermite r(s) = r_A + h(s) (r_B - r_A) + s (1 - s)² t_A + s² (s - 1) t_B with h = 3 s² - 2 s³ and
    tangents as long as the chord.
    """
    s = np.linspace(0.0, 1.0, PIECE)
    chord = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(chord, axis=-1)[:, None, None]
    t = rotate(turns, np.broadcast_to([1.0, 0.0, 0.0], ends.shape)) * length
    shares = np.stack([3 * s**2 - 2 * s**3, s * (1 - s) ** 2, s**2 * (s - 1)], axis=1)
    return shares, np.concatenate([chord[:, None, :], t], axis=1)


def chain(n: int) -> IntArray:
    """Lines from each of n points to the next."""
    return np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int64)


def touched(symbol: Symbol, size: float, is_planar: bool) -> tuple[Array, IntArray]:
    """Outline of the shape of a contact in its tail frame: points, m, and lines.

    Parameters
    ----------
    size : how large a shape without an end is drawn, m.
    """
    n = np.array(symbol.sizes[:3]) if len(symbol.sizes) >= 3 else np.array([0.0, 0.0, 1.0])
    if symbol.shape == "plane":
        u, w = across(n)
        corners = [u, -u] if is_planar else [u + w, u - w, -u - w, w - u, u + w]
        return 0.5 * size * np.array(corners), chain(len(corners))
    if symbol.shape == "box":
        x, y, z = np.array(symbol.sizes).reshape(3, 3)
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        pairs = [[a, b] for a in range(8) for b in range(a + 1, 8) if np.sum(signs[a] != signs[b]) == 1]
        return signs @ np.array([x, y, z]), np.array(pairs, dtype=np.int64)
    if symbol.shape == "sphere":
        (radius,) = symbol.sizes
        axes = np.eye(3)[2:] if is_planar else np.eye(3)
        return _together([circle(radius, axis, np.zeros(3)) for axis in axes])
    if symbol.shape == "cylinder":
        radius, length = symbol.sizes[3:]
        half = 0.5 * (length or 0.3 * size) * n
        return _together([circle(radius, n, c) for c in ([np.zeros(3)] if is_planar else [half, -half])])
    return np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64)


def circle(radius: float, axis: Array, centre: Array) -> Array:
    """Points of a circle about an axis, the first again at the end."""
    u, w = across(axis)
    angle = np.linspace(0.0, 2 * np.pi, CIRCLE)[:, None]
    points: Array = centre + radius * (np.cos(angle) * u + np.sin(angle) * w)
    return points


def across(n: Array) -> tuple[Array, Array]:
    """Two unit vectors across a direction; the first in the x-y plane where the direction is."""
    u = np.cross(n, [0.0, 0.0, 1.0] if abs(n[2]) < 0.9 * np.linalg.norm(n) else [1.0, 0.0, 0.0])
    u = u / np.linalg.norm(u)
    return u, np.cross(n, u) / np.linalg.norm(n)


def _together(curves: list[Array]) -> tuple[Array, IntArray]:
    lines = [chain(len(c)) + k * len(c) for k, c in enumerate(curves)]
    return np.concatenate(curves), np.concatenate(lines)
