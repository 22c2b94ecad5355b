"""A mechanism as a tree of rigid bodies, where its two trees are one: what O(n) elimination needs of it."""

from typing import Any

import numpy as np

from flexnet.components import RigidBody
from flexnet.dae import Links
from flexnet.kernels import recursion as place
from flexnet.kernels.model import Model
from flexnet.typing import IntArray

#: products of the recursion for a body and for a coordinate, spatial and in a plane, and of the sweeps that
#: make a column of M for every branch and body in its lists
_SPATIAL, _PLANAR, _SWEEP = (700, 250), (60, 50), 12


def find_links(model: Model, bodies: list[RigidBody], is_planar: bool, rows: int) -> Links | None:
    """Links of a mechanism without chords whose bodies follow each other alike in both trees, else None.

    Also None where making and factoring M takes fewer products.
    """
    n = len(model.columns)
    if rows or n == 0 or len(model.flex) or len(model.states) or len(model.r_edges) != len(bodies):
        return None
    each, more = _PLANAR if is_planar else _SPATIAL
    lists = sum(int(np.diff(ptr).sum()) for ptr in _swept(model))
    if each * len(bodies) + more * n > n**3 / 6 + _SWEEP * lists:
        return None
    found = _Found(model)
    links = [found.link(i) for i in range(len(model.r_edges))]
    if any(link is None for link in links) or found.missed(links):
        return None
    return _packed(model, bodies, is_planar, [link for link in links if link is not None])


def _swept(model: Model) -> tuple[IntArray, ...]:
    return model.col_out_ptr, model.col_turn_ptr, model.col_bodies_ptr, model.col_in_t_ptr


class _Found:
    """Walks from body to body."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.reaching = np.full(len(model.t_edges) + 1, -1)
        self.reaching[model.t_edges["child"]] = np.arange(len(model.t_edges))
        self.node = np.full(len(model.r_edges) + 1, -1)
        self.node[model.bodies["rotation"]] = model.bodies["node"]
        self.node[0] = 0

    def link(self, i: int) -> tuple[int, int, int, list[int]] | None:
        """Rotation nodes of parent and child of an R-branch, its pivot, and T-branches between the bodies."""
        edge, t = self.model.r_edges[i], self.model.t_edges
        A, B = int(edge["parent"]), int(edge["child"])
        at, way = int(self.node[B]), list[int]()
        while at != self.node[A]:
            if at <= 0:
                return None
            way.append(int(self.reaching[at]))
            at = int(t["parent"][way[-1]])
        carriers = [int(t["carrier"][e]) for e in way]
        own = carriers.count(B)
        if carriers != [B] * own + [A] * (len(way) - own):
            return None
        pivot = int(t["parent"][way[own - 1]]) if own else int(self.node[B])
        return A, B, pivot, way

    def missed(self, links: list[Any]) -> bool:
        """Whether a coordinate moves frames and no body, or is on the way to two."""
        used = np.array([e for _, _, _, way in links for e in way], dtype=np.int64)
        count = self.model.t_edges["n"]
        moving = used[count[used] > 0]
        n = int(count[moving].sum() + self.model.r_edges["n"].sum())
        return n != len(self.model.columns) or len(np.unique(moving)) != len(moving)


def _packed(
    model: Model, bodies: list[RigidBody], is_planar: bool, links: list[tuple[int, int, int, list[int]]]
) -> Links:
    """Numbers of all links, as the kernels read them; R-branches are in their order from the datum."""
    # no wider than the most coordinates of a body ask for: a long chain is read again and again
    count = [
        model.r_edges["n"][i] + sum(model.t_edges["n"][e] for e in way) for i, (*_, way) in enumerate(links)
    ]
    numbers = np.zeros((len(links), place.COORDINATES + 4 * max(map(int, count), default=0)))
    number: dict[int, int] = {0: -1}
    parent, first, places = list[int](), [0], list[int]()
    body = {int(b["rotation"]): (int(b["node"]), part) for b, part in zip(model.bodies, bodies, strict=True)}
    for i, (A, B, pivot, way) in enumerate(links):
        node, part = body[B]
        x = numbers[i]
        x[place.NODE_A], x[place.NODE_B] = body[A][0] if A else 0, node
        x[place.PIVOT], x[place.TURNED] = pivot, B
        x[place.MASS], x[place.INERTIA : place.COORDINATES] = part.mass, np.ravel(part.inertia)
        turn = model.r_edges[i]
        own = [(place.TURN, i, axis, turn["sign"], turn["v"] + axis) for axis in range(turn["n"])]
        for e in way:
            slide = model.t_edges[e]
            own += [(place.SLIDE, e, axis, slide["sign"], slide["v"] + axis) for axis in range(slide["n"])]
        x[place.COUNT] = len(own)
        for l, (*what, v) in enumerate(own):
            x[place.COORDINATES + 4 * l : place.COORDINATES + 4 * l + 4] = what
            places.append(int(v))
        parent.append(number[A])
        number[B] = i
        first.append(len(places))
    return Links(_ints(parent), _ints(first), _ints(places), numbers, 3 if is_planar else 6, place.articulate)


def _ints(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int64)
