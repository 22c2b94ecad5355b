"""Values between output times: cubic Hermite in vector spaces and on the rotation group.

Where the file holds the time derivative of a quantity it is used as it stands, and the interpolation is
of fourth order in the output step; otherwise the slopes are those of a cubic spline. At an output time
the stored value is returned to the last bit.
"""

import numpy as np

from flexnet.errors import ResultError
from flexnet.results import rotation
from flexnet.typing import Array, IntArray


def interpolate(time: Array, values: Array, at: Array, rates: Array | None = None) -> Array:
    """Interpolate ``values`` (n,) or (n, m) at the times ``at`` (k,), s.

    Parameters
    ----------
    time : (n,) array, increasing, s.
    values : quantity at those times.
    at : times asked for, within the range of ``time``.
    rates : time derivative of ``values``, same shape, if known.

    Raises
    ------
    ResultError
        If a time lies outside the range.
    """
    interval, s, h = _locate(time, at)
    if len(time) == 1:
        return values[interval]
    slopes = spline_slopes(time, values) if rates is None else rates
    column = (slice(None),) + (None,) * (values.ndim - 1)
    s, h = s[column], h[column]
    y0, y1 = values[interval], values[interval + 1]
    d0, d1 = h * slopes[interval], h * slopes[interval + 1]
    return np.asarray(_hermite(s, y0, d0, y1, d1))


def interpolate_rotation(time: Array, quaternions: Array, at: Array, omega: Array | None = None) -> Array:
    """Interpolate unit quaternions (n, 4) at the times ``at`` (k,), s.

    Parameters
    ----------
    time, at : as in :func:`interpolate`.
    quaternions : orientations, frame to global, scalar first.
    omega : (n, 3) array, angular velocity in global components, rad/s; constant turning rate between
        output times if not given.

    Notes
    -----
    Within one interval the orientation is ``p₀ exp(θ(s))`` with a cubic rotation vector θ, θ(0) = 0,
    θ(1) = log(p₀⁻¹ p₁), θ'(0) = h ω₀, θ'(1) = h T(θ₁) ω₁, where ω is in body components and T is the
    inverse of the right Jacobian of the rotation group. Accurate while a frame turns by less than π in
    one interval.
    """
    interval, s, h = _locate(time, at)
    if len(time) == 1:
        return quaternions[interval]
    p0, p1 = quaternions[interval], quaternions[interval + 1]
    theta = rotation.logarithm(rotation.product(rotation.conjugate(p0), p1))
    s, h = s[:, None], h[:, None]
    if omega is None:
        turned = s * theta
    else:
        omega_0 = rotation.rotate(rotation.conjugate(p0), omega[interval])
        omega_1 = rotation.rotate(rotation.conjugate(p1), omega[interval + 1])
        turned = _hermite(
            s, np.zeros_like(theta), h * omega_0, theta, h * _inverse_right_jacobian(theta, omega_1)
        )
    between = rotation.product(p0, rotation.exponential(turned))
    return np.where(s == 0.0, p0, np.where(s == 1.0, p1, between))


def _locate(time: Array, at: Array) -> tuple[IntArray, Array, Array]:
    """Return for every time its interval, its place in it (0 to 1) and the length of the interval."""
    slack = 1e-9 * max(float(time[-1] - time[0]), 1e-300) if len(time) else 0.0
    if not len(time) or (len(at) and not (time[0] - slack <= at.min() and at.max() <= time[-1] + slack)):
        span = f"{time[0]:g} to {time[-1]:g} s" if len(time) else "nothing"
        asked = f"{at.min():g} to {at.max():g} s" if len(at) else "nothing"
        raise ResultError(f"times {asked} are asked for, but the data cover {span}")
    if len(time) == 1:
        return np.zeros(len(at), dtype=np.int64), np.zeros(len(at)), np.ones(len(at))
    interval = np.clip(np.searchsorted(time, at, side="right") - 1, 0, len(time) - 2)
    h = time[interval + 1] - time[interval]
    return interval, np.clip((at - time[interval]) / h, 0.0, 1.0), h


def _hermite(s: Array, y0: Array, d0: Array, y1: Array, d1: Array) -> Array:
    """Evaluate the cubic with given ends and slopes; exact at s = 0 and s = 1."""
    return (
        (1.0 + 2.0 * s) * (1.0 - s) ** 2 * y0
        + s * (1.0 - s) ** 2 * d0
        + s**2 * (3.0 - 2.0 * s) * y1
        + s**2 * (s - 1.0) * d1
    )


def spline_slopes(time: Array, values: Array) -> Array:
    """Return the slopes at the output times of a cubic spline, or of the chord if there are only two."""
    if len(time) == 2:
        return np.asarray(np.repeat(np.diff(values, axis=0) / np.diff(time), 2, axis=0))
    from scipy.interpolate import CubicSpline  # here: writing results needs no spline

    return np.asarray(CubicSpline(time, values)(time, 1))


def _inverse_right_jacobian(theta: Array, omega: Array) -> Array:
    """Return T(θ) ω = ω + ½ θ×ω + (1 − (φ/2) cot(φ/2)) / φ² · θ×(θ×ω), with φ = |θ|."""
    phi = np.linalg.norm(theta, axis=-1, keepdims=True)
    safe = np.maximum(phi, rotation.SMALL)
    factor = np.where(phi < rotation.SMALL, 1.0 / 12.0, (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2)
    once = np.cross(theta, omega)
    return np.asarray(omega + 0.5 * once + factor * np.cross(theta, once))
