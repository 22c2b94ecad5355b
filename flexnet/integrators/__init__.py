"""Integrators of index-3 DAEs on manifolds, through the protocol of :mod:`flexnet.dae` only.

Every page of this room that enters a method in :data:`METHODS` is read when the room is; the loops of the
compiled methods wait until a run begins.
"""

from importlib import import_module
from pathlib import Path

from flexnet.integrators.alpha import Alpha, acceleration_level, generalised_alpha, hht
from flexnet.integrators.energy import Energy, energy_decaying, energy_preserving
from flexnet.integrators.evaluation import Evaluation
from flexnet.integrators.events import Occurrence
from flexnet.integrators.march import March
from flexnet.integrators.method import METHODS, Method, Traits, begin, integrator, numbers_of, summary
from flexnet.integrators.one_step import OneStep
from flexnet.integrators.radau import Radau, radau
from flexnet.integrators.reference import Reference, reference
from flexnet.integrators.relay import Relay, relay
from flexnet.integrators.runge_kutta import RungeKutta, dop853, dopri5, rk4
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import initial_acceleration
from flexnet.integrators.status import Outcome, Status

for _page in sorted(Path(__file__).parent.glob("*.py")):
    if "\n@integrator\n" in _page.read_text(encoding="utf-8"):
        import_module(f"{__name__}.{_page.stem}")

__all__ = [
    "METHODS",
    "Alpha",
    "Energy",
    "Evaluation",
    "March",
    "Method",
    "Occurrence",
    "OneStep",
    "Outcome",
    "Radau",
    "Reference",
    "Relay",
    "RungeKutta",
    "Settings",
    "Status",
    "Traits",
    "acceleration_level",
    "begin",
    "dop853",
    "dopri5",
    "energy_decaying",
    "energy_preserving",
    "generalised_alpha",
    "hht",
    "initial_acceleration",
    "integrator",
    "numbers_of",
    "radau",
    "reference",
    "relay",
    "rk4",
    "summary",
]
