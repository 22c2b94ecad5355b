"""Unit quaternions, scalar first: ``p = (w, x, y, z)`` turns components in a frame into global ones."""

import numpy as np

from flexnet.typing import Array

# below this angle, rad, trigonometric quotients are replaced by their series
SMALL = 1e-4


def product(p: Array, q: Array) -> Array:
    """Return the quaternion product ``p q`` along the last axis, shapes (…, 4)."""
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ],
        axis=-1,
    )


def conjugate(p: Array) -> Array:
    """Return the inverse of unit quaternions, shape (…, 4)."""
    return np.asarray(p * np.array([1.0, -1.0, -1.0, -1.0]))


def rotate(p: Array, u: Array) -> Array:
    """Turn vectors ``u`` (…, 3) by unit quaternions ``p`` (…, 4)."""
    pure = np.concatenate([np.zeros((*u.shape[:-1], 1)), u], axis=-1)
    return product(product(p, pure), conjugate(p))[..., 1:]


def exponential(theta: Array) -> Array:
    """Return the quaternion of a rotation vector (…, 3), rad."""
    half = 0.5 * np.linalg.norm(theta, axis=-1, keepdims=True)
    # sin(half) / (2 half), by its series near zero
    scale = np.where(half < SMALL, 0.5 - half**2 / 12.0, np.sin(half) / (2.0 * np.maximum(half, SMALL)))
    return np.concatenate([np.cos(half), scale * theta], axis=-1)


def logarithm(p: Array) -> Array:
    """Return the rotation vector, rad, of a unit quaternion (…, 4); its length is at most π."""
    p = np.where(p[..., :1] < 0.0, -p, p)
    sine = np.linalg.norm(p[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, p[..., :1])
    return np.asarray(np.where(sine < SMALL, 2.0 / p[..., :1], angle / np.maximum(sine, SMALL)) * p[..., 1:])


def geodesic_angle(p: Array, q: Array) -> Array:
    """Return the angle, rad, of the rotation between two orientations, shapes (…, 4) to (…).

    Notes
    -----
    On the unit sphere tan(φ/4) = |p − q| / |p + q|, with the sign of q that brings it nearer to p;
    this is exactly zero for equal orientations and loses no digits for small or large angles.
    """
    difference, sum_ = np.linalg.norm(p - q, axis=-1), np.linalg.norm(p + q, axis=-1)
    return np.asarray(4.0 * np.arctan2(np.minimum(difference, sum_), np.maximum(difference, sum_)))


def quaternion_from_313(psi: Array, theta: Array, phi: Array) -> Array:
    """Return the quaternions of body-fixed 3-1-3 Euler angles, rad: R = R₃(ψ) R₁(θ) R₃(φ)."""
    sum_, difference = 0.5 * (psi + phi), 0.5 * (psi - phi)
    cosine, sine = np.cos(0.5 * theta), np.sin(0.5 * theta)
    return np.stack(
        [cosine * np.cos(sum_), sine * np.cos(difference), sine * np.sin(difference), cosine * np.sin(sum_)],
        axis=-1,
    )


def matrices(quaternions: Array) -> Array:
    """Rotation matrices (rows, 3, 3) of unit quaternions (rows, 4)."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
