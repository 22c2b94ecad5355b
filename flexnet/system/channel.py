"""Quantities the user wants recorded."""

from collections.abc import Collection
from dataclasses import dataclass

from flexnet.components import Component, FlexibleBody
from flexnet.components.rod_element import RodElement
from flexnet.errors import ModelError, ResultError
from flexnet.networks import Network, Variable
from flexnet.signals import BEAM_STRAIN, BEAM_STRESS, Measure, Signal, si_unit
from flexnet.units import conversion


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


def check_points(what: str, measure: Measure, part: Component, frames: Collection[str]) -> None:
    """Refuse a point that a flexible body does not have."""
    if isinstance(part, RodElement):
        return
    if not isinstance(part, FlexibleBody):
        raise ModelError(f"{what}: {measure.target!r} is not a flexible body")
    nodes = part.table.output.nodes
    if isinstance(measure.point, int) and measure.point not in nodes:
        raise ModelError(
            f"{what}: node {measure.point} is not one of the {len(nodes)} output nodes of {measure.target!r}"
        )
    for frame in (measure.point, *measure.chord):
        if isinstance(frame, str) and frame not in frames:
            raise ModelError(f"{what}: frame {frame!r} is not in the system")
    if measure.kind == "stress":
        _check_stress(what, measure, part)


def _check_stress(what: str, measure: Measure, part: FlexibleBody) -> None:
    """Refuse a stress where no beam or shell is, or no section is known."""
    if part.body is None:
        raise ModelError(f"{what}: flexible body {measure.target!r} came as a table, which has no sections")
    frames, node = part.table.frames, measure.point
    if isinstance(node, str):
        own = {
            f"{measure.target}.{key}": int(place)
            for key, place in zip(frames.names, frames.nodes, strict=True)
        }
        if node not in own:
            raise ModelError(f"{what}: frame {node!r} is not an attachment frame of {measure.target!r}")
        node = own[node]
    is_beam = measure.coordinate in BEAM_STRESS | BEAM_STRAIN
    mesh = part.table.mesh
    if not (node in mesh.lines if is_beam else node in mesh.triangles or node in mesh.quadrilaterals):
        element = "beam" if is_beam else "shell"
        raise ModelError(
            f"{what}: there is no {element} at node {node} of {measure.target!r}, and"
            f" {measure.coordinate!r} is of a {element}"
        )
