"""Numbers that say how two curves differ: in size, in time and in frequency."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.signal import correlate, detrend

from flexnet.typing import Array, IntArray

Curve = Callable[[Array], Array]

SAMPLES = 4096  # of a curve, for correlation and spectra
AS_GOOD = 0.02  # a correlation this near to the best one counts as equally good
FLAT = 1e-12  # of its size: a curve that varies less than this is constant


def rms(values: Array) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))


def ratio(part: float, whole: float) -> float:
    """Return ``part / whole``; 0 of nothing is 0, anything else of nothing is infinite."""
    if whole == 0.0:
        return 0.0 if part == 0.0 else math.inf
    return part / whole


def time_lag(result: Curve, reference: Curve, start: float, end: float) -> float | None:
    """Return by how much the result comes later than the reference, s.

    Parameters
    ----------
    result, reference : functions of times, s.
    start, end : interval on which both are known, s.

    Returns
    -------
    The delay τ for which ``result(t + τ)`` correlates best with ``reference(t)`` over at least half of
    the interval, positive if the result is late; nothing for a constant curve.

    Notes
    -----
    The cross-correlation of samples, divided by the norms of the overlapping parts, gives τ to one
    sample; of maxima within 2 % of the best the one nearest to zero is taken, so that a periodic curve
    has the delay of least size. The correlation coefficient of the curves themselves is then maximised
    about it.
    """
    t = np.linspace(start, end, SAMPLES)
    x, y = reference(t), result(t)
    if is_flat(x) or is_flat(y):
        return None
    h, half = t[1] - t[0], SAMPLES // 2
    lags = np.arange(-half, half + 1)
    correlation = _normalised_correlation(x - x.mean(), y - y.mean(), lags)
    inner = correlation[1:-1]
    peaks = np.flatnonzero((inner >= correlation[:-2]) & (inner >= correlation[2:])) + 1
    good = peaks[correlation[peaks] >= correlation.max() - AS_GOOD]
    coarse = h * float(min(lags[good], key=abs, default=lags[correlation.argmax()]))

    def mismatch(tau: float) -> float:
        overlap = t[(t + tau >= start) & (t + tau <= end)]
        return -_coefficient(reference(overlap), result(overlap + tau))

    bounds = (max(coarse - 2.0 * h, 0.5 * (start - end)), min(coarse + 2.0 * h, 0.5 * (end - start)))
    found = minimize_scalar(mismatch, bounds=bounds, method="bounded", options={"xatol": 1e-4 * h})
    # a curve compared with itself is not late at all, whatever the search's tolerance
    return coarse if mismatch(coarse) <= found.fun else float(found.x)


def dominant_frequency(curve: Curve, start: float, end: float) -> float | None:
    """Return the frequency, Hz, with the largest amplitude between ``start`` and ``end``, s.

    The trend is removed and a Hann window applied; the peak of the spectrum is then located between the
    lines of the discrete transform. Nothing for a curve without oscillation, or with less than one
    period in the interval.
    """
    t = np.linspace(start, end, SAMPLES)
    values = curve(t)
    swing = detrend(values)
    if is_flat(values) or np.abs(swing).max() <= FLAT * np.abs(values).max():
        return None
    windowed = swing * np.hanning(SAMPLES)
    pad = 8
    spectrum = np.abs(np.fft.rfft(windowed, pad * SAMPLES))
    line = (SAMPLES - 1) / SAMPLES / (pad * (end - start))  # distance of the lines, Hz
    peak = int(spectrum[pad:].argmax()) + pad
    if peak == pad:
        return None

    def minus_amplitude(frequency: float) -> float:
        return -float(np.abs(np.sum(windowed * np.exp(-2j * math.pi * frequency * (t - start)))))

    bounds = ((peak - 1) * line, (peak + 1) * line)
    return float(
        minimize_scalar(minus_amplitude, bounds=bounds, method="bounded", options={"xatol": 1e-6 * line}).x
    )


def is_flat(values: Array) -> bool:
    """Say whether a curve is constant to rounding."""
    return bool(np.ptp(values) <= FLAT * np.abs(values).max())


def _coefficient(x: Array, y: Array) -> float:
    """Return the correlation coefficient; 0 if one of them is constant."""
    x, y = x - x.mean(), y - y.mean()
    return ratio(float(x @ y), float(np.linalg.norm(x) * np.linalg.norm(y)))


def _normalised_correlation(x: Array, y: Array, lags: IntArray) -> Array:
    """Return for all lags k the sum of y[i + k] x[i], divided by the norms of the overlapping parts."""
    n = len(x)
    products = correlate(y, x, mode="full")[lags + n - 1]
    energy_x, energy_y = (np.concatenate([[0.0], np.cumsum(v**2)]) for v in (x, y))
    first, last = np.maximum(0, -lags), np.minimum(n, n - lags)
    overlap = (energy_x[last] - energy_x[first]) * (energy_y[last + lags] - energy_y[first + lags])
    return np.asarray(products / np.sqrt(np.maximum(overlap, np.finfo(float).tiny)))
