"""Positions of the nodes for a drawing a person can read.

Bodies stand in rows above the ground, as many joints away from it as their row says; the order in a row
is chosen so that few joints cross. The frames of a body stand round its own frame, each facing the
joint it serves. Unit of length: about one inch on paper.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import atan2, cos, pi, sin

import numpy as np

from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.typing import Array

#: distance of rows, least distance of neighbours in a row, distance of a frame from its body frame
ROW, COLUMN, ARM = 2.1, 2.1, 0.62
#: height of the arch of ground frames for each of them
ARCH = 0.22
#: least angle between two frames of a body as seen from the body frame
SEPARATION = 0.9
_SWEEPS = 8
_LINKS = (Kind.JOINT, Kind.DRIVER, Kind.NETWORK)


def layout(graph: LinearGraph, at: Mapping[str, Array] | None = None) -> dict[str, Array]:
    """Place the nodes in the plane.

    Parameters
    ----------
    graph : the graph to draw.
    at : where the nodes are in the mechanism, if known, (2,) each: bodies of one row then stand in the
        order they have in the mechanism from left to right, unless another order crosses fewer joints.

    Returns
    -------
    dict of node -> (2,) array.
    """
    bodies = _Bodies.of(graph)
    rows = _order(bodies, _rows(bodies), at)
    x = _columns(bodies, rows)
    centre = {b: np.array([x[b], ROW * k]) for k, row in enumerate(rows) for b in row}
    return _frames(bodies, centre)


@dataclass(frozen=True)
class _Bodies:
    """The graph with every body drawn together to one node.

    Attributes
    ----------
    datum : the ground.
    members : nodes of each body, its own frame first.
    owner : body of each node.
    links : pairs of nodes of different bodies that a joint, driver or force element connects.
    net : bodies each body is connected with.
    """

    datum: str
    members: dict[str, list[str]]
    owner: dict[str, str]
    links: list[tuple[str, str]]
    net: dict[str, list[str]]

    @staticmethod
    def of(graph: LinearGraph) -> "_Bodies":
        owner = _owner(graph)
        members: dict[str, list[str]] = {owner[node]: [] for node in graph.nodes}
        for node in graph.nodes:
            members[owner[node]].append(node)
        net: dict[str, list[str]] = {body: [] for body in members}
        kinds: tuple[tuple[Kind, ...], ...] = (_LINKS, (Kind.FORCE, Kind.VIRTUAL), (Kind.BODY,))
        links: list[tuple[str, str]] = []
        for wanted in kinds:
            # force elements and virtual joints, then body edges, place only what no joint has placed
            reached = set(_distances(net, graph.datum))
            for e in _between(graph.edges, wanted, owner):
                a, b = owner[e.tail], owner[e.head]
                if (wanted is _LINKS or not {a, b} <= reached) and b not in net[a]:
                    net[a].append(b)
                    net[b].append(a)
                if wanted is not kinds[2] and not _is_load(e, graph.datum, owner):
                    links.append((e.tail, e.head))
        return _Bodies(graph.datum, members, owner, links, net)


def _owner(graph: LinearGraph) -> dict[str, str]:
    """Body frame of each node: the node its arm, rigid or flexible, starts at."""
    owner = {node: node for node in graph.nodes}
    for edge in graph.edges:
        if edge.kind is Kind.ARM:
            owner[edge.head] = owner[edge.tail]
    return owner


def _between(edges: Iterable[Edge], kinds: tuple[Kind, ...], owner: dict[str, str]) -> list[Edge]:
    return [e for e in edges if e.kind in kinds and owner[e.tail] != owner[e.head]]


def _is_load(edge: Edge, datum: str, owner: dict[str, str]) -> bool:
    """Whether an edge only reaches a body from the datum, so that no frame needs to face it."""
    return edge.kind in (Kind.FORCE, Kind.VIRTUAL) and edge.tail == datum and owner[edge.head] == edge.head


def _rows(bodies: _Bodies) -> list[list[str]]:
    """Bodies by their distance from the ground in joints; the ground is row 0."""
    distance = _distances(bodies.net, bodies.datum)
    rows: list[list[str]] = [[] for _ in range(max(distance.values()) + 1)]
    for body in bodies.members:
        rows[distance[body]].append(body)
    return rows


def _distances(net: Mapping[str, Sequence[str]], start: str) -> dict[str, int]:
    """Connections between a body and every body that can be reached from it."""
    distance, waiting = {start: 0}, [start]
    for body in waiting:  # grows as it is read: nearer bodies come first
        for other in net[body]:
            if other not in distance:
                distance[other] = distance[body] + 1
                waiting.append(other)
    return distance


def _order(bodies: _Bodies, rows: list[list[str]], at: Mapping[str, Array] | None) -> list[list[str]]:
    """Order every row: barycentres up and down, then exchanges of neighbours while they help."""
    if at is not None:
        rows = [sorted(row, key=lambda b: float(at[b][0])) for row in rows]
    best, least = rows, _crossings(bodies, rows)
    for sweep in range(_SWEEPS):
        place = {b: k - (len(row) - 1) / 2 for row in rows for k, b in enumerate(row)}
        shift = 1 if sweep % 2 else -1
        new = []
        for k, row in enumerate(rows):
            facing = rows[k + shift] if 0 <= k + shift < len(rows) else []
            towards = {b: _mean(bodies, place, b, facing) for b in row}
            new.append(sorted(row, key=towards.__getitem__))
        rows = new
        count = _crossings(bodies, rows)
        if count < least:
            best, least = rows, count
    return _exchange(bodies, best, least)


def _mean(bodies: _Bodies, place: dict[str, float], body: str, facing: list[str]) -> float:
    others = [place[n] for n in bodies.net[body] if n in facing and n != bodies.datum]
    return sum(others) / len(others) if others else place[body]


def _exchange(bodies: _Bodies, rows: list[list[str]], least: float) -> list[list[str]]:
    if sum(map(len, rows)) > 40:  # a long chain has nothing to exchange
        return rows
    is_better = True
    while is_better and least > 0:
        is_better = False
        for k, row in enumerate(rows):
            for i, j in combinations(range(len(row)), 2):
                trial = row.copy()
                trial[i], trial[j] = row[j], row[i]
                new = [*rows[:k], trial, *rows[k + 1 :]]
                count = _crossings(bodies, new)
                if count < least:
                    rows, row, least, is_better = new, trial, count, True
    return rows


def _crossings(bodies: _Bodies, rows: list[list[str]]) -> float:
    """Crossings of joints, bodies stepped over within a row, and a little for sideways length."""
    place = {b: (k, i - (len(row) - 1) / 2) for k, row in enumerate(rows) for i, b in enumerate(row)}
    joined = {frozenset((a, b)): (a, b) for a, others in bodies.net.items() for b in others}
    lines = [sorted((place[a], place[b])) for a, b in joined.values() if bodies.datum not in (a, b)]
    total = sum(3.0 * (abs(a[1] - b[1]) - 1.0) for a, b in lines if a[0] == b[0])
    total += 0.01 * sum(abs(a[1] - b[1]) for a, b in lines)
    for (a, b), (c, d) in combinations(lines, 2):
        total += a[0] == c[0] and b[0] == d[0] != a[0] and (a[1] - c[1]) * (b[1] - d[1]) < 0
    return total


def _columns(bodies: _Bodies, rows: list[list[str]]) -> dict[str, float]:
    """Horizontal places: near the mean of the neighbours, never closer than the sizes allow."""
    x = {b: COLUMN * (k - (len(row) - 1) / 2) for row in rows for k, b in enumerate(row)}
    for _ in range(_SWEEPS):
        for row in rows[1:]:
            wish = [_mean(bodies, x, b, list(x)) for b in row]
            wish = [0.5 * w + 0.5 * x[b] for w, b in zip(wish, row, strict=True)]
            gaps = [max(_width(bodies, a), _width(bodies, b)) for a, b in pairwise(row)]
            x |= dict(zip(row, _spread(wish, gaps), strict=True))
    middle = (min(x.values()) + max(x.values())) / 2
    return {b: 0.0 if b == bodies.datum else v - middle for b, v in x.items()}


def _width(bodies: _Bodies, body: str) -> float:
    return COLUMN if len(bodies.members[body]) > 1 else 0.75 * COLUMN


def _spread(wish: list[float], gaps: list[float]) -> list[float]:
    """Nearest increasing places with given least gaps (pool adjacent violators)."""
    offset = np.concatenate([[0.0], np.cumsum(gaps)])
    blocks: list[list[float]] = []  # sum, count
    for value in np.asarray(wish) - offset:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [blocks[-1][0] + last[0], blocks[-1][1] + last[1]]
    means = np.concatenate([np.full(int(n), s / n) for s, n in blocks])
    return [float(v) for v in means + offset]


def _frames(bodies: _Bodies, centre: dict[str, Array]) -> dict[str, Array]:
    """Stand the frames of each body round its own frame, facing what they are joined to."""
    place = {node: centre[bodies.owner[node]].copy() for node in bodies.owner}
    partners: dict[str, list[str]] = {node: [] for node in bodies.owner}
    for a, b in bodies.links:
        partners[a].append(b)
        partners[b].append(a)
    for _ in range(3):
        _ground_frames(bodies, place, partners)
        for body, nodes in bodies.members.items():
            if body != bodies.datum and len(nodes) > 1:
                angles = _facing(place, partners, centre[body], nodes[1:])
                reach = ARM * (1.0 + 0.12 * max(0, len(nodes) - 5))
                for node, angle in angles.items():
                    place[node] = centre[body] + reach * np.array([cos(angle), sin(angle)])
    return place


def _ground_frames(bodies: _Bodies, place: dict[str, Array], partners: dict[str, list[str]]) -> None:
    """Stand the frames of the ground in a flat arch, each below what it holds, the datum at its foot."""
    datum, *nodes = bodies.members[bodies.datum]
    if not nodes:
        return
    wish = {n: _middle([place[p] for p in partners[n]]) for n in (datum, *nodes)}
    order = sorted(wish, key=lambda n: wish[n])
    x = dict(zip(order, _spread([wish[n] for n in order], [0.9] * (len(order) - 1)), strict=True))
    for side in (-1.0, 1.0):
        away = sorted(side * (x[n] - x[datum]) for n in nodes if side * (x[n] - x[datum]) > 0)
        for node in nodes:
            d = side * (x[node] - x[datum])
            if d > 0:
                # no arm may hide another: the nearest frame stands highest
                lift = ARCH * len(away) * (1.0 - (d / (away[-1] + 0.3)) ** 2) ** 0.5
                place[node] = np.array([x[node], lift])
    place[datum] = np.array([x[datum], 0.0])


def _middle(points: list[Array]) -> float:
    return float(np.mean([p[0] for p in points])) if points else 0.0


def _facing(
    place: dict[str, Array], partners: dict[str, list[str]], centre: Array, nodes: list[str]
) -> dict[str, float]:
    """Angles at which the frames of a body stand."""
    wish: dict[str, float] = {}
    lone = []
    for node in nodes:
        if partners[node]:
            towards = sum((_unit(place[p] - centre) for p in partners[node]), np.zeros(2))
            wish[node] = atan2(towards[1], towards[0]) if np.linalg.norm(towards) > 1e-6 else pi / 2
        else:
            lone.append(node)
    for node in lone:
        wish[node] = _emptiest(list(wish.values()))
    order = sorted(nodes, key=lambda n: wish[n])
    angles = _apart([wish[n] for n in order], min(SEPARATION, 2 * pi / len(nodes)))
    return dict(zip(order, angles, strict=True))


def _unit(vector: Array) -> Array:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _emptiest(angles: list[float]) -> float:
    """Middle of the largest gap between angles."""
    if not angles:
        return pi / 2
    ring = sorted(a % (2 * pi) for a in angles)
    gaps = [(b - a) % (2 * pi) or 2 * pi for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]
    k = int(np.argmax(gaps))
    return ring[k] + gaps[k] / 2


def _apart(angles: list[float], least: float) -> list[float]:
    """Push sorted angles apart on the circle until neighbours are ``least`` away from one another."""
    out = np.array(angles, dtype=float)
    n = len(out)
    for _ in range(200 if n > 1 else 0):
        lack = least - np.mod(np.roll(out, -1) - out, 2 * pi)
        if np.all(lack < 1e-6):
            break
        push = 0.5 * np.maximum(lack, 0.0)
        out = out - push + np.roll(push, 1)
    return [float(a) for a in out]
