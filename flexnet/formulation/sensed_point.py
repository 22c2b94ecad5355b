"""Points of flexible bodies as signals see them: frames and nodes, and how far off a body or a chord."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from flexnet.algebra import Expr, Vec, add, cross, dot, minus, mul, numbers, plus, rotate_back, sqrt, times
from flexnet.components import FlexibleBody, Frame
from flexnet.signals import Measure

if TYPE_CHECKING:
    from flexnet.formulation.sensing import Seen


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


def deflection(seen: "Seen", frames: Mapping[str, Frame], part: FlexibleBody, m: Measure) -> Vec:
    """Deflection of a point in the axes of its body, or of a chord: x along it, y near that of the body."""
    body, p = seen.end(frames[m.target]), point(seen, frames, part, m)
    if isinstance(m.point, str):
        rest = numbers(frames[m.point].position)
    else:
        rest = numbers(part.table.output.position[part.output_place(m.point)])
    if not m.chord:
        return minus(rotate_back(body.R, minus(p, body.x)), rest)
    ends = [frames[name] for name in m.chord]
    a, b = (seen.end(frame).x for frame in ends)
    y: Vec = (0, 1, 0)
    d, length = _along(minus(p, a), minus(b, a), body.vector(y))
    if any(frame.body != m.target for frame in ends):
        return d
    a_0, b_0 = (numbers(frame.position) for frame in ends)
    d_0, length_0 = _along(minus(rest, a_0), minus(b_0, a_0), y)
    # along the chord: from the point that divides it as the undeformed point did
    return minus(d, (mul(d_0[0], length / length_0), d_0[1], d_0[2]))


def _along(d: Vec, chord: Vec, y: Vec) -> tuple[Vec, Expr]:
    """Components of d in the axes of a chord, and its length."""
    length = sqrt(dot(chord, chord))
    e_x = times(1 / length, chord)
    z = cross(e_x, y)
    e_z = times(1 / sqrt(dot(z, z)), z)
    return (dot(e_x, d), dot(cross(e_z, e_x), d), dot(e_z, d)), length
