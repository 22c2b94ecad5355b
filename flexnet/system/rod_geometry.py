"""Where the sections of a beam are at rest, what each carries of it, and the strains between them."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from flexnet.errors import ModelError
from flexnet.typing import Array

#: weights of Gregory's rule at either end: a sum over equal steps that is exact for cubics
GREGORY = (3 / 8, 7 / 6, 23 / 24)


@dataclass(frozen=True, eq=False)
class Rod:
    """Sections of a beam at rest, in its frame.

    Attributes
    ----------
    points : (n + 1, 3) places, m.
    rotations : (n + 1, 3, 3) axes: x along the beam.
    """

    points: Array
    rotations: Array

    @property
    def n(self) -> int:
        """Number of elements."""
        return len(self.points) - 1

    @cached_property
    def strains(self) -> Array:
        """(n, 6) translation u = J⁻¹(ψ) y and rotation ψ of every section as seen from the one before."""
        from scipy.spatial.transform import Rotation  # here: most systems have no such beam

        R, out = self.rotations, np.zeros((self.n, 6))
        for k in range(self.n):
            psi = Rotation.from_matrix(R[k].T @ R[k + 1]).as_rotvec()
            out[k, :3] = _inverse_jacobian(psi) @ R[k].T @ (self.points[k + 1] - self.points[k])
            out[k, 3:] = psi
        out[np.abs(out) < 1e-14 * np.abs(out).max()] = 0.0
        return out

    @cached_property
    def shares(self) -> Array:
        """(n + 1,) length each section stands for, m: weights of a sum over the beam.

        Of equal elements the sum is exact for cubics (Newton and Cotes, Gregory), so that mass, centre and
        moments of inertia of a straight beam are; of others it is the trapezoidal one.
        """
        h = np.linalg.norm(self.strains[:, :3], axis=1)
        if np.ptp(h) > 1e-9 * h.max():
            uneven: Array = np.convolve(h, [0.5, 0.5])
            return uneven
        from scipy.integrate import newton_cotes

        weights: Array = newton_cotes(self.n)[0] if self.n < 5 else np.ones(self.n + 1)
        for k, w in enumerate(GREGORY if self.n >= 5 else ()):
            weights[k] += w - 1.0
            weights[-1 - k] += w - 1.0
        out: Array = h[0] * weights
        return out


def straight(what: str, length: Any, elements: int | None) -> Rod:
    """A beam along x."""
    n = 0 if elements is None else elements
    if n < 1:
        raise ModelError(f"{what} has {elements!r} elements; a straight one needs one or more")
    if not (np.isfinite(length) and length > 0.0):
        raise ModelError(f"{what} has the length {length!r} m; it must be positive")
    points = np.zeros((n + 1, 3))
    points[:, 0] = np.linspace(0.0, float(length), n + 1)
    return Rod(points, np.broadcast_to(np.eye(3), (n + 1, 3, 3)))


def curved(what: str, points: Any, elements: int | None) -> Rod:
    """A beam through points; its tangents are those of circles through neighbours.

    Circles and straight lines are met exactly. The axes go along the beam without twist.
    """
    p = np.asarray(points, dtype=float)
    if p.ndim != 2 or p.shape[1] != 3 or len(p) < 2 or not np.all(np.isfinite(p)):
        raise ModelError(f"{what} needs finite points (n + 1, 3) of its axis, got {p.shape}")
    if elements is not None and elements != len(p) - 1:
        raise ModelError(f"{what} has {len(p)} points and {elements} elements; give None for their number")
    ways = np.diff(p, axis=0)
    h = np.linalg.norm(ways, axis=1)
    if h.min() <= 1e-12 * h.max():
        raise ModelError(f"{what} has two points in one place")
    return Rod(p, _axes(_tangents(ways, h)))


def _tangents(ways: Array, h: Array) -> Array:
    """(n + 1, 3) unit tangents."""
    chord = ways / h[:, None]
    if len(ways) == 1:
        return np.repeat(chord, 2, axis=0)
    inner = chord[:-1] / h[:-1, None] + chord[1:] / h[1:, None]
    inner /= np.linalg.norm(inner, axis=1)[:, None]
    first, last = (2.0 * (t @ c) * c - t for t, c in ((inner[0], chord[0]), (inner[-1], chord[-1])))
    return np.vstack([first, inner, last])


def _axes(tangents: Array) -> Array:
    """Axes along tangents, z as near to z as it can be at the first, then turned as little as can be."""
    x = tangents[0]
    z = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 1.0 - 1e-9 else np.array([-np.sign(x[2]), 0.0, 0.0])
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    out = [np.column_stack([x, y, np.cross(x, y)])]
    for before, after in pairwise(tangents):
        across, along = np.cross(before, after), 1.0 + before @ after
        S = np.array(
            [[0.0, -across[2], across[1]], [across[2], 0.0, -across[0]], [-across[1], across[0], 0.0]]
        )
        out.append((np.eye(3) + S + S @ S / along) @ out[-1])
    return np.array(out)


def _inverse_jacobian(psi: Array) -> Array:
    """J⁻¹ = 1 - ½ [ψ]× + c [ψ]×², c = (1 - φ/2 cot φ/2)/φ²."""
    S = np.array([[0.0, -psi[2], psi[1]], [psi[2], 0.0, -psi[0]], [-psi[1], psi[0], 0.0]])
    phi = float(np.linalg.norm(psi))
    c = 1.0 / 12.0 if phi < 1e-4 else (1.0 - phi / 2.0 / np.tan(phi / 2.0)) / phi**2
    out: Array = np.eye(3) - S / 2.0 + c * S @ S
    return out
