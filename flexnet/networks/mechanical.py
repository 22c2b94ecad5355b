"""Elements along one axis: lines (displacement, m; force, N), shafts (angle, rad; torque, N m); GTM table 3.

What is across an edge is the head's minus the tail's, what passes through it the force on its head, so that
a mass has F = -m ẍ, a spring F = -k(x - l₀), a damper F = -d ẋ. A mass goes from the ground to a node.
"""

from collections.abc import Callable
from typing import Any

from flexnet.components.registry import builder
from flexnet.graph import DOMAINS
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.electrical import ideal_transformer
from flexnet.networks.element import DATUM, Drive, Element, NodeLike, drive, port, positive
from flexnet.networks.storage import AcrossStorage, PlaceStorage

LINE, SHAFT = DOMAINS["translation"], DOMAINS["rotation"]


@builder
def line_mass(
    name: str, node: NodeLike, mass: float, start: float | None = None, rate: float = 0.0
) -> Element:
    """Mass at a node of a line: F = -m ẍ; m in kg, ``start`` [m] and ``rate`` [m/s] at the start."""
    m = positive(mass, f"mass of {name!r}")
    x = None if start is None else -start
    return AcrossStorage(name, (port(name, DATUM, node, LINE),), m, x, -rate, "mass")


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
def line_damper(name: str, tail: NodeLike, head: NodeLike, damping: float) -> Element:
    """Damper on a line: F = -d ẋ on the head; d in N s/m."""
    d = positive(damping, f"damping of {name!r}")
    return Dissipation(name, (port(name, tail, head, LINE),), "conductive", d, noun="damper")


@builder
def line_force_source(name: str, node: NodeLike, force: Drive, tail: NodeLike = "ground") -> Element:
    """Force on a node of a line, and back on ``tail``, N; a number, a function of time or a signal."""
    value = drive(force, "N", f"force of {name!r}")
    return ThroughDriver(name, (port(name, tail, node, LINE),), value, "force")


@builder
def line_motion(name: str, node: NodeLike, displacement: Drive, tail: NodeLike = "ground") -> Element:
    """Prescribe the displacement of a node against ``tail``, m; a function of time."""
    value = drive(displacement, "m", f"displacement of {name!r}")
    return AcrossDriver(name, (port(name, tail, node, LINE),), value, "motion", -1.0)


@builder
def shaft_inertia(
    name: str, node: NodeLike, inertia: float, start: float | None = None, rate: float = 0.0
) -> Element:
    """Inertia on a shaft: T = -J θ̈; J in kg m², ``start`` [rad] and ``rate`` [rad/s] at the start."""
    J = positive(inertia, f"inertia of {name!r}")
    x = None if start is None else -start
    return AcrossStorage(name, (port(name, DATUM, node, SHAFT),), J, x, -rate, "inertia")


@builder
def shaft_spring(
    name: str, tail: NodeLike, head: NodeLike, stiffness: float = 0.0, free: float = 0.0,
    torque: Callable[[Any], Any] | None = None,
) -> Element:  # fmt: skip
    """Spring of a shaft: T = -k(θ - θ₀) on the head; k in N m/rad, or a law ``torque`` of θ instead."""
    return PlaceStorage(name, (port(name, tail, head, SHAFT),), float(stiffness), float(free), torque)


@builder
def shaft_damper(name: str, tail: NodeLike, head: NodeLike, damping: float) -> Element:
    """Damper of a shaft: T = -d θ̇ on the head; d in N m s/rad."""
    d = positive(damping, f"damping of {name!r}")
    return Dissipation(name, (port(name, tail, head, SHAFT),), "conductive", d, noun="damper")


@builder
def shaft_friction(name: str, tail: NodeLike, head: NodeLike, torque: Callable[[Any], Any]) -> Element:
    """Friction of a shaft: torque against the motion as a function of the speed of head against tail."""
    law = lambda rate: -torque(-rate)  # noqa: E731 - the drop is the tail's minus the head's
    return Dissipation(name, (port(name, tail, head, SHAFT),), "conductive", 0.0, law, (), "friction")


@builder
def shaft_torque_source(name: str, node: NodeLike, torque: Drive, tail: NodeLike = "ground") -> Element:
    """Torque on a node of a shaft, and back on ``tail``, N m; a number, a function of time or a signal."""
    value = drive(torque, "N*m", f"torque of {name!r}")
    return ThroughDriver(name, (port(name, tail, node, SHAFT),), value, "torque")


@builder
def shaft_motion(name: str, node: NodeLike, angle: Drive, tail: NodeLike = "ground") -> Element:
    """Prescribe the angle of a node against ``tail``, rad; a function of time."""
    value = drive(angle, "rad", f"angle of {name!r}")
    return AcrossDriver(name, (port(name, tail, node, SHAFT),), value, "motion", -1.0)


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
