"""What each coordinate moves: the sparsity of the Jacobians, found once from the trees.

Branches are numbered a second time, each followed by all that lie beyond it: what a branch carries is then an
interval, and so is everything fixed to what it carries. A list costs its own length.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from flexnet.kernels.model import C_ROTATION, C_TRANSLATION, ON_COORDINATE, ON_NODE, ON_ROTATION, Model
from flexnet.typing import AnyArray, BoolArray, IntArray

_LISTS = (
    "col_turn", "col_out", "col_bodies", "col_flex", "col_stiff", "col_in_t", "col_in_r", "col_signals",
    "col_rows",
)  # fmt: skip
_ROTATIONS = ("head_r", "tail_r", "other_head_r", "other_tail_r")
_NODES = ("head", "tail", "other_head", "other_tail")
#: coordinates up to which lists are kept for the next mechanism, and mechanisms kept
_SMALL, _MOST = 400, 32
#: part of all branches that a coordinate moves on average, from which no lists are made: M is as good as full
_FULL = 0.2
_known: dict[tuple[bytes, ...], dict[str, Any]] = {}
#: intervals [first, last) of places
Intervals = list[tuple[int, int]]


def column_lists(model: Model) -> dict[str, Any]:
    """Lists of branches, bodies and rows each coordinate reaches: the fields ``col_*`` of the model.

    A rotational coordinate turns the bodies beyond its R-branch, hence moves every node beyond a
    T-branch whose vector one of them carries; a translational coordinate moves the nodes beyond its
    T-branch; an elastic coordinate does both through every flexible arm of its body.
    """
    if len(model.columns) > _SMALL:
        return _found(model)
    key = _structure(model)
    if key not in _known:
        if len(_known) >= _MOST:
            del _known[next(iter(_known))]
        _known[key] = _found(model)
    return _known[key]


def _structure(model: Model) -> tuple[bytes, ...]:
    """All that the lists rest on: a mechanism with other numbers has the same."""
    flex = np.column_stack([model.flex[name] for name in ("node", "rotation", "v", "m")])
    edges = model.t_edges, model.r_edges, model.bodies, model.rows, model.elements, model.columns, model.rests
    return *(x.tobytes() for x in edges), flex.tobytes(), model.flex_frames["body"].tobytes()


def _found(model: Model) -> dict[str, Any]:
    """The lists of one model."""
    if _is_full(model):
        return _everything(model)
    reach = _Reach(model)
    ridden: dict[int, list[int]] = {}  # rows that are a coordinate
    for i in np.flatnonzero(model.rows["v"] >= 0):
        ridden.setdefault(int(model.rows["v"][i]), []).append(int(i))
    own = model.rests[model.rests[:, 0] == ON_COORDINATE]
    out: list[list[IntArray]] = [[] for _ in _LISTS]
    for k, (kind, edge, _) in enumerate(model.columns.tolist()):
        for store, values in zip(out, reach.lists(kind, edge), strict=True):
            store.append(values)
        if k in ridden:
            out[-1][-1] = np.sort(np.concatenate([out[-1][-1], ridden[k]]))
        if len(own):
            out[-2][-1] = _distinct([out[-2][-1], own[own[:, 1] == k, 2]])
    packed: dict[str, Any] = {}
    for name, store in zip(_LISTS, out, strict=True):
        packed[name] = np.concatenate([*store, np.zeros(0, dtype=np.int64)])
        ends = np.cumsum([0, *(len(x) for x in store)], dtype=np.int64)
        packed[f"{name}_ptr"] = np.column_stack([ends[:-1], ends[1:]])
    return packed


def _is_full(model: Model) -> bool:
    """Whether a large mechanism without chords is a few long chains: their lists would be as M is, N²."""
    if len(model.columns) <= _SMALL or any(map(len, (model.rows, model.flex, model.rests, model.states))):
        return False
    kind, edge = model.columns["kind"], model.columns["edge"]
    moved = 0.0
    for which, edges in ((C_ROTATION, model.r_edges), (C_TRANSLATION, model.t_edges)):
        tree = _Outward(edges)
        mine = edge[kind == which]
        moved += float((tree.last - tree.first)[mine].sum()) / max(len(edges), 1)
    return moved > _FULL * len(model.columns)


def _everything(model: Model) -> dict[str, Any]:
    """One list of everything for all columns: what a coordinate does not move stays at rest."""
    n, stiff = len(model.columns), np.flatnonzero(model.elements["tangent"] >= 0)
    t, r, none = np.arange(len(model.t_edges)), np.arange(len(model.r_edges)), np.zeros(0, dtype=np.int64)
    lists = (r, t, np.arange(len(model.bodies)), none, stiff, t[::-1].copy(), r[::-1].copy(), none, none)
    packed: dict[str, Any] = dict(zip(_LISTS, lists, strict=True))
    return packed | {f"{name}_ptr": np.tile([0, len(x)], (n, 1)) for name, x in packed.items()}


def loaded_elements(model: Model, is_felt: bool = False) -> tuple[IntArray, IntArray]:
    """Force elements an end of which moves or turns with each coordinate, in compressed rows.

    With ``is_felt`` only those whose load the coordinate feels: moves an end that a force acts on, or turns
    one that a torque acts on.
    """
    reach, elements = _Reach(model), model.elements
    both = np.tile(np.arange(len(elements)), 2)
    has = np.concatenate([elements["has"][:, 2:], elements["has"][:, :2]]) == 1  # of tails, then of heads
    pulled, twisted = has.T if is_felt else np.ones((2, len(both)), dtype=bool)
    moved = reach.T.fixed(np.concatenate([elements["tail"], elements["head"]])[pulled], both[pulled])
    turned = reach.R.fixed(np.concatenate([elements["tail_r"], elements["head_r"]])[twisted], both[twisted])

    @cache
    def of(kind: int, edge: int) -> IntArray:
        turns, moves = reach.reached(kind, edge)
        return _distinct([*moved.within(moves), *turned.within(turns)])

    found = [of(kind, edge) for kind, edge, _ in model.columns.tolist()]
    ends = np.cumsum([0, *(len(x) for x in found)], dtype=np.int64)
    return _joined(found), np.column_stack([ends[:-1], ends[1:]])


class _Fixed(NamedTuple):
    """Things fixed to children of branches, in the second numbering: place p has [start[p], start[p+1])."""

    things: IntArray
    start: IntArray

    def within(self, intervals: Intervals) -> list[IntArray]:
        """Things of some intervals."""
        return [self.things[self.start[a] : self.start[b]] for a, b in intervals]


class _Outward:
    """A tree of branches, numbered so that what lies beyond a branch is an interval.

    Attributes
    ----------
    first, last : (branches,) interval of each, itself included.
    at : (branches,) the branch with each number.
    reaching : (nodes,) branch that reaches each node, -1 for the datum.
    """

    def __init__(self, edges: AnyArray) -> None:
        n = len(edges)
        self.reaching = np.full(n + 1, -1)
        self.reaching[edges["child"]] = np.arange(n)
        self.inward: list[int] = self.reaching[edges["parent"]].tolist()
        size, depth = [1] * n, [1] * n
        for i in range(n - 1, -1, -1):
            if self.inward[i] >= 0:
                size[self.inward[i]] += size[i]
        first, free = [0] * n, [0] * (n + 1)  # the next number beyond each branch; the last is the datum's
        for i, parent in enumerate(self.inward):
            first[i] = free[parent]
            free[parent] += size[i]
            free[i] = first[i] + 1
            depth[i] = 1 if parent < 0 else depth[parent] + 1
        self.first = np.array(first, dtype=np.int64)
        self.last = self.first + np.array(size, dtype=np.int64)
        self.depth = np.array(depth, dtype=np.int64)
        self.at = np.argsort(self.first)

    def intervals(self, branches: IntArray) -> Intervals:
        """What lies beyond some branches, as disjoint intervals."""
        if len(branches) == 0:
            return []
        places = np.sort(self.first[branches], kind="stable")
        ends = np.maximum.accumulate(self.last[self.at[places]])
        is_outermost = np.ones(len(places), dtype=bool)
        is_outermost[1:] = places[1:] >= ends[:-1]
        first = places[is_outermost]
        return list(zip(first.tolist(), self.last[self.at[first]].tolist(), strict=True))

    def beyond(self, intervals: Intervals) -> IntArray:
        """Branches of some intervals, outwards."""
        return _sorted([self.at[a:b] for a, b in intervals])

    def fixed(self, nodes: IntArray, things: IntArray | None = None) -> _Fixed:
        """What is fixed to some nodes; the datum is beyond no branch."""
        things = np.arange(len(nodes)) if things is None else things
        branches = self.reaching[nodes]
        places = self.first[branches[branches >= 0]]
        order = np.argsort(places, kind="stable")
        start = np.searchsorted(places[order], np.arange(len(self.first) + 1))
        return _Fixed(things[branches >= 0][order], start)

    def back(self, nodes: IntArray) -> IntArray:
        """Branches on the way from some nodes to the datum, inwards."""
        branches = self.reaching[nodes]
        branches = branches[branches >= 0]
        if 8 * int(self.depth[branches].sum()) > len(self.first):
            loaded = np.zeros(len(self.first) + 1, dtype=np.int64)
            loaded[self.first[branches] + 1] = 1
            total = np.cumsum(loaded)
            return np.flatnonzero(total[self.last] > total[self.first])[::-1]
        found = set[int]()
        for i in branches.tolist():
            while i >= 0 and i not in found:
                found.add(i)
                i = self.inward[i]
        return np.array(sorted(found, reverse=True), dtype=np.int64)


class _Reach:
    """What the coordinates of a branch or of a flexible body reach."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.T, self.R = _Outward(model.t_edges), _Outward(model.r_edges)
        self.carried = self.R.fixed(model.t_edges["carrier"])
        self.fixed = {
            name: (self.T.fixed(records["node"]), self.R.fixed(records["rotation"]))
            for name, records in (("bodies", model.bodies), ("flex", model.flex))
        }
        own = np.flatnonzero(model.rows["v"] < 0)
        rows = np.tile(own, len(_NODES))
        self.rows = (
            self.T.fixed(np.concatenate([model.rows[name][own] for name in _NODES]), rows),
            self.R.fixed(np.concatenate([model.rows[name][own] for name in _ROTATIONS]), rows),
        )
        stiff = np.flatnonzero(model.elements["tangent"] >= 0)
        ends, both = model.elements[stiff], np.tile(stiff, 2)
        self.stiff = (
            self.T.fixed(np.concatenate([ends["tail"], ends["head"]]), both),
            self.R.fixed(np.concatenate([ends["tail_r"], ends["head_r"]]), both),
        )
        read, turn = (model.rests[model.rests[:, 0] == what] for what in (ON_NODE, ON_ROTATION))
        self.signals = self.T.fixed(read[:, 1], read[:, 2]), self.R.fixed(turn[:, 1], turn[:, 2])
        masses = np.concatenate(
            [model.bodies["node"], model.flex["node"], ends["tail"], ends["head"], read[:, 1]]
        )
        self.useful = _useful_branches(model.t_edges, masses, model.rows)
        self.lists = cache(self._lists)

    def _lists(self, kind: int, edge: int) -> tuple[IntArray, ...]:
        """The lists of one coordinate, whichever of its branch or body."""
        model, T, R = self.model, self.T, self.R
        turns, moves = self.reached(kind, edge)
        bodies = _distinct([*self.fixed["bodies"][0].within(moves), *self.fixed["bodies"][1].within(turns)])
        own = [] if kind in (C_ROTATION, C_TRANSLATION) else [np.array([edge])]
        flex = _distinct([*self.fixed["flex"][0].within(moves), *self.fixed["flex"][1].within(turns), *own])
        stiff = _distinct([*self.stiff[0].within(moves), *self.stiff[1].within(turns)])
        bent = model.elements[stiff]
        nodes = [model.bodies["node"][bodies], model.flex["node"][flex], bent["tail"], bent["head"]]
        in_t = T.back(np.concatenate(nodes))
        torqued = [
            model.bodies["rotation"][bodies],
            model.flex["rotation"][flex],
            bent["tail_r"],
            bent["head_r"],
            model.t_edges["carrier"][in_t],
        ]
        out = T.beyond(moves)
        return (
            R.beyond(turns),
            out[self.useful[out]],
            bodies,
            flex,
            stiff,
            in_t,
            R.back(np.concatenate(torqued)),
            _distinct([*self.signals[0].within(moves), *self.signals[1].within(turns)]),
            _distinct([*self.rows[0].within(moves), *self.rows[1].within(turns)]),
        )

    def reached(self, kind: int, edge: int) -> tuple[Intervals, Intervals]:
        """R-branches whose children a coordinate turns, and T-branches whose children it moves."""
        if kind == C_ROTATION:
            turning, moving = np.array([edge]), []
        elif kind == C_TRANSLATION:
            turning, moving = np.zeros(0, dtype=np.int64), [np.array([edge])]
        else:
            mine = np.flatnonzero(self.model.flex_frames["body"] == edge)
            turning = np.flatnonzero(np.isin(self.model.r_edges["flex"], mine))
            moving = [np.flatnonzero(np.isin(self.model.t_edges["flex"], mine))]
        turns = self.R.intervals(turning)
        return turns, self.T.intervals(_joined([*moving, *self.carried.within(turns)]))


def _joined(parts: Iterable[IntArray]) -> IntArray:
    return np.concatenate([*parts, np.zeros(0, dtype=np.int64)])


def _sorted(parts: list[IntArray]) -> IntArray:
    return np.sort(_joined(parts), kind="stable")


def _distinct(parts: list[IntArray]) -> IntArray:
    """Each thing once, in ascending order."""
    parts = [things for things in parts if len(things)]
    if len(parts) < 2 and (not parts or len(parts[0]) == 1):
        return parts[0] if parts else np.zeros(0, dtype=np.int64)
    things = _sorted(parts)
    return things[np.diff(things, prepend=-1) > 0]


def _useful_branches(t_edges: AnyArray, masses: AnyArray, rows: AnyArray) -> BoolArray:
    """T-branches beyond which lies a body, a frame of a signal or an end of a constraint or stiff element."""
    wanted = np.zeros(len(t_edges) + 1, dtype=bool)
    for nodes in (masses, *(rows[name] for name in _NODES)):
        wanted[nodes] = True
    out = np.zeros(len(t_edges), dtype=bool)
    for i in range(len(t_edges) - 1, -1, -1):
        out[i] = wanted[t_edges["child"][i]]
        wanted[t_edges["parent"][i]] |= out[i]
    return out
