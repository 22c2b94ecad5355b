"""Answer the measures of a System's channels from snapshots."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from flexnet.analysis.stress import Recovery
from flexnet.components import FlexibleBody
from flexnet.components.frame import normals
from flexnet.errors import ModelError
from flexnet.formulation import Equations, Load, Snapshot, is_reached, loads, recorded_loads, self_stress
from flexnet.formulation.sensed_point import place, undeformed
from flexnet.networks import Variable
from flexnet.results.rotation import matrices
from flexnet.signals import (
    BEAM_STRESS,
    ENERGIES,
    OF_FRAMES,
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
        if measure.kind == "angle":
            return _angle(self.equations, measure, rows)
        if measure.kind in OF_FRAMES:
            return _component(_of_frame(self.equations, measure, rows), measure.along)
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
        if measure.kind == "node":
            return _component(_point(self.equations, measure, rows), measure.along)
        if measure.kind == "deflection":
            return _component(_deflection(self.equations, measure, rows), measure.along)
        return self._joint(measure, rows)

    def _effort(self, driver: str, rows: Snapshot) -> Array:
        """Load of a driver along the one coordinate of the joint it rides on, (rows,)."""
        e = self.equations
        part, load = e.system.components[driver], recorded_loads(e, rows, self.shares)[driver]
        terminal = e.terminals[str(getattr(part, "joint", ""))]
        R_A = matrices(rows.values.quaternion[:, e.packer.node[part.tail.name]])
        if terminal.rotation is not None and terminal.rotation.kind == "axis":
            return np.asarray(np.einsum("ri,ri->r", R_A @ terminal.rotation.axes[0], load.torque))
        assert terminal.translation is not None, f"{driver} rides on a joint without a coordinate"
        return np.asarray(np.einsum("ri,ri->r", R_A @ terminal.translation.free[0].vector, load.force))

    def _joint(self, measure: Measure, rows: Snapshot) -> Array:
        wanted = f"{measure.target}.{measure.coordinate}"
        names = self.equations.coordinates
        if measure.kind == "rate" and wanted in names.v_names:
            return rows.v[:, names.v_names.index(wanted)]
        if measure.kind == "coordinate" and wanted in names.q_names:
            return rows.q[:, names.q_names.index(wanted)]
        return _relative(self.equations, measure, rows)


def _section_force(equations: Equations, measure: Measure, rows: Snapshot) -> Array:
    """Force or moment on the face of a beam element at one of its ends that looks along the beam, (rows,)."""
    values, k = rows.values, equations.element_names.index(measure.target)
    is_head = equations.system.components[measure.target].head.name == measure.point
    load = -values.load[:, k, :6] if is_head else values.load[:, k, 6:]
    place, axis = divmod(tuple(BEAM_STRESS).index(measure.coordinate), 3)
    R = matrices(values.quaternion[:, equations.packer.node[str(measure.point)]])
    out: Array = np.einsum("ri,ri->r", R[:, :, axis], load[:, 3 * place : 3 * place + 3])
    return out


def _is_open(measure: Measure, states: Load) -> BoolArray:
    """Whether a load is not determined in the direction that is asked for, or in any if none is, (rows,)."""
    parts = states.force if measure.kind == "force" else states.torque
    found = is_reached(parts, measure.along)
    return found if measure.along is not None else np.asarray(found.any(axis=1))


def _component(vectors: Array, along: Array | None) -> Array:
    out: Array = np.linalg.norm(vectors, axis=1) if along is None else vectors @ along
    return out


def _angle(equations: Equations, measure: Measure, rows: Snapshot) -> Array:
    """Angle of a frame about an axis of the ground or of one that moves, (rows,)."""
    assert measure.along is not None
    n, across = normals(measure.along)
    turned = matrices(rows.values.quaternion[:, equations.packer.node[measure.target]]) @ n
    if measure.seen_from:
        A = matrices(rows.values.quaternion[:, equations.packer.node[measure.seen_from]])
        turned = np.einsum("rji,rj->ri", A, turned)
    out: Array = np.arctan2(turned @ across, turned @ n)
    return out


def _of_frame(equations: Equations, measure: Measure, rows: Snapshot) -> Array:
    """Motion of a frame in ground axes, or as seen from one that moves, (rows, 3)."""
    node, values = equations.packer.node, rows.values
    b = node[measure.target]
    own: Array = getattr(values, measure.kind)[:, b]
    if not measure.seen_from:
        return own
    a = node[measure.seen_from]
    way = own - getattr(values, measure.kind)[:, a]
    d, w = values.position[:, b] - values.position[:, a], values.angular_velocity[:, a]
    if measure.kind == "velocity":
        way = way - np.cross(w, d)
    elif measure.kind == "acceleration":
        u = values.velocity[:, b] - values.velocity[:, a] - np.cross(w, d)
        way = way - np.cross(values.angular_acceleration[:, a], d) - np.cross(w, np.cross(w, d) + 2.0 * u)
    elif measure.kind == "angular_acceleration":
        way = way - np.cross(w, values.angular_velocity[:, b])
    out: Array = np.einsum("rji,rj->ri", matrices(values.quaternion[:, a]), way)
    return out


def _point(equations: Equations, measure: Measure, rows: Snapshot) -> Array:
    """Position in ground of a frame or of a node of a flexible body, (rows, 3)."""
    packer, values = equations.packer, rows.values
    if isinstance(measure.point, str):
        return values.position[:, packer.node[measure.point]]
    part, k = _flexible(equations, measure.target), packer.node[measure.target]
    table, place = part.table, part.output_place(measure.point)
    where = equations.coordinates.elastic[measure.target].q
    s = table.output.position[place] + rows.q[:, where : where + table.m] @ table.output.translation[place].T
    out: Array = values.position[:, k] + np.einsum("rij,rj->ri", matrices(values.quaternion[:, k]), s)
    return out


def _deflection(equations: Equations, measure: Measure, rows: Snapshot) -> Array:
    """Deflection of a point in the axes of its body or of a chord, (rows, 3)."""
    packer, values, frames = equations.packer, rows.values, equations.system.frames
    part, k = _flexible(equations, measure.target), packer.node[measure.target]
    R = matrices(values.quaternion[:, k])
    p = _point(equations, measure, rows)
    if not measure.chord:
        out: Array = np.einsum("rji,rj->ri", R, p - values.position[:, k]) - place(frames, part, measure)
        return out
    a, b = (values.position[:, packer.node[end]] for end in measure.chord)
    rest = undeformed(frames, part, measure)
    is_z = rest is not None and rest.z is not None
    up = R @ rest.z if rest is not None and rest.z is not None else R[:, :, 1]
    moved: Array = np.einsum("rij,rj->ri", _chord_axes(b - a, up, is_z), p - a)
    if rest is not None:
        # along the chord: from the point that divides it as the undeformed point did
        moved[:, 0] -= rest.point[0] * np.linalg.norm(b - a, axis=1) / rest.length
        moved[:, 1:] -= rest.point[1:]
    return moved


def _chord_axes(chord: Array, up: Array, is_z: bool) -> Array:
    """Axes of a chord, rows of (rows, 3, 3) matrices: x along it, y, or z, as near as can be to a vector."""
    e_x = chord / np.linalg.norm(chord, axis=1)[:, None]
    other = np.cross(up, e_x) if is_z else np.cross(e_x, up)
    other /= np.linalg.norm(other, axis=1)[:, None]
    y_z = (other, np.cross(e_x, other)) if is_z else (np.cross(other, e_x), other)
    return np.stack([e_x, *y_z], axis=1)


def _flexible(equations: Equations, body: str) -> FlexibleBody:
    part = equations.system.components[body]
    assert isinstance(part, FlexibleBody)
    return part


def _relative(equations: Equations, measure: Measure, rows: Snapshot) -> Array:
    """Coordinate or rate of a joint that is not a branch, read off its two frames."""
    part = equations.system.components[measure.target]
    tail, head = equations.packer.node[part.tail.name], equations.packer.node[part.head.name]
    R_A = matrices(rows.values.quaternion[:, tail])
    terminal = equations.terminals[part.name]
    v = rows.values
    w = v.angular_velocity[:, head] - v.angular_velocity[:, tail]
    for direction in terminal.translation.free if terminal.translation else ():
        if direction.name == measure.coordinate:
            u = R_A @ direction.vector
            d = v.position[:, head] - v.position[:, tail]
            if measure.kind == "coordinate":
                return np.asarray(np.einsum("ri,ri->r", u, d))
            rate = v.velocity[:, head] - v.velocity[:, tail] - np.cross(v.angular_velocity[:, tail], d)
            return np.asarray(np.einsum("ri,ri->r", u, rate))
    rotation = terminal.rotation
    if rotation is None or measure.coordinate not in rotation.names or rotation.kind != "axis":
        raise ModelError(f"joint {part.name!r} has no coordinate {measure.coordinate!r} that can be recorded")
    if measure.kind == "rate":
        return np.asarray(np.einsum("ri,ri->r", R_A @ rotation.axes[0], w))
    counted = [angle.label for angle in equations.angles]
    if f"{part.name}.angle" not in counted:
        raise ModelError(
            f"the angle of joint {part.name!r} is recorded by a channel that came after the equations;"
            " formulate them again, so that its turns are counted"
        )
    return v.angle[:, counted.index(f"{part.name}.angle")]
