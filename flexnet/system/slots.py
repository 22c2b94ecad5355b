"""Signals in a System: where they stand, and what is refused of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache

from flexnet.components import Component, FlexibleBody, ForceElement, TimeFunction
from flexnet.components.attachment import Attachment
from flexnet.components.rod_element import RodElement
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.signals import (
    BEAM_STRAIN,
    BEAM_STRESS,
    OF_FRAMES,
    SHELL_STRAIN,
    SHELL_STRESS,
    SOLID_STRESS,
    Measure,
    Signal,
    states_of,
)
from flexnet.typing import AnyArray
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
    check_measures(what, found, frames, components)


def check_measures(
    what: str, signals: Iterable[Signal], frames: Collection[str], components: Mapping[str, Component]
) -> None:
    """Refuse signals that measure what is not there."""
    for leaf in states_of(signals)[1]:
        if isinstance(leaf, Measure):
            _check_measure(what, leaf, frames, components)


def _check_measure(
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
    if measure.kind in ("coordinate", "rate"):
        _check_coordinate(what, measure, components[measure.target])
    if measure.kind in ("node", "deflection", "stress"):
        _check_points(what, measure, components[measure.target], frames)


def _check_coordinate(what: str, measure: Measure, part: Component) -> None:
    """Refuse a coordinate that a joint does not have, such as the angle of one that slides."""
    terminal = part.terminal
    names = terminal.coordinates if terminal is not None else ()
    has_ball = terminal is not None and terminal.rotation is not None and terminal.rotation.is_free
    if part.kind is Kind.JOINT and names and not has_ball and measure.coordinate not in names:
        name = "joint_coordinate" if measure.kind == "coordinate" else "joint_rate"
        raise ModelError(
            f"{what} measures {measure.coordinate!r} of joint {measure.target!r}, which has"
            f" {', '.join(names)}: write {name}({measure.target!r}, {names[0]!r})"
        )


def _check_points(what: str, measure: Measure, part: Component, frames: Collection[str]) -> None:
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
    """Refuse a stress where no beam, shell or solid is, or no section is known."""
    if part.body is None:
        raise ModelError(
            f"{what}: flexible body {measure.target!r} came as a table or as matrices, which have no sections"
        )
    frames, node = part.table.frames, measure.point
    if isinstance(node, str):
        own = {
            f"{measure.target}.{key}": int(place)
            for key, place in zip(frames.names, frames.nodes, strict=True)
        }
        if node not in own:
            raise ModelError(f"{what}: frame {node!r} is not an attachment frame of {measure.target!r}")
        node = own[node]
    mesh, what_is = part.table.mesh, measure.coordinate
    told = [p.nodes if p.elements else p.nodes[p.stress_nodes] for p in part.body.parts]
    is_strain = what_is in BEAM_STRAIN | SHELL_STRAIN
    kinds: dict[str, tuple[Mapping[str, str], tuple[AnyArray, ...]]] = {
        "beam": (BEAM_STRAIN if is_strain else BEAM_STRESS, (mesh.lines,)),
        "shell": (SHELL_STRAIN if is_strain else SHELL_STRESS, (mesh.triangles, mesh.quadrilaterals)),
        "solid": ({} if is_strain else SOLID_STRESS, (mesh.tetrahedra, *told)),
    }
    there = {kind: known for kind, (known, cells) in kinds.items() if any(node in c for c in cells)}
    if not any(what_is in known for known in there.values()):
        elements = " or ".join(kind for kind, (known, _) in kinds.items() if what_is in known)
        instead = "".join(f"; of a {kind} there is {', '.join(known)}" for kind, known in there.items())
        raise ModelError(
            f"{what}: there is no {elements} at node {node} of {measure.target!r}, and"
            f" {what_is!r} is of a {elements}{instead}"
        )
