"""Where the lines of a mechanism are at given times; no drawing yet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from flexnet.errors import ResultError
from flexnet.results import BodyRecord, Mechanism, PlaneRecord, Results, Symbol
from flexnet.results.rotation import rotate
from flexnet.typing import Array, IntArray
from flexnet.view.curves import bent, chain, circle, touched
from flexnet.view.parts import (
    BALL,
    Part,
    aside,
    drawn_parts,
    held_places,
    lanes,
    links,
    owners,
    place_of,
    sections,
)

PositionOf = Callable[[str], Array]


@dataclass(frozen=True, slots=True, eq=False)
class MovingShape:
    """A body in motion.

    Parameters
    ----------
    name : name of the body.
    points : (times, n, 3) array, m.
    lines : (m, 2) array, pairs of points joined by a line.
    triangles : (k, 3) array, triples of points that form a surface.
    link : number of the link it belongs to: bodies of one link are welded to each other.
    """

    name: str
    points: Array
    lines: IntArray
    triangles: IntArray
    link: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class MovingPart:
    """What is seen between two frames.

    Parameters
    ----------
    name : name of the edge.
    look : ``spring``, ``damper``, ``spring_damper``, ``actuator``, ``bushing``, ``condenser``, ``tie`` or
        ``rail``.
    ends : (times, 2, 3) array, m.
    """

    name: str
    look: str
    ends: Array


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A mechanism in motion.

    Parameters
    ----------
    title : what it is.
    time : (times,) array, s.
    is_planar : whether it moves in the x-y plane.
    shapes : bodies.
    joints : (times, joints, 3) array, places of the joints, m.
    ground : (places, 3) array, where something is held, m.
    parts : springs, cylinders and rails.
    touched : outlines of contacts.
    """

    title: str
    time: Array
    is_planar: bool
    shapes: tuple[MovingShape, ...]
    joints: Array
    ground: Array = field(default_factory=lambda: np.zeros((0, 3)))
    parts: tuple[MovingPart, ...] = ()
    touched: tuple[MovingShape, ...] = ()

    @property
    def extent(self) -> tuple[Array, Array]:
        """Smallest and largest coordinates over all times, m."""
        clouds = [shape.points.reshape(-1, 3) for shape in self.shapes]
        clouds += [part.ends.reshape(-1, 3) for part in self.parts]
        clouds += [line.points.reshape(-1, 3) for line in self.touched]
        every = np.concatenate([*clouds, self.joints.reshape(-1, 3), self.ground])
        return every.min(axis=0), every.max(axis=0)


def scene_of(results: Results, time: Array, scale: float = 1.0) -> Scene:
    """Place the mechanism of a result file at the given times, s.

    Raises
    ------
    ResultError
        If the file holds no model, no shape, or not the motion of a frame that is needed.
    """
    mechanism = results.mechanism()
    fixed = _fixed_places(mechanism)
    recorded = set(results.paths())

    def position(frame: str) -> Array:
        if f"frames/{frame}/position" in recorded:
            return results.at(f"frames/{frame}/position", time)
        if frame in fixed:
            return np.tile(fixed[frame], (len(time), 1))
        raise ResultError(f"{results.path}: the motion of frame {frame!r} is not recorded")

    numbers, hidden = links(mechanism), sections(mechanism)
    moving = [body for body in mechanism.bodies if not body.is_ground and body.name not in hidden]
    shapes = [
        replace(_shape(results, body, time, position, scale), link=numbers[body.name]) for body in moving
    ]
    drawn = drawn_parts(mechanism)
    turn = partial(_turn, results, time, recorded)
    owner = owners(mechanism)
    found = lanes(drawn, lambda frame: position(frame)[0])
    for part in drawn:
        if part.symbol.look == "beam":
            shapes.append(replace(_piece(part, position, turn), link=numbers[owner[part.edge.head]]))
    if not any(shape.points.size for shape in shapes):
        raise ResultError(f"{results.path}: the model has no bodies to draw")
    # where bodies are welded there is nothing to see
    places = [position(p.edge.head) for p in drawn if p.edge.role == "joint" and not p.is_weld]
    lane = {name: 0.12 * _size(shapes) * k for name, k in found.items()}
    return Scene(
        title=mechanism.name,
        time=time,
        is_planar=mechanism.is_planar,
        shapes=tuple(shapes),
        joints=np.stack(places, axis=1) if places else np.zeros((len(time), 0, 3)),
        ground=np.array([fixed[name] for name in held_places(mechanism)]).reshape(-1, 3),
        parts=tuple(
            moved for part in drawn for moved in _moving(part, position, turn, lane.get(part.edge.name, 0.0))
        ),
        touched=tuple(
            line
            for part in drawn
            if part.symbol.look == "contact"
            for line in _contact(part, position, turn, _size(shapes), mechanism.is_planar)
        )
        + tuple(_plane(plane, mechanism, position, _size(shapes)) for plane in mechanism.planes),
    )


def _size(shapes: list[MovingShape]) -> float:
    """Extent of the shapes over all times, m."""
    points = np.concatenate([shape.points.reshape(-1, 3) for shape in shapes])
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def _piece(part: Part, position: PositionOf, turn: PositionOf) -> MovingShape:
    """A piece of an exact beam between two of its sections."""
    edge = part.edge
    ends = np.stack([position(edge.tail), position(edge.head)], axis=1)
    points = bent(ends, np.stack([turn(edge.tail), turn(edge.head)], axis=1))
    return MovingShape(edge.name, points, chain(points.shape[1]), np.zeros((0, 3), dtype=np.int64))


def _contact(
    part: Part, position: PositionOf, turn: PositionOf, size: float, is_planar: bool
) -> list[MovingShape]:
    """Outline of what a contact touches, and of its ball."""
    edge, symbol, none = part.edge, part.symbol, np.zeros((0, 3), dtype=np.int64)
    local, lines = touched(symbol, size, is_planar)
    at, q = position(edge.tail)[:, None, :], turn(edge.tail)[:, None, :]
    out = [MovingShape(edge.name, at + rotate(q, np.tile(local, (len(at), 1, 1))), lines, none)]
    if symbol.radius:
        ball = circle(symbol.radius, np.array([0.0, 0.0, 1.0]), np.zeros(3))
        out.append(MovingShape(edge.name, position(edge.head)[:, None, :] + ball, chain(len(ball)), none))
    return out


def _plane(plane: PlaneRecord, mechanism: Mechanism, position: PositionOf, size: float) -> MovingShape:
    """Outline of what an event throws a frame back from."""
    symbol = Symbol(look="contact", shape="plane", sizes=plane.normal)
    local, lines = touched(symbol, size, mechanism.is_planar)
    track = position(plane.frame)
    points = np.tile(place_of(plane, mechanism, track) + local, (len(track), 1, 1))
    return MovingShape(plane.name, points, lines, np.zeros((0, 3), dtype=np.int64))


def _turn(results: Results, time: Array, recorded: set[str], frame: str) -> Array:
    """Orientation of a frame, (times, 4); that of the ground where it does not move."""
    path = f"frames/{frame}/quaternion"
    return results.at(path, time) if path in recorded else np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1))


def _moving(part: Part, position: PositionOf, turn: PositionOf, aside_by: float) -> list[MovingPart]:
    """A force element between its frames; a rail for every direction a joint slides along."""
    edge, symbol = part.edge, part.symbol
    is_between = edge.role == "force" or symbol.look == "tie"
    if symbol.look in ("beam", "contact", "path"):
        return []
    if not is_between and not 0 < len(symbol.slides) < BALL:
        return []
    tail, head = position(edge.tail), position(edge.head)
    if is_between:
        if symbol.look == "condenser":
            normals = [rotate(turn(edge.tail), np.tile(n, (len(tail), 1))) for n in symbol.slides]
            tail = foot(tail, head, normals)
        ends = np.stack([tail, head], axis=1)
        return [MovingPart(edge.name, symbol.look, aside(ends, aside_by))]
    out = []
    for slide in symbol.slides:
        u = rotate(turn(edge.tail), np.tile(slide, (len(tail), 1)))
        along = np.einsum("ti,ti->t", head - tail, u)
        first, last = min(along.min(), 0.0), max(along.max(), 0.0)
        out.append(MovingPart(edge.name, "rail", np.stack([tail + first * u, tail + last * u], axis=1)))
    return out


def foot(tail: Array, head: Array, normals: Sequence[Array]) -> Array:
    """Where a flat electrode through the tail is opposite the head, (times, 3); the tail without a normal."""
    for n in normals:
        tail = head - np.einsum("ti,ti->t", head - tail, n)[:, None] * n
    return tail


def _fixed_places(mechanism: Mechanism) -> dict[str, Array]:
    places: dict[str, Array] = {}
    for body in mechanism.bodies:
        if body.is_ground:
            places[body.frame] = np.zeros(3)
            places |= dict(zip(body.frames, body.points, strict=True))
    return places


def _shape(
    results: Results, body: BodyRecord, time: Array, position: PositionOf, scale: float
) -> MovingShape:
    """Place one body: its own points if it has any, else a line through its frames."""
    if not len(body.points):
        points = np.stack([position(frame) for frame in body.frames or (body.frame,)], axis=1)
        n = points.shape[1]
        closed = n if n > 2 else n - 1
        lines = np.array([[k, (k + 1) % n] for k in range(closed)], dtype=np.int64).reshape(-1, 2)
        return MovingShape(body.name, points, lines, np.zeros((0, 3), dtype=np.int64))
    local = np.tile(body.points, (len(time), 1, 1))  # (time, point, xyz)
    if body.modes.size:
        eta = results.at(f"bodies/{body.name}/elastic", time)
        local = local + scale * np.einsum("pim,tm->tpi", body.modes, eta)
    turn = results.at(f"frames/{body.frame}/quaternion", time)
    points = position(body.frame)[:, None, :] + rotate(turn[:, None, :], local)
    return MovingShape(body.name, points, body.lines, body.triangles)
