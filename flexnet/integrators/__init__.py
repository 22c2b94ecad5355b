"""Integrators of index-3 DAEs on manifolds, through the protocol of :mod:`flexnet.dae` only."""

from flexnet.integrators.alpha import Alpha, generalised_alpha, hht
from flexnet.integrators.integrate import Integration, Settings, initial_acceleration
from flexnet.integrators.status import Outcome, Status

__all__ = [
    "Alpha",
    "Integration",
    "Outcome",
    "Settings",
    "Status",
    "generalised_alpha",
    "hht",
    "initial_acceleration",
]
