"""Branches in symbols: the formulas of :mod:`flexnet.formulation.branch` on the frames of a mechanism.

A family is the functions that kernels ask for, as in :mod:`flexnet.formulation.branch_programs`, but those of
one member: its coordinates, orientations in factors and named parameters stand where arguments stand there.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.algebra import (
    ZERO3,
    Expr,
    Vec,
    is_unit,
    matrix_of_numbers,
    plus,
    quaternion_matrix,
    rotate,
    times,
)
from flexnet.formulation import branch as law
from flexnet.graph import Branch
from flexnet.typing import AnyArray, Array

if TYPE_CHECKING:
    from flexnet.formulation.symbolic.mechanism import Mechanism

_AXES = dict(zip("xyz", np.eye(3), strict=True))


def turn_family(k: "Mechanism", branch: Branch, edge: Any) -> list[Any]:
    """An R-branch."""
    name, sign = branch.edge.name, branch.sign
    part, is_arm, is_driven = k.equations.packer.by_name[name], edge.flex >= 0, edge.function >= 0
    ends = part.tail.rotation, part.head.rotation

    def motion(*arguments: AnyArray) -> None:
        _, x, f, _, xd, xdd, w_A, wd_A, R_B, u, w_B, wd_B = arguments
        parent, steps, apparent = k.R[edge.parent], _steps(k, name, edge, f), ZERO3
        if is_arm:
            child, axes = law.bent(parent, *ends, vector(x), sign)
            apparent = law.bent_second(parent, child, ends[0], vector(x), vector(xd), sign)
        elif edge.is_free and not steps:
            child, axes = law.turned_freely(parent, *ends, quaternion_matrix(k.variables.turns[name]), sign)
        else:
            child, axes = law.turned(parent, *ends, steps, sign)
            apparent = law.in_turn(axes, list(xd[: len(axes)]))
        rates = ([f[0, 1]], [f[0, 2]]) if is_driven else (list(xd[: len(axes)]), list(xdd[: len(axes)]))
        k.R[edge.child], R_B[0], u[0, : len(axes)] = child, child.matrix, axes or 0
        w_B[0], wd_B[0] = law.turn_motion(axes, *rates, w_A[0], wd_A[0], sign, apparent)

    def inward(u: AnyArray, tau: AnyArray, tau_A: AnyArray, out: AnyArray) -> None:
        tau_A[0] = plus(tau_A[0], tau[0])
        if not (is_arm or is_driven):
            out[: edge.n] = law.work(sign, list(u[0, : edge.n]), tau[0])

    return [None, motion, None, inward]


def _steps(k: "Mechanism", name: str, edge: Any, f: AnyArray) -> list[tuple[Array, Expr]]:
    """Single turns a branch consists of, in their order from tail to head."""
    rotation = k.equations.terminals[name].rotation
    if rotation is None:
        return []
    if rotation.function is not None:
        return [(rotation.steps[0], f[0, 0])]
    if rotation.is_free:
        letters, angles = k.variables.sequences[name], k.variables.turns[name]
        return [(_AXES[c], s) for c, s in zip(letters, angles, strict=False)]
    return [(axis, k.variables.place[edge.q + i]) for i, axis in enumerate(rotation.steps)]


def slide_family(k: "Mechanism", branch: Branch, edge: Any) -> list[Any]:
    """A T-branch."""
    name, sign, is_arm = branch.edge.name, branch.sign, edge.flex >= 0
    terminal, C = k.equations.terminals[name].translation, k.equations.packer.by_name[name].tail.rotation
    assert terminal is not None
    local = ZERO3
    if not is_arm and terminal.offset is not None:
        offset = k.parameters.vector(name, terminal.offset)
        local = offset if is_unit(C) else rotate(matrix_of_numbers(C), offset)
    ways = list(_AXES.values()) if is_arm else [C @ n.vector for n in terminal.free]
    known_ways = [C @ n.vector for n, _ in terminal.driven]

    def motion(*arguments: AnyArray) -> None:
        _, x, f, _, xd, xdd, w, wd, x_A, v_A, a_A, x_B, r, d, e, v_B, a_B = arguments
        carrier = k.R[edge.carrier]
        free, driven = [carrier.vector(n) for n in ways], [carrier.vector(n) for n in known_ways]

        def along(y: AnyArray, order: int) -> list[Vec]:
            known = zip(driven, f[:, order], strict=False)
            return [times(z, n) for n, z in (*zip(free, y, strict=False), *known)]

        body = ZERO3 if all(y == 0 for y in local) else rotate(carrier.matrix, local)
        r[0], rate = plus(body, *along(x, 0)), plus(ZERO3, *along(xd, 1))
        d[0, : len(free)], e[0, : len(driven)] = free or 0, driven or 0
        x_B[0] = law.moved(x_A[0], sign, r[0])
        v_B[0] = law.moved_rate(v_A[0], sign, w[0], r[0], rate)
        a_B[0] = law.moved_second(a_A[0], sign, w[0], wd[0], r[0], rate, *along(xdd, 2))

    def inward(r: AnyArray, d: AnyArray, F: AnyArray, F_A: AnyArray, tau: AnyArray, out: AnyArray) -> None:
        F_A[0] = plus(F_A[0], F[0])
        tau[0] = plus(tau[0], law.carried_torque(sign, r[0], F[0]))
        if not is_arm:
            out[: edge.n] = law.work(sign, list(d[0, : edge.n]), F[0])

    return [None, motion, None, inward]


def vector(x: AnyArray) -> Vec:
    """The first three entries."""
    return x[0], x[1], x[2]
