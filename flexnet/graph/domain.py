"""Domains: what is measured across an edge and what passes through it, as data.

The graph is the same for all of them. Translation and rotation in space have vectors and rotations across
their edges; the other domains are *scalar*: one number across an edge and one through it.
"""

from dataclasses import dataclass
from typing import Literal

#: how the power an edge takes follows from its two variables
Power = Literal["product", "rate", "through"]


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain of scalar networks.

    Attributes
    ----------
    name : what it is called.
    across, through : names of the two variables.
    across_unit, through_unit : their SI units.
    sense : 1 where the across variable is the tail's minus the head's (a drop, as of voltage), -1 where it
        is the head's minus the tail's (a place, as of a displacement).
    power : what an edge takes, W: the ``product`` ατ; of places the product with the ``rate`` of the across
        variable; or the ``through`` variable itself, which is a power already.
    nodes : what its nodes are called in messages.
    """

    name: str
    across: str
    through: str
    across_unit: str
    through_unit: str
    sense: int = 1
    power: Power = "product"
    nodes: str = "node"

    @property
    def has_places(self) -> bool:
        """Whether the across variable is a place: what is stored and lost follows its rate."""
        return self.power == "rate"


#: every scalar domain by its name; a page enters its own
DOMAINS: dict[str, Domain] = {}


def scalar_domain(made: Domain) -> Domain:
    """Enter a domain in the registry."""
    DOMAINS[made.name] = made
    return made
