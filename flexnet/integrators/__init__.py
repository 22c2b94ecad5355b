"""Integrators of index-3 DAEs on manifolds, through the protocol of :mod:`flexnet.dae` only."""

from flexnet.integrators.alpha import Alpha, generalised_alpha, hht
from flexnet.integrators.energy import Energy, energy_decaying, energy_preserving
from flexnet.integrators.integrate import Integration, Method, Schedule, Settings, initial_acceleration
from flexnet.integrators.status import Outcome, Status

__all__ = [
    "Alpha",
    "Energy",
    "Integration",
    "Method",
    "Outcome",
    "Schedule",
    "Settings",
    "Status",
    "energy_decaying",
    "energy_preserving",
    "generalised_alpha",
    "hht",
    "initial_acceleration",
]
