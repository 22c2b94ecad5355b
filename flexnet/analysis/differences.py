"""Derivatives by differences that know their own error (Ridders 1982).

Central differences D(h), D(h/2), … of a smooth function err by h², h⁴, …; Neville's scheme

    T[i, 0] = D(h / 2ⁱ),      T[i, j] = T[i, j-1] + (T[i, j-1] - T[i-1, j-1]) / (4ʲ - 1)             (1)

takes these terms away one by one. Neighbours in the scheme differ by the error: it falls while the
truncation is reduced and rises again where round-off takes over. Every entry of the derivative
is read where its own error is least, so that no step has to be right for all: the first is a fair part of
the size of the coordinate, and a law that bends within it only costs a few more halvings.

The round-off of f is at least ε |f|, and far more where f is small and comes of places that are not, as the
force of a stiff contact does: k ε |r|. So it is looked at as well, by what is left of a straight line

    |f(h + δ) - 2 f(h) + f(h - δ)| / h,      δ = √ε h,                                               (2)

where a smooth f leaves f″δ² = ε f″h² only. T[i, j] is made of D(h / 2ⁱ⁻ʲ), …, D(h / 2ⁱ) with weights of which
the sizes add up to less than two: its round-off is that of the worst of these.

References
----------
.. [1] C. J. F. Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Advances in Engineering Software
   4 (1982) 75-76.
"""

from collections.abc import Callable

import numpy as np

from flexnet.typing import Array

#: first step, as a share of the size of the coordinate: a power of two, so that it rounds nothing
FIRST = 2.0**-4
_HALVINGS = 14
#: √ε, the part of a step to either side of it where round-off is looked at
_ASIDE = 2.0**-26
_EPS = float(np.finfo(float).eps)


def derivative(f: Callable[[float], Array], size: float, magnitude: Array) -> tuple[Array, Array]:
    """Differentiate f at zero.

    Parameters
    ----------
    f : function of a departure, smooth on at least one side of a step that is small enough.
    size : of the departure: where f has changed as a whole.
    magnitude : (n,) terms that f adds up to get its value, each good to round-off.

    Returns
    -------
    derivative : (n,).
    error : (n,) estimate of its error, round-off included.
    """
    h = FIRST * size
    best, error = np.zeros(0), np.zeros(0)
    above: list[Array] = []
    lost: list[Array] = []
    for i in range(_HALVINGS):
        plus, minus = f(h), f(-h)
        row = [(plus - minus) / (2.0 * h)]
        bent = np.abs(f(h * (1.0 + _ASIDE)) - 2.0 * plus + f(h * (1.0 - _ASIDE)))
        lost.append((2.0 * _EPS * (magnitude + np.abs(plus) + np.abs(minus)) + bent) / h)
        rounding = lost[-1]
        if i == 0:
            best, error = row[0], np.full(len(plus), np.inf)
        for j, old in enumerate(above, start=1):
            row.append(row[j - 1] + (row[j - 1] - old) / (4.0**j - 1.0))
            rounding = np.fmax(rounding, lost[i - j])
            spread = np.maximum(np.abs(row[j] - row[j - 1]), np.abs(row[j] - old)) + rounding
            better = spread < error
            best, error = np.where(better, row[j], best), np.where(better, spread, error)
        # nothing to gain where round-off alone is more than what is left
        if i > 1 and np.all(lost[-1] * 2.0 >= 0.5 * error):
            break
        above, h = row, 0.5 * h
    return best, error
