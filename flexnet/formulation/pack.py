"""Pack a System with its two trees into the flat arrays of the numeric engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexnet.algebra import FamilyTable
from flexnet.components import (
    Component,
    FlexibleArm,
    FlexibleBody,
    ForceElement,
    Frame,
    RigidBody,
    Terminal,
    TimeFunction,
    Weight,
)
from flexnet.components.frame import normals
from flexnet.dae import Scale
from flexnet.formulation.columns import column_lists
from flexnet.formulation.coordinates import Coordinates
from flexnet.formulation.feedback import States, pack_feedback
from flexnet.formulation.flexible import pack_flexible
from flexnet.formulation.functions import FunctionTable
from flexnet.formulation.row_programs import leg_frames, row_family, row_programs
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.traced_law import LawTable
from flexnet.formulation.turns import CountedAngle, other_angle
from flexnet.graph import Branch, Tree
from flexnet.kernels import model as km
from flexnet.kernels.compile import is_interpreted
from flexnet.signals import Signal
from flexnet.typing import AnyArray, Array, IntArray

_R_KINDS = {
    "fixed": km.R_FIXED, "axis": km.R_AXIS, "universal": km.R_UNIVERSAL, "free": km.R_FREE,
    "driven": km.R_DRIVEN,
}  # fmt: skip


@dataclass(slots=True, eq=False)
class Packer:
    """What packing needs to know; :meth:`pack` makes the model."""

    frames: dict[str, Frame]
    parts: list[Component]
    terminals: dict[str, Terminal]
    T: Tree
    R: Tree
    coordinates: Coordinates
    rows: list[ConstraintRow]
    gravity: Array
    time: float
    angles: tuple[CountedAngle, ...]
    states: States = field(default_factory=States)
    scale: Scale = field(default_factory=Scale)
    signals: Sequence[Signal] = ()
    watched: Sequence[Signal] = ()
    families: FamilyTable = field(default_factory=lambda: FamilyTable(is_interpreted()))
    node: dict[str, int] = field(init=False)
    rotation_node: dict[str, int] = field(init=False)
    bodies: tuple[str, ...] = field(init=False)
    by_name: dict[str, Component] = field(init=False)
    laws: LawTable = field(init=False)
    known: dict[TimeFunction, int] = field(default_factory=dict)
    _arms: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.by_name = {part.name: part for part in self.parts}
        self.node = {name: i for i, name in enumerate(self.frames)}
        bodies = [name for name, frame in self.frames.items() if frame.is_body_frame]
        ends = [name for name, frame in self.frames.items() if frame.is_flexible]
        self.bodies = tuple(bodies)
        flexible = [part.name for part in self.parts if isinstance(part, FlexibleArm)]
        self._arms = {name: i for i, name in enumerate(flexible)}
        self.rotation_node = {name: i for i, name in enumerate([*bodies, *ends])}

    def pack(self) -> tuple[km.Model, FunctionTable]:
        """Pack everything; the function table must be kept as long as the model."""
        table = FunctionTable(self.time)
        t_edges = self._t_edges(table)
        r_edges = self._r_edges(table)
        bodies, weights = self._bodies()
        rows, row_data = self._rows(table)
        self.laws = LawTable(self.families, table)
        elements = self._elements(self.laws)
        angles, turns = self._angles()
        feedback, states = pack_feedback(self, table, self.states, self.scale, elements, self.watched)
        functions, data, program = table.packed()
        flex, flex_frames, flex_data = pack_flexible(self)
        columns = self._columns(t_edges, r_edges)
        none = [np.zeros(0, dtype=np.int64)] * 14
        model = km.Model(
            r_edges, t_edges, bodies, rows, row_data, self.families.addresses(), elements,
            np.array(self.laws.p), self.laws.addresses(), angles, turns, weights, functions, data, program,
            np.array(self.coordinates.quaternions, dtype=np.int64).reshape(-1, 2),
            np.array(self.coordinates.scalars, dtype=np.int64).reshape(-1, 2),
            np.array(list(self.coordinates.counted.values()), dtype=np.int64),
            np.asarray(self.gravity, dtype=float), flex, flex_frames, flex_data,
            feedback, states, columns, *none,
        )  # fmt: skip
        return km.with_attributes(km.Model(*model[:-14], *column_lists(model))), table

    def body_index(self, frame: Frame) -> int:
        """Rotation node of a frame."""
        return self.rotation_node[frame.rotation_node]

    def elastic_indices(self) -> tuple[IntArray, IntArray]:
        """Places of all elastic coordinates in q and v, body by body."""
        q, v = list[int](), list[int]()
        for part in self.parts:
            if isinstance(part, FlexibleBody):
                where = self.coordinates.elastic[part.name]
                q += range(where.q, where.q + part.table.m)
                v += range(where.v, where.v + part.table.m)
        return np.array(q, dtype=np.int64), np.array(v, dtype=np.int64)

    def flexible_frame(self, part: Component) -> int:
        """Index of the flexible frame an arm leads to, -1 for any other component."""
        return self._arms.get(part.name, -1)

    def _t_edges(self, table: FunctionTable) -> AnyArray:
        out = np.zeros(len(self.T.branches), dtype=km.T_EDGE)
        for record, branch in zip(out, self.T.branches, strict=True):
            part = self.by_name[branch.edge.name]
            t = self.terminals[part.name].translation
            assert t is not None
            C = part.tail.rotation
            place = self.coordinates.translation[part.name]
            record["parent"], record["child"] = self.node[branch.parent], self.node[branch.child]
            record["carrier"] = self.body_index(part.tail)
            record["flex"] = self.flexible_frame(part)
            record["q"], record["v"], record["n"] = place.q, place.v, len(t.free)
            record["sign"] = branch.sign
            record["offset"] = np.zeros(3) if t.offset is None else C @ t.offset
            for k, direction in enumerate(t.free):
                record["free"][k] = C @ direction.vector
            record["n_driven"] = len(t.driven)
            for k, (direction, function) in enumerate(t.driven):
                record["driven"][k] = C @ direction.vector
                record["function"][k] = table.add(function, part.name, is_motion=True)
        return out

    def _r_edges(self, table: FunctionTable) -> AnyArray:
        out = np.zeros(len(self.R.branches), dtype=km.R_EDGE)
        for record, branch in zip(out, self.R.branches, strict=True):
            self._r_edge(record, branch, table)
        return out

    def _r_edge(self, record: Any, branch: Branch, table: FunctionTable) -> None:
        part = self.by_name[branch.edge.name]
        r = self.terminals[part.name].rotation
        assert r is not None
        place = self.coordinates.rotation[part.name]
        record["parent"] = self.rotation_node[branch.parent]
        record["child"] = self.rotation_node[branch.child]
        record["flex"] = self.flexible_frame(part)
        record["kind"] = km.R_FLEX if isinstance(part, FlexibleArm) else _R_KINDS[r.kind]
        record["q"], record["v"], record["sign"] = place.q, place.v, branch.sign
        record["C_A"], record["C_B"] = part.tail.rotation, part.head.rotation
        for axis, place_of in zip(r.axes, ("axis_1", "axis_2"), strict=False):
            record[place_of] = axis
        record["function"] = -1 if r.function is None else table.add(r.function, part.name, is_motion=True)

    def _bodies(self) -> tuple[AnyArray, Array]:
        bodies = [p for p in self.parts if isinstance(p, RigidBody)]
        out = np.zeros(len(bodies), dtype=km.BODY)
        weights = np.zeros((len(bodies), 3))
        order = {b.name: i for i, b in enumerate(bodies)}
        for record, body in zip(out, bodies, strict=True):
            record["node"] = self.node[body.name]
            record["rotation"] = self.rotation_node[body.name]
            record["mass"], record["inertia"] = body.mass, body.inertia
        for part in self.parts:
            if isinstance(part, Weight) and part.head.name in order:
                weights[order[part.head.name]] = part.force
        return out, weights

    def _rows(self, table: FunctionTable) -> tuple[AnyArray, Array]:
        out = np.zeros(len(self.rows), dtype=km.ROW)
        data, places = list[float](), dict[tuple[Any, ...], int]()
        angles = {angle.label: i for i, angle in enumerate(self.angles)}
        for record, row in zip(out, self.rows, strict=True):
            record["function"] = record["angle"] = record["other_angle"] = record["q"] = record["v"] = -1
            legs = leg_frames(row.row, *row.ends)
            for mark, (tail, head) in zip(("", "other_"), legs, strict=False):
                record[f"{mark}tail"], record[f"{mark}head"] = self.node[tail.name], self.node[head.name]
                record[f"{mark}tail_r"] = self.body_index(tail)
                record[f"{mark}head_r"] = self.body_index(head)
            record["has_other"] = len(legs) > 1
            if row.function is not None:
                record["function"] = table.add(row.function, row.component.name, is_motion=True)
            if row.place is not None:
                record["q"], record["v"] = row.place.q, row.place.v
                continue
            if row.row.counts is not None:
                record["angle"] = angles[f"{row.component.name}.angle"]
            if row.row.other is not None and row.row.other[2] is not None:
                record["other_angle"] = angles[other_angle(row.component)]
            key, numbers = row_family(row.row, *row.ends)
            if key not in places:
                places[key] = self.families.add(row_programs(*key))
            record["family"], record["p"] = places[key], len(data)
            data += numbers
        return out, np.array([*data, 0.0])

    def _angles(self) -> tuple[AnyArray, AnyArray]:
        out = np.zeros(len(self.angles), dtype=km.ANGLE_COUNTED)
        turns: list[tuple[int, float]] = []
        for record, angle in zip(out, self.angles, strict=True):
            tail, head = angle.tail, angle.head
            axis = np.array([0.0, 0.0, 1.0]) if angle.axis is None else angle.axis
            axes = np.array([*normals(axis), axis])
            record["tail_r"], record["head_r"] = self.body_index(tail), self.body_index(head)
            record["tail"], record["head"] = axes @ tail.rotation.T, axes @ head.rotation.T
            record["has_axis"] = angle.axis is not None
            record["place"] = self.coordinates.counted.get(angle.name, -1)
            record["branches"] = len(turns), len(turns) + len(angle.branches or ())
            record["offset"] = angle.offset
            turns += angle.branches or ()
        return out, np.array(turns, dtype=km.TURN)

    def _elements(self, laws: LawTable) -> AnyArray:
        parts = [p for p in self.parts if isinstance(p, ForceElement)]
        out = np.zeros(len(parts), dtype=km.ELEMENT)
        angles = {angle.label.removesuffix(".angle"): i for i, angle in enumerate(self.angles)}
        for record, part in zip(out, parts, strict=True):
            record["tail"], record["head"] = self.node[part.tail.name], self.node[part.head.name]
            record["tail_r"], record["head_r"] = self.body_index(part.tail), self.body_index(part.head)
            record["angle"] = angles.get(part.name, -1)
            for key, value in laws.add(part).items():
                record[key] = value
        return out

    def _columns(self, t_edges: AnyArray, r_edges: AnyArray) -> AnyArray:
        out = np.zeros(len(self.coordinates.v_names), dtype=km.COLUMN)
        counts = {km.R_AXIS: 1, km.R_UNIVERSAL: 2, km.R_FREE: 3}
        for i, edge in enumerate(t_edges):
            for k in range(edge["n"]):
                out[edge["v"] + k] = (km.C_TRANSLATION, i, k)
        for i, edge in enumerate(r_edges):
            for k in range(counts.get(int(edge["kind"]), 0)):
                out[edge["v"] + k] = (km.C_ROTATION, i, k)
        flexible = [p for p in self.parts if isinstance(p, FlexibleBody)]
        for i, part in enumerate(flexible):
            for k in range(part.table.m):
                out[self.coordinates.elastic[part.name].v + k] = (km.C_ELASTIC, i, k)
        return out
