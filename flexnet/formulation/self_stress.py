"""States of self-stress: loads the joints can have among themselves while every body stays in balance.

In the nodal form, every joint a chord, they are the λ with ``Gᵀλ = 0``; of m rows on n coordinates with f
freedoms there are k = m - (n - f). A component of a load that one of them reaches is not determined by rigid
bodies: any multiple of it could be there, from the way the mechanism was put together.
"""

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.formulation.reactions import Load, row_wrenches
from flexnet.formulation.redundancy import scaled_jacobian
from flexnet.formulation.snapshot import Snapshot
from flexnet.formulation.state import State
from flexnet.graph import Kind
from flexnet.typing import Array, BoolArray

#: share of a state of self-stress below which it does not reach a load: round-off, and what closing leaves
_REACHED = 1e-6
_AXES = "xyz"


def self_stress(equations: Equations, rows: Snapshot) -> dict[str, Load]:
    """Loads of the k states of self-stress at many instants, (rows, 3, k) each; empty where there are none.

    Forces are times the length of the model: states have norm 1 in works of unit changes.
    """
    if not _count(equations):
        return {}
    still = np.zeros(equations.n_v)  # places alone matter
    found = [_at(equations, State(t, q, still)) for t, q in zip(rows.t, rows.q, strict=True)]
    return {
        name: Load(np.array([f[name].force for f in found]), np.array([f[name].torque for f in found]))
        for name in (found[0] if found else ())
    }


def is_reached(states: Array, along: Array | None = None) -> BoolArray:
    """Whether states of self-stress (rows, 3, k) reach the components of a load, or one along a vector."""
    parts = states if along is None else np.einsum("rik,i->rk", states, along)
    out: BoolArray = np.abs(parts).max(axis=-1, initial=0.0) > _REACHED
    return out


def undetermined(equations: Equations, state: State) -> dict[str, tuple[str, ...]]:
    """Components of loads, in ground axes, that are not determined at a state: ``{"A": ("force z",)}``."""
    if not _count(equations):
        return {}
    out = {}
    for name, load in _at(equations, state).items():
        parts = (("force", is_reached(load.force)), ("torque", is_reached(load.torque)))
        if any(is_open.any() for _, is_open in parts):
            out[name] = tuple(f"{key} {_AXES[i]}" for key, x in parts for i in np.flatnonzero(x))
    return out


def _count(equations: Equations) -> int:
    """Number k of states of self-stress; rows may be redundant to a virtual branch alone, and k zero.

    A virtual branch may also hold what nothing else does; the count would then be negative.
    """
    if not equations.redundant:
        return 0
    nodal = equations.nodal
    return max(0, nodal.m - (nodal.n_v - (equations.n_v - equations.m)))


def _at(equations: Equations, state: State) -> dict[str, Load]:
    """Loads of the states of self-stress at one instant, (3, k)."""
    nodal, k = equations.nodal, _count(equations)
    at = nodal.state(equations.poses(state))
    U, _, _ = np.linalg.svd(scaled_jacobian(nodal, at))
    states = U[:, len(U) - k :]
    lam = states / nodal.row_sizes[:, None]
    force, head = row_wrenches(nodal)
    kinds = (Kind.JOINT, Kind.DRIVER)
    out = {p.name: Load(np.zeros((3, k)), np.zeros((3, k))) for p in equations.parts if p.kind in kinds}
    for i, row in enumerate(nodal.rows):
        load = out[row.component.name]
        load.force[:] -= np.outer(nodal.scale.length * force[i], lam[i])
        load.torque[:] -= np.outer(head[i], lam[i])
    return out
