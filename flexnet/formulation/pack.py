"""Pack a System with its two trees into the flat arrays of the numeric engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
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
from flexnet.formulation.branch_programs import (
    Family,
    body_family,
    directions,
    quantities,
    slide_family,
    turn_family,
)
from flexnet.formulation.columns import column_lists
from flexnet.formulation.coordinates import Coordinates
from flexnet.formulation.feedback import States, pack_feedback
from flexnet.formulation.flexible import entries, pack_flexible
from flexnet.formulation.functions import FunctionTable
from flexnet.formulation.row_programs import leg_frames, row_family, row_programs
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.sparsity import fed
from flexnet.formulation.traced_law import LawTable
from flexnet.formulation.turns import CountedAngle, other_angle
from flexnet.formulation.unforced import Geometry
from flexnet.graph import Tree
from flexnet.kernels import model as km
from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.elastic import flexible_code
from flexnet.networks import Network
from flexnet.signals import Applied, Signal
from flexnet.typing import AnyArray, Array, IntArray

_empty = cache(km.empty_model)  # of arrays without elements one is as good as another


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
    is_planar: bool = False
    states: States = field(default_factory=States)
    scale: Scale = field(default_factory=Scale)
    signals: Sequence[Signal] = ()
    watched: Sequence[Signal] = ()
    network: Network | None = None
    families: FamilyTable = field(default_factory=lambda: FamilyTable(is_interpreted()))
    node: dict[str, int] = field(init=False)
    rotation_node: dict[str, int] = field(init=False)
    bodies: tuple[str, ...] = field(init=False)
    by_name: dict[str, Component] = field(init=False)
    laws: LawTable = field(init=False)
    known: dict[TimeFunction, int] = field(default_factory=dict)
    calls: dict[Applied, int] = field(default_factory=dict)
    is_flat: bool = field(init=False)
    geometry: Geometry | None = None
    _numbers: list[float] = field(default_factory=list)
    _places: dict[object, int] = field(default_factory=dict)
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
        self.is_flat = self.is_planar and self._stays_flat()

    def pack(self, known: Geometry | None = None) -> tuple[km.Model, FunctionTable]:
        """Pack everything; the function table must be kept as long as the model.

        Parameters
        ----------
        known : of a mechanism with the same frames, joints, trees and rows, none of them driven.
        """
        table = FunctionTable(self.time)
        arrays = self._geometry(table) if known is None else self._copied(known)
        t_edges, r_edges = arrays["t_edges"], arrays["r_edges"]
        bodies, weights = self._bodies()
        self.laws = LawTable(self.families, table, self.is_flat)
        elements = self._elements(self.laws)
        angles, turns = self._angles()
        signals = pack_feedback(self, table, self.states, self.scale, elements, self.watched)
        functions, data = table.packed(self.families)
        flex, flex_frames, flex_data, flex_index = pack_flexible(self)
        columns = self._columns(t_edges, r_edges)
        model = _empty()._replace(
            **arrays, bodies=bodies, sweep_data=np.array([*self._numbers, 0.0]),
            families=self.families.addresses(), elements=elements,
            parameters=np.array(self.laws.p), laws=self.laws.addresses(), angles=angles, turns=turns,
            weights=weights, functions=functions, data=data,
            quaternions=np.array(self.coordinates.quaternions, dtype=np.int64).reshape(-1, 2),
            scalars=np.array(self.coordinates.scalars, dtype=np.int64).reshape(-1, 2),
            counted=np.array(list(self.coordinates.counted.values()), dtype=np.int64),
            gravity=np.asarray(self.gravity, dtype=float),
            flex=flex, flex_frames=flex_frames, flex_data=flex_data, flex_index=flex_index,
            flex_code=flexible_code(len(flex) > 0), columns=columns, **signals,
        )  # fmt: skip
        model = model._replace(**column_lists(model))
        return km.with_attributes(model._replace(fed=fed(model))), table

    def _geometry(self, table: FunctionTable) -> dict[str, AnyArray]:
        """Branches and rows; they are kept for mechanisms that differ in nothing that is in them."""
        t_edges, r_edges = self._t_edges(table), self._r_edges(table)
        rows, row_data = self._rows(table)
        self._count(rows)
        out = {"t_edges": t_edges, "r_edges": r_edges, "rows": rows, "row_data": row_data}
        if not table.records:
            kept = {name: array.copy() for name, array in out.items()}
            self.geometry = Geometry(kept, self._numbers.copy(), self.families.copy(), self._places.copy())
        return out

    def _copied(self, known: Geometry) -> dict[str, AnyArray]:
        """The same of another mechanism."""
        self.geometry, self.families = known, known.families.copy()
        self._numbers, self._places = known.numbers.copy(), known.places.copy()
        out = {name: array.copy() for name, array in known.arrays.items()}
        self._count(out["rows"])
        return out

    def body_index(self, frame: Frame) -> int:
        """Rotation node of a frame."""
        return self.rotation_node[frame.rotation_node]

    def elastic_indices(self) -> tuple[IntArray, IntArray]:
        """Places of all elastic coordinates in q and v, body by body."""
        q, v = list[int](), list[int]()
        for name, where in self.coordinates.elastic.items():
            body = self.by_name[name]
            assert isinstance(body, FlexibleBody)
            m = body.table.m
            q += range(where.q, where.q + m)
            v += range(where.v, where.v + m)
        return np.array(q, dtype=np.int64), np.array(v, dtype=np.int64)

    def flexible_frame(self, part: Component) -> int:
        """Index of the flexible frame an arm leads to, -1 for any other component."""
        return self._arms.get(part.name, -1)

    def _stays_flat(self) -> bool:
        """Whether every rotation is one about z exactly, that of flexible arms included."""
        arms = [p for p in self.parts if isinstance(p, FlexibleArm)]
        tables = {p.name: p.table for p in self.parts if isinstance(p, FlexibleBody)}
        moves = [tables[arm.tail.name].frames.translation[arm.index][2] for arm in arms]
        tilts = [tables[arm.tail.name].frames.rotation[arm.index][:2] for arm in arms]
        tilts += [entries(tables[arm.tail.name].second_order[arm.index])[3:5] for arm in arms]
        z = (0.0, 0.0, 1.0)
        frames = self.frames.values()
        return all(tuple(f.rotation[2]) == z and tuple(f.rotation[:, 2]) == z for f in frames) and not any(
            map(np.any, (*moves, *tilts))
        )

    def _family(self, record: Any, family: Family, key: object, numbers: list[float]) -> None:
        """Enter the family of a branch or a body, and its numbers."""
        programs, prepare = family
        if key not in self._places:
            self._places[key] = self.families.add(programs)
        record["family"], record["p"] = self._places[key], len(self._numbers)
        self._numbers += prepare(numbers)

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
            record["sign"], record["function"] = branch.sign, -1
            found = [table.add(f, part.name, is_motion=True) for _, f in t.driven]
            record["n_driven"], record["function"] = len(found), found[0] if found else -1
            is_arm = bool(record["flex"] >= 0)
            offset = np.zeros(3) if t.offset is None or is_arm else C @ t.offset
            (zeros,), lengths = quantities(offset)
            ways = np.eye(3) if is_arm else [C @ d.vector for d in t.free]
            free, more = directions(*ways)
            driven, others = directions(*(C @ d.vector for d, _ in t.driven))
            is_datum, is_carried = bool(record["parent"] == 0), bool(record["carrier"] == 0)
            key = (
                self.is_flat, is_datum, is_carried, branch.sign, zeros, tuple(free), tuple(driven), is_arm,
            )  # fmt: skip
            self._family(record, slide_family(*key), key, [*lengths, *more, *others])
        return out

    def _r_edges(self, table: FunctionTable) -> AnyArray:
        out = np.zeros(len(self.R.branches), dtype=km.R_EDGE)
        for record, branch in zip(out, self.R.branches, strict=True):
            part = self.by_name[branch.edge.name]
            r = self.terminals[part.name].rotation
            assert r is not None
            place = self.coordinates.rotation[part.name]
            record["parent"] = self.rotation_node[branch.parent]
            record["child"] = self.rotation_node[branch.child]
            record["flex"] = self.flexible_frame(part)
            record["q"], record["v"], record["n"] = place.q, place.v, r.unknowns
            record["sign"], record["is_free"] = branch.sign, r.is_free
            is_driven = r.function is not None
            record["function"] = table.add(r.function, part.name, is_motion=True) if r.function else -1
            (C_A, C_B, *axes), numbers = directions(part.tail.rotation, part.head.rotation, *r.steps)
            key = (
                self.is_flat, bool(record["parent"] == 0), branch.sign, C_A, C_B, tuple(axes), is_driven,
                r.is_free, bool(record["flex"] >= 0),
            )  # fmt: skip
            self._family(record, turn_family(*key), key, numbers)
        return out

    def _bodies(self) -> tuple[AnyArray, Array]:
        bodies = [p for p in self.parts if isinstance(p, RigidBody)]
        out = np.zeros(len(bodies), dtype=km.BODY)
        weights = np.zeros((len(bodies), 3))
        order = {b.name: i for i, b in enumerate(bodies)}
        for record, body in zip(out, bodies, strict=True):
            record["node"] = self.node[body.name]
            record["rotation"] = self.rotation_node[body.name]
            (zeros,), numbers = quantities(body.inertia)
            key = self.is_flat, zeros
            self._family(record, body_family(*key), key, [body.mass, *numbers])
        for part in self.parts:
            if isinstance(part, Weight) and part.head.name in order:
                weights[order[part.head.name]] = part.force
        return out, weights

    def _rows(self, table: FunctionTable) -> tuple[AnyArray, Array]:
        out = np.zeros(len(self.rows), dtype=km.ROW)
        data, places = list[float](), dict[tuple[Any, ...], int]()
        for record, row in zip(out, self.rows, strict=True):
            record["function"] = record["q"] = record["v"] = -1
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
            key, numbers = row_family(row.row, *row.ends)
            if key not in places:
                places[key] = self.families.add(row_programs(*key))
            record["family"], record["p"] = places[key], len(data)
            data += numbers
        return out, np.array([*data, 0.0])

    def _count(self, rows: AnyArray) -> None:
        """Say which angles rows rest on: their places among all angles, forces and signals included."""
        angles = {angle.label: i for i, angle in enumerate(self.angles)}
        rows["angle"] = rows["other_angle"] = -1
        for record, row in zip(rows, self.rows, strict=True):
            if row.place is not None:
                continue
            if row.row.counts is not None:
                record["angle"] = angles[f"{row.component.name}.angle"]
            if row.row.other is not None and row.row.other[2] is not None:
                record["other_angle"] = angles[other_angle(row.component)]

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
        is_stiff = np.array([part.is_stiff for part in parts], dtype=bool)
        out["tangent"] = np.where(is_stiff, np.cumsum(is_stiff) - 1, -1)
        for record, part in zip(out, parts, strict=True):
            record["tail"], record["head"] = self.node[part.tail.name], self.node[part.head.name]
            record["tail_r"], record["head_r"] = self.body_index(part.tail), self.body_index(part.head)
            record["angle"] = angles.get(part.name, -1)
            for key, value in laws.add(part).items():
                record[key] = value
        return out

    def _columns(self, t_edges: AnyArray, r_edges: AnyArray) -> AnyArray:
        out = np.zeros(len(self.coordinates.v_names), dtype=km.COLUMN)
        for i, edge in enumerate(t_edges):
            for k in range(edge["n"]):
                out[edge["v"] + k] = (km.C_TRANSLATION, i, k)
        for i, edge in enumerate(r_edges):
            for k in range(edge["n"]):
                out[edge["v"] + k] = (km.C_ROTATION, i, k)
        flexible = [p for p in self.parts if isinstance(p, FlexibleBody)]
        for i, part in enumerate(flexible):
            for k in range(part.table.m):
                out[self.coordinates.elastic[part.name].v + k] = (km.C_ELASTIC, i, k)
        return out
