"""Pack the tables of flexible bodies into the arrays of the numeric engine."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.components import FlexibleArm, FlexibleBody
from flexnet.kernels import model as km
from flexnet.typing import AnyArray, Array, IntArray

if TYPE_CHECKING:
    from flexnet.formulation.pack import Packer


class _Store:
    """Arrays laid one after another; remembers where each begins."""

    def __init__(self) -> None:
        self.parts: list[Array] = []
        self.size = 0

    def add(self, array: Array) -> int:
        """Append an array; return its offset."""
        start = self.size
        flat = np.ascontiguousarray(entries(array), dtype=float).ravel()
        self.parts.append(flat)
        self.size += len(flat)
        return start

    def packed(self) -> Array:
        """All arrays as one."""
        return np.concatenate([*self.parts, np.zeros(1)])


def entries(tensor: Any) -> Array:
    """All numbers of a dense tensor, those of its pattern of a sparse one."""
    return np.asarray(getattr(tensor, "values", tensor), dtype=float)


def pack_flexible(packer: "Packer") -> tuple[AnyArray, AnyArray, Array, IntArray]:
    """Records of all flexible bodies and of all flexible frames, their tensors and patterns."""
    bodies = [p for p in packer.parts if isinstance(p, FlexibleBody)]
    arms = [p for p in packer.parts if isinstance(p, FlexibleArm)]
    order = {body.name: i for i, body in enumerate(bodies)}
    flex, frames = np.zeros(len(bodies), dtype=km.FLEX), np.zeros(len(arms), dtype=km.FLEX_FRAME)
    store, place, patterns = _Store(), 0, [np.zeros(0, dtype=np.int64)]
    for record, body in zip(flex, bodies, strict=True):
        _pack_body(record, body, packer, store)
        K = body.table.K
        record["stride"], record["ptr"] = entries(K).shape[-1], -1
        if body.table.is_sparse:
            record["ptr"] = sum(map(len, patterns))
            patterns += [K.ptr, K.index]
        else:
            record["stride"] *= body.table.m
        record["w"] = place
        place += km.W_VECTORS + km.W_END * body.table.m
    for record, arm in zip(frames, arms, strict=True):
        body = bodies[order[arm.tail.name]]
        rows = body.table.frames
        record["body"] = order[body.name]
        record["position"] = rows.position[arm.index]
        record["translation"] = store.add(rows.translation[arm.index])
        record["rotation"] = store.add(rows.rotation[arm.index])
        second = body.table.second_order[arm.index]
        record["H"] = store.add(second) if body.is_stiffened and second.any() else -1
        record["w"], record["x"] = place, place + 12 * body.table.m
        place = int(record["x"]) + 18
    return flex, frames, store.packed(), np.concatenate(patterns)


def _pack_body(record: Any, body: FlexibleBody, packer: "Packer", store: _Store) -> None:
    table, inertia = body.table, body.table.inertia
    where = packer.coordinates.elastic[body.name]
    values: Mapping[str, object] = {
        "node": packer.node[body.name], "rotation": packer.rotation_node[body.name],
        "q": where.q, "v": where.v, "m": table.m,
        "mass": inertia.mass, "s1": inertia.s1, "s2": inertia.s2,
        "N1": store.add(inertia.N1), "sN": store.add(inertia.sN), "NN": store.add(inertia.NN),
        "M": store.add(table.M), "K": store.add(table.K), "C": store.add(table.C),
    }  # fmt: skip
    for key, value in values.items():
        record[key] = value
    g = table.geometric
    G = np.concatenate([entries(x) for x in (g.acceleration, g.angular_acceleration, g.omega_products)])
    record["G"], record["Q"] = -1, -1
    if body.is_stiffened and np.any(G):
        record["G"], record["Q"] = store.add(G), store.add(np.concatenate(line_tensors(body), axis=None))


def line_tensors(body: FlexibleBody) -> tuple[Array, Array]:
    """Q̂ (6, m) and ν (3,) of :mod:`flexnet.kernels.flexible_line`.

    ν² tells how much of a line a body is: 1 of a line, 0 of a square plate and of a cube, which have inertia
    enough about every axis. A line without a section does not turn about itself.
    """
    inertia = body.table.inertia
    mass, c = inertia.mass, inertia.s1 / inertia.mass
    X, axes = np.linalg.eigh(inertia.s2 - mass * np.outer(c, c))
    nu = np.sqrt((X[2] - X[1]) / (X[2] + X[1])) * axes[:, 2]
    about = X.sum() - X
    over = np.divide(1.0, about, where=about > 1e-10 * about[0], out=np.zeros(3))
    K = (axes * over) @ axes.T
    turn = np.einsum("j,ab->jab", np.einsum("aaj->j", inertia.sN), np.eye(3)) - inertia.sN.transpose(2, 1, 0)
    p, h = np.cross(nu, inertia.N1.T), turn @ nu  # (m, 3) each; A₀⁻¹ of them below
    rho = (h - np.cross(c, p)) @ K
    tau = p / mass - np.cross(rho, c)
    return np.concatenate([tau.T, rho.T]), nu
