"""What each coordinate moves: the sparsity of the Jacobians, found once from the trees."""

import numpy as np

from flexnet.kernels.model import COORDINATE
from flexnet.typing import AnyArray, BoolArray, IntArray


def column_lists(
    t_edges: AnyArray, r_edges: AnyArray, bodies: AnyArray, rows: AnyArray, columns: AnyArray
) -> list[IntArray]:
    """Lists of branches, bodies and rows each coordinate reaches, in the order of ``Model.col_*``.

    A rotational coordinate turns the bodies beyond its R-branch, hence moves every node beyond a
    T-branch whose vector one of them carries; a translational coordinate moves the nodes beyond its
    T-branch.
    """
    useful = _useful_branches(t_edges, bodies, rows)
    out: list[list[IntArray]] = [[] for _ in range(8)]
    for k, column in enumerate(columns):
        turns, moves = _reach(t_edges, r_edges, column)
        moved = moves[t_edges["child"]] & useful
        outward = np.flatnonzero(moved)
        carrier_turns = turns[t_edges["carrier"][outward]]
        hit = moves[bodies["node"]] | turns[bodies["rotation"]]
        which = np.flatnonzero(hit)
        in_t, in_r = _inward(t_edges, r_edges, bodies[which])
        head, tail = turns[rows["head_r"]], turns[rows["tail_r"]]
        # a row whose two ends move alike does not feel the coordinate, but that depends on geometry
        feels = head | tail | moves[rows["head"]] | moves[rows["tail"]]
        feels &= rows["kind"] != COORDINATE
        feels |= (rows["kind"] == COORDINATE) & (rows["v"] == k)
        row_list = np.flatnonzero(feels)
        lists = (
            outward,
            carrier_turns,
            which,
            turns[bodies["rotation"][which]],
            in_t,
            in_r,
            row_list,
            head[row_list] + 2 * tail[row_list].astype(np.int64),
        )
        for store, values in zip(out, lists, strict=True):
            store.append(np.asarray(values, dtype=np.int64))
    flat = [np.concatenate([*s, np.zeros(0, dtype=np.int64)]) for s in out]
    ptr = [np.cumsum([0, *(len(x) for x in s)], dtype=np.int64) for s in out]
    return [
        flat[0], flat[1], ptr[0],
        flat[2], flat[3], ptr[2],
        flat[4], ptr[4],
        flat[5], ptr[5],
        flat[6], flat[7], ptr[6],
    ]  # fmt: skip


def _useful_branches(t_edges: AnyArray, bodies: AnyArray, rows: AnyArray) -> BoolArray:
    """T-branches beyond which lies a body or an end of a constraint."""
    wanted = np.zeros(len(t_edges) + 1, dtype=bool)
    for nodes in (bodies["node"], rows["head"], rows["tail"]):
        wanted[nodes] = True
    out = np.zeros(len(t_edges), dtype=bool)
    for i in range(len(t_edges) - 1, -1, -1):
        out[i] = wanted[t_edges["child"][i]]
        wanted[t_edges["parent"][i]] |= out[i]
    return out


def _reach(t_edges: AnyArray, r_edges: AnyArray, column: AnyArray) -> tuple[BoolArray, BoolArray]:
    """Rotation nodes a coordinate turns and nodes it moves."""
    turns = np.zeros(len(r_edges) + 1, dtype=bool)
    moves = np.zeros(len(t_edges) + 1, dtype=bool)
    if column["is_rotation"]:
        turns[r_edges["child"][column["edge"]]] = True
        for parent, child in zip(r_edges["parent"], r_edges["child"], strict=True):
            turns[child] |= turns[parent]
    else:
        moves[t_edges["child"][column["edge"]]] = True
    carried = turns[t_edges["carrier"]]
    for parent, child, is_carried in zip(t_edges["parent"], t_edges["child"], carried, strict=True):
        moves[child] |= moves[parent] or is_carried
    return turns, moves


def _inward(t_edges: AnyArray, r_edges: AnyArray, bodies: AnyArray) -> tuple[IntArray, IntArray]:
    """Branches on the way from some bodies back to the datum, in inward order."""
    loaded = np.zeros(len(t_edges) + 1, dtype=bool)
    loaded[bodies["node"]] = True
    in_t = []
    torqued = np.zeros(len(r_edges) + 1, dtype=bool)
    torqued[bodies["rotation"]] = True
    for i in range(len(t_edges) - 1, -1, -1):
        if loaded[t_edges["child"][i]]:
            loaded[t_edges["parent"][i]] = True
            torqued[t_edges["carrier"][i]] = True
            in_t.append(i)
    in_r = []
    for i in range(len(r_edges) - 1, -1, -1):
        if torqued[r_edges["child"][i]]:
            torqued[r_edges["parent"][i]] = True
            in_r.append(i)
    return np.array(in_t, dtype=np.int64), np.array(in_r, dtype=np.int64)
