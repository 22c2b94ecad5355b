"""What each coordinate moves: the sparsity of the Jacobians, found once from the trees."""

from typing import Any

import numpy as np

from flexnet.kernels.model import C_ELASTIC, C_ROTATION, C_TRANSLATION, Model
from flexnet.typing import AnyArray, BoolArray, IntArray

_LISTS = ("col_turn", "col_out", "col_bodies", "col_flex", "col_stiff", "col_in_t", "col_in_r", "col_rows")


def column_lists(model: Model) -> dict[str, Any]:
    """Lists of branches, bodies and rows each coordinate reaches: the fields ``col_*`` of the model.

    A rotational coordinate turns the bodies beyond its R-branch, hence moves every node beyond a
    T-branch whose vector one of them carries; a translational coordinate moves the nodes beyond its
    T-branch; an elastic coordinate does both through every flexible arm of its body.
    """
    t_edges, r_edges, bodies, rows = model.t_edges, model.r_edges, model.bodies, model.rows
    stiff = np.flatnonzero(model.elements["tangent"] >= 0)
    ends = model.elements[stiff]
    masses = np.concatenate([bodies["node"], model.flex["node"], ends["tail"], ends["head"]])
    useful = _useful_branches(t_edges, masses, rows)
    out: list[list[IntArray]] = [[] for _ in _LISTS]
    for k, column in enumerate(model.columns):
        turns, moves = _reach(model, column)
        own = np.zeros(len(model.flex), dtype=bool)
        if column["kind"] == C_ELASTIC:
            own[column["edge"]] = True
        which = np.flatnonzero(moves[bodies["node"]] | turns[bodies["rotation"]])
        flex = np.flatnonzero(moves[model.flex["node"]] | turns[model.flex["rotation"]] | own)
        felt = moves[ends["tail"]] | moves[ends["head"]] | turns[ends["tail_r"]] | turns[ends["head_r"]]
        bent = ends[felt]
        nodes = np.concatenate([bodies["node"][which], model.flex["node"][flex], bent["tail"], bent["head"]])
        rotations = np.concatenate(
            [bodies["rotation"][which], model.flex["rotation"][flex], bent["tail_r"], bent["head_r"]]
        )
        in_t, in_r = _inward(t_edges, r_edges, nodes, rotations)
        feels = turns[rows["head_r"]] | turns[rows["tail_r"]] | moves[rows["head"]] | moves[rows["tail"]]
        feels |= turns[rows["other_head_r"]] | turns[rows["other_tail_r"]]
        feels |= moves[rows["other_head"]] | moves[rows["other_tail"]]
        feels = np.where(rows["v"] < 0, feels, rows["v"] == k)
        lists = (
            np.flatnonzero(turns[r_edges["child"]]),
            np.flatnonzero(moves[t_edges["child"]] & useful),
            which,
            flex,
            stiff[felt],
            in_t,
            in_r,
            np.flatnonzero(feels),
        )
        for store, values in zip(out, lists, strict=True):
            store.append(np.asarray(values, dtype=np.int64))
    packed: dict[str, Any] = {}
    for name, store in zip(_LISTS, out, strict=True):
        packed[name] = np.concatenate([*store, np.zeros(0, dtype=np.int64)])
        packed[f"{name}_ptr"] = np.cumsum([0, *(len(x) for x in store)], dtype=np.int64)
    return packed


def _useful_branches(t_edges: AnyArray, masses: AnyArray, rows: AnyArray) -> BoolArray:
    """T-branches beyond which lies a body or an end of a constraint or of a stiff element."""
    wanted = np.zeros(len(t_edges) + 1, dtype=bool)
    for nodes in (masses, rows["head"], rows["tail"], rows["other_head"], rows["other_tail"]):
        wanted[nodes] = True
    out = np.zeros(len(t_edges), dtype=bool)
    for i in range(len(t_edges) - 1, -1, -1):
        out[i] = wanted[t_edges["child"][i]]
        wanted[t_edges["parent"][i]] |= out[i]
    return out


def _reach(model: Model, column: AnyArray) -> tuple[BoolArray, BoolArray]:
    """Rotation nodes a coordinate turns and nodes it moves."""
    t_edges, r_edges = model.t_edges, model.r_edges
    turns = np.zeros(len(r_edges) + 1, dtype=bool)
    moves = np.zeros(len(t_edges) + 1, dtype=bool)
    if column["kind"] == C_ROTATION:
        turns[r_edges["child"][column["edge"]]] = True
    elif column["kind"] == C_TRANSLATION:
        moves[t_edges["child"][column["edge"]]] = True
    else:
        mine = np.flatnonzero(model.flex_frames["body"] == column["edge"])
        turns[r_edges["child"][np.isin(r_edges["flex"], mine)]] = True
        moves[t_edges["child"][np.isin(t_edges["flex"], mine)]] = True
    for parent, child in zip(r_edges["parent"], r_edges["child"], strict=True):
        turns[child] |= turns[parent]
    carried = turns[t_edges["carrier"]]
    for parent, child, is_carried in zip(t_edges["parent"], t_edges["child"], carried, strict=True):
        moves[child] |= moves[parent] or is_carried
    return turns, moves


def _inward(
    t_edges: AnyArray, r_edges: AnyArray, nodes: IntArray, rotations: IntArray
) -> tuple[IntArray, IntArray]:
    """Branches on the way from some bodies back to the datum, in inward order."""
    loaded = np.zeros(len(t_edges) + 1, dtype=bool)
    loaded[nodes] = True
    in_t = []
    torqued = np.zeros(len(r_edges) + 1, dtype=bool)
    torqued[rotations] = True
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
