"""Steps 3 and 4 in symbols: inertia forces, and the cutsets that carry all forces back to the datum."""

from collections.abc import Iterator

from flexnet.algebra import Expr, Mat, add, dot, negative, plus, times
from flexnet.components import RigidBody
from flexnet.formulation import branch as law
from flexnet.formulation.symbolic.constraints import Chord
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.loads import Loads
from flexnet.formulation.symbolic.parameters import Parameters

Rigid = tuple[int, int, Expr, tuple[tuple[Expr, ...], ...], Mat]


def rigid_bodies(k: Kinematics, parameters: Parameters) -> Iterator[Rigid]:
    """Node, rotation node, mass, inertia and orientation of every rigid body."""
    packer = k.equations.packer
    for body in [p for p in k.equations.parts if isinstance(p, RigidBody)]:
        turn = packer.rotation_node[body.name]
        mass = parameters.scalar(f"m.{body.name}", body.mass)
        J = parameters.symmetric(f"J.{body.name}", body.inertia)
        yield packer.node[body.name], turn, mass, J, k.R[turn].matrix


def apply_inertia(k: Kinematics, rates: Rates, acc: Rates, parameters: Parameters, out: Loads) -> list[Expr]:
    """Add d'Alembert forces of all bodies; returns forces on the elastic coordinates, (n_v)."""
    for node, turn, mass, J, R in rigid_bodies(k, parameters):
        out.force[node] = plus(out.force[node], times(-mass, acc.linear[node]))
        torque = law.inertia_torque(R, J, rates.angular[turn], acc.angular[turn])
        out.torque[turn] = plus(out.torque[turn], torque)
    elastic, found = k.elastic.inertia(k, rates, acc), k.elastic.work
    for f in k.elastic.model.flex:
        out.force[f.node] = plus(out.force[f.node], found.force[f.node])
        out.torque[f.rotation] = plus(out.torque[f.rotation], found.torque[f.rotation])
    out.damping = add(out.damping, k.elastic.damping())
    return elastic


def apply_constraint_forces(rows: list[Chord], lam: list[Expr], out: Loads) -> None:
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
        F, sign = loads.force[e.child], e.sign
        loads.force[e.parent] = plus(loads.force[e.parent], F)
        turned = law.carried_torque(sign, e.r, F)
        loads.torque[e.carrier] = plus(loads.torque[e.carrier], turned)
        if e.arm is None:
            out[e.v : e.v + len(e.free)] = law.work(sign, e.free, F)
        else:
            e.arm.add_work(sign, [dot(d, F) for d in e.free], out)
    for b in reversed(k.r):
        tau, sign = loads.torque[b.child], b.sign
        loads.torque[b.parent] = plus(loads.torque[b.parent], tau)
        if b.arm is not None:
            b.arm.add_work(sign, [dot(u, tau) for u in b.axes], out)
        elif b.driven is None:
            out[b.v : b.v + len(b.axes)] = law.work(sign, b.axes, tau)
    return out
