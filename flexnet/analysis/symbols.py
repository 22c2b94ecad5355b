"""How the edges of a mechanism are drawn: axes, directions and parameters, from the terminal equations."""

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from flexnet.components import (
    Bushing,
    Component,
    FlexibleBody,
    ForceElement,
    RigidBody,
    Terminal,
    TorsionalSpring,
    TranslationalSpring,
)
from flexnet.components.cable import Cable
from flexnet.components.contact import Contact
from flexnet.components.distance_rod import DistanceRod
from flexnet.components.point_on_curve import PointOnCurve
from flexnet.components.point_on_surface import PointOnSurface
from flexnet.components.rod_element import RodElement
from flexnet.graph import Kind, LinearGraph
from flexnet.networks import Network
from flexnet.results import Symbol
from flexnet.results.mechanism import LOOKS
from flexnet.typing import Array

Vectors = tuple[tuple[float, float, float], ...]


def symbols_of(graph: LinearGraph, parts: Mapping[str, Component], is_planar: bool) -> dict[str, Symbol]:
    """Symbol of every edge by its name; a dependent edge belongs to no component."""
    out = {}
    for edge in graph.edges:
        graphs = ("T" if edge.unknowns_t is not None else "") + ("R" if edge.unknowns_r is not None else "")
        part = parts.get(edge.name)
        if part is None:
            out[edge.name] = Symbol(graphs)
            continue
        terminal = part.terminal.in_plane(edge.name) if is_planar else part.terminal
        is_link = part.kind in (Kind.JOINT, Kind.VIRTUAL, Kind.DRIVER)
        turns, slides = motion_space(part, terminal) if is_link else ((), ())
        look = look_of(part)
        if look == "condenser" and isinstance(part, TranslationalSpring) and part.axis is not None:
            slides = _in_tail(part, [part.axis])
        out[edge.name] = Symbol(graphs, edge.is_rigid, look, turns, slides, words(part), *_solid(part))
    return out


def network_symbols(network: Network) -> dict[str, Symbol]:
    """Symbol of every edge of a scalar network: its domain, in words."""
    return {name: Symbol("N", told=port.domain.name) for name, port in network.ports.items()}


def _solid(part: Component) -> tuple[str, tuple[float, ...], float]:
    """What a contact touches, and the radius of its ball."""
    if not isinstance(part, Contact):
        return "", (), 0.0
    shape, vectors, sizes = part.touched
    R = part.tail.rotation if part.tail.body == "ground" else np.eye(3)
    return shape, (*(float(x) for v in vectors for x in R @ v), *(float(x) for x in sizes)), part.radius


def motion_space(part: Component, terminal: Terminal) -> tuple[Vectors, Vectors]:
    """Axes the head turns about and directions it slides along, free or driven.

    Components are those of the tail frame; of ground axes where the tail is on the ground, whose frames
    have no recorded motion.
    """
    turns, slides = list[Array](), list[Array]()
    if terminal.rotation is not None:
        turns = list(np.eye(3)) if terminal.rotation.kind == "free" else list(terminal.rotation.axes)
        if terminal.rotation.kind == "fixed":
            turns = []
    if terminal.translation is not None:
        slides = [d.vector for d in terminal.translation.free]
        slides += [d.vector for d, _ in terminal.translation.driven]
    if part.kind is Kind.DRIVER and terminal.translation is not None:
        slides = [d.vector for d, _ in terminal.translation.driven]
    return _in_tail(part, turns), _in_tail(part, slides)


def _in_tail(part: Component, vectors: list[Array]) -> Vectors:
    """Components in the tail frame; in ground axes where the tail is on the ground."""
    R = part.tail.rotation if part.tail.body == "ground" else np.eye(3)
    return tuple((float(x), float(y), float(z)) for x, y, z in (R @ v for v in vectors))


def look_of(part: Component) -> str:
    """What is drawn between the two frames of a force element, or of a joint that no axis tells of."""
    if isinstance(part, Bushing):
        return "bushing"
    if isinstance(part, RodElement):
        return "beam"
    if isinstance(part, Contact):
        return "contact"
    if isinstance(part, Cable | DistanceRod):
        return "tie"
    if isinstance(part, PointOnCurve | PointOnSurface):
        return "path"
    if isinstance(part, TranslationalSpring):
        if part.what in LOOKS[1:]:
            return part.what
        is_spring, is_damper = bool(part.stiffness or part.formula), bool(part.damping)
        if is_spring or is_damper:
            return "spring_damper" if is_spring and is_damper else "spring" if is_spring else "damper"
        return "actuator"
    if part.kind is Kind.FORCE and not isinstance(part, TranslationalSpring | TorsionalSpring):
        return "load"
    return ""


def words(part: Component) -> str:
    """Parameters of a component in words."""
    if isinstance(part, RigidBody):
        *others, last = (f"{x:.5g}" for x in np.diag(part.inertia))
        if set(others) == {"0"}:  # a body of a planar system
            return f"mass {part.mass:.6g} kg, moment of inertia {last} kg m² about z"
        return f"mass {part.mass:.6g} kg, moments of inertia {', '.join([*others, last])} kg m²"
    if isinstance(part, FlexibleBody):
        how = "" if part.is_stiffened else ", without geometric stiffening"
        return f"mass {part.mass:.6g} kg, {part.table.m} elastic coordinates{how}"
    if isinstance(part, ForceElement):
        given = {f.name: getattr(part, f.name) for f in fields(part)}
        numbers = {name: x for name, x in given.items() if isinstance(x, float) and x}
        said = [f"{part.letters.get(name, name)} = {x:.6g}" for name, x in numbers.items()]
        return ", ".join([*said, *(["a law of the user"] if given.get("formula") is not None else [])])
    return ""
