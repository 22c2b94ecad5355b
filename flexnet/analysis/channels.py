"""Answer the measures of a System's channels from snapshots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Expr,
    Node,
    Program,
    Vec,
    array_of,
    language,
    quaternion_matrix,
    reach,
    symbol,
)
from flexnet.analysis.stress import Recovery
from flexnet.components import FlexibleBody, Frame
from flexnet.components.force_element import Twist
from flexnet.errors import ModelError
from flexnet.formulation import Equations, Load, Snapshot, is_reached, loads, recorded_loads, self_stress
from flexnet.formulation.reactions import columns
from flexnet.formulation.sensed_loads import SeenEnd, effort, section_force
from flexnet.formulation.sensed_motion import sensed_motion
from flexnet.networks import Variable
from flexnet.signals import (
    ENERGIES,
    Known,
    Measure,
    Signal,
    StateOf,
    StressRow,
    Time,
    evaluate,
    leaves,
    stress_signal,
)
from flexnet.system import Channel
from flexnet.typing import Array, BoolArray


@dataclass(slots=True)
class ChannelReader:
    """Evaluate channels block by block.

    Attributes
    ----------
    shares : whether loads that are not determined are shared by least norm; they are NaN else.
    held : joints that are locked, with the driver that holds each: the joint carries what its lock does.
    """

    equations: Equations
    shares: bool = False
    held: tuple[tuple[str, str], ...] = ()
    _vectors: dict[str, tuple[Snapshot, Array]] = field(default_factory=dict)
    _seen: "SeenRows" = field(init=False)

    def __post_init__(self) -> None:
        self._seen = SeenRows(self.equations)

    def read(self, channels: list[Channel], rows: Snapshot) -> dict[str, Array]:
        """Values of the channels at the rows of a snapshot, (rows,) each."""
        measures = [m for m in leaves(c.measure for c in channels) if isinstance(m, Measure)]
        elements = self.equations.element_names
        needs_loads = any(m.kind in ("force", "torque") and m.target not in elements for m in measures)
        forces, states = self._loads(rows) if needs_loads else ({}, {})
        for k, name in enumerate(elements):
            forces[name] = Load(rows.values.load[:, k, 0:3], rows.values.load[:, k, 3:6])
        out = {}
        done: dict[Signal, Any] = {}
        for c in channels:
            leaf = partial(self._leaf, c.name, rows, forces, states)
            value = evaluate([c.measure], leaf, of_arrays=True, done=done)[0]
            out[c.name] = c.factor * np.broadcast_to(value, rows.t.shape)
        return out

    def _stress_vector(self, body: str, rows: Snapshot) -> Array:
        """What stresses of a flexible body are sums over; found once for the rows of a block."""
        if body not in self._vectors or self._vectors[body][0] is not rows:
            recovery = Recovery(self.equations)
            self._vectors[body] = rows, recovery.modes(body).vector(recovery.motion(body, rows))
        return self._vectors[body][1]

    def signal(self, signal: Signal, rows: Snapshot) -> Array:
        """Values of a signal of networks at the rows of a snapshot, (rows,)."""
        leaf = partial(self._leaf, "a network", rows, {}, {})
        return np.broadcast_to(evaluate([signal], leaf, of_arrays=True)[0], rows.t.shape)

    def _loads(self, rows: Snapshot) -> tuple[dict[str, Load], dict[str, Load]]:
        """Loads of all joints, and the states of self-stress that leave some of them open."""
        if self.shares:
            found, states = recorded_loads(self.equations, rows, True), dict[str, Load]()
        else:
            found, states = loads(self.equations, rows), self_stress(self.equations, rows)
        for joint, lock in self.held:
            own, held = found[joint], found[lock]
            found[joint] = Load(own.force + held.force, own.torque + held.torque)
        return found, states

    def _leaf(
        self, name: str, rows: Snapshot, forces: dict[str, Load], states: dict[str, Load], signal: Signal
    ) -> Array | Signal:
        """What a signal that is computed from no other was, (rows,)."""
        if isinstance(signal, Variable):
            return self.equations.system.network.signal(signal)
        if isinstance(signal, Time):
            return rows.t
        if isinstance(signal, StateOf):
            e = self.equations
            return rows.v[:, e.n_v + e.states.places[signal.block, signal.index]]
        if isinstance(signal, Known):
            return np.array([self.equations.known_value(signal, t) for t in rows.t])
        if isinstance(signal, StressRow):
            return self._stress_vector(signal.body, rows) @ signal.weights
        assert isinstance(signal, Measure)
        if signal.kind == "stress" and signal.target not in forces:
            return stress_signal(_flexible(self.equations, signal.target), signal)
        value = self._value(name, signal, rows, forces)
        if signal.target in states and signal.kind in ("force", "torque"):
            return np.where(_is_open(signal, states[signal.target]), np.nan, value)
        return value

    def _value(self, name: str, measure: Measure, rows: Snapshot, forces: dict[str, Load]) -> Array:
        if measure.kind in ("force", "torque"):
            if measure.target not in forces:
                raise ModelError(
                    f"channel {name!r}: {measure.target!r} is no joint, motion driver or force element"
                )
            load = forces[measure.target]
            return _component(load.force if measure.kind == "force" else load.torque, measure.along)
        if measure.kind == "energy":
            return np.asarray(rows.values.energy[:, ENERGIES[measure.coordinate]].sum(axis=1))
        if measure.kind == "effort":
            return self._effort(measure.target, rows)
        if measure.kind == "stress":
            return _section_force(self.equations, measure, rows)
        return self._seen.read(measure, rows)

    def _effort(self, driver: str, rows: Snapshot) -> Array:
        """Load of a driver along the one coordinate of the joint it rides on, (rows,)."""
        e = self.equations
        part, load = e.system.components[driver], recorded_loads(e, rows, self.shares)[driver]
        joint = e.terminals[str(getattr(part, "joint", ""))]
        found = effort((columns(load.force), columns(load.torque)), joint, _end(e, part.tail, rows))
        return np.asarray(found)


def _section_force(equations: Equations, measure: Measure, rows: Snapshot) -> Array:
    """Force or moment on the face of a beam element at one of its ends that looks along the beam, (rows,)."""
    part = equations.system.components[measure.target]
    load = rows.values.load[:, equations.element_names.index(measure.target)]
    ends = (_end(equations, frame, rows) for frame in (part.tail, part.head))
    is_head = part.head.name == measure.point
    return np.asarray(section_force(columns(load[:, :3]), columns(load[:, 3:6]), measure, is_head, *ends))


def _end(equations: Equations, frame: Frame, rows: Snapshot) -> SeenEnd:
    """A frame in ground axes, by columns of numbers."""
    v, k = rows.values, equations.packer.node[frame.name]
    R = quaternion_matrix(list(v.quaternion[:, k].T))
    x, u, w = (columns(y[:, k]) for y in (v.position, v.velocity, v.angular_velocity))
    return SeenEnd(x, u, R, w, UNIT)


def _is_open(measure: Measure, states: Load) -> BoolArray:
    """Whether a load is not determined in the direction that is asked for, or in any if none is, (rows,)."""
    parts = states.force if measure.kind == "force" else states.torque
    found = is_reached(parts, measure.along)
    return found if measure.along is not None else np.asarray(found.any(axis=1))


def _component(vectors: Array, along: Array | None) -> Array:
    out: Array = np.linalg.norm(vectors, axis=1) if along is None else vectors @ along
    return out


def _flexible(equations: Equations, body: str) -> FlexibleBody:
    part = equations.system.components[body]
    assert isinstance(part, FlexibleBody)
    return part


@lru_cache(maxsize=1024)
def _run(value: Expr) -> tuple[list[Node], Callable[..., None]]:
    """Inputs of a formula and its function of arrays; variants of a model have the same formulas."""
    inputs = sorted(reach([value])[0], key=lambda x: str(x.name))
    program = Program("measure", {"x": inputs}, {"out": array_of([value])})
    return inputs, language.functions([program])["measure"]


class SeenRows:
    """What formulas of motions ask for: inputs, each with the column of rows that it stands for."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.columns: dict[Node, Callable[[Snapshot], Array]] = {}
        self._ends: dict[str, SeenEnd] = {}
        self._formulas: dict[Measure, tuple[list[Node], Callable[..., None]]] = {}

    def read(self, measure: Measure, rows: Snapshot) -> Array:
        """A measure of motions at rows, (rows,)."""
        if measure not in self._formulas:
            packer = self.equations.packer
            value = sensed_motion(self, packer.by_name, packer.frames, packer.terminals, measure)
            self._formulas[measure] = _run(value)
        inputs, run = self._formulas[measure]
        out = np.empty((1, len(rows.t)))
        run([self.columns[x](rows) for x in inputs], out)
        return np.asarray(out[0])

    def _column(self, name: str, of: Callable[[Snapshot], Array]) -> Node:
        made = symbol(name)
        self.columns[made] = of
        return made

    def _named(self, kind: str, names: Sequence[str], name: str) -> Node | None:
        """An entry of q or v by its name."""
        place = names.index(name) if name in names else -1
        if place < 0:
            return None
        return self._column(f"{kind}[{place}]", lambda rows: getattr(rows, kind)[:, place])

    def _entry(self, kind: str, frame: Frame, i: int) -> Node:
        """A component of a vector, or of the quaternion, of a frame."""
        node = self.equations.packer.node[frame.name]
        return self._column(f"{kind}[{node},{i}]", lambda rows: getattr(rows.values, kind)[:, node, i])

    def _vector(self, kind: str, frame: Frame) -> Vec:
        return self._entry(kind, frame, 0), self._entry(kind, frame, 1), self._entry(kind, frame, 2)

    def end(self, frame: Frame) -> SeenEnd:
        """A frame in ground axes."""
        if frame.name not in self._ends:
            R = quaternion_matrix([self._entry("quaternion", frame, i) for i in range(4)])
            x, v, w = (self._vector(kind, frame) for kind in ("position", "velocity", "angular_velocity"))
            self._ends[frame.name] = SeenEnd(x, v, R, w, UNIT)
        return self._ends[frame.name]

    def acceleration(self, frame: Frame) -> Vec:
        """Acceleration of a frame's origin."""
        return self._vector("acceleration", frame)

    def angular_acceleration(self, frame: Frame) -> Vec:
        """Angular acceleration of a frame."""
        return self._vector("angular_acceleration", frame)

    def coordinate(self, name: str) -> Node | None:
        """An entry of q by its name."""
        return self._named("q", self.equations.coordinates.q_names, name)

    def rate(self, name: str) -> Node | None:
        """An entry of v by its name."""
        return self._named("v", self.equations.coordinates.v_names, name)

    def twist(self, owner: str) -> Twist:
        """Counted angle of a joint."""
        labels = [angle.label for angle in self.equations.angles]
        if f"{owner}.angle" not in labels:
            raise ModelError(
                f"the angle of joint {owner!r} is recorded by a channel that came after the equations;"
                " formulate them again, so that its turns are counted"
            )
        place = labels.index(f"{owner}.angle")
        return Twist(self._column(f"angle[{place}]", lambda rows: rows.values.angle[:, place]), 0, ZERO3)
