"""Rates of a Python function of time, by differences whose step is found anew at every instant.

With the central differences D₁(h) = (f(t+h) - f(t-h))/2h and D₂(h) = (f(t+h) - 2f(t) + f(t-h))/h², which err
by h², h⁴, …, Neville's scheme

    T[i, 0] = D(h rⁱ),      T[i, j] = T[i, j-1] + (T[i, j-1] - T[i-1, j-1]) / (r⁻²ʲ - 1)             (1)

takes these terms away one by one; neighbours in it differ by the error, and each rate is read where its own
is least (Ridders 1982). A step chosen once, at some instants, is that of whatever f does there: a rise that
lies between them is stepped over. Nothing is known before the scheme has all its columns, and r is no
fraction of small whole numbers: where the first steps are whole periods of a vibration, the next are not.
"""

from collections.abc import Callable
from math import inf

#: first step, in the time of the model; that of slow functions; and by what the next ones are shorter
FIRST, SLOW, SHORTER = 2.0**-5, 4.0, 0.57
#: columns of the scheme, and steps that are tried at most
_COLUMNS, _STEPS = 4, 40
#: error of a rate, over the rate, from which on longer steps are tried
_ROUGH = 1e-7
_EPS = 2.0**-52


class _Scheme:
    """Neville's scheme of one rate: its best entry, and how far that is off."""

    def __init__(self) -> None:
        self.above: list[float] = []
        self.best, self.error = 0.0, inf

    def add(self, difference: float, rounding: float) -> bool:
        """Take the difference of a shorter step; tell whether round-off leaves nothing to gain."""
        row = [difference]
        for j, old in enumerate(self.above[: _COLUMNS - 1], start=1):
            row.append(row[j - 1] + (row[j - 1] - old) / (SHORTER ** (-2 * j) - 1.0))
            spread = max(abs(row[j] - row[j - 1]), abs(row[j] - old)) + rounding
            if len(self.above) >= _COLUMNS - 1 and spread < self.error:
                self.best, self.error = row[j], spread
        if self.error == inf:
            self.best = row[-1]
        self.above = row
        return self.error <= 2.0 * rounding


def rates_at(f: Callable[[float], float], t: float, time: float) -> tuple[float, float]:
    """First and second derivative of f at t.

    Parameters
    ----------
    time : in which things happen in the model, s.
    """
    here = float(f(t))
    first, second = _search(f, t, here, FIRST * time)
    if second.error > _ROUGH * abs(second.best) > 0.0:  # round-off of so short a step, perhaps
        slow = _search(f, t, here, SLOW * time)
        first, second = (min(pair, key=lambda x: x.error) for pair in zip((first, second), slow, strict=True))
    return first.best, second.best


def _search(f: Callable[[float], float], t: float, here: float, longest: float) -> tuple[_Scheme, _Scheme]:
    """Schemes of both rates from a longest step on, until round-off leaves nothing to gain."""
    first, second = _Scheme(), _Scheme()
    h, most = longest, abs(here)
    raised: Exception | None = None
    for _ in range(_STEPS):
        after, before = t + h, t - h
        h *= SHORTER
        if not before < t < after:
            break
        try:
            plus, minus = float(f(after)), float(f(before))
        except Exception as error:  # it may be known about t only
            raised = error
            continue
        width = 0.5 * (after - before)
        most = max(most, abs(plus), abs(minus))
        is_known = first.add((plus - minus) / (2.0 * width), _EPS * most / width)
        if second.add((plus - 2.0 * here + minus) / width**2, 4.0 * _EPS * most / width**2) and is_known:
            break
    if not first.above and raised is not None:
        raise raised
    return first, second
