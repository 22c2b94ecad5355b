"""Scalar networks: one graph, one across and one through variable an edge, in every domain.

Five generic pages carry all domains (drivers, dissipation, storages, hybrid elements); a page for each domain
names them. Every page of this folder is read when the folder is, and enters its domain, its elements and its
measures in their registries. :class:`~flexnet.networks.network.Network` solves them for the states, in any
tree.
"""

import pkgutil
from importlib import import_module

from flexnet.components.registry import BUILDERS
from flexnet.networks.dissipation import Dissipation
from flexnet.networks.drivers import AcrossDriver, ThroughDriver
from flexnet.networks.element import DATUM, ELEMENTS, Element, Port
from flexnet.networks.hybrid import Hybrid, Relation
from flexnet.networks.network import MEASURES, Network, Variable, variables_in
from flexnet.networks.storage import AcrossStorage, PlaceStorage, ThroughStorage

#: pages that write equations for people, and load sympy: read when they are asked for
_LATER = ("steps", "symbolic", "vibrating")

for _page in pkgutil.iter_modules(__path__):
    if _page.name not in _LATER:
        import_module(f"{__name__}.{_page.name}")

__all__ = [
    "BUILDERS", "DATUM", "ELEMENTS", "MEASURES", "AcrossDriver", "AcrossStorage", "Dissipation", "Element",
    "Hybrid", "Network", "PlaceStorage", "Port", "Relation", "ThroughDriver", "ThroughStorage", "Variable",
    "variables_in",
]  # fmt: skip
