"""Hydraulic elements: pressure P = P_tail - P_head, Pa, and flow q from tail to head, m³/s (GTM table 2)."""

from typing import Any

import flexnet.algebra as algebra
from flexnet.components.registry import builder
from flexnet.errors import ModelError
from flexnet.graph import Domain, scalar_domain
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.element import DATUM, Drive, Element, NodeLike, Port, drive, port, positive
from flexnet.networks.network import Variable, measure, measured
from flexnet.networks.storage import AcrossStorage, ThroughStorage

HYDRAULIC = scalar_domain(Domain("hydraulic", "pressure", "flow", "Pa", "m^3/s"))


@measure
def pressure(edge: str = "", node: str = "") -> Variable:
    """Pressure across an edge, tail minus head, or of a node against the ground, Pa."""
    return measured(HYDRAULIC, "across", edge, node)


@measure
def flow(edge: str) -> Variable:
    """Volume that passes an edge from tail to head, m³/s."""
    return measured(HYDRAULIC, "through", edge)


def _port(name: str, tail: NodeLike, head: NodeLike) -> Port:
    return port(name, tail, head, HYDRAULIC)


@builder
def pressure_source(name: str, tail: NodeLike, head: NodeLike, pressure: Drive) -> Element:
    """Prescribe the pressure between two nodes: P = P_tail - P_head, Pa."""
    value = drive(pressure, "Pa", f"pressure of {name!r}")
    return AcrossDriver(name, (_port(name, tail, head),), value, "pressure source")


@builder
def flow_source(name: str, tail: NodeLike, head: NodeLike, flow: Drive) -> Element:
    """Prescribe the flow from tail to head, m³/s: a pump, or what is drawn off."""
    value = drive(flow, "m^3/s", f"flow of {name!r}")
    return ThroughDriver(name, (_port(name, tail, head),), value, "flow source")


@builder
def pipe(
    name: str,
    tail: NodeLike,
    head: NodeLike,
    resistance: float | None = None,
    conductance: float | None = None,
    exponent: float = 1.0,
    laminar: float = 0.0,
) -> Element:
    """Pipe: P = R |q|ᵏ⁻¹ q (GTM table 2), or the same written q = G sign(P) |P|^(1/k) (GTM (39)).

    At rest the one has a derivative of zero, the other none: P = R (q² + q₀²)^((k - 1)/2) q is taken.

    Parameters
    ----------
    resistance : R, Pa/(m³/s)ᵏ.
    conductance : G, (m³/s)/Pa^(1/k); then R = G⁻ᵏ.
    exponent : k: 1 where the flow is laminar, up to 2 where it is turbulent.
    laminar : q₀, m³/s, where k > 1; the pressure is greater by (k - 1)/2 (q₀/q)² of itself.
    """
    if (resistance is None) == (conductance is None):
        raise ModelError(f"pipe {name!r} needs a resistance or a conductance, one of them")
    k = float(exponent)
    if not 1.0 <= k <= 2.0:
        raise ModelError(f"exponent of pipe {name!r} must be between 1 and 2, got {exponent!r}")
    if conductance is not None:
        G = positive(conductance, f"conductance of {name!r}")
        R = G**-k
    else:
        assert resistance is not None
        R = positive(resistance, f"resistance of {name!r}")
        G = R ** (-1.0 / k)
    if k == 1.0:
        return Dissipation(name, (_port(name, tail, head),), "conductive", G, noun="pipe")
    q0 = positive(laminar, f"laminar of {name!r}")

    def law(q: Any) -> Any:
        return R * q * algebra.power(q * q + q0 * q0, 0.5 * (k - 1.0))

    return Dissipation(name, (_port(name, tail, head),), "resistive", 0.0, law, (), "pipe", q0)


@builder
def valve(
    name: str, tail: NodeLike, head: NodeLike, flow: float, opening: Drive, transition: float
) -> Element:
    """Valve: q = u K P/(P² + p₀²)^¼, turbulent (K √P) above a transition pressure and laminar below.

    Parameters
    ----------
    flow : K, m³/s/√Pa: a discharge coefficient times area times √(2/ρ).
    opening : u, 0 closed to 1 open: a number, a function of time or a signal; clipped there.
    transition : p₀, Pa.
    """
    K, p0 = positive(flow, f"flow of {name!r}"), positive(transition, f"transition of {name!r}")
    u = drive(opening, "1", f"opening of {name!r}")

    def law(p: Any, s: Any) -> Any:
        open_part = algebra.minimum(algebra.maximum(s, 0.0), 1.0)
        return open_part * K * p / algebra.sqrt(algebra.sqrt(p * p + p0 * p0))

    return Dissipation(name, (_port(name, tail, head),), "conductive", 0.0, law, (u,), "valve")


@builder
def tank(name: str, node: NodeLike, capacity: float, start: float | None = None) -> Element:
    """Tank from a node to the ground: q = C dP/dt, C = A/(ρ g) in m³/Pa; pressure ``start`` [Pa]."""
    C = positive(capacity, f"capacity of {name!r}")
    return AcrossStorage(name, (_port(name, node, DATUM),), C, start, noun="tank")


@builder
def accumulator(
    name: str, tail: NodeLike, head: NodeLike, capacity: float, start: float | None = None
) -> Element:
    """Compliance between two nodes: q = C dP/dt; a volume V of bulk modulus B has C = V/B, m³/Pa."""
    C = positive(capacity, f"capacity of {name!r}")
    return AcrossStorage(name, (_port(name, tail, head),), C, start, noun="accumulator")


@builder
def inertance(
    name: str, tail: NodeLike, head: NodeLike, inertia: float, start: float | None = None
) -> Element:
    """Inertia of the fluid in a pipe: P = L dq/dt, L = ρ l/A in kg/m⁴; flow ``start`` [m³/s]."""
    L = positive(inertia, f"inertia of {name!r}")
    return ThroughStorage(name, (_port(name, tail, head),), ((L,),), (start,), "inertance")
