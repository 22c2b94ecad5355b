"""The methods by name: what makes one, and the parameter it has."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.alpha import Alpha, acceleration_level, generalised_alpha, hht
from flexnet.integrators.alpha_state import Output
from flexnet.integrators.energy import Energy, energy_decaying, energy_preserving
from flexnet.integrators.energy_run import EnergyIntegration
from flexnet.integrators.integrate import Integration, Settings
from flexnet.integrators.reference import Reference, ReferenceIntegration, reference
from flexnet.integrators.relay import Relay, RelayIntegration
from flexnet.integrators.schedule import Schedule
from flexnet.integrators.status import Status
from flexnet.typing import Array
from flexnet.validation import nearest, shown

Method: TypeAlias = Alpha | Energy | Reference | Relay

METHODS: dict[str, tuple[Callable[..., Method], str]] = {
    "hht": (hht, "alpha"),
    "generalised_alpha": (generalised_alpha, "rho"),
    "acceleration_level": (acceleration_level, "alpha"),
    "energy_preserving": (energy_preserving, ""),
    "energy_decaying": (energy_decaying, "rho"),
    "reference": (reference, ""),
}


class March(Protocol):
    """A run that is advanced block by block, whatever its method.

    Attributes
    ----------
    settings : how to step.
    schedule : when rows are written.
    rows : output rows written so far.
    status : how the run stands.
    """

    settings: Settings
    schedule: Schedule
    rows: int
    status: Status

    @property
    def t(self) -> float:
        """Time reached, s."""
        ...

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        ...

    @property
    def memory(self) -> dict[str, Array]:
        """What the next step needs beside q and v."""
        ...

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered now leads on as if the run had never been stopped."""
        ...

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows."""
        ...

    def start(self) -> Output:
        """The start as one output row."""
        ...

    def blocks(self) -> Iterator[Output]:
        """Advance to the end; stops early if a step fails."""
        ...


def begin(dae: Dae, method: Method, settings: Settings) -> March:
    """A run of a DAE at its start."""
    if isinstance(method, Reference):
        return ReferenceIntegration(dae, method, settings)
    if isinstance(method, Energy):
        return EnergyIntegration(dae, method, settings)
    if isinstance(method, Relay):
        return RelayIntegration(dae, method, settings, begin)
    if isinstance(method, Alpha):
        return Integration(dae, method, settings)
    known = ", ".join(f"fx.{name}()" for name in METHODS)
    name = method if isinstance(method, str) and method in METHODS else getattr(method, "__name__", "")
    hint = f"; call it: fx.{name}()" if name else nearest(method, METHODS)
    raise FlexnetError(f"the method is {shown(method)}; expected one of {known}{hint}")
