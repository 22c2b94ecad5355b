"""Quantities the user wants recorded."""

from collections.abc import Collection
from dataclasses import dataclass

from flexnet.components import Component, FlexibleBody
from flexnet.errors import ModelError, ResultError
from flexnet.system.measure import Measure
from flexnet.units import parse_unit


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A quantity to record, with its unit and what it is."""

    name: str
    measure: Measure
    unit: str
    description: str


#: SI units of what is measured; those of a joint's coordinate are an angle's or a length's
_UNITS = {
    "position": ("m",), "node": ("m",), "deflection": ("m",), "velocity": ("m/s",),
    "acceleration": ("m/s^2",), "angular_velocity": ("rad/s",), "coordinate": ("rad", "m"),
    "rate": ("rad/s", "m/s"), "force": ("N",), "torque": ("N*m",),
}  # fmt: skip


def check_unit(name: str, measure: Measure, unit: str) -> None:
    """Refuse a unit in which the measure is not recorded: values are SI and are not converted."""
    if not unit or measure.kind not in _UNITS:
        return
    wanted = _UNITS[measure.kind]
    try:
        found = parse_unit(unit)
    except ResultError as error:
        raise ModelError(f"channel {name!r}: {error}; it is recorded in {' or '.join(wanted)}") from error
    if found not in [parse_unit(one) for one in wanted]:
        raise ModelError(f"channel {name!r} is recorded in {' or '.join(wanted)}, not in {unit!r}")


def check_points(name: str, measure: Measure, part: Component, frames: Collection[str]) -> None:
    """Refuse a point that a flexible body does not have."""
    if not isinstance(part, FlexibleBody):
        raise ModelError(f"channel {name!r}: {measure.target!r} is not a flexible body")
    nodes = part.table.output.nodes
    if isinstance(measure.point, int) and measure.point not in nodes:
        raise ModelError(
            f"channel {name!r}: node {measure.point} is not one of the {len(nodes)} output nodes"
            f" of {measure.target!r}"
        )
    for frame in (measure.point, *measure.chord):
        if isinstance(frame, str) and frame not in frames:
            raise ModelError(f"channel {name!r}: frame {frame!r} is not in the system")
