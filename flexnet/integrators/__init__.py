"""Integrators of index-3 DAEs on manifolds, through the protocol of :mod:`flexnet.dae` only."""

from flexnet.integrators.alpha import Alpha, acceleration_level, generalised_alpha, hht
from flexnet.integrators.integrate import Integration, Settings, initial_acceleration, is_compiled
from flexnet.integrators.methods import METHODS, March, Method, begin
from flexnet.integrators.reference import Reference, reference
from flexnet.integrators.status import Outcome, Status

__all__ = [
    "METHODS",
    "Alpha",
    "Integration",
    "March",
    "Method",
    "Outcome",
    "Reference",
    "Settings",
    "Status",
    "acceleration_level",
    "begin",
    "generalised_alpha",
    "hht",
    "initial_acceleration",
    "is_compiled",
    "reference",
]
