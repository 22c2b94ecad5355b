"""Rests under growing loads, followed by their arc length past limit points.

With the loads times a factor p, rests form a curve

    r(q, λ, p) = -F₀(q) - p F₁(q) + Gᵀ λ = 0,      Φ(q) = 0                                          (1)

Along the free motions X (G X = 0) that are orthonormal in the measure of :mod:`flexnet.formulation.metric`,

    K y' = φ p',      K = Xᵀ (∂r/∂q) X,      φ = Xᵀ F₁                                               (2)

is its direction. A step goes along it and comes back to the curve at right angles::

    | K   -φ | |y |     |g|          g = Xᵀ r
    | aᵀ   b | |dp|  = -|0|,         (a, b) the direction over (δ², 1)                               (3)

which is not singular where K is: at a limit point p' = 0, the load has an extreme. Where K becomes singular
along a motion on which the loads do not work, another curve crosses: a branching point. δ is how far the
mechanism moves at first for p = 1. The direction may turn by no more than ``_TURN`` in a step, as seen in
the motions of the frames: nothing here knows masses or trees.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from flexnet.analysis.closing import close, is_closed
from flexnet.analysis.descent import Descent, Place, descend
from flexnet.analysis.loading import Loading, Point, cosine, point_at
from flexnet.typing import Array

#: largest displacement over the length, rotation (rad) and part of the whole load in a step; of the first one
_LARGEST, _FIRST = 0.25, 0.05
#: part of the loads at the start of a curve where only they hold the mechanism
_FEW = 2.0**-6
#: least cosine of the angle between two directions
_TURN = 0.9
#: corrections of a step; steps shorter than this part of the first are none
_CORRECTIONS, _SHORTEST = 10, 1e-9
#: trials with which a critical point is sought
_SEARCH = 30


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """A critical point, after the point of the curve with this index.

    Attributes
    ----------
    is_limit : whether the load has an extreme there; else another curve crosses.
    motion : (n,) that loses its stiffness.
    """

    after: int
    point: Point
    is_limit: bool
    motion: Array


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Rests in turn.

    Attributes
    ----------
    points : the curve; the last is at the load asked for if ``is_whole``.
    critical : where a motion loses its stiffness.
    iterations : corrections made.
    """

    points: tuple[Point, ...]
    critical: tuple[Crossing, ...]
    iterations: int
    is_whole: bool


def start_of(loading: Loading, q: Array, end: float, tolerance: float) -> Point | Descent:
    """The start of a curve: where the mechanism rests without loads, or with few where only they hold it.

    Returns
    -------
    Point or Descent
        The way that found no rest, where there is none.
    """
    way = None
    for p in (0.0, _FEW * end):
        way = descend(loading.at(p), q, loading.t, tolerance)
        if way.is_rest:
            point = point_at(loading, way.place.q, p)
            if np.all(point.modes.kappa[point.modes.active(point.phi)] > 0.0):
                return point
    assert way is not None
    return way


def follow(loading: Loading, start: Point, end: float, tolerance: float, steps: int) -> Curve:
    """Follow a curve from a rest until its factor passes ``end``, in so many steps at most."""
    delta = _first_motion(start)
    points = [start.direction(None, delta)]
    critical: list[Crossing] = []
    path = _Path(loading, delta, end, tolerance)
    ds = _FIRST * path.longest(points[0]) / _LARGEST
    least = _SHORTEST * ds
    for _ in range(steps):
        before = points[-1]
        ds, new = path.step(before, ds, least)
        if new is None:
            break
        passed = path.criticals(len(points) - 1, (before, new, new), ds)
        # the load may be passed and come back within a step, at a limit point
        if any((before.p - end) * (x.p - end) <= 0.0 for x in (*(c.point for c in passed), new)):
            last = path.at_load(before, end, ds)
            if last is not None:
                critical += path.criticals(len(points) - 1, (before, last, new), ds)
                return Curve((*points, last), tuple(critical), path.iterations, True)
        critical += passed
        points.append(new)
        ds = min(ds * path.growth, path.longest(new))
    return Curve(tuple(points), tuple(critical), path.iterations, False)


def _first_motion(start: Point) -> float:
    """δ: how far the mechanism moves at first for p = 1, displacements over the length or rad."""
    m, a = start.modes, start.modes.active(start.phi)
    K = m.K[np.ix_(a, a)]
    if not a.any():
        return 1.0
    y = np.linalg.lstsq(K, start.phi[a], rcond=None)[0]
    return float(np.clip(np.linalg.norm(y), 1e-9, 1.0))


class _Path:
    """Steps along one curve; counts its corrections."""

    def __init__(self, loading: Loading, delta: float, end: float, tolerance: float) -> None:
        self.loading, self.delta, self.end, self.tolerance = loading, delta, end, tolerance
        self.iterations, self.growth = 0, 1.0

    def longest(self, point: Point) -> float:
        """The longest step from a point."""
        far = max(float(np.abs(point.moved).max(initial=0.0)), abs(point.rate / self.end))
        return _LARGEST / far

    def step(self, before: Point, ds: float, least: float) -> tuple[float, Point | None]:
        """The next point, None if there is none however short the step; and the length of the step."""
        while ds > least:
            found = self.corrected(before, ds)
            if found is not None:
                new, corrections = found
                new = new.direction(before, self.delta)
                turn = cosine(new, before, self.delta)
                if turn > _TURN:
                    self.growth = 2.0 if corrections < 5 and turn > 0.98 else 1.0
                    return ds, new
            ds *= 0.5
        return ds, None

    def corrected(self, before: Point, ds: float) -> tuple[Point, int] | None:
        """Come back to the curve (3) from a step along the direction of a point."""
        start = self.moved(before.place, ds * before.moves)
        border = (before.moved / self.delta**2, before.rate)
        return None if start is None else self._newton(start, before.p + ds * before.rate, border, ds)

    def at_load(self, before: Point, p: float, ds: float) -> Point | None:
        """The rest at a load between a point and the next."""
        part = float(np.clip((p - before.p) / (ds * before.rate), 0.0, 1.0)) if before.rate else 0.0
        for share in (part, 0.0):
            start = self.moved(before.place, share * ds * before.moves)
            found = None if start is None else self._newton(start, p, (0.0 * before.moved, 1.0), ds)
            if found is not None:
                return found[0].direction(before, self.delta)
        return None

    def moved(self, place: Place, dq: Array) -> Array | None:
        """A configuration moved on its constraints, None if they cannot be closed there."""
        e, t = self.loading.full, self.loading.t
        q, phi = close(e, e.compose(place.q, dq), t)
        return e.count(q, t) if is_closed(e, phi) else None

    def _newton(self, q: Array, p: float, border: tuple[Array, float], ds: float) -> tuple[Point, int] | None:
        left = np.inf
        for k in range(_CORRECTIONS):
            point = point_at(self.loading, q, p)
            self.iterations += 1
            found = self._correction(point, border)
            if found is None:
                return None
            dq, dp = found
            ahead = max(point.place.measure.extent(dq), abs(dp / self.end))
            if ahead < self.tolerance and (ahead > 0.3 * left or ahead < 1e-15):
                return point, k
            # no correction is as long as the step: that would be another curve
            length = np.hypot(np.linalg.norm(point.place.measure.J @ dq) / self.delta, dp)
            if length > 0.5 * ds or (k > 1 and ahead > left):
                return (point, k) if ahead < self.tolerance else None
            start = self.moved(point.place, dq)
            if start is None:
                return None
            q, p, left = start, p + dp, ahead
        return None

    def _correction(self, point: Point, border: tuple[Array, float]) -> tuple[Array, float] | None:
        """Solve (3)."""
        m, place = point.modes, point.place
        motions = place.B @ m.X
        act = m.active(point.phi)
        n = int(act.sum())
        A = np.zeros((n + 1, n + 1))
        A[:n, :n], A[:n, n] = m.K[np.ix_(act, act)], -point.phi[act]
        A[n, :n], A[n, n] = (border[0] @ (place.measure.J @ motions))[act], border[1]
        rhs = np.append(-m.gamma[act], 0.0)
        size = np.abs(A).max(axis=1)
        try:
            x = np.linalg.solve(A / size[:, None], rhs / size)
        except np.linalg.LinAlgError:
            return None
        return motions[:, act] @ x[:n], float(x[n])

    # -- critical points -----------------------------------------------------------------------

    def criticals(self, index: int, between: tuple[Point, Point, Point], ds: float) -> list[Crossing]:
        """Limit and branching points from a point to a second; sought on the way to a third, ds away."""
        before, after, beyond = between
        found: list[Crossing] = []
        crossed = list(range(*sorted((before.falling, after.falling))))
        if before.rate * after.rate < 0.0:
            limit = self._sought(before, beyond, ds, lambda x: x.rate)
            found.append(Crossing(index, limit, True, limit.moves))
            if crossed:
                crossed.remove(min(crossed, key=lambda j: abs(limit.crossing(j))))
        for j in crossed:
            branch = self._sought(before, beyond, ds, partial(Point.crossing, j=j))
            low = before if before.falling > j else after
            found.append(Crossing(index, branch, False, low.place.B @ low.modes.X[:, j]))
        return found

    def _sought(self, before: Point, after: Point, ds: float, value: Callable[[Point], float]) -> Point:
        """Where a value that changes sign between two neighbours is zero, by false position (Illinois).

        At a branching point the tangent is singular, and near it rests may not be found: places further off
        are tried then, and the load is interpolated between the nearest two, off by their distance squared.
        """
        low, high = (0.0, value(before), before), (ds, value(after), after)
        f_low, f_high, side = low[1], high[1], 0
        least = 1e-9 * max(abs(f_low), abs(f_high))
        if f_low * f_high >= 0.0:
            return after
        for _ in range(_SEARCH):
            s = (low[0] * f_high - high[0] * f_low) / (f_high - f_low)
            found, s = self._near(before, s, (low[0], high[0]))
            if found is None:
                break
            f = value(found)
            if abs(f) <= least or abs(high[0] - low[0]) < 1e-10 * ds:
                return found
            if f * f_high > 0.0:
                high, f_high = (s, f, found), f
                f_low *= 0.5 if side == 1 else 1.0
                side = 1
            else:
                low, f_low = (s, f, found), f
                f_high *= 0.5 if side == -1 else 1.0
                side = -1
        nearest = min(low, high, key=lambda end: abs(end[1]))[2]
        load = (low[2].p * high[1] - high[2].p * low[1]) / (high[1] - low[1])
        return replace(nearest, p=load)

    def _near(self, before: Point, s: float, between: tuple[float, float]) -> tuple[Point | None, float]:
        """A rest about s along the curve, and where it is: nearer to either neighbour where s has none."""
        for part in (0.0, 0.25, 0.5, 0.75):
            for end in between if part else between[:1]:
                at = s + part * (end - s)
                found = self.corrected(before, at)
                if found is not None:
                    return found[0].direction(before, self.delta), at
        return None, s
