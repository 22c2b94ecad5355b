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
    Cable,
    Component,
    DistanceRod,
    FlexibleBody,
    Force,
    Frame,
    GearPair,
    OneWayClutch,
    RackPair,
    RigidBody,
    RotationDriver,
    Screw,
    TimeFunction,
    Torque,
    TorsionalSpring,
    TranslationalSpring,
    TranslationDriver,
    VirtualJoint,
)
from flexnet.components.contact import Contact
from flexnet.components.curve import Formula, Spline
from flexnet.components.end_stop import SlideStop, TurnStop
from flexnet.components.joint_friction import SlideFriction, TurnFriction
from flexnet.components.point_on_curve import PointOnCurve
from flexnet.components.point_on_surface import PointOnSurface
from flexnet.components.rod_element import RodElement
from flexnet.components.spread_loads import FreeStrain, PressureLoad
from flexnet.fem import FlexTable
from flexnet.signals import Event
from flexnet.system import Body, Start
from flexnet.units import ENERGY, FORCE, LENGTH, MASS, NUMBER, PRESSURE, TIME
from tests.image_signals import SignalImages

ANGLES = ("angle", "alpha", "beta")


@dataclass(frozen=True)
class Units:
    """Factors of length, mass and time."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def of(self, dimension: tuple[float, float, float]) -> float:
        """Factor of what has these powers of length, mass and time."""
        length, mass, time = dimension
        return float(self.length**length * self.mass**mass * self.time**time)

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

    def impulse(self, event: Event) -> float:
        """Factor of the impulse at an event: N s, or N m s where it is about an angle."""
        joint = getattr(event.action, "coordinate", None)
        way = self.of(event.signal.dimension or NUMBER) if joint is None else 1.0
        return self.torque * self.time / (self.length if joint == "displacement" else way)

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
    out._bare, out._floating, out._unstiffened = (
        set(system._bare),
        set(system._floating),
        list(system._unstiffened),
    )
    out.delays = {name: u.time * delay for name, delay in system.delays.items()}
    signals = SignalImages(u.of, u.time, function)
    out.asked = [replace(c, measure=signals.signal(c.measure)) for c in system.asked]
    out.events = [signals.event(event) for event in system.events]
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
        out.components[name] = _component(part, u, frames, signals)
    out.starts = [_start(start, u) for start in system.starts]
    return out


def _start(start: Start, u: Units) -> Start:
    size = 1.0 if start.coordinate in ANGLES else u.length
    value = None if start.value is None else size * start.value
    return replace(start, value=value, rate=None if start.rate is None else size / u.time * start.rate)


#: dimensions of the fields of components that have a unit; of a curve, those of its argument and its value
FIELDS: dict[type, dict[str, tuple[int, int, int]]] = {
    RigidBody: {"mass": MASS, "inertia": (2, 1, 0)},
    RotationDriver: {"angle": NUMBER},
    TranslationDriver: {"displacements": LENGTH},
    Force: {"components": FORCE},
    Torque: {"components": ENERGY},
    Contact: {"damping": (-1, 0, 1), "slip_speed": (1, 0, -1), "radius": LENGTH, "half": LENGTH,
              "size": LENGTH, "length": LENGTH},
    SlideStop: {"lower": LENGTH, "upper": LENGTH, "damping": (-1, 0, 1)},
    TurnStop: {"lower": NUMBER, "upper": NUMBER, "damping": TIME},
    SlideFriction: {"level": FORCE, "damping": (0, 1, -1), "stribeck": (1, 0, -1), "slip": (1, 0, -1)},
    TurnFriction: {"level": ENERGY, "damping": (2, 1, -1), "stribeck": (0, 0, -1), "slip": (0, 0, -1)},
    OneWayClutch: {"capacity": ENERGY, "slip_speed": (0, 0, -1)},
    Cable: {"length": LENGTH, "stiffness": (0, 1, -2), "damping": (-1, 0, 1)},
    PressureLoad: {"pressure": PRESSURE},
    FreeStrain: {"torque": ENERGY, "load": NUMBER},
    DistanceRod: {"length": LENGTH},
    Screw: {"pitch": LENGTH},
    RackPair: {"radius": LENGTH, "phase": LENGTH},
    GearPair: {"phase": NUMBER},
    RodElement: {"length": LENGTH, "damping": TIME},
    PointOnCurve: {"y": (LENGTH, LENGTH), "z": (LENGTH, LENGTH), "radius": (NUMBER, LENGTH)},
    PointOnSurface: {"surface": (LENGTH, LENGTH)},
}  # fmt: skip
#: fields that have none
PURE = {"axis", "axis_1", "axis_2", "slot", "exponent", "friction", "excess", "ratio"}
#: data that have a unit, or are named above
DATA = float | np.ndarray | TimeFunction | Formula | Spline


def factors(part: Component, u: Units) -> dict[str, Any]:
    """Dimensions, or arrays of factors, of the fields of a component that have a unit."""
    known: dict[str, Any] = next((known for kind, known in FIELDS.items() if isinstance(part, kind)), {})
    six = np.repeat([1.0, u.length], 3)
    match part:
        case Contact() | SlideStop():
            return known | {"stiffness": (1 - part.exponent, 1, -2)}
        case TurnStop():
            return known | {"stiffness": ENERGY}
        case PressureLoad():
            return known | {"wrench": u.length**2 * six}
        case Bushing():
            size = np.outer(six, six) * u.mass / u.time
            return {"stiffness": size / u.time, "damping": size}
        case RodElement():
            size = np.outer(six, six) * u.mass / u.time**2
            return known | {"stiffness": size, "rest": np.repeat([u.length, 1.0], 3)}
    return known


def _component(part: Component, u: Units, frames: dict[str, Frame], signals: SignalImages) -> Component:
    if isinstance(part, VirtualJoint):
        return replace(part, joint=_component(part.joint, u, frames, signals))
    made: dict[str, Any] = {"tail": frames[part.tail.name], "head": frames[part.head.name]}
    if isinstance(part, FlexibleBody):
        return replace(part, **made, table=table(part.table, u), body=None)
    if isinstance(part, TranslationalSpring | TorsionalSpring):
        return replace(part, **made, **spring(part, u, signals))
    if isinstance(part, GearPair | RackPair):
        tail, head, axis = part.driving
        made["driving"] = frames[tail.name], frames[head.name], axis
    known = factors(part, u)
    for entry in fields(part):
        value = getattr(part, entry.name)
        if entry.name in known:
            made[entry.name] = _scaled(value, known[entry.name], u, signals)
        elif entry.name not in PURE and isinstance(
            value, float | np.ndarray | TimeFunction | Formula | Spline
        ):
            raise NotImplementedError(f"the unit of {type(part).__name__}.{entry.name} is not known")
    return replace(part, **made)


def _scaled(value: Any, unit: Any, u: Units, signals: SignalImages) -> Any:
    """Image of a field, by its dimension or its factors."""
    match value:
        case None:
            return None
        case tuple():
            return tuple(_scaled(x, unit, u, signals) for x in value)
        case TimeFunction(kind="signal"):
            return replace(value, expression=signals.signal(value.expression, unit))
        case TimeFunction():
            return function(value, u.of(unit), u.time)
        case Formula() | Spline():
            return curve(value, *(u.of(dimension) for dimension in unit))
    return (unit if isinstance(unit, np.ndarray) else u.of(unit)) * value


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


def curve(f: Formula | Spline, x: float, y: float) -> Formula | Spline:
    """``y f(·/x)``; of a surface g = 0 as well."""
    if isinstance(f, Formula):
        at = {s: s / x for s in getattr(f.expression, "free_symbols", ())}
        return Formula(y * f.expression.subs(at, simultaneous=True))
    pieces = tuple(tuple(y * c / x ** (3 - k) for k, c in enumerate(piece)) for piece in f.pieces)
    return Spline(tuple(x * k for k in f.knots), pieces, f.is_periodic)


def _stretched(f: Any, a: float, T: float, t: float) -> float:
    return a * f(t / T)


def spring(given: TranslationalSpring | TorsionalSpring, u: Units, signals: SignalImages) -> dict[str, Any]:
    """Fields of a spring."""
    is_torsional = isinstance(given, TorsionalSpring)
    x, effort = (1.0, ENERGY) if is_torsional else (u.length, FORCE)
    force, T = u.of(effort), u.time
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
        "actuator": _scaled(given.actuator, effort, u, signals),
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
        return u.of(next(c.measure for c in e.system.channels if c.name == key).dimension or NUMBER)
    q, v = u.of_coordinates(e)
    energy = u.torque
    named = {
        "time": u.time, "q": q, "v": v / u.time, "a": v / u.time**2, "lambda": energy / u.of_rows(e),
        "position": u.length, "quaternion": 1.0, "velocity": u.speed, "angular_velocity": 1.0 / u.time,
        "elastic": u.length, "force": u.force, "torque": u.torque, "step": u.time, "iterations": 1.0,
        "z": np.array([u.of(d or NUMBER) for block in e.states.blocks for d in block.dimensions]),
    }  # fmt: skip
    if group == "events":
        event = next(event for event in e.system.events if event.name == key.rsplit("/", 1)[0])
        return {"time": u.time, "energy": energy, "impulse": u.impulse(event)}[last]
    return energy if group == "energy" else named[last]
