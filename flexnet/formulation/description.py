"""What of a System does not depend on its trees, read once for all equations that are made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from flexnet.components import Component, Frame, RigidBody, Terminal, comes_with_flexnet
from flexnet.dae import Scale
from flexnet.formulation.feedback import States, collect_states
from flexnet.formulation.scale import model_scale
from flexnet.graph import Edge, Kind, LinearGraph
from flexnet.signals import Signal
from flexnet.system import System, derive_graph, in_pieces, terminals_of
from flexnet.system.graph import edges_of
from flexnet.system.holding import freed_drivers

#: geometries whose terminals and edges are remembered, and the most components that they have
_MOST, MANY = 16, 500


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """A System as it was when it was read.

    Attributes
    ----------
    system : the mechanism.
    frames, parts : all of them, in their order.
    terminals : terminal equation of every part, in a planar system its in-plane part.
    signals, states : what acts or is recorded, and the first-order states it rests on.
    scale : length, mass and time.
    graph : the linear graph of bodies and joints.
    geometry : frames, joints, rough poses, start values and length, as they are compared to the last bit;
        nothing where they are not compared.
    """

    system: System
    frames: dict[str, Frame]
    parts: list[Component]
    terminals: dict[str, Terminal]
    signals: list[Signal]
    states: States
    scale: Scale
    graph: LinearGraph
    geometry: tuple[Any, ...] = ()


def describe(system: System) -> Description:
    """Read a System.

    Raises
    ------
    ModelError
        If it has a body that nothing holds, or two blocks with one name.
    """
    system = in_pieces(system)
    system.check()
    parts, signals, frames = system.parts, system.signals, system.frames
    states, scale = collect_states(signals), model_scale(system)
    geometry = _geometry(system, frames, parts, scale.length)
    freed = freed_drivers(system.events, system.components)
    terminals, edges = _known.get(geometry) or ({}, {})
    new = [part for part in parts if part.name not in terminals]
    terminals = terminals | terminals_of(new, system.is_planar)
    if geometry and not edges and len(parts) <= MANY:
        edges = _remember(geometry, parts, terminals)
    graph = derive_graph(list(frames), parts, terminals, freed, edges)
    return Description(system, frames, parts, terminals, signals, states, scale, graph, geometry)


# -- what mechanisms with other forces and masses share ----------------------------------------------

_known: dict[tuple[Any, ...], tuple[dict[str, Terminal], dict[str, tuple[Edge, ...]]]] = {}


def _remember(
    geometry: tuple[Any, ...], parts: Sequence[Component], terminals: Mapping[str, Terminal]
) -> dict[str, tuple[Edge, ...]]:
    """Keep terminals and edges of all that is no force for mechanisms of the same geometry."""
    if len(_known) >= _MOST:
        del _known[next(iter(_known))]
    kept = [part for part in parts if part.kind is not Kind.FORCE]
    edges = {part.name: edges_of(part, terminals, (), "ground") for part in kept}
    _known[geometry] = {part.name: terminals[part.name] for part in kept}, edges
    return edges


def _geometry(
    system: System, frames: Mapping[str, Frame], parts: Sequence[Component], length: float
) -> tuple[Any, ...]:
    """Frames, joints, rough poses, start values and length, bit for bit.

    Nothing where there are motion drivers, given velocities, parts of which something is neither a number,
    an array nor a text, or a user's own pages: these are not compared.
    """
    held = [p for p in parts if p.kind is not Kind.FORCE and not isinstance(p, RigidBody)]
    if any(part.kind is Kind.DRIVER or not comes_with_flexnet(type(part)) for part in held):
        return ()
    bodies = system.bodies.values()
    if any(body.velocity.any() or body.angular_velocity.any() for body in bodies):
        return ()
    try:
        return (
            system.is_planar, float(length).hex(),
            *((s.joint, s.coordinate, _seen(s.value), _seen(s.rate)) for s in system.starts),
            *((f.name, f.body, f.is_flexible, f.position.tobytes(), f.rotation.tobytes())
              for f in frames.values()),
            *((body.name, body.position.tobytes(), body.rotation.tobytes()) for body in bodies),
            *((type(part), *(_seen(getattr(part, name)) for name in _names(type(part)))) for part in held),
        )  # fmt: skip
    except TypeError:
        return ()


@cache
def _names(kind: type[Component]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]  # they are dataclasses


def _seen(value: Any) -> Any:
    """A value as it is compared; frames, which are compared once, by their names."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, Frame):
        return value.name
    if isinstance(value, float):
        return float(value).hex()
    if isinstance(value, tuple):
        return tuple(map(_seen, value))
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError
