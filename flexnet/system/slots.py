"""Signals in a System: where they stand, and what is refused of them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from functools import cache

from flexnet.components import Component, ForceElement, TimeFunction
from flexnet.components.attachment import Attachment
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.signals import OF_FRAMES, Measure, Signal, states_of
from flexnet.system.channel import check_points
from flexnet.units import ENERGY, FORCE, unit_name
from flexnet.validation import nearest


def signals_in(part: Component) -> Iterator[Signal]:
    """Signals among the data of a component."""
    for name in _names(type(part)):
        value = getattr(part, name)
        if isinstance(value, TimeFunction | tuple):
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, TimeFunction) and one.kind == "signal":
                    yield one.expression


@cache
def _names(kind: type[Component]) -> tuple[str, ...]:
    """Fields of a kind of component."""
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]  # they are dataclasses


def check_slots(part: Component, frames: Collection[str], components: Mapping[str, Component]) -> None:
    """Refuse a signal where it cannot stand, in a unit not that of its slot, or of what is not there."""
    found = list(signals_in(part))
    if not isinstance(part, ForceElement):
        raise ModelError(
            f"{part.noun} {part.name!r} is given a signal; let a force or a torque follow the signal"
        )
    what = f"{part.called} {part.name!r}"
    for given, is_torque in part.functions:
        wanted = ENERGY if is_torque else FORCE
        if given.kind == "signal" and given.expression.dimension not in (None, wanted):
            raise ModelError(
                f"{what} is given a signal in {given.expression.unit}; expected {unit_name(wanted)}"
            )
    for leaf in states_of(found)[1]:
        if isinstance(leaf, Measure):
            check_measure(what, leaf, frames, components)


def check_measure(
    what: str, measure: Measure, frames: Collection[str], components: Mapping[str, Component]
) -> None:
    """Refuse a measure of what is not there."""
    if measure.kind == "energy":
        return
    known = frames if measure.kind in OF_FRAMES else components
    if measure.target not in known:
        hint = nearest(measure.target, known)
        raise ModelError(f"{what} measures {measure.target!r}, which is not in the system{hint}")
    if measure.seen_from and measure.seen_from not in frames:
        hint = nearest(measure.seen_from, frames)
        raise ModelError(f"{what} looks from {measure.seen_from!r}, which is not in the system{hint}")
    if measure.kind in ("force", "torque") and components[measure.target].kind in (Kind.BODY, Kind.ARM):
        noun = components[measure.target].noun
        raise ModelError(
            f"{what} measures the {measure.kind} of the {noun} {measure.target!r}; expected a joint, a motion"
            " driver or a force element"
        )
    if measure.kind in ("coordinate", "rate") and isinstance(components[measure.target], Attachment):
        raise ModelError(
            f"{what} measures the {measure.kind} of the attachment {measure.target!r}, which comes and goes;"
            " expected a joint: measure frames of its bodies"
        )
    if measure.kind in ("node", "deflection", "stress"):
        check_points(what, measure, components[measure.target], frames)
