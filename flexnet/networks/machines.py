"""Machines between a network and a mechanism: lossless couplings, with their reaction on the frame.

An edge of the network follows the rate of a joint, and an actuator on the joint follows what passes through
the edge. What it takes from the network the coupling gives to the joint: k ω i = T ω, P A ẋ = F ẋ.
"""

import numpy as np

from flexnet.components.component import Component
from flexnet.components.frame import Frame
from flexnet.components.registry import BUILDERS, Mechanism, builder
from flexnet.components.spring_damper import known_as
from flexnet.errors import ModelError
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.electrical import ELECTRICAL
from flexnet.networks.element import DATUM, Drive, Element, NodeLike, drive, node_name, port, positive
from flexnet.networks.hydraulic import HYDRAULIC
from flexnet.networks.network import Variable
from flexnet.networks.storage import AcrossStorage, ThroughStorage
from flexnet.signals import Measure, Number, Signal, actuator
from flexnet.signals.signal import Formula, _dimension, combine
from flexnet.typing import Array

_AXES = np.eye(3)


def put(system: Mechanism, part: Element) -> None:
    """Add a part of a machine: its name has a dot, as those of frames have."""
    if part.name in system.elements:
        raise ModelError(f"the name {part.name!r} is used twice")
    system.elements[part.name] = part


def plain(signal: Signal) -> Signal:
    """A signal as plain SI numbers."""
    return Formula("add", (signal,), None)


def in_unit(signal: Signal, unit: str) -> Signal:
    """A signal of plain SI numbers in a unit."""
    return Formula("add", (signal,), _dimension(unit))


@builder
def dc_machine(
    system: Mechanism,
    name: str,
    tail: NodeLike,
    head: NodeLike,
    joint: str,
    constant: float,
    resistance: float,
    inductance: float = 0.0,
    gear: float = 1.0,
    field: str = "",
) -> Component:
    """Turn a joint by a direct-current machine between two nodes: v = R i + L di/dt + k n ω, T = n k i.

    Its edges are ``name.R``, ``name.L`` (where L is given) and ``name.emf``; the torque acts on the joint and
    back on its tail. The inertia of the rotor is not included: give it to a body.

    Parameters
    ----------
    joint : a joint with one angle.
    constant : k, N m/A, of a permanent magnet; else κ, N m/A², which the field current multiplies.
    resistance, inductance : of the armature, ohm and H; of a series machine with its field winding.
    gear : n, turns of the machine to one of the joint.
    field : edge whose current excites the machine, such as that of an inductor; ``"series"`` for its own.
    """
    R = positive(resistance, f"resistance of {name!r}")
    L = positive(inductance, f"inductance of {name!r}", may_be_zero=True)
    if field == "series" and L == 0.0:
        raise ModelError(f"series machine {name!r} needs an inductance: its current excites it")
    nodes = [f"{name}.1", f"{name}.2"] if L else [f"{name}.1"]
    put(
        system,
        Dissipation(f"{name}.R", (port(f"{name}.R", tail, nodes[0], ELECTRICAL),), "conductive", 1 / R),
    )
    if L:
        edge = port(f"{name}.L", nodes[0], nodes[1], ELECTRICAL)
        put(system, ThroughStorage(f"{name}.L", (edge,), ((L,),), (None,)))
    own = f"{name}.L" if L else f"{name}.emf"
    excited = {"": None, "series": own}.get(field, field)
    k: Signal = Number(float(constant) * float(gear))
    if excited is not None:
        k = k * plain(Variable("electrical", "through", excited))
    emf = k * plain(Measure("rate", joint, coordinate="angle"))
    put(
        system,
        AcrossDriver(
            f"{name}.emf", (port(f"{name}.emf", nodes[-1], head, ELECTRICAL),), emf, "emf", role="ports"
        ),
    )
    torque = k * plain(Variable("electrical", "through", own))
    return known_as("electrical machine", actuator(system, name, joint, in_unit(torque, "N*m")))


@builder
def motor(
    system: Mechanism,
    name: str,
    joint: str,
    voltage: Drive,
    constant: float,
    resistance: float,
    inductance: float = 0.0,
    gear: float = 1.0,
) -> Component:
    """Turn a joint by a direct-current machine on a source of its own: edge ``name.source`` to the ground.

    The inertia of its rotor is not included: give it to a body, or add n² times it to the one that turns.

    Parameters
    ----------
    voltage : u, V: a number, a function of time or a signal.
    constant, resistance, inductance, gear : as of ``dc_machine``.
    """
    value = drive(voltage, "V", f"voltage of {name!r}")
    edge = port(f"{name}.source", f"{name}.0", DATUM, ELECTRICAL)
    put(system, AcrossDriver(f"{name}.source", (edge,), value, "voltage source"))
    return dc_machine(system, name, f"{name}.0", DATUM, joint, constant, resistance, inductance, gear)


@builder
def hydraulic_motor(
    system: Mechanism, name: str, tail: NodeLike, head: NodeLike, joint: str, displacement: float
) -> Component:
    """Turn a joint by a flow between two nodes: q = D ω, T = D (P_tail - P_head); D in m³/rad."""
    D = float(displacement)
    q = D * plain(Measure("rate", joint, coordinate="angle"))
    edge = port(f"{name}.q", tail, head, HYDRAULIC)
    put(system, ThroughDriver(f"{name}.q", (edge,), q, "hydraulic motor", "ports"))
    torque = D * plain(Variable("hydraulic", "across", f"{name}.q"))
    return known_as("hydraulic motor", actuator(system, name, joint, in_unit(torque, "N*m")))


@builder
def cylinder(
    system: Mechanism,
    name: str,
    piston: NodeLike,
    rod: NodeLike,
    areas: tuple[float, float],
    joint: str = "",
    tail: Frame | None = None,
    head: Frame | None = None,
    compliance: tuple[float, float] | None = None,
    start: tuple[float, float] = (0.0, 0.0),
) -> Component:
    """Push a prismatic joint, or two frames apart, by pressure: q = A ẋ, F = P₁A₁ - P₂A₂.

    Edges ``name.1`` and ``name.2`` lead from the two chambers to the ground; with a compliance,
    ``name.C1`` and ``name.C2`` beside them.

    Parameters
    ----------
    piston, rod : nodes of the chambers whose pressure pushes out and draws in; one that is open to the ground
        has no edges.
    areas : A₁ and A₂, m².
    joint : a joint with one displacement; or
    tail, head : two frames, on the line between which it acts.
    compliance : V/B of the chambers, m³/Pa; none where the network has its own.
    start : pressures at the start, Pa, where a compliance is given.
    """
    A1, A2 = (positive(a, f"area of {name!r}", may_be_zero=True) for a in areas)
    if bool(joint) == (tail is not None and head is not None):
        raise ModelError(f"cylinder {name!r} needs a joint, or tail and head, one of them")
    if tail is None or head is None:
        rate = plain(Measure("rate", joint, coordinate="displacement"))
    else:
        rate = distance(tail, head)[1]
    force: Signal = Number(0.0)
    for k, (node, area) in enumerate(((piston, A1), (rod, -A2))):
        key = f"{name}.{k + 1}"
        if node_name(key, node) == DATUM:
            continue
        edge = port(key, node, DATUM, HYDRAULIC)
        force = force + area * plain(Variable("hydraulic", "across", key))
        put(system, ThroughDriver(key, (edge,), area * rate, "cylinder", "ports"))
        if compliance is not None:
            store = f"{name}.C{k + 1}"
            C = positive(compliance[k], f"compliance of {name!r}")
            edge = port(store, node, DATUM, HYDRAULIC)
            put(system, AcrossStorage(store, (edge,), C, float(start[k]), noun="chamber"))
    if joint:
        return known_as("hydraulic cylinder", actuator(system, name, joint, in_unit(force, "N")))
    return known_as("hydraulic cylinder", BUILDERS["spring"](name, tail, head, force=in_unit(force, "N")))


def distance(tail: Frame, head: Frame) -> tuple[Signal, Signal]:
    """Distance of the origins of two frames, m, and its rate, m/s, as plain numbers."""
    d = [_difference("position", tail, head, k) for k in range(3)]
    v = [_difference("velocity", tail, head, k) for k in range(3)]
    length = combine("sqrt", d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    return length, (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / length


def _difference(kind: str, tail: Frame, head: Frame, k: int) -> Signal:
    along: Array = _AXES[k]
    return plain(Measure(kind, head.name, along)) - plain(Measure(kind, tail.name, along))
