"""Starts that were assembled before: a mechanism with other forces, masses or networks begins where it did.

Where a mechanism is put together rests on its frames, joints, rough poses, start values, and on the length by
which gaps are measured: on nothing else, so that variants of it that agree in these, to the last bit, have
the same poses and, in the same trees, the same redundant rows. Motion drivers, a user's own pages, and
whatever is neither a number, an array nor a text, are not compared but assembled anew; so are given
velocities, of which a change is said.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from flexnet.formulation.description import MANY, Description
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import Poses, State
from flexnet.formulation.unforced import Unforced
from flexnet.graph import Tree

#: starts that are remembered, each in some trees
_MOST = 16


class Begun(NamedTuple):
    """Where a mechanism begins: poses, and names of the rows that are redundant there.

    Of equations in which no angle is counted also q and v, and what they share with those of the same start:
    which angles are counted is told by forces, and counted ones stand in q.
    """

    poses: Poses
    redundant: tuple[str, ...]
    state: State | None
    unforced: Unforced | None


_known: dict[tuple[Any, ...], Begun] = {}


def start_key(description: Description, T: Tree, R: Tree) -> tuple[Any, ...]:
    """What a start in some trees rests on; nothing where it is not compared."""
    key = description.geometry
    return (*key, T.names, R.names) if key else ()


def recall(key: tuple[Any, ...]) -> Begun | None:
    """A start that was assembled before; None of one that was not."""
    found = _known.get(key)
    return found and found._replace(poses=_copy(found.poses), state=found.state and _place(found.state))


def remember(key: tuple[Any, ...], poses: Poses, equations: Equations, state: State) -> None:
    """Keep a start for mechanisms that begin in the same way."""
    assert not poses.states, "first-order states begin as their own mechanism tells"
    if key:
        if len(_known) >= _MOST:
            del _known[next(iter(_known))]
        e, geometry = equations, equations.packer.geometry
        is_shared = geometry is not None and not e.coordinates.counted and len(e.parts) <= MANY
        unforced = Unforced(e.coordinates, e.rows, e.redundant, geometry) if is_shared else None
        begun = None if e.angles else _place(state)
        _known[key] = Begun(_copy(poses), e.redundant, begun, unforced)


def _place(state: State) -> State:
    """Where and how fast, in arrays of its own."""
    return State(state.t, np.array(state.q), np.array(state.v))


def _copy(poses: Poses) -> Poses:
    """The same with arrays of its own."""
    own = {name: getattr(poses, name).copy() for name in ("R", "p", "omega", "v", "elastic", "elastic_rate")}
    return replace(poses, **own, angles=dict(poses.angles))
