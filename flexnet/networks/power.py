"""What networks store, lose and are given: the energy balance over all edges, in every domain.

An edge takes the power ατ, of a place ẋ F with the drop ẋ. Tellegen's sum over all edges is zero, so that

    dE/dt = P_sources + P_ports + P_losses,    P = -Σ ατ over the edges of each kind,

with E what is stored (of thermal edges: :func:`~flexnet.networks.element.brought`). A coupling that stores
energy itself, as a condenser of moving plates, brings dE/dt - ατ: what the mechanism gives it.
"""

from collections.abc import Mapping, Sequence

from flexnet.networks.element import Element
from flexnet.signals import Number, Signal

#: kinds of power that reach a network: of drivers and amplifiers, of couplings to a mechanism, of losses
ROLES = ("sources", "ports", "losses")
Variables = Mapping[tuple[str, str], Signal]


def powers(elements: Sequence[Element], variables: Variables) -> tuple[Signal, Signal, Signal]:
    """Power that sources, ports and dissipation bring to the networks, W; that of dissipation is negative."""
    sources, ports, losses = (
        added([e.power(*_of(e, variables)) for e in elements if e.role == role]) for role in ROLES
    )
    return sources, ports, losses


def stored(elements: Sequence[Element], variables: Variables) -> Signal:
    """Energy that all storages hold, J."""
    found = [e.energy(*_of(e, variables)) for e in elements]
    return added([x for x in found if x is not None])


def _of(e: Element, variables: Variables) -> tuple[list[Signal], list[Signal]]:
    """Drops (of places, their rates) and through variables of the edges of an element."""
    drops = [
        float(p.domain.sense) * variables[p.name, "rate" if p.domain.has_places else "across"]
        for p in e.ports
    ]
    return drops, [variables[p.name, "through"] for p in e.ports]


def added(terms: Sequence[Signal]) -> Signal:
    """Sum of signals, by halves: not as deep as it is long."""
    if not terms:
        return Number(0.0)
    rows = list(terms)
    while len(rows) > 1:
        rows = [a + b for a, b in zip(rows[::2], rows[1::2], strict=False)] + rows[len(rows) & ~1 :]
    return rows[0]
