"""Motions as signals and channels see them: formulas of frames, of points of flexible bodies, of joints."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from flexnet.algebra import (
    Expr,
    Vec,
    add,
    atan2,
    cross,
    dot,
    minus,
    mul,
    numbers,
    plus,
    rotate_back,
    sqrt,
    times,
)  # fmt: skip
from flexnet.components import Component, FlexibleBody, Frame, Terminal
from flexnet.components.force_element import End, Twist
from flexnet.components.frame import normals
from flexnet.errors import ModelError
from flexnet.signals import OF_FRAMES, Measure
from flexnet.typing import Array

#: sine of the angle between a chord and y of its body below which the one runs along the other
ALONG = 0.1


class SeenMotion(Protocol):
    """A mechanism in motion, as expressions."""

    def end(self, frame: Frame) -> End:
        """A frame in ground axes."""

    def acceleration(self, frame: Frame) -> Vec:
        """Acceleration of a frame's origin, ground axes."""

    def angular_acceleration(self, frame: Frame) -> Vec:
        """Angular acceleration of a frame, ground axes."""

    def coordinate(self, name: str) -> Expr | None:
        """An entry of q by its name; None where the trees have no such coordinate."""

    def rate(self, name: str) -> Expr | None:
        """An entry of v by its name; None where the trees have no such coordinate."""

    def twist(self, owner: str) -> Twist:
        """Counted angle of a joint or force element."""


def sensed_motion(
    seen: SeenMotion,
    components: Mapping[str, Component],
    frames: Mapping[str, Frame],
    terminals: Mapping[str, Terminal],
    m: Measure,
) -> Expr:
    """A measure of motions; components, frames and terminals are those of the System, by name."""
    if m.kind == "angle":
        return _angle(seen, frames, m)
    if m.kind in OF_FRAMES:
        return component(_of_frame(seen, frames, m), m.along)
    part = components[m.target]
    if m.kind in ("coordinate", "rate"):
        return _joint(seen, part, terminals[m.target], m)
    assert isinstance(part, FlexibleBody), f"{m.kind} of {m.target}"
    of_point = point if m.kind == "node" else deflection
    return component(of_point(seen, frames, part, m), m.along)


def component(vector: Vec, along: Array | None) -> Expr:
    """Component of a vector, or its length."""
    return sqrt(dot(vector, vector)) if along is None else dot(numbers(along), vector)


def _of_frame(seen: SeenMotion, frames: Mapping[str, Frame], m: Measure) -> Vec:
    """Motion of a frame B in ground axes, or as seen from a frame A that moves, d = x_B - x_A.

    Rᵀ d,   Rᵀ u,   Rᵀ (a_B - a_A - ω̇_A × d - ω_A × (ω_A × d) - 2 ω_A × u),   u = ḋ - ω_A × d
    Rᵀ (ω_B - ω_A),   Rᵀ (ω̇_B - ω̇_A - ω_A × ω_B)
    """
    own = [frames[name] for name in (m.target, m.seen_from) if name]
    ends = [seen.end(frame) for frame in own]
    match m.kind:
        case "position":
            moves = [end.x for end in ends]
        case "velocity":
            moves = [end.v for end in ends]
        case "angular_velocity":
            moves = [end.omega for end in ends]
        case "acceleration":
            moves = [seen.acceleration(frame) for frame in own]
        case _:
            moves = [seen.angular_acceleration(frame) for frame in own]
    if len(own) == 1:
        return moves[0]
    B, A = ends
    way, d, w = minus(*moves), minus(B.x, A.x), A.omega
    if m.kind == "velocity":
        way = minus(way, cross(w, d))
    elif m.kind == "acceleration":
        u = minus(minus(B.v, A.v), cross(w, d))
        turning = cross(seen.angular_acceleration(own[1]), d)
        way = minus(way, plus(turning, cross(w, plus(cross(w, d), times(2, u)))))
    elif m.kind == "angular_acceleration":
        way = minus(way, cross(w, B.omega))
    return rotate_back(A.R, way)


def _angle(seen: SeenMotion, frames: Mapping[str, Frame], m: Measure) -> Expr:
    """Angle about an axis a of frame A: with n₁, n₂, a right-handed, atan2(n₂·R n₁, n₁·R n₁)."""
    assert m.along is not None
    n, across = normals(m.along)
    turned = seen.end(frames[m.target]).vector(numbers(n))
    if m.seen_from:
        turned = rotate_back(seen.end(frames[m.seen_from]).R, turned)
    return atan2(dot(numbers(across), turned), dot(numbers(n), turned))


def _joint(seen: SeenMotion, part: Component, terminal: Terminal, m: Measure) -> Expr:
    """Coordinate or rate of a joint, branch or not."""
    name, is_rate = f"{m.target}.{m.coordinate}", m.kind == "rate"
    found = seen.rate(name) if is_rate else seen.coordinate(name)
    if found is not None:
        return found
    A, B = seen.end(part.tail), seen.end(part.head)
    for direction in terminal.translation.free if terminal.translation else ():
        if direction.name == m.coordinate:
            u, d = A.vector(numbers(direction.vector)), minus(B.x, A.x)
            return dot(u, minus(minus(B.v, A.v), cross(A.omega, d))) if is_rate else dot(u, d)
    rotation = terminal.rotation
    if rotation is None or rotation.kind != "axis" or m.coordinate not in rotation.names:
        raise ModelError(f"joint {m.target!r} has no coordinate {m.coordinate!r} that can be measured")
    if is_rate:
        return dot(A.vector(numbers(rotation.axes[0])), minus(B.omega, A.omega))
    return seen.twist(m.target).angle


def point(seen: SeenMotion, frames: Mapping[str, Frame], part: FlexibleBody, m: Measure) -> Vec:
    """Position in ground of a frame of a flexible body, or of a node s₀ + Σ s_k q_k to first order."""
    if isinstance(m.point, str):
        return seen.end(frames[m.point]).x
    rows, k = part.table.output, part.output_place(m.point)
    q = [seen.coordinate(f"{part.name}.elastic_{i + 1}") for i in range(part.table.m)]
    x, y, z = (
        add(float(s), *(mul(float(a), b) for a, b in zip(row, q, strict=True) if a and b is not None))
        for s, row in zip(rows.position[k], rows.translation[k], strict=True)
    )
    end = seen.end(frames[m.target])
    return plus(end.x, end.vector((x, y, z)))


class Undeformed(NamedTuple):
    """A chord and a point where nothing is deformed.

    Attributes
    ----------
    point : (3,) in the axes of the chord from its first end, m.
    length : of the chord, m.
    z : (3,) z axis of the chord in the axes of the body, where y of the body does not tell it: a chord that
        runs along y, or ends on other pieces of a beam, of which each turns by itself; else None.
    """

    point: Array
    length: float
    z: Array | None


def undeformed(frames: Mapping[str, Frame], part: FlexibleBody, m: Measure) -> Undeformed | None:
    """Chord and point of a deflection where nothing is deformed; None if the chord ends on other bodies."""
    if m.undeformed:
        s, a, b = (np.array(x) for x in m.undeformed)
    elif any(frames[end].body != m.target for end in m.chord):
        return None
    else:
        s, (a, b) = place(frames, part, m), (frames[end].position for end in m.chord)
    length = float(np.linalg.norm(b - a))
    e_x = (b - a) / length
    z = np.cross(e_x, [0.0, 1.0, 0.0])
    is_along_y = bool(np.linalg.norm(z) < ALONG)
    z = np.array([0.0, 0.0, 1.0]) - e_x[2] * e_x if is_along_y else z
    z /= np.linalg.norm(z)
    axes = np.stack([e_x, np.cross(z, e_x), z])
    return Undeformed(axes @ (s - a), length, z if is_along_y or m.undeformed else None)


def place(frames: Mapping[str, Frame], part: FlexibleBody, m: Measure) -> Array:
    """(3,) undeformed place of a point in the axes of its body, m."""
    if isinstance(m.point, str):
        return frames[m.point].position
    at: Array = part.table.output.position[part.output_place(m.point)]
    return at


def deflection(seen: SeenMotion, frames: Mapping[str, Frame], part: FlexibleBody, m: Measure) -> Vec:
    """Deflection of a point in the axes of its body, or of a chord: x along it, y near that of the body."""
    body, p = seen.end(frames[m.target]), point(seen, frames, part, m)
    if not m.chord:
        return minus(rotate_back(body.R, minus(p, body.x)), numbers(place(frames, part, m)))
    a, b = (seen.end(frames[name]).x for name in m.chord)
    rest = undeformed(frames, part, m)
    is_z = rest is not None and rest.z is not None
    up = body.vector(numbers(rest.z) if rest is not None and rest.z is not None else (0, 1, 0))
    d, length = _along(minus(p, a), minus(b, a), up, is_z)
    if rest is None:
        return d
    x, y, z = numbers(rest.point)
    # along the chord: from the point that divides it as the undeformed point did
    return minus(d, (mul(x, length / rest.length), y, z))


def _along(d: Vec, chord: Vec, up: Vec, is_z: bool) -> tuple[Vec, Expr]:
    """Components of d in the axes of a chord whose y, or z, is as near to a vector as can be; its length."""
    length = sqrt(dot(chord, chord))
    e_x = times(1 / length, chord)
    across = cross(up, e_x) if is_z else cross(e_x, up)
    other = times(1 / sqrt(dot(across, across)), across)  # y of a given z, z of a given y
    e_y, e_z = (other, cross(e_x, other)) if is_z else (cross(other, e_x), other)
    return (dot(e_x, d), dot(e_y, d), dot(e_z, d)), length
