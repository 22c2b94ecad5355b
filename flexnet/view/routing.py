"""Where the edges and the names of a drawn graph go: curves that keep clear, labels that do not overlap.

Everything is in the units of the layout, about one inch. Choices are made one after the other among a
few candidates by a cost; nothing is random, so a graph is always drawn the same way.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from flexnet.typing import Array, BoolArray, IntArray

#: points on a curve; what a curve keeps away from a foreign node; what two curves keep apart
SAMPLES, CLEAR, APART = 41, 0.24, 0.11
_T = np.linspace(0.0, 1.0, SAMPLES)


def bezier(start: Array, end: Array, bend: float) -> Array:
    """Points (SAMPLES, 2) of a quadratic curve whose middle leaves the chord by half of bend × length."""
    chord = end - start
    control = 0.5 * (start + end) + bend * np.array([-chord[1], chord[0]])
    t = _T[:, None]
    out: Array = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return out


def hull(points: Array) -> Array:
    """Convex hull of (n, 2) points, counter-clockwise."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    chains: list[list[tuple[float, float]]] = []
    for sequence in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for p in sequence:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        chains.append(chain[:-1])
    return np.array(chains[0] + chains[1])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def outline(nodes: Array, margin: float) -> Array:
    """Rounded outline (n, 2) around some nodes, ``margin`` away from them."""
    angle = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    ring = margin * np.column_stack([np.cos(angle), np.sin(angle)])
    return hull((nodes[:, None, :] + ring[None, :, :]).reshape(-1, 2))


def closed(polygon: Array, step: float = 0.06) -> Array:
    """Points (n, 2) along a polygon, about ``step`` apart."""
    out = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        count = max(1, round(float(np.linalg.norm(b - a)) / step))
        out.append(a + (b - a) * np.arange(count)[:, None] / count)
    return np.concatenate(out)


def inside(points: Array, polygon: Array) -> BoolArray:
    """Which of (n, 2) points lie inside a convex counter-clockwise polygon."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    d, w = b - a, points[:, None, :] - a[None, :, :]
    out: BoolArray = np.all(d[:, 0] * w[:, :, 1] - d[:, 1] * w[:, :, 0] >= 0, axis=1)
    return out


@dataclass(slots=True, eq=False)
class Router:
    """Curves chosen so far, and what further ones must keep clear of.

    Attributes
    ----------
    nodes : position of every node.
    outlines : polygon of every body and its nodes.
    curves : points (SAMPLES, 2) of the curves chosen so far, by edge.
    bends : their bends.
    """

    nodes: dict[str, Array]
    outlines: list[tuple[Array, set[str]]]
    curves: dict[str, Array] = field(default_factory=dict)
    bends: dict[str, float] = field(default_factory=dict)

    def route(self, name: str, ends: tuple[str, str], bends: Sequence[float]) -> None:
        """Choose the bend of an edge; the first of equally good ones."""
        start, end = (self.nodes[n] for n in ends)
        trials = [bezier(start, end, bend) for bend in bends]
        costs = [0.0]
        if len(bends) > 1:
            drawn = cKDTree(np.concatenate(list(self.curves.values()))) if self.curves else None
            costs = [
                self._cost(c, ends, drawn) + 1.5 * abs(b - bends[0])
                for c, b in zip(trials, bends, strict=True)
            ]
        best = int(np.argmin(np.round(costs, 6)))
        self.curves[name], self.bends[name] = trials[best], bends[best]

    def _cost(self, curve: Array, ends: tuple[str, str], drawn: cKDTree | None) -> float:
        """What a curve comes too near to; ``drawn`` holds the points of those chosen before."""
        others = np.array([p for n, p in self.nodes.items() if n not in ends]).reshape(-1, 2)
        near = np.linalg.norm(others[:, None, :] - curve[None, :, :], axis=2).min(axis=1)
        cost = 25.0 * float(np.maximum(0.0, 1.0 - near / CLEAR).sum())
        low, high = curve.min(axis=0), curve.max(axis=0)
        foreign = [p for p, members in self.outlines if not members & set(ends)]
        near_by = [p for p in foreign if (p.max(axis=0) >= low).all() and (p.min(axis=0) <= high).all()]
        cost += sum(0.15 * float(inside(curve, p).sum()) for p in near_by)
        tips = np.array([curve[0], curve[-1]])
        free = curve[np.linalg.norm(curve[:, None, :] - tips[None], axis=2).min(axis=1) > 0.3]
        if len(free) and drawn is not None:
            cost += 0.12 * float(drawn.query_ball_point(free, APART, return_length=True).sum())
        return cost


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """A text to be placed.

    Attributes
    ----------
    size : (2,) width and height.
    centres : (n, 2) places to choose from, the most wanted first.
    """

    text: str
    size: Array
    centres: Array


def beside_node(point: Array, size: Array, distances: Iterable[float] = (0.11, 0.2)) -> Array:
    """Centres of a text around a node."""
    degrees = np.array([0, 180, 90, 270, 45, 135, 315, 225, 20, 160, 200, 340, 65, 115, 245, 295])
    angle = np.deg2rad(degrees)
    u = np.column_stack([np.cos(angle), np.sin(angle)])
    corner = np.clip(1.5 * u, -1, 1) * size / 2
    return np.concatenate([point + d * u + corner for d in distances])


def beside_curve(curve: Array, size: Array) -> Array:
    """Centres of a text beside a curve, the middle first."""
    out = []
    for gap in (0.05, 0.0):
        for t in (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8, 0.14, 0.86):
            k = round(t * (len(curve) - 1))
            tangent = curve[min(k + 1, len(curve) - 1)] - curve[max(k - 1, 0)]
            n = np.array([-tangent[1], tangent[0]]) / max(float(np.linalg.norm(tangent)), 1e-9)
            reach = gap + abs(n[0]) * size[0] / 2 + abs(n[1]) * size[1] / 2
            out += [curve[k] + reach * n, curve[k] - reach * n]
    return np.array(out)


def place_labels(labels: Sequence[Label], nodes: Array, curves: Sequence[tuple[Array, float]]) -> Array:
    """Choose the centre of every label, (n, 2): clear of the other labels, the nodes and the curves.

    Parameters
    ----------
    curves : points of each curve, and how much it costs to write over one of them.
    """
    points = np.concatenate([curve for curve, _ in curves]) if curves else np.zeros((0, 2))
    first = np.cumsum([0, *(len(curve) for curve, _ in curves)])
    weights = np.array([weight for _, weight in curves])
    costs = [_fixed_cost(label, nodes, points, first[:-1], weights) for label in labels]
    sizes = np.array([label.size for label in labels]).reshape(-1, 2)
    chosen = np.full((len(labels), 2), np.inf)
    for _ in range(4):
        for i, label in enumerate(labels):
            others = np.delete(np.arange(len(labels)), i)
            reach = 0.5 * (sizes[others] + label.size) + 0.02
            gap = reach[None] - np.abs(label.centres[:, None, :] - chosen[others][None])
            overlap = np.maximum(gap, 0.0).prod(axis=2) / max(float(label.size.prod()), 1e-9)
            total = costs[i] + 60.0 * overlap.sum(axis=1) + 8.0 * (overlap > 0).sum(axis=1)
            chosen[i] = label.centres[int(np.argmin(np.round(total, 6)))]
    return chosen


def _fixed_cost(label: Label, nodes: Array, points: Array, first: IntArray, weights: Array) -> Array:
    """Cost of every place of a label that does not depend on the other labels.

    Parameters
    ----------
    points : of all curves, (n, 2).
    first, weights : first point of each curve and what it costs to write over one of them.
    """
    half = label.size / 2
    wish: Array = 0.12 * np.arange(len(label.centres), dtype=np.float64)
    clear = np.abs(nodes[None] - label.centres[:, None, :]) - half - 0.07
    cost: Array = wish + 12.0 * np.all(clear < 0, axis=2).sum(axis=1)
    if len(first):
        reach = half + 0.015
        x, y = (np.abs(points[:, k] - label.centres[:, k, None]) < reach[k] for k in (0, 1))
        hits = np.add.reduceat((x & y).astype(np.int64), first, axis=1)
        cost = cost + np.minimum(hits, 6) @ weights
    return cost
