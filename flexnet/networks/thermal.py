"""Thermal elements: temperature T = T_tail - T_head, K; heat flow from tail to head, W, itself a power."""

from flexnet.components.registry import builder
from flexnet.graph import Domain, scalar_domain
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.element import DATUM, Drive, Element, NodeLike, Port, drive, port, positive
from flexnet.networks.network import Variable, measure, measured
from flexnet.networks.storage import AcrossStorage

THERMAL = scalar_domain(Domain("thermal", "temperature", "heat flow", "K", "W", power="through"))


@measure
def temperature(edge: str = "", node: str = "") -> Variable:
    """Temperature across an edge, tail minus head, or of a node against the ground, K."""
    return measured(THERMAL, "across", edge, node)


@measure
def heat_flow(edge: str) -> Variable:
    """Heat that passes an edge from tail to head, W."""
    return measured(THERMAL, "through", edge)


def _port(name: str, tail: NodeLike, head: NodeLike) -> Port:
    return port(name, tail, head, THERMAL)


@builder
def temperature_source(name: str, node: NodeLike, temperature: Drive) -> Element:
    """Hold a node at a temperature above that of the ground, K; a number, function of time or signal."""
    value = drive(temperature, "K", f"temperature of {name!r}")
    return AcrossDriver(name, (_port(name, node, DATUM),), value, "temperature source")


@builder
def heat_source(name: str, node: NodeLike, heat: Drive) -> Element:
    """Bring heat to a node, W: from the ground to the node."""
    value = drive(heat, "W", f"heat of {name!r}")
    return ThroughDriver(name, (_port(name, DATUM, node),), value, "heat source")


@builder
def heat_capacity(name: str, node: NodeLike, capacity: float, start: float | None = None) -> Element:
    """Store heat at a node: Q̇ = C dT/dt; C in J/K, temperature ``start`` [K]."""
    C = positive(capacity, f"capacity of {name!r}")
    return AcrossStorage(name, (_port(name, node, DATUM),), C, start, noun="heat capacity")


@builder
def heat_conductor(name: str, tail: NodeLike, head: NodeLike, conductance: float) -> Element:
    """Conduct heat: Q̇ = G (T_tail - T_head); G in W/K."""
    G = positive(conductance, f"conductance of {name!r}")
    return Dissipation(name, (_port(name, tail, head),), "conductive", G, noun="heat conductor")
