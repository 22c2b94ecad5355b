"""Step 1 in symbols: the two sweeps of :mod:`flexnet.kernels.kinematics`, from the datum outwards."""

from dataclasses import dataclass, field

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
    transpose,
)
from flexnet.formulation import branch as law
from flexnet.formulation.equations import Equations
from flexnet.formulation.orientation import Orientation
from flexnet.formulation.symbolic.flexible import ArmCoordinates, ElasticBodies
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import KnownFunctions, KnownValues, Variables
from flexnet.graph import Branch
from flexnet.typing import AnyArray, Array

_AXES = dict(zip("xyz", np.eye(3), strict=True))


@dataclass(slots=True, eq=False)
class TBranch:
    """A branch of the T-tree: its vector r and the directions of its coordinates, in ground.

    Those of a flexible arm are functions of the elastic ones.
    """

    name: str
    parent: int
    child: int
    carrier: int
    sign: int
    v: int
    r: Vec
    free: list[Vec]
    driven: list[tuple[Vec, KnownValues]]
    arm: ArmCoordinates | None


@dataclass(slots=True, eq=False)
class RBranch:
    """A branch of the R-tree: the axes of its coordinates, in ground; likewise."""

    name: str
    parent: int
    child: int
    sign: int
    v: int
    axes: list[Vec]
    driven: KnownValues | None
    is_ordered: bool
    arm: ArmCoordinates | None


@dataclass(slots=True, eq=False)
class Kinematics:
    """Positions, and the rates the sweeps have reached.

    Attributes
    ----------
    R : orientation of every rotation node.
    p : position of every node.
    t, r : branches of the two trees, datum outwards.
    """

    equations: Equations
    variables: Variables
    elastic: ElasticBodies
    R: list[Orientation] = field(default_factory=list)
    p: list[Vec] = field(default_factory=list)
    t: list[TBranch] = field(default_factory=list)
    r: list[RBranch] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Rates:
    """First or second derivatives of all nodes: angular of rotation nodes, linear of nodes."""

    angular: list[Vec]
    linear: list[Vec]


def positions(
    equations: Equations, variables: Variables, parameters: Parameters, known: KnownFunctions
) -> Kinematics:
    """Orientation of every rotation node, position of every node, axes of every coordinate."""
    elastic = ElasticBodies(equations, variables, parameters)
    out = Kinematics(equations, variables, elastic)
    packer, model = equations.packer, equations.model
    out.R = [Orientation()] * len(packer.rotation_node)
    for branch, edge in zip(equations.R.branches, model.r_edges, strict=True):
        _turn(out, branch, edge, known)
    out.p = [ZERO3] * len(packer.node)
    for branch, edge in zip(equations.T.branches, model.t_edges, strict=True):
        _move(out, branch, edge, parameters, known)
    return out


def _turn(k: Kinematics, branch: Branch, edge: AnyArray, known: KnownFunctions) -> None:
    """One branch of the R-tree."""
    name, sign = branch.edge.name, branch.sign
    parent, child, flex = k.R[int(edge["parent"])], int(edge["child"]), int(edge["flex"])
    part = k.equations.packer.by_name[name]
    C_A, C_B = part.tail.rotation, part.head.rotation
    steps, driven = _steps(k, name, edge, known)
    arm = k.elastic.arms[flex][1] if flex >= 0 else None
    if arm is not None:
        k.R[child], axes = law.bent(parent, C_A, C_B, arm.x, sign)
    elif edge["is_free"] and not steps:
        k.R[child], axes = law.turned_freely(
            parent, C_A, C_B, quaternion_matrix(k.variables.turns[name]), sign
        )
    else:
        k.R[child], axes = law.turned(parent, C_A, C_B, steps, sign)
    k.r.append(
        RBranch(
            name, int(edge["parent"]), child, sign, int(edge["v"]), axes, driven,
            is_ordered=len(steps) > 1, arm=arm,
        )
    )  # fmt: skip


def _steps(
    k: Kinematics, name: str, edge: AnyArray, known: KnownFunctions
) -> tuple[list[tuple[Array, Expr]], KnownValues | None]:
    """Single turns a branch consists of, in their order from tail to head."""
    rotation = k.equations.terminals[name].rotation
    assert rotation is not None
    if rotation.function is not None:
        values = known.add(name, rotation.function, int(edge["function"]))
        return [(rotation.steps[0], values[0])], values
    if rotation.is_free:
        letters, angles = k.variables.sequences[name], k.variables.turns[name]
        return [(_AXES[c], s) for c, s in zip(letters, angles, strict=False)], None
    return [(axis, k.variables.place[int(edge["q"]) + i]) for i, axis in enumerate(rotation.steps)], None


def _move(
    k: Kinematics, branch: Branch, edge: AnyArray, parameters: Parameters, known: KnownFunctions
) -> None:
    """One branch of the T-tree: p_B = p_A + r."""
    name, sign = branch.edge.name, branch.sign
    terminal = k.equations.terminals[name].translation
    assert terminal is not None
    carrier = k.R[int(edge["carrier"])]
    arm = k.elastic.arms[int(edge["flex"])][0] if edge["flex"] >= 0 else None
    C, q, local = k.equations.packer.by_name[name].tail.rotation, int(edge["q"]), ZERO3
    if arm is not None:
        free, terms = list(transpose(carrier.matrix)), [rotate(carrier.matrix, arm.x)]
    else:
        if terminal.offset is not None:
            offset = parameters.vector(name, terminal.offset)
            local = offset if is_unit(C) else rotate(matrix_of_numbers(C), offset)
        free = [carrier.vector(C @ d.vector) for d in terminal.free]
        terms = [times(k.variables.place[q + i], d) for i, d in enumerate(free)]
    driven: list[tuple[Vec, KnownValues]] = []
    for i, (direction, function) in enumerate(terminal.driven):
        label = name if len(terminal.driven) == 1 else f"{name}.{i + 1}"
        values = known.add(label, function, int(edge["function"]) + i)
        e = carrier.vector(C @ direction.vector)
        driven.append((e, values))
        terms.append(times(values[0], e))
    body = ZERO3 if all(x == 0 for x in local) else rotate(carrier.matrix, local)
    r = plus(body, *terms)
    parent, child = int(edge["parent"]), int(edge["child"])
    k.p[child] = law.moved(k.p[parent], sign, r)
    k.t.append(
        TBranch(
            name,
            parent,
            child,
            int(edge["carrier"]),
            sign,
            int(edge["v"]),
            r,
            free,
            driven,
            arm,
        )
    )


def velocities(k: Kinematics, v: list[Expr]) -> Rates:
    """Angular velocities and velocities for given rates v."""
    packer = k.equations.packer
    omega, velocity = [ZERO3] * len(packer.rotation_node), [ZERO3] * len(packer.node)
    for b in k.r:
        omega[b.child] = law.turned_rate(omega[b.parent], b.sign, relative_rate(b, v, 1))
    for e in k.t:
        apparent = apparent_rate(e, v, 1)
        velocity[e.child] = law.moved_rate(velocity[e.parent], e.sign, omega[e.carrier], e.r, apparent)
    return Rates(omega, velocity)


def relative_rate(b: RBranch, v: list[Expr], order: int) -> Vec:
    """Sum of axis times rate, or second derivative, over the coordinates of a rotational branch."""
    if b.driven is not None:
        return law.combined(b.axes, [b.driven[order]])
    return law.combined(b.axes, v[b.v : b.v + len(b.axes)] if b.arm is None else _along(b.arm, order))


def apparent_rate(e: TBranch, v: list[Expr], order: int) -> Vec:
    """The same over the coordinates of a translational branch."""
    rates = v[e.v : e.v + len(e.free)] if e.arm is None else _along(e.arm, order)
    return plus(law.combined(e.free, rates), *(times(f[order], d) for d, f in e.driven))


def _along(arm: ArmCoordinates, order: int) -> Vec:
    """First or second derivative of an arm's coordinates."""
    return arm.x_dot if order == 1 else arm.x_ddot


def accelerations(k: Kinematics, v: list[Expr], a: list[Expr], rates: Rates) -> Rates:
    """Angular and linear accelerations for given v̇ = a; with a = 0 the bias terms."""
    packer = k.equations.packer
    alpha, acc = [ZERO3] * len(packer.rotation_node), [ZERO3] * len(packer.node)
    for b in k.r:
        tail = b.parent if b.sign > 0 else b.child
        apparent = [relative_rate(b, a, 2)]
        if b.is_ordered:
            apparent.append(law.in_turn(b.axes, v[b.v : b.v + len(b.axes)]))
        if b.arm is not None:
            ends, C_A = (k.R[b.parent], k.R[b.child]), packer.by_name[b.name].tail.rotation
            apparent.append(law.bent_second(*ends, C_A, b.arm.x, b.arm.x_dot, b.sign))
        w_rel = relative_rate(b, v, 1)
        alpha[b.child] = law.turned_second(alpha[b.parent], b.sign, rates.angular[tail], w_rel, *apparent)
    for e in k.t:
        acc[e.child] = law.moved_second(
            acc[e.parent], e.sign, rates.angular[e.carrier], alpha[e.carrier], e.r, apparent_rate(e, v, 1),
            apparent_rate(e, a, 2),
        )  # fmt: skip
    return Rates(alpha, acc)
