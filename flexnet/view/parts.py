"""What of a mechanism is drawn: links of one colour, places on the ground, what is between two frames."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from flexnet.results import EdgeRecord, Mechanism, PlaneRecord, Symbol
from flexnet.typing import Array

#: a ball turns about three axes
BALL = 3
#: of an edge of which a file does not say how it is drawn: a ball
UNKNOWN = Symbol(turns=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


@dataclass(frozen=True, slots=True)
class Part:
    """An edge that is drawn between or at its two frames.

    Parameters
    ----------
    edge : the edge.
    symbol : how it is drawn.
    acted : name of what turns a pin, or holds it; empty if nothing does.
    """

    edge: EdgeRecord
    symbol: Symbol
    acted: str = ""

    @property
    def is_weld(self) -> bool:
        """Whether it is a joint without any motion."""
        return self.edge.role == "joint" and not (self.symbol.turns or self.symbol.slides)


def is_free(symbol: Symbol, is_planar: bool) -> bool:
    """Whether a joint constrains nothing."""
    turns, slides = (1, 2) if is_planar else (BALL, 3)
    return len(symbol.turns) >= turns and len(symbol.slides) >= slides


def drawn_parts(mechanism: Mechanism) -> tuple[Part, ...]:
    """Joints, drivers and force elements between two frames; not loads, not joints that hold nothing."""
    found = []
    for edge in mechanism.edges:
        symbol = mechanism.symbols.get(edge.name, UNKNOWN)
        is_joint = edge.role in ("joint", "driver") and not edge.is_virtual
        is_element = edge.role == "force" and symbol.look not in ("", "load")
        is_seen = symbol.look == "tie" or not is_free(symbol, mechanism.is_planar)
        if is_element or (is_joint and is_seen):
            is_pin = edge.role == "joint" and len(symbol.turns) == 1 and not symbol.slides
            found.append(Part(edge, symbol, _turned_by(edge, mechanism) if is_pin else ""))
    return tuple(found)


def _turned_by(joint: EdgeRecord, mechanism: Mechanism) -> str:
    """What turns a joint, or holds it: a motor, a spring, a brake between its two frames; else empty."""
    for edge in mechanism.edges:
        symbol = mechanism.symbols.get(edge.name)
        is_torque = edge.role == "force" and symbol is not None and (symbol.graphs, symbol.look) == ("R", "")
        if is_torque and {edge.tail, edge.head} == {joint.tail, joint.head}:
            return edge.name
    return ""


def lanes(parts: Iterable[Part], place: Callable[[str], Array]) -> dict[str, float]:
    """How far beside the line of its frames each force element is drawn, in widths.

    Elements that begin at the same frame and point the same way would cover each other; they stand side by
    side.

    Parameters
    ----------
    place : of a frame by its name, m, at the moment that decides.
    """
    rows: list[list[EdgeRecord]] = []
    for edge in (
        p.edge for p in parts if p.edge.role == "force" and p.symbol.look not in ("beam", "contact")
    ):
        row = next((row for row in rows if any(_is_covered(edge, other, place) for other in row)), None)
        if row is None:
            rows.append([edge])
        else:
            row.append(edge)
    return {edge.name: k - (len(row) - 1) / 2 for row in rows for k, edge in enumerate(row)}


def _is_covered(a: EdgeRecord, b: EdgeRecord, place: Callable[[str], Array]) -> bool:
    """Whether two elements begin at one frame and point the same way."""
    for frame in {a.tail, a.head} & {b.tail, b.head}:
        d, e = (place(x.head if x.tail == frame else x.tail) - place(frame) for x in (a, b))
        size = float(np.linalg.norm(d) * np.linalg.norm(e))
        if size > 0.0 and d @ e > 0.999 * size:
            return True
    return False


def aside(ends: Array, distance: float) -> Array:
    """Ends (times, 2, 3) of an element, moved across it, in the x-y plane where it can be, m."""
    if not distance:
        return ends
    d = ends[:, 1] - ends[:, 0]
    across = np.cross(d, [0.0, 0.0, 1.0])
    size = np.linalg.norm(across, axis=1, keepdims=True)
    u = np.where(size > 1e-6 * np.linalg.norm(d, axis=1, keepdims=True), across, [1.0, 0.0, 0.0])
    moved: Array = ends + (distance * u / np.linalg.norm(u, axis=1, keepdims=True))[:, None, :]
    return moved


def owners(mechanism: Mechanism) -> dict[str, str]:
    """Body of each frame, by name; frames of the ground belong to the ground's body."""
    out = {}
    for body in mechanism.bodies:
        out[body.frame] = body.name
        out |= dict.fromkeys(body.frames, body.name)
    return out


def links(mechanism: Mechanism) -> dict[str, int]:
    """Number of the link each body belongs to: bodies welded to each other, and sections of a beam, are one.

    Bodies welded to the ground keep a number of their own: they are still parts of the mechanism.
    """
    owner = owners(mechanism)
    root = {body.name: body.name for body in mechanism.bodies if not body.is_ground}

    def find(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    for part in drawn_parts(mechanism):
        a, b = owner.get(part.edge.tail, ""), owner.get(part.edge.head, "")
        if (part.is_weld or part.symbol.look == "beam") and a in root and b in root:
            root[find(b)] = find(a)
    numbers: dict[str, int] = {}
    return {name: numbers.setdefault(find(name), len(numbers)) for name in root}


def sections(mechanism: Mechanism) -> frozenset[str]:
    """Bodies that are sections of an exact beam and nothing else: the beam is drawn, from one to the next."""
    ends = {e for p in drawn_parts(mechanism) if p.symbol.look == "beam" for e in (p.edge.tail, p.edge.head)}
    return frozenset(b.name for b in mechanism.bodies if not b.is_ground and b.frame in ends and not b.frames)


def place_of(plane: PlaneRecord, mechanism: Mechanism, track: Array) -> Array:
    """Where a plane is drawn, m: under the middle of the way (times, 3) of the frame that hits it.

    A solid body about that frame touches the plane with its surface, not with its middle.
    """
    n = np.array(plane.normal)
    bodies = [b for b in mechanism.bodies if b.frame == plane.frame and len(b.triangles)]
    deep = max((float(np.max(-b.points @ n)) for b in bodies), default=0.0)
    middle = track.mean(axis=0)
    place: Array = middle + (plane.offset - deep - middle @ n) * n
    return place


def held_places(mechanism: Mechanism) -> tuple[str, ...]:
    """Frames of the ground that something stands on or hangs from."""
    ground = {name for name, body in owners(mechanism).items() if body in _grounds(mechanism)}
    held = [part.edge for part in drawn_parts(mechanism) if part.symbol.look != "contact"]
    ends = [end for edge in held for end in (edge.tail, edge.head)]
    return tuple(dict.fromkeys(end for end in ends if end in ground))


def _grounds(mechanism: Mechanism) -> set[str]:
    return {body.name for body in mechanism.bodies if body.is_ground}
