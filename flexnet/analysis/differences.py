"""Derivatives by differences that know their own error (Ridders 1982).

Central differences D(h), D(h/2), … of a smooth function err by h², h⁴, …; Neville's scheme

    T[i, 0] = D(h / 2ⁱ),      T[i, j] = T[i, j-1] + (T[i, j-1] - T[i-1, j-1]) / (4ʲ - 1)             (1)

takes these terms away one by one. Neighbours in the scheme differ by the error: it falls while the
truncation is reduced and rises again where round-off, ε |f| / h, takes over. Every entry of the derivative
is read where its own error is least, so that no step has to be right for all: the first is a fair part of
the size of the coordinate, and a law that bends within it only costs a few more halvings.

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
    for i in range(_HALVINGS):
        plus, minus = f(h), f(-h)
        row = [(plus - minus) / (2.0 * h)]
        rounding = 2.0 * _EPS * (magnitude + np.abs(plus) + np.abs(minus)) / h
        if i == 0:
            best, error = row[0], np.full(len(plus), np.inf)
        for j, old in enumerate(above, start=1):
            row.append(row[j - 1] + (row[j - 1] - old) / (4.0**j - 1.0))
            spread = np.maximum(np.abs(row[j] - row[j - 1]), np.abs(row[j] - old)) + rounding
            better = spread < error
            best, error = np.where(better, row[j], best), np.where(better, spread, error)
        # nothing to gain where round-off alone is more than what is left
        if i > 1 and np.all(rounding * 2.0 >= 0.5 * error):
            break
        above, h = row, 0.5 * h
    return best, error
