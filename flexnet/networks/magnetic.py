"""Magnetic elements: tension θ = θ_tail - θ_head, A, and rate of the flux Φ̇ from tail to head, V.

With the rate of the flux as through variable θΦ̇ is a power, and a piece of iron or air is a storage,

    Φ̇ = Λ dθ/dt,    Λ = μ A/l,    energy ½ Λ θ² = ½ Φ²/Λ ,

not a resistance: a winding, which couples it with a circuit, is then a lossless gyrator.
"""

from flexnet.components.registry import builder
from flexnet.graph import Domain, scalar_domain
from flexnet.networks.electrical import ELECTRICAL
from flexnet.networks.element import Element, NodeLike, port, positive
from flexnet.networks.hybrid import Hybrid, Relation
from flexnet.networks.network import Variable, measure, measured
from flexnet.networks.storage import AcrossStorage

MAGNETIC = scalar_domain(Domain("magnetic", "tension", "flux rate", "A", "V"))


@measure
def magnetic_tension(edge: str = "", node: str = "") -> Variable:
    """Magnetic tension of an edge, tail minus head, or of a node against the ground, A."""
    return measured(MAGNETIC, "across", edge, node)


@measure
def flux_rate(edge: str) -> Variable:
    """Rate of the flux through an edge, from tail to head, V."""
    return measured(MAGNETIC, "through", edge)


@builder
def reluctance(
    name: str, tail: NodeLike, head: NodeLike, reluctance: float, start: float | None = None
) -> Element:
    """Piece of a magnetic circuit: Φ = θ/R, R = l/(μ A) in A/Wb; tension ``start`` [A] at the start."""
    R = positive(reluctance, f"reluctance of {name!r}")
    return AcrossStorage(name, (port(name, tail, head, MAGNETIC),), 1.0 / R, start, noun="reluctance")


@builder
def winding(
    name: str, coil: tuple[NodeLike, NodeLike], core: tuple[NodeLike, NodeLike], turns: float
) -> Element:
    """Coil on a core: θ = N i, v = -N Φ̇; edges ``name.coil`` and ``name.core``.

    The current drives the flux out of the first node of the core and in at the second, against Φ̇, which
    counts from the first to the second through the coil: so v i + θ Φ̇ = 0.
    """
    N = positive(turns, f"turns of {name!r}")
    ports = port(f"{name}.coil", *coil, ELECTRICAL), port(f"{name}.core", *core, MAGNETIC)
    return Hybrid(name, ports, (Relation({1: 1.0}, {0: -N}), Relation({0: 1.0}, {1: N})), "winding")
