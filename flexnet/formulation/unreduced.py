"""Unreduced bodies as the mechanism sees them: by their ports, and their elastic blocks laid out.

See :mod:`flexnet.kernels.unreduced` for the equations.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from flexnet.components import Component, FlexibleArm, FlexibleBody
from flexnet.errors import ModelError
from flexnet.formulation.description import Description
from flexnet.formulation.rows import ConstraintRow
from flexnet.kernels import entry
from flexnet.kernels import unreduced as place
from flexnet.kernels.model import W_VECTORS, Model
from flexnet.kernels.ports import ARMS, FIRST, PER_ARM
from flexnet.typing import AnyArray, Array, IntArray

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations

#: pivot, of a diagonal entry, below which a freedom counts as one without inertia
MASSLESS = 1e-12
#: share of the mass, at the fastest freedom, that stiffness stands in with for inertia that is not there
STAND_IN = 1e-9
#: arrays of a workspace that have the length of the coordinates
_OWN = (
    "flex",
    "elastic",
    "rates",
    "answers",
    "unit",
    "accelerations",
    "M",
    "G",
    "saddle",
    "pivots",
    "answer",
)


def unreduced_bodies(parts: Sequence[Component]) -> list[FlexibleBody]:
    """Those of some parts."""
    return [p for p in parts if isinstance(p, FlexibleBody) and p.table.is_sparse]


def refuse_unreduced(equations: "Equations", what: str) -> None:
    """Refuse what needs a matrix of all coordinates; ``what`` begins the sentence.

    Raises
    ------
    ModelError
        Naming an unreduced body.
    """
    bodies = unreduced_bodies(equations.parts)
    if bodies:
        raise ModelError(
            f"{what} the mass matrix of all {equations.n_v} coordinates, which is not made with the unreduced"
            f' body {bodies[0].name!r}: simulate it by hht or generalised_alpha, or reduce it (modes="auto")'
        )


def _seen_by_ports(description: Description) -> Description:
    """The same mechanism, its unreduced bodies with their ports for coordinates."""
    parts = list(description.parts)
    for i, part in enumerate(parts):
        if isinstance(part, FlexibleBody) and part.table.is_sparse:
            parts[i] = _with_ports(part, ARMS + PER_ARM * _arms(parts, part))
    return replace(description, parts=parts)


def _with_ports(body: FlexibleBody, p: int) -> FlexibleBody:
    """A body with p coordinates that has the mass and the frames of another, and nothing else."""
    table = body.table
    n_f, zero = len(table.frames.names), np.zeros
    frames, none = zero((n_f, 3, p)), zero((0, 3, p))
    seen = replace(
        table,
        inertia=replace(table.inertia, N1=zero((3, p)), sN=zero((3, 3, p)), NN=zero((3, 3, p, p))),
        K=zero((p, p)),
        C=zero((p, p)),
        frames=replace(table.frames, translation=frames, rotation=frames),
        output=replace(
            table.output,
            names=(),
            nodes=table.output.nodes[:0],
            position=zero((0, 3)),
            translation=none,
            rotation=none,
        ),
        geometric=replace(
            table.geometric,
            acceleration=zero((3, p, p)),
            angular_acceleration=zero((3, p, p)),
            omega_products=zero((6, p, p)),
            frames=zero((n_f, 6, p, p)),
        ),
    )
    return replace(body, table=seen, body=None)


def make_ports(whole: "Equations", extra: Sequence[ConstraintRow]) -> "Equations | None":
    """The same equations with the ports of unreduced bodies for coordinates; None without such bodies.

    They have the workspace of the whole but for what has the length of coordinates, and read angles of
    branches where the whole has them. The model of the whole is told of them.
    """
    if not unreduced_bodies(whole.parts):
        return None
    out = type(whole)(_seen_by_ports(whole.description), whole.T, whole.R, whole.redundant, extra)
    model, small = whole.model, out.model
    t_edges, r_edges = small.t_edges.copy(), small.r_edges.copy()
    t_edges["q"], r_edges["q"] = model.t_edges["q"], model.r_edges["q"]
    out.model = small._replace(t_edges=t_edges, r_edges=r_edges, angles=model.angles, turns=model.turns)
    out.work = whole.work._replace(**{name: getattr(out.work, name) for name in _OWN})
    _write_units(model, out.model, out.work.flex)
    out.handle = entry.handle(out.model, out.work)
    whole.model = model._replace(ports=out.handle)
    return out


def _write_units(model: Model, small: Model, flex: Array) -> None:
    """Coordinate k of an unreduced body is port k: momentum, angular momentum, then its arms one by one."""
    for k, (f, g) in enumerate(zip(model.flex, small.flex, strict=True)):
        if f["ptr"] < 0:
            continue
        p = int(g["m"])
        E = flex[int(g["w"]) + W_VECTORS :][: FIRST * p].reshape(FIRST, p)
        E[:, :FIRST] = np.eye(FIRST)
        port = ARMS
        for frame in small.flex_frames[small.flex_frames["body"] == k]:
            start = int(frame["w"])
            for b in range(3):
                flex[start + 3 * (port + b) + b] = 1.0
                flex[start + 3 * p + 3 * (port + 3 + b) + b] = 1.0
            port += PER_ARM


def elastic_blocks(equations: "Equations") -> place.Blocks | None:
    """Elastic blocks of all unreduced bodies with the arrays of their elimination; None without any."""
    ports = equations.ports
    if ports is None:
        return None
    _refuse(equations)
    bodies = unreduced_bodies(equations.parts)
    layout = np.zeros((len(bodies), place.WIDTH), dtype=np.int64)
    at = np.zeros(5, dtype=np.int64)  # P, F, x, S, L
    found: list[tuple[AnyArray, ...]] = []
    for o, body in zip(layout, bodies, strict=True):
        m, p = body.table.m, ARMS + PER_ARM * _arms(equations.parts, body)
        v, small = (e.coordinates.elastic[body.name].v for e in (equations, ports))
        o[:] = (v, m, small, p, *at)
        order, start, rows, S = _permuted(body)
        parent, first = _columns_of_factor(m, start, rows)
        found.append((order, start, rows, S.T, parent, first))
        at += (p * m, p * p, m, len(rows), first[-1])
    order, start, rows, S, parent, first = (np.concatenate(x) for x in zip(*found, strict=True))
    elastic = np.concatenate([o[place.V] + np.arange(o[place.COUNT]) for o in layout])
    ported = np.concatenate([o[place.SMALL] + np.arange(o[place.PORTS]) for o in layout])
    rest = [np.setdiff1d(np.arange(n), out) for n, out in ((equations.n_v, elastic), (ports.n_v, ported))]
    z, i = np.zeros, np.int64
    n, m, widest = ports.n_v, equations.m, int(layout[:, place.COUNT].max())
    return _with_inertia(
        place.Blocks(
            layout, np.ascontiguousarray(np.column_stack(rest)), z(at[0]), z(at[0]), z(at[1]),
            order, start, rows, np.ascontiguousarray(S.T), parent, first, z(at[2], i), z((2, at[4]), i),
            z((2, at[4])), z((2, at[2])), z(5), z(widest, i), z(widest, i), z(widest), z(at[2]), z((n, n)),
            z((m, n)), z((n + m, n + m)), z(n + m, i), z(n + m), z((2, n + m)),
        )
    )  # fmt: skip


def _arms(parts: Sequence[Component], body: FlexibleBody) -> int:
    """Number of frames of a body that are arms of the graph."""
    return sum(isinstance(a, FlexibleArm) and a.tail.name == body.name for a in parts)


def _refuse(equations: "Equations") -> None:
    """Refuse what stands beside unreduced bodies and has no place in their elimination yet."""
    name = unreduced_bodies(equations.parts)[0].name
    if equations.n_z or equations.is_coupled:
        what = "first-order states" if equations.n_z else "forces that follow accelerations or loads"
        raise ModelError(f'the unreduced body {name!r} does not go with {what}; reduce it (modes="auto")')


def _permuted(body: FlexibleBody) -> tuple[IntArray, IntArray, IntArray, Array]:
    """Order of elimination, and M, K, C (3, entries) above the diagonal in it, column by column."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    table = body.table
    M, K, C = table.M, table.K, table.C
    m = table.m
    A = csc_array((np.abs(K.values) + 1.0, K.index, K.ptr), shape=(m, m))
    A = A + csc_array(
        (np.full(m, float(abs(A).sum(axis=0).max())), (np.arange(m), np.arange(m))), shape=(m, m)
    )
    how = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    turn = splu(A.tocsc(), **how).perm_c.astype(np.int64)  # a matrix of the pattern: only its order is wanted
    order = np.argsort(turn)
    rows, columns = turn[np.repeat(np.arange(m), np.diff(K.ptr))], turn[K.index]
    upper = np.flatnonzero(rows <= columns)
    upper = upper[np.lexsort((rows[upper], columns[upper]))]
    start = np.searchsorted(columns[upper], np.arange(m + 1)).astype(np.int64)
    return order, start, rows[upper], np.stack([X.values[upper] for X in (M, K, C)])


def _columns_of_factor(m: int, start: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Elimination tree and first entries of the columns of L."""
    parent, count, flag = (np.zeros(m, dtype=np.int64) for _ in range(3))
    place.find_columns(m, start, rows, parent, count, flag)
    return parent, np.concatenate([[0], np.cumsum(count)]).astype(np.int64)


def _with_inertia(e: place.Blocks) -> place.Blocks:
    """The same, stiffness standing in where a freedom has no inertia: its acceleration follows the others'.

    With K q = 0 in such a row, (M + τ²K) v̇ = F asks for K v̇ = 0 there; τ is so short that nothing else
    feels it.
    """
    least = min(place.factor_body(e, k, place.MASS, 0.0, 0.0) for k in range(len(e.bodies)))
    if least < MASSLESS:
        on = e.rows == np.repeat(np.concatenate([np.arange(o[place.COUNT]) for o in e.bodies]), _lengths(e))
        M, K = e.S[0, on], e.S[1, on]
        e.key[2] = STAND_IN / float((K[M > 0.0] / M[M > 0.0]).max())
    return e


def _lengths(e: place.Blocks) -> IntArray:
    """Entries of every column of S, body by body."""
    parts = []
    for k, o in enumerate(e.bodies):
        first = o[place.AT_X] + k
        parts.append(np.diff(e.start[first : first + o[place.COUNT] + 1]))
    return np.concatenate(parts)
