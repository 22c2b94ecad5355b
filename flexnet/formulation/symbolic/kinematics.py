"""Step 1 in symbols: the two sweeps of :mod:`flexnet.kernels.kinematics`, from the datum outwards."""

from dataclasses import dataclass, field

import numpy as np

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Expr,
    Vec,
    cross,
    is_unit,
    matrix_of_numbers,
    mul,
    plus,
    quaternion_matrix,
    rotate,
    times,
    transpose,
)
from flexnet.formulation.equations import Equations
from flexnet.formulation.symbolic.flexible import ElasticBodies
from flexnet.formulation.symbolic.orientation import Orientation
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import KnownFunctions, KnownValues, Variables
from flexnet.graph import Branch
from flexnet.kernels import model as km
from flexnet.typing import AnyArray, Array

_AXES = dict(zip("xyz", np.eye(3), strict=True))


@dataclass(slots=True, eq=False)
class TBranch:
    """A branch of the T-tree: its vector r and the directions of its coordinates, in ground."""

    name: str
    parent: int
    child: int
    carrier: int
    sign: int
    v: int
    r: Vec
    free: list[Vec]
    driven: list[tuple[Vec, KnownValues]]
    elastic: int


@dataclass(slots=True, eq=False)
class RBranch:
    """A branch of the R-tree: the axes of its coordinates, in ground."""

    name: str
    parent: int
    child: int
    sign: int
    v: int
    axes: list[Vec]
    driven: KnownValues | None
    is_ordered: bool
    elastic: int


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
    """One branch of the R-tree: R_B = R_A C_A R_e C_Bᵀ."""
    name, sign = branch.edge.name, branch.sign
    steps, driven = _steps(k, name, edge, known)
    kind = int(edge["kind"])
    start = k.R[int(edge["parent"])].place(edge["C_A"] if sign > 0 else edge["C_B"])
    axes: list[Vec] = []
    now = start
    if kind in (km.R_FREE, km.R_FLEX) and not steps:
        R_e = quaternion_matrix(k.variables.turns[name]) if kind == km.R_FREE else UNIT
        if kind == km.R_FLEX:
            R_e = k.elastic.frames.turn(int(edge["flex"]))
        now = start.times(R_e if sign > 0 else transpose(R_e))
        if kind == km.R_FREE:
            axes = list(transpose((now if sign > 0 else start).matrix))
        else:
            k.elastic.frames.set_axes(int(edge["flex"]), (start if sign > 0 else now).matrix)
    for axis, angle in steps if sign > 0 else reversed(steps):
        axes.append(now.vector(axis))
        now = now.turn(axis, angle if sign > 0 else -angle)
    if sign < 0 and steps:
        axes.reverse()
    k.R[int(edge["child"])] = now.place((edge["C_B"] if sign > 0 else edge["C_A"]).T)
    k.r.append(
        RBranch(
            name, int(edge["parent"]), int(edge["child"]), sign, int(edge["v"]), axes, driven,
            is_ordered=len(steps) > 1, elastic=int(edge["flex"]),
        )
    )  # fmt: skip


def _steps(
    k: Kinematics, name: str, edge: AnyArray, known: KnownFunctions
) -> tuple[list[tuple[Array, Expr]], KnownValues | None]:
    """Single turns a branch consists of, in their order from tail to head."""
    place, kind, q = k.variables.place, int(edge["kind"]), int(edge["q"])
    if kind == km.R_AXIS:
        return [(edge["axis_1"], place[q])], None
    if kind == km.R_UNIVERSAL:
        return [(edge["axis_1"], place[q]), (edge["axis_2"], place[q + 1])], None
    if kind == km.R_DRIVEN:
        function = k.equations.terminals[name].rotation.function  # type: ignore[union-attr]
        assert function is not None
        values = known.add(name, function, int(edge["function"]))
        return [(edge["axis_1"], values[0])], values
    if kind == km.R_FREE and (sequence := k.variables.sequences[name]):
        return [(_AXES[c], s) for c, s in zip(sequence, k.variables.turns[name], strict=True)], None
    return [], None


def _move(
    k: Kinematics, branch: Branch, edge: AnyArray, parameters: Parameters, known: KnownFunctions
) -> None:
    """One branch of the T-tree: p_B = p_A + r."""
    name, sign = branch.edge.name, branch.sign
    terminal = k.equations.terminals[name].translation
    assert terminal is not None
    carrier = k.R[int(edge["carrier"])]
    local = k.elastic.frames.arm(int(edge["flex"]), carrier.matrix) if edge["flex"] >= 0 else None
    if local is None:
        C = k.equations.packer.by_name[name].tail.rotation
        local = ZERO3
        if terminal.offset is not None:
            offset = parameters.vector(name, terminal.offset)
            local = offset if is_unit(C) else rotate(matrix_of_numbers(C), offset)
    free = [carrier.vector(edge["free"][i]) for i in range(int(edge["n"]))]
    q = int(edge["q"])
    terms = [times(k.variables.place[q + i], d) for i, d in enumerate(free)]
    driven: list[tuple[Vec, KnownValues]] = []
    for i, (_, function) in enumerate(terminal.driven):
        values = known.add(
            name if len(terminal.driven) == 1 else f"{name}.{i + 1}", function, edge["function"][i]
        )
        e = carrier.vector(edge["driven"][i])
        driven.append((e, values))
        terms.append(times(values[0], e))
    body = ZERO3 if all(x == 0 for x in local) else rotate(carrier.matrix, local)
    r = plus(body, *terms)
    parent, child = int(edge["parent"]), int(edge["child"])
    k.p[child] = plus(k.p[parent], times(sign, r))
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
            int(edge["flex"]),
        )
    )


def velocities(k: Kinematics, v: list[Expr], with_known: bool = True) -> Rates:
    """Angular velocities and velocities for given rates v; a unit vector gives a column of the Jacobians."""
    packer = k.equations.packer
    omega, velocity = [ZERO3] * len(packer.rotation_node), [ZERO3] * len(packer.node)
    for b in k.r:
        rel = relative_rate(k, b, v, 1 if with_known else 0)
        omega[b.child] = plus(omega[b.parent], times(b.sign, rel))
    for e in k.t:
        parts = [cross(omega[e.carrier], e.r), apparent_rate(k, e, v, 1 if with_known else 0)]
        velocity[e.child] = plus(velocity[e.parent], *(times(e.sign, x) for x in parts))
    return Rates(omega, velocity)


def relative_rate(k: Kinematics, b: RBranch, v: list[Expr], order: int) -> Vec:
    """Sum of axis times rate over the coordinates of a rotational branch; order 0 leaves known ones out."""
    if b.elastic >= 0:
        return k.elastic.frames.rate(b.elastic, v, is_rotation=True)
    if b.driven is not None:
        return times(b.driven[order], b.axes[0]) if order else ZERO3
    return plus(ZERO3, *(times(v[b.v + i], u) for i, u in enumerate(b.axes)))


def apparent_rate(k: Kinematics, e: TBranch, v: list[Expr], order: int) -> Vec:
    """Sum of direction times rate over the coordinates of a translational branch."""
    terms = [times(v[e.v + i], d) for i, d in enumerate(e.free)]
    if order:
        terms += [times(f[order], d) for d, f in e.driven]
    if e.elastic >= 0:
        terms.append(k.elastic.frames.rate(e.elastic, v, is_rotation=False))
    return plus(ZERO3, *terms)


def accelerations(k: Kinematics, v: list[Expr], a: list[Expr], rates: Rates) -> Rates:
    """Angular and linear accelerations for given v̇ = a; with a = 0 the bias terms."""
    packer = k.equations.packer
    alpha, acc = [ZERO3] * len(packer.rotation_node), [ZERO3] * len(packer.node)
    for b in k.r:
        tail = b.parent if b.sign > 0 else b.child
        w_rel = relative_rate(k, b, v, 1)
        terms = [relative_rate(k, b, a, 2), cross(rates.angular[tail], w_rel)]
        if b.is_ordered:
            terms += _ordered_terms(b, v)
        if b.elastic >= 0:
            terms.append(k.elastic.frames.turn_bias(b.elastic, v))
        alpha[b.child] = plus(alpha[b.parent], *(times(b.sign, x) for x in terms))
    for e in k.t:
        w = rates.angular[e.carrier]
        rate = apparent_rate(k, e, v, 1)
        inner = plus(cross(w, e.r), times(2, rate))
        terms = [cross(alpha[e.carrier], e.r), cross(w, inner), apparent_rate(k, e, a, 2)]
        if e.elastic >= 0:
            terms.append(k.elastic.frames.second(e.elastic, v))
        acc[e.child] = plus(acc[e.parent], *(times(e.sign, x) for x in terms))
    return Rates(alpha, acc)


def _ordered_terms(b: RBranch, v: list[Expr]) -> list[Vec]:
    """Σ_{i<j} uᵢvᵢ × uⱼvⱼ of successive turns."""
    n = len(b.axes)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    return [times(mul(v[b.v + i], v[b.v + j]), cross(b.axes[i], b.axes[j])) for i, j in pairs]
