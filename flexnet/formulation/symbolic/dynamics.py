"""Steps 3 and 4 in symbols: inertia forces, and the cutsets that carry all forces back to the datum."""

from flexnet.algebra import Expr, Vec, add, cross, dot, minus, mul, negative, plus, rotate, rotate_back, times
from flexnet.components import RigidBody
from flexnet.formulation.symbolic.constraints import Chord
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.loads import Loads, gravity
from flexnet.formulation.symbolic.parameters import Parameters


def times_inertia(k: Kinematics, body: RigidBody, parameters: Parameters, w: Vec) -> Vec:
    """J ω in ground axes, J constant in the body."""
    if all(x == 0 for x in w):
        return w
    J = parameters.symmetric(f"J.{body.name}", body.inertia)
    rotation = k.R[k.equations.packer.rotation_node[body.name]]
    if w[0] == 0 and w[1] == 0 and _turns_about_z(rotation.matrix) and _keeps_z(J):
        return (0, 0, mul(J[2][2], w[2]))
    R = rotation.matrix
    local = rotate_back(R, w)
    return rotate(R, tuple(dot(row, local) for row in J))


def _turns_about_z(R: tuple[Vec, ...]) -> bool:
    return bool(R[2] == (0, 0, 1))


def _keeps_z(J: tuple[tuple[Expr, ...], ...]) -> bool:
    """Whether a turn about z has its angular momentum along z."""
    return bool(J[0][2] == 0 and J[1][2] == 0)


def apply_inertia(
    k: Kinematics, rates: Rates, acc: Rates, a: list[Expr], parameters: Parameters, out: Loads
) -> list[Expr]:
    """Add d'Alembert forces of all bodies; returns forces on the elastic coordinates, (n_v)."""
    packer = k.equations.packer
    for body in [p for p in k.equations.parts if isinstance(p, RigidBody)]:
        node, turn = packer.node[body.name], packer.rotation_node[body.name]
        mass = parameters.scalar(f"m.{body.name}", body.mass)
        out.force[node] = plus(out.force[node], times(-mass, acc.linear[node]))
        moment = times_inertia(k, body, parameters, acc.angular[turn])
        gyro = cross(rates.angular[turn], times_inertia(k, body, parameters, rates.angular[turn]))
        out.torque[turn] = plus(out.torque[turn], negative(moment), negative(gyro))
    elastic = [0] * k.equations.n_v
    for i, b in enumerate(k.elastic.bodies):
        R = k.R[b.rotation].matrix
        a0 = rotate_back(R, minus(acc.linear[b.node], gravity(k, parameters)))
        w, wd = (rotate_back(R, x.angular[b.rotation]) for x in (rates, acc))
        p, h, left = k.elastic.inertia(i, a0, w, wd, k.variables.v, a)
        out.force[b.node] = plus(out.force[b.node], negative(rotate(R, p)))
        out.torque[b.rotation] = plus(out.torque[b.rotation], negative(rotate(R, h)))
        for j in range(b.m):
            elastic[b.v + j] = -left[j]
        damping = [add(*(mul(b.D[j, l], k.variables.v[b.v + l]) for l in range(b.m))) for j in range(b.m)]
        out.damping = add(out.damping, *(-mul(k.variables.v[b.v + j], damping[j]) for j in range(b.m)))
    return elastic


def apply_constraint_forces(k: Kinematics, rows: list[Chord], lam: list[Expr], out: Loads) -> None:
    """Add -λ times the unit wrench of every row."""
    for chord, factor in zip(rows, lam, strict=True):
        for w in chord.wrenches:
            for where, i, wrench in (
                (out.force, w.nodes[1], negative(w.force)),
                (out.force, w.nodes[0], w.force),
                (out.torque, w.turns[1], negative(w.head)),
                (out.torque, w.turns[0], negative(w.tail)),
            ):
                where[i] = plus(where[i], times(factor, wrench))


def gather(k: Kinematics, loads: Loads, elastic: list[Expr]) -> list[Expr]:
    """Carry all forces back through the cutsets; generalised forces (n_v).

    Afterwards ``loads`` holds the cutset sums of the branch that reaches each node.
    """
    out = list(elastic)
    for e in reversed(k.t):
        F = loads.force[e.child]
        sign = e.sign
        loads.force[e.parent] = plus(loads.force[e.parent], F)
        turned = times(sign, cross(e.r, F))
        loads.torque[e.carrier] = plus(loads.torque[e.carrier], turned)
        for i, d in enumerate(e.free):
            out[e.v + i] = sign * dot(d, F)
        if e.elastic >= 0:
            for v, value in k.elastic.frames.work(e.elastic, F, is_rotation=False):
                out[v] = add(out[v], sign * value)
    for b in reversed(k.r):
        tau = loads.torque[b.child]
        sign = b.sign
        loads.torque[b.parent] = plus(loads.torque[b.parent], tau)
        if b.driven is None:
            for i, u in enumerate(b.axes):
                out[b.v + i] = sign * dot(u, tau)
        if b.elastic >= 0:
            for v, value in k.elastic.frames.work(b.elastic, tau, is_rotation=True):
                out[v] = add(out[v], sign * value)
    return out


def column_forces(
    k: Kinematics, column: Rates, v: int, parameters: Parameters, loads: Loads
) -> list[Expr]:  # fmt: skip
    """Inertia forces for the unit acceleration of coordinate v, the velocity being zero; elastic (n_v)."""
    packer = k.equations.packer
    for body in [p for p in k.equations.parts if isinstance(p, RigidBody)]:
        node, turn = packer.node[body.name], packer.rotation_node[body.name]
        mass = parameters.scalar(f"m.{body.name}", body.mass)
        loads.force[node] = plus(loads.force[node], times(mass, column.linear[node]))
        moment = times_inertia(k, body, parameters, column.angular[turn])
        loads.torque[turn] = plus(loads.torque[turn], moment)
    elastic = [0] * k.equations.n_v
    for i, b in enumerate(k.elastic.bodies):
        R = k.R[b.rotation].matrix
        a0, w = rotate_back(R, column.linear[b.node]), rotate_back(R, column.angular[b.rotation])
        own = v - b.v if b.v <= v < b.v + b.m else -1
        p, h, left = k.elastic.column(i, a0, w, own)
        loads.force[b.node] = plus(loads.force[b.node], rotate(R, p))
        loads.torque[b.rotation] = plus(loads.torque[b.rotation], rotate(R, h))
        for j in range(b.m):
            elastic[b.v + j] = left[j]
    return elastic
