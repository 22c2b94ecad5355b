"""Scalar networks: one graph, one across and one through variable an edge, in every domain.

Five generic pages carry all domains (drivers, dissipation, storages, hybrid elements); a page for each domain
names them. :class:`~flexnet.networks.network.Network` solves them for the states, in any tree.
"""

from flexnet.components.registry import BUILDERS
from flexnet.networks import (
    electrical,
    electrostatic,
    hydraulic,
    machines,
    magnetic,
    mechanical,
    piezo,
    thermal,
)
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.element import DATUM, ELEMENTS, Element, Port
from flexnet.networks.hybrid import Hybrid, Relation
from flexnet.networks.measures import (
    current,
    flow,
    flux_rate,
    heat_flow,
    line_displacement,
    line_force,
    line_velocity,
    magnetic_tension,
    pressure,
    shaft_angle,
    shaft_speed,
    shaft_torque,
    temperature,
    voltage,
)
from flexnet.networks.network import Network, Variable, variables_in
from flexnet.networks.storage import AcrossStorage, PlaceStorage, ThroughStorage

__all__ = [
    "BUILDERS", "DATUM", "ELEMENTS", "AcrossDriver", "AcrossStorage", "Dissipation", "Element", "Hybrid",
    "Network", "PlaceStorage", "Port", "Relation", "ThroughDriver", "ThroughStorage", "Variable", "current",
    "electrical", "electrostatic", "flow", "flux_rate", "heat_flow", "hydraulic", "line_displacement",
    "line_force", "line_velocity", "machines", "magnetic", "magnetic_tension", "mechanical", "piezo",
    "pressure", "shaft_angle", "shaft_speed", "shaft_torque", "temperature", "thermal", "variables_in",
    "voltage",
]  # fmt: skip
