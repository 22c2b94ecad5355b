"""Starts that were assembled before: a mechanism with other forces, masses or networks begins where it did.

Where a mechanism is put together rests on its frames, joints, rough poses, start values, and on the length by
which gaps are measured: on nothing else, so that variants of it that agree in these, to the last bit, have
the same poses and, in the same trees, the same redundant rows. Motion drivers, and whatever is neither a
number, an array nor a text, are not compared but assembled anew; so are given velocities, of which a change
is said.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from flexnet.components import Component, Frame, RigidBody
from flexnet.formulation.description import Description
from flexnet.formulation.state import Poses
from flexnet.graph import Kind, Tree

#: starts that are remembered, each in some trees
_MOST = 16


class Begun(NamedTuple):
    """Where a mechanism begins: poses, and names of the rows that are redundant there."""

    poses: Poses
    redundant: tuple[str, ...]


_known: dict[tuple[Any, ...], Begun] = {}


def start_key(description: Description, T: Tree, R: Tree) -> tuple[Any, ...]:
    """What a start in some trees rests on; nothing where it is not compared."""
    key = _key(description)
    return (*key, T.names, R.names) if key else ()


def recall(key: tuple[Any, ...]) -> Begun | None:
    """A start that was assembled before; None of one that was not."""
    found = _known.get(key)
    return found and Begun(_copy(found.poses), found.redundant)


def remember(key: tuple[Any, ...], poses: Poses, redundant: Sequence[str]) -> None:
    """Keep a start for mechanisms that begin in the same way."""
    assert not poses.states, "first-order states begin as their own mechanism tells"
    if key:
        if len(_known) >= _MOST:
            del _known[next(iter(_known))]
        _known[key] = Begun(_copy(poses), tuple(redundant))


def _key(description: Description) -> tuple[Any, ...]:
    """What a start rests on, bit for bit; nothing where it is not compared."""
    system = description.system
    rates = [(body.velocity, body.angular_velocity) for body in system.bodies.values()]
    parts = [p for p in description.parts if p.kind is not Kind.FORCE and not isinstance(p, RigidBody)]
    if any(v.any() or w.any() for v, w in rates) or any(part.kind is Kind.DRIVER for part in parts):
        return ()
    length, starts = description.scale.length, system.starts
    try:
        return (
            system.is_planar, float(length).hex(),
            *((s.joint, s.coordinate, _seen(s.value), _seen(s.rate)) for s in starts),
            *((f.name, f.body, f.is_flexible, *map(_seen, (f.position, f.rotation)))
              for f in description.frames.values()),
            *((name, *map(_seen, (body.position, body.rotation))) for name, body in system.bodies.items()),
            *((type(part), *(_seen(getattr(part, name)) for name in _names(type(part)))) for part in parts),
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


def _copy(poses: Poses) -> Poses:
    """The same with arrays of its own."""
    own = {name: getattr(poses, name).copy() for name in ("R", "p", "omega", "v", "elastic", "elastic_rate")}
    return replace(poses, **own, angles=dict(poses.angles))
