"""What a branch does to the frame at its far end, and what it carries back: the formulas of both engines.

A branch of the R-tree is a chain of turns, or any rotation; one of the T-tree a constant vector and slides
along directions of the frame that carries it, each by a coordinate or a known function. Along a flexible arm
the coordinates are a rotation vector and a place, functions of the elastic ones. With A the parent, B
the child and s = -1 where the edge points towards the datum,

    R_B = R_A C_A R_e C_Bᵀ,   ω_B = ω_A + s ω_e,
    ω̇_B = ω̇_A + s (Σ uᵢ v̇ᵢ + ω_tail × ω_e + Σ_{i<j} uᵢvᵢ × uⱼvⱼ)                                    (1)
    p_B = p_A + s r,   ṗ_B = ṗ_A + s (ω × r + r°),
    p̈_B = p̈_A + s (ω̇ × r + ω × (ω × r + 2 r°) + r°°)                                              (2)

with ω_e = Σ uᵢ vᵢ, ω of the frame that carries r, and r° the rate of r seen from it. The virtual work of a
force F and a torque τ beyond the branch leaves them on its parent, the torque r × F on the carrier, and on
every coordinate s u·τ or s d·F (GTM eq. 76-84).

The symbolic engine calls these functions with the frames of a mechanism; :mod:`.branch_programs` calls them
with arguments, once for every family.
"""

from collections.abc import Iterable, Sequence

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Expr,
    Mat,
    Vec,
    add,
    cross,
    dot,
    exponential,
    mul,
    negative,
    plus,
    rotate,
    rotate_back,
    times,
    transpose,
    turn_bias,
    turn_rate,
)
from flexnet.formulation.orientation import Orientation
from flexnet.typing import AnyArray

#: orientation of the child, and the axes of the turns in ground
Turned = tuple[Orientation, list[Vec]]


def turned(
    parent: Orientation, C_A: AnyArray, C_B: AnyArray, steps: Sequence[tuple[AnyArray, Expr]], sign: int
) -> Turned:
    """Follow a chain of turns, each an axis and an angle, from the frame of the tail to that of the head."""
    now = parent.place(C_A if sign > 0 else C_B)
    axes: list[Vec] = []
    for axis, angle in steps if sign > 0 else reversed(steps):
        axes.append(now.vector(axis))
        now = now.turn(axis, angle if sign > 0 else -angle)
    return now.place((C_B if sign > 0 else C_A).T), axes[::sign]


def turned_freely(parent: Orientation, C_A: AnyArray, C_B: AnyArray, R_e: Mat, sign: int) -> Turned:
    """Follow any rotation R_e; its axes are those of the head."""
    start = parent.place(C_A if sign > 0 else C_B)
    now = start.times(R_e if sign > 0 else transpose(R_e))
    head = now if sign > 0 else start
    return now.place((C_B if sign > 0 else C_A).T), list(transpose(head.matrix))


def bent(parent: Orientation, C_A: AnyArray, C_B: AnyArray, phi: Vec, sign: int) -> Turned:
    """Follow a rotation vector, that of a flexible arm; its axes are J's columns as the tail has them."""
    end, _ = turned_freely(parent, C_A, C_B, exponential(phi), sign)
    tail = _tail(parent, end, C_A, sign)
    return end, [rotate(tail, turn_rate(phi, e)) for e in UNIT]


def bent_second(parent: Orientation, end: Orientation, C_A: AnyArray, phi: Vec, rate: Vec, sign: int) -> Vec:
    """Angular acceleration of a flexible arm's head as seen from its tail, for no φ̈."""
    return rotate(_tail(parent, end, C_A, sign), turn_bias(phi, rate))


def _tail(parent: Orientation, end: Orientation, C_A: AnyArray, sign: int) -> Mat:
    return (parent if sign > 0 else end).place(C_A).matrix


def combined(directions: Sequence[Vec], rates: Iterable[Expr]) -> Vec:
    """Sum of direction times rate."""
    return plus(ZERO3, *(times(v, d) for d, v in zip(directions, rates, strict=True)))


def in_turn(axes: Sequence[Vec], v: Sequence[Expr]) -> Vec:
    """Σ_{i<j} uᵢvᵢ × uⱼvⱼ of successive turns."""
    pairs = [(i, j) for i in range(len(axes)) for j in range(i + 1, len(axes))]
    return plus(ZERO3, *(times(mul(v[i], v[j]), cross(axes[i], axes[j])) for i, j in pairs))


def turned_rate(w: Vec, sign: int, relative: Vec) -> Vec:
    """ω of the child of an R-branch."""
    return plus(w, times(sign, relative))


def turned_second(wd: Vec, sign: int, w_tail: Vec, relative: Vec, *apparent: Vec) -> Vec:
    """ω̇ of the child of an R-branch; ``apparent`` are the accelerations seen from the tail."""
    return plus(wd, *(times(sign, x) for x in (*apparent, cross(w_tail, relative))))


def turn_motion(
    axes: Sequence[Vec], rates: Sequence[Expr], seconds: Sequence[Expr], w: Vec, wd: Vec, sign: int,
    apparent: Vec,
) -> tuple[Vec, Vec]:  # fmt: skip
    """ω and ω̇ of the child of an R-branch; ``apparent`` is the acceleration seen from the tail for no v̇."""
    relative = combined(axes, rates)
    w_B = turned_rate(w, sign, relative)
    tail = w if sign > 0 else w_B
    return w_B, turned_second(wd, sign, tail, relative, combined(axes, seconds), apparent)


def moved(p: Vec, sign: int, r: Vec) -> Vec:
    """Position of the child of a T-branch."""
    return plus(p, times(sign, r))


def moved_rate(v: Vec, sign: int, w: Vec, r: Vec, apparent: Vec) -> Vec:
    """Velocity of the child of a T-branch; ω of the frame that carries r."""
    return plus(v, *(times(sign, x) for x in (cross(w, r), apparent)))


def moved_second(
    a: Vec, sign: int, w: Vec, wd: Vec, r: Vec, rate: Vec, *apparent: Vec
) -> Vec:  # fmt: skip
    """Acceleration of the child of a T-branch; ``rate`` and ``apparent`` are seen from the carrier."""
    inner = plus(cross(w, r), times(2, rate))
    return plus(a, *(times(sign, x) for x in (cross(wd, r), cross(w, inner), *apparent)))


def carried_torque(sign: int, r: Vec, F: Vec) -> Vec:
    """Torque that a force beyond a T-branch leaves on its carrier."""
    return times(sign, cross(r, F))


def work(sign: int, directions: Sequence[Vec], F: Vec) -> list[Expr]:
    """Generalised forces of a force along directions, or of a torque about axes."""
    return [sign * dot(d, F) for d in directions]


# -- rigid bodies ------------------------------------------------------------------------------


def spin(R: Mat, J: Sequence[Sequence[Expr]], w: Vec) -> Vec:
    """J ω in ground axes, J constant in the body."""
    return rotate(R, _times(J, rotate_back(R, w)))


def inertia_torque(R: Mat, J: Sequence[Sequence[Expr]], w: Vec, wd: Vec) -> Vec:
    """Torque of d'Alembert, -(J ω̇ + ω × J ω)."""
    local, second = rotate_back(R, w), rotate_back(R, wd)
    return negative(rotate(R, plus(_times(J, second), cross(local, _times(J, local)))))


def kinetic(R: Mat, mass: Expr, J: Sequence[Sequence[Expr]], v: Vec, w: Vec) -> Expr:
    """½ (m v·v + ω·J ω)."""
    local = rotate_back(R, w)
    return add(mul(mass, dot(v, v)) / 2, dot(local, _times(J, local)) / 2)


def _times(J: Sequence[Sequence[Expr]], w: Vec) -> Vec:
    return dot(J[0], w), dot(J[1], w), dot(J[2], w)
