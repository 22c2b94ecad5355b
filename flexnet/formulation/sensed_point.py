"""Points of flexible bodies as signals see them: frames and nodes, and how far off a body or a chord."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexnet.algebra import Expr, Vec, add, cross, dot, minus, mul, numbers, plus, rotate_back, sqrt, times
from flexnet.components import FlexibleBody, Frame
from flexnet.signals import Measure
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.sensing import Seen

#: sine of the angle between a chord and y of its body below which the one runs along the other
ALONG = 0.1


def point(seen: "Seen", frames: Mapping[str, Frame], part: FlexibleBody, m: Measure) -> Vec:
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


def deflection(seen: "Seen", frames: Mapping[str, Frame], part: FlexibleBody, m: Measure) -> Vec:
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
