"""Pack the tables of flexible bodies into the arrays of the numeric engine."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.components import FlexibleArm, FlexibleBody
from flexnet.kernels import model as km
from flexnet.typing import AnyArray, Array

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
        flat = np.ascontiguousarray(array, dtype=float).ravel()
        self.parts.append(flat)
        self.size += len(flat)
        return start

    def packed(self) -> Array:
        """All arrays as one."""
        return np.concatenate([*self.parts, np.zeros(1)])


def pack_flexible(packer: "Packer") -> tuple[AnyArray, AnyArray, Array]:
    """Records of all flexible bodies and of all flexible frames, and their tensors."""
    bodies = [p for p in packer.parts if isinstance(p, FlexibleBody)]
    arms = [p for p in packer.parts if isinstance(p, FlexibleArm)]
    order = {body.name: i for i, body in enumerate(bodies)}
    flex, frames = np.zeros(len(bodies), dtype=km.FLEX), np.zeros(len(arms), dtype=km.FLEX_FRAME)
    store, place = _Store(), 0
    for record, body in zip(flex, bodies, strict=True):
        _pack_body(record, body, packer, store)
        record["w"] = place
        place += km.W_VECTORS + km.W_END * body.table.m
    for record, arm in zip(frames, arms, strict=True):
        body = bodies[order[arm.tail.name]]
        rows = body.table.frames
        record["body"] = order[body.name]
        record["position"] = rows.position[arm.index]
        record["C_A"], record["C_B"] = arm.tail.rotation, arm.head.rotation
        record["translation"] = store.add(rows.translation[arm.index])
        record["rotation"] = store.add(rows.rotation[arm.index])
        has_second = body.is_stiffened and np.any(body.table.foreshortening[arm.index])
        record["H"] = store.add(body.table.foreshortening[arm.index]) if has_second else -1
        record["w"] = place
        place += 6 * body.table.m + 3
    return flex, frames, store.packed()


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
    G = np.concatenate([g.acceleration, g.angular_acceleration, g.omega_products])
    record["G"] = store.add(G) if body.is_stiffened and np.any(G) else -1
