"""The image of a mechanism in other units: every number multiplied as its unit is.

A model of a metre and its image of a micrometre are the same mechanism; so must be their motions.
"""

from copy import copy
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

import flexnet as fx
from flexnet.components import (
    Bushing,
    Component,
    FlexibleBody,
    Force,
    Frame,
    RigidBody,
    RotationDriver,
    TimeFunction,
    Torque,
    TorsionalSpring,
    TranslationalSpring,
    TranslationDriver,
    VirtualJoint,
)
from flexnet.components.rod_element import RodElement
from flexnet.fem import FlexTable
from flexnet.system import Body, Start
from flexnet.system.measure import Measure

ANGLES = ("angle", "alpha", "beta")


@dataclass(frozen=True)
class Units:
    """Factors of length, mass and time."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def speed(self) -> float:
        return self.length / self.time

    @property
    def acceleration(self) -> float:
        return self.length / self.time**2

    @property
    def force(self) -> float:
        return self.mass * self.acceleration

    @property
    def torque(self) -> float:
        return self.force * self.length

    def of_measure(self, measure: Measure) -> float:
        """Factor of what a channel records."""
        is_angle = measure.coordinate in ANGLES
        return {
            "position": self.length, "node": self.length, "deflection": self.length, "velocity": self.speed,
            "acceleration": self.acceleration, "angular_velocity": 1.0 / self.time,
            "coordinate": 1.0 if is_angle else self.length,
            "rate": (1.0 if is_angle else self.length) / self.time,
            "force": self.force, "torque": self.torque,
        }[measure.kind]  # fmt: skip

    def of_coordinates(self, equations: fx.Equations) -> tuple[np.ndarray, np.ndarray]:
        """Factors of q and of the velocities' coordinates: length but for angles and quaternions."""
        c = equations.coordinates
        q, v = np.ones(equations.n_q), np.ones(equations.n_v)
        scalars = dict(c.scalars)
        for name, place in c.translation.items():
            free = equations.terminals[name].translation.free
            q[place.q : place.q + len(free)] = self.length
        for name, place in c.elastic.items():
            q[place.q : place.q + equations.system.components[name].table.m] = self.length
        for i, k in scalars.items():
            v[k] = q[i]
        return q, v

    def of_rows(self, equations: fx.Equations) -> np.ndarray:
        """Factors of the constraints: length or 1."""
        return np.array([self.length if row.is_translation else 1.0 for row in equations.rows])


def image(system: fx.System, u: Units) -> fx.System:
    """The same mechanism in other units."""
    out = fx.System(system.name, planar=system.is_planar)
    out._gravity = u.acceleration * system.g
    out.parameters = dict(system.parameters)
    out._bare = set(system._bare)
    out.asked = list(system.asked)
    for body in (system.ground, *system.bodies.values()):
        made = out.ground if body is system.ground else Body(body.name)
        made.position, made.rotation = u.length * body.position, body.rotation
        made.velocity, made.angular_velocity = u.speed * body.velocity, body.angular_velocity / u.time
        for key, frame in body.frames.items():
            made.frames[key] = replace(frame, position=u.length * frame.position)
        if body is not system.ground:
            out.bodies[body.name] = made
    frames = out.frames
    for name, part in system.components.items():
        out.components[name] = _component(part, u, frames)
    out.starts = [_start(start, u) for start in system.starts]
    return out


def _start(start: Start, u: Units) -> Start:
    size = 1.0 if start.coordinate in ANGLES else u.length
    value = None if start.value is None else size * start.value
    return replace(start, value=value, rate=None if start.rate is None else size / u.time * start.rate)


def _component(part: Component, u: Units, frames: dict[str, Frame]) -> Component:
    if isinstance(part, VirtualJoint):
        return replace(part, joint=_component(part.joint, u, frames))
    ends: dict[str, Any] = {"tail": frames[part.tail.name], "head": frames[part.head.name]}
    match part:
        case RigidBody():
            ends |= {"mass": u.mass * part.mass, "inertia": u.mass * u.length**2 * part.inertia}
        case FlexibleBody():
            ends |= {"table": table(part.table, u), "body": None}
        case RotationDriver():
            ends["angle"] = function(part.angle, 1.0, u.time)
        case TranslationDriver():
            ends["displacements"] = tuple(function(f, u.length, u.time) for f in part.displacements)
        case Force() | Torque():
            size = u.force if isinstance(part, Force) else u.torque
            ends["components"] = tuple(function(f, size, u.time) for f in part.components)
        case TranslationalSpring():
            ends |= spring(part, u.length, u.force, u.time)
        case TorsionalSpring():
            ends |= spring(part, 1.0, u.torque, u.time)
        case Bushing():
            d = np.repeat([1.0, u.length], 3)
            size = np.outer(d, d) * u.mass / u.time
            ends |= {"stiffness": size / u.time * part.stiffness, "damping": size * part.damping}
        case RodElement():
            d = np.repeat([1.0, u.length], 3)
            ends |= {
                "length": u.length * part.length, "rest": np.repeat([u.length, 1.0], 3) * part.rest,
                "stiffness": np.outer(d, d) * u.mass / u.time**2 * part.stiffness,
                "damping": u.time * part.damping,
            }  # fmt: skip
    return replace(part, **ends)


def _powers(f: TimeFunction, a: float, T: float) -> list[float]:
    p = f.parameters
    match f.kind:
        case "constant":
            return [a * p[0]]
        case "polynomial":
            return [a * c / T**k for k, c in enumerate(p)]
        case "harmonic":
            return [a * p[0], p[1] / T, p[2], a * p[3]]
        case "cycloidal" | "smooth_step":
            return [a * p[0], a * p[1], T * p[2], T * p[3]]
        case "spline":
            n = (len(p) + 4) // 5
            return [*(T * x for x in p[:n]), *(a * c / T ** (3 - k % 4) for k, c in enumerate(p[n:]))]
    return []


def function(f: TimeFunction, a: float, T: float) -> TimeFunction:
    """``a f(t/T)``."""
    if f.kind == "expression":
        t = next(iter(f.expression.free_symbols), None)
        return replace(f, expression=a * (f.expression if t is None else f.expression.subs(t, t / T)))
    if f.kind == "callable":
        return replace(f, call=tuple(partial(_stretched, g, a / T**k, T) for k, g in enumerate(f.call)))
    return replace(f, parameters=tuple(_powers(f, a, T)))


def _stretched(f: Any, a: float, T: float, t: float) -> float:
    return a * f(t / T)


def spring(given: TranslationalSpring | TorsionalSpring, x: float, force: float, T: float) -> dict[str, Any]:
    """Fields of a spring whose stretch has the factor x."""
    made = given.formula
    if made is not None and getattr(made, "free_symbols", None) is not None:
        size = {"x": x, "v": x / T, "t": T}
        made = force * made.subs({s: s / size[str(s)] for s in made.free_symbols}, simultaneous=True)
    elif made is not None:
        made = partial(_law, made, x, force, T)
    return {
        "stiffness": force / x * given.stiffness,
        "damping": force * T / x * given.damping,
        "rest": x * given.rest,
        "actuator": function(given.actuator, force, T),
        "formula": made,
    }


def _law(f: Any, size: float, force: float, T: float, x: float, v: float, t: float) -> float:
    return force * f(x / size, v * T / size, t / T)


def table(given: FlexTable, u: Units) -> FlexTable:
    """The table of a flexible body; its coordinates become lengths of the new unit."""
    L, M, T = u.length, u.mass, u.time
    i, g, modes = given.inertia, given.geometric, given.modes
    rows = {
        key: replace(r, position=L * r.position, rotation=r.rotation / L)
        for key, r in (("frames", given.frames), ("output", given.output))
    }
    six = np.repeat([1.0 / L, 1.0 / L**2], 3)[:, None, None]
    inertia = replace(i, mass=M * i.mass, s1=M * L * i.s1, s2=M * L**2 * i.s2, N1=M * i.N1, sN=M * L * i.sN,
                      NN=M * i.NN)  # fmt: skip
    geometric = replace(
        g, acceleration=M / L * g.acceleration, angular_acceleration=M * g.angular_acceleration,
        omega_products=M * g.omega_products, frames=six * g.frames,
    )  # fmt: skip
    taken = np.repeat([M, M * L**2], 3)
    named = replace(
        modes, frequency=modes.frequency / T, next_frequency=modes.next_frequency / T,
        effective_mass=taken * modes.effective_mass, total_mass=taken * modes.total_mass,
    )  # fmt: skip
    mesh = copy(given.mesh)
    moved = replace(mesh, nodes=L * mesh.nodes) if "nodes" in {f.name for f in fields(mesh)} else mesh
    return replace(
        given, inertia=inertia, K=M / T**2 * given.K, C=M / T * given.C, geometric=geometric, modes=named,
        mesh=moved, **rows,
    )  # fmt: skip


def column_factor(run: Any, path: str, u: Units) -> Any:
    """Factor of a column of a run: what its image multiplies it by."""
    e = run.equations
    group, _, key = path.partition("/")
    last = path.rsplit("/", 1)[-1]
    if group == "channels":
        measure = next(c.measure for c in e.system.channels if c.name == key)
        return u.of_measure(measure)
    q, v = u.of_coordinates(e)
    energy = u.torque
    named = {
        "time": u.time, "q": q, "v": v / u.time, "a": v / u.time**2, "lambda": energy / u.of_rows(e),
        "position": u.length, "quaternion": 1.0, "velocity": u.speed, "angular_velocity": 1.0 / u.time,
        "elastic": u.length, "force": u.force, "torque": u.torque, "step": u.time, "iterations": 1.0,
        "z": 1.0,  # no case that is imaged has states
    }  # fmt: skip
    return energy if group == "energy" else named[last]
