"""Elements along one axis: lines (displacement, m; force, N), shafts (angle, rad; torque, N m); GTM table 3.

What is across an edge is the head's minus the tail's, what passes through it the force on its head, so that
a mass has F = -m ẍ, a spring F = -k(x - l₀), a damper F = -d ẋ. A mass goes from the ground to a node. A
shaft is a line that turns: the five elements are written once, and named twice.
"""

from collections.abc import Callable
from typing import Any

from flexnet.components.registry import builder
from flexnet.graph import Domain, scalar_domain
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.electrical import ideal_transformer
from flexnet.networks.element import DATUM, Drive, Element, NodeLike, drive, port, positive
from flexnet.networks.network import Variable, measure, measured
from flexnet.networks.storage import AcrossStorage, PlaceStorage

LINE = scalar_domain(Domain("translation", "displacement", "force", "m", "N", sense=-1, power="rate"))
SHAFT = scalar_domain(Domain("rotation", "angle", "torque", "rad", "N*m", sense=-1, power="rate"))


def _inertia(
    axis: Domain, name: str, node: NodeLike, inertia: float, noun: str, start: float | None, rate: float
) -> Element:
    """-m ẍ from the ground to a node."""
    m, x = positive(inertia, f"{noun} of {name!r}"), None if start is None else -start
    return AcrossStorage(name, (port(name, DATUM, node, axis),), m, x, -rate, noun)


def _damper(axis: Domain, name: str, tail: NodeLike, head: NodeLike, damping: float) -> Element:
    """-d ẋ."""
    d = positive(damping, f"damping of {name!r}")
    return Dissipation(name, (port(name, tail, head, axis),), "conductive", d, noun="damper")


def _source(axis: Domain, name: str, node: NodeLike, value: Drive, tail: NodeLike) -> Element:
    """Force or torque on a node, and back on the tail."""
    noun = axis.through
    given = drive(value, axis.through_unit, f"{noun} of {name!r}")
    return ThroughDriver(name, (port(name, tail, node, axis),), given, noun)


def _motion(axis: Domain, name: str, node: NodeLike, value: Drive, tail: NodeLike) -> Element:
    """Place of a node against the tail."""
    given = drive(value, axis.across_unit, f"{axis.across} of {name!r}")
    return AcrossDriver(name, (port(name, tail, node, axis),), given, "motion", -1.0)


@builder
def line_mass(
    name: str, node: NodeLike, mass: float, start: float | None = None, rate: float = 0.0
) -> Element:
    """Mass at a node of a line: F = -m ẍ; m in kg, ``start`` [m] and ``rate`` [m/s] at the start."""
    return _inertia(LINE, name, node, mass, "mass", start, rate)


@builder
def shaft_inertia(
    name: str, node: NodeLike, inertia: float, start: float | None = None, rate: float = 0.0
) -> Element:
    """Inertia on a shaft: T = -J θ̈; J in kg m², ``start`` [rad] and ``rate`` [rad/s] at the start."""
    return _inertia(SHAFT, name, node, inertia, "inertia", start, rate)


@builder
def line_spring(
    name: str, tail: NodeLike, head: NodeLike, stiffness: float = 0.0, free: float = 0.0,
    force: Callable[[Any], Any] | None = None,
) -> Element:  # fmt: skip
    """Spring on a line: F = -k(x - l₀) on the head, x = x_head - x_tail.

    Parameters
    ----------
    stiffness, free : k, N/m, and l₀, m.
    force : force on the head as a function of x, in functions of ``flexnet.algebra``, instead.
    """
    return PlaceStorage(name, (port(name, tail, head, LINE),), float(stiffness), float(free), force)


@builder
def shaft_spring(
    name: str, tail: NodeLike, head: NodeLike, stiffness: float = 0.0, free: float = 0.0,
    torque: Callable[[Any], Any] | None = None,
) -> Element:  # fmt: skip
    """Spring of a shaft: T = -k(θ - θ₀) on the head; k in N m/rad, or a law ``torque`` of θ instead."""
    return PlaceStorage(name, (port(name, tail, head, SHAFT),), float(stiffness), float(free), torque)


@builder
def line_damper(name: str, tail: NodeLike, head: NodeLike, damping: float) -> Element:
    """Damper on a line: F = -d ẋ on the head; d in N s/m."""
    return _damper(LINE, name, tail, head, damping)


@builder
def shaft_damper(name: str, tail: NodeLike, head: NodeLike, damping: float) -> Element:
    """Damper of a shaft: T = -d θ̇ on the head; d in N m s/rad."""
    return _damper(SHAFT, name, tail, head, damping)


@builder
def shaft_friction(name: str, tail: NodeLike, head: NodeLike, torque: Callable[[Any], Any]) -> Element:
    """Friction of a shaft: torque against the motion as a function of the speed of head against tail."""
    law = lambda rate: -torque(-rate)  # noqa: E731 - the drop is the tail's minus the head's
    return Dissipation(name, (port(name, tail, head, SHAFT),), "conductive", 0.0, law, (), "friction")


@builder
def line_force_source(name: str, node: NodeLike, force: Drive, tail: NodeLike = "ground") -> Element:
    """Force on a node of a line, and back on ``tail``, N; a number, a function of time or a signal."""
    return _source(LINE, name, node, force, tail)


@builder
def shaft_torque_source(name: str, node: NodeLike, torque: Drive, tail: NodeLike = "ground") -> Element:
    """Torque on a node of a shaft, and back on ``tail``, N m; a number, a function of time or a signal."""
    return _source(SHAFT, name, node, torque, tail)


@builder
def line_motion(name: str, node: NodeLike, displacement: Drive, tail: NodeLike = "ground") -> Element:
    """Prescribe the displacement of a node against ``tail``, m; a function of time."""
    return _motion(LINE, name, node, displacement, tail)


@builder
def shaft_motion(name: str, node: NodeLike, angle: Drive, tail: NodeLike = "ground") -> Element:
    """Prescribe the angle of a node against ``tail``, rad; a function of time."""
    return _motion(SHAFT, name, node, angle, tail)


@builder
def shaft_gear(
    name: str, first: NodeLike, second: NodeLike, ratio: float, housing: NodeLike = "ground"
) -> Element:
    """Ideal gear: ω₁ = n ω₂, T₂ = -n T₁ against a housing; edges ``name.1`` and ``name.2``."""
    ports = port(f"{name}.1", housing, first, SHAFT), port(f"{name}.2", housing, second, SHAFT)
    return ideal_transformer(name, ports, float(ratio), "gear")


@builder
def rack_and_pinion(name: str, shaft: NodeLike, line: NodeLike, radius: float) -> Element:
    """Wheel that rolls on a line: ẋ = r ω, T = -r F; edges ``name.1`` (line) and ``name.2`` (shaft)."""
    ports = port(f"{name}.1", DATUM, line, LINE), port(f"{name}.2", DATUM, shaft, SHAFT)
    return ideal_transformer(name, ports, float(radius), "rack and pinion")


@measure
def line_displacement(edge: str = "", node: str = "") -> Variable:
    """Displacement across an edge of a line, head minus tail, or of a node, m."""
    return measured(LINE, "across", edge, node)


@measure
def line_velocity(edge: str = "", node: str = "") -> Variable:
    """Velocity across an edge of a line, head minus tail, or of a node, m/s."""
    return measured(LINE, "rate", edge, node)


@measure
def line_force(edge: str) -> Variable:
    """Force of an edge of a line on its head, N."""
    return measured(LINE, "through", edge)


@measure
def shaft_angle(edge: str = "", node: str = "") -> Variable:
    """Angle across an edge of a shaft, head minus tail, or of a node, rad."""
    return measured(SHAFT, "across", edge, node)


@measure
def shaft_speed(edge: str = "", node: str = "") -> Variable:
    """Speed across an edge of a shaft, head minus tail, or of a node, rad/s."""
    return measured(SHAFT, "rate", edge, node)


@measure
def shaft_torque(edge: str) -> Variable:
    """Torque of an edge of a shaft on its head, N m."""
    return measured(SHAFT, "through", edge)
