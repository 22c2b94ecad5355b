"""Quantities the user wants recorded."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flexnet.errors import ModelError, ResultError
from flexnet.networks import Network, Variable
from flexnet.signals import Signal, si_unit
from flexnet.system.slots import check_measures
from flexnet.units import conversion
from flexnet.validation import plain_name, plain_text

if TYPE_CHECKING:
    from flexnet.system.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A quantity to record, with its unit and what it is.

    Attributes
    ----------
    factor : what one SI unit of the measure is in the unit of the channel.
    """

    name: str
    measure: Signal
    unit: str
    description: str
    factor: float = 1.0


def unit_factor(name: str, measure: Signal, unit: str) -> float:
    """What one SI unit of a measure is in a unit; 1 where none is given.

    Raises
    ------
    ModelError
        If the unit is unknown, or does not measure what the channel records.
    """
    own = si_unit(measure)
    try:
        return conversion(own, unit) if unit else 1.0
    except ResultError as error:
        raise ModelError(f"channel {name!r}: {error}; it is recorded in {own}") from error


def network_channels(network: Network) -> list[Channel]:
    """Channels for every variable of every edge, such as ``R2.voltage`` and ``R2.current``."""
    out = []
    for name, p in network.ports.items():
        d = p.domain
        kinds = {"across": d.across, "through": d.through}
        if d.has_places:
            kinds["rate"] = f"{d.across}_rate"
        for kind, word in kinds.items():
            if (name, kind) in network.variables:
                variable = Variable(d.name, kind, name)
                text = f"{word.replace('_', ' ')} of {name}"
                out.append(Channel(f"{name}.{word}".replace(" ", "_"), variable, variable.unit, text))
    return out


def channel(self: "System", name: str, measure: Signal, unit: str = "", description: str = "") -> None:
    """Record a signal under a name.

    Parameters
    ----------
    measure : made by ``position``, ``velocity``, ``joint_coordinate``, ``force``, …, or computed of such.
    unit : unit to record in, such as ``"mm"`` or ``"deg"``; SI if left out.
    """
    plain_name(name, "the name of a channel")
    check_measures(f"channel {name!r}", [measure], self.frames, self.components)
    factor = unit_factor(name, measure, plain_text(unit, f"unit of channel {name!r}"))
    plain_text(description, f"description of channel {name!r}")
    if any(c.name == name for c in self.asked):
        raise ModelError(f"channel {name!r} is defined twice")
    self.asked.append(Channel(name, measure, unit, description, factor))
