"""Applied forces in symbols: weights, forces, torques, springs, dampers, actuators and bushings."""

from dataclasses import dataclass

import sympy as sp

from flexnet.components import Bushing, Component, Force, Law, RigidBody, TorsionalSpring, TranslationalSpring
from flexnet.components import Torque as TorqueLoad
from flexnet.formulation.symbolic.constraints import angle_between, negative, quaternion_of
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.special import inverse, law, turn_c, turn_factor
from flexnet.formulation.symbolic.tape import ONE, UNIT, ZERO, ZERO3, Expr, Mat, Vec, transpose
from flexnet.formulation.symbolic.variables import TIME, KnownFunctions
from flexnet.kernels import model as km
from flexnet.typing import AnyArray


@dataclass(slots=True, eq=False)
class Loads:
    """Forces on nodes, torques on rotation nodes (ground axes) and the power of what has no potential."""

    force: list[Vec]
    torque: list[Vec]
    power: Expr = ZERO


def no_loads(k: Kinematics) -> Loads:
    """Nothing yet."""
    packer = k.equations.packer
    return Loads([ZERO3] * len(packer.node), [ZERO3] * len(packer.rotation_node))


def gravity(k: Kinematics, parameters: Parameters) -> Vec:
    """Acceleration of gravity, in ground."""
    return parameters.vector("g", k.equations.system.g)


def apply_loads(k: Kinematics, rates: Rates, parameters: Parameters, known: KnownFunctions) -> Loads:
    """All applied forces at a state."""
    tape, out = k.tape, no_loads(k)
    g = gravity(k, parameters)
    bodies = [p for p in k.equations.parts if isinstance(p, RigidBody)]
    for body in bodies:
        node = k.equations.packer.node[body.name]
        weight = tape.scale(parameters.scalar(f"m.{body.name}", body.mass), g)
        out.force[node] = tape.plus(out.force[node], weight)
    kinds = Force | TorqueLoad | TranslationalSpring | TorsionalSpring | Bushing
    parts = [p for p in k.equations.parts if isinstance(p, kinds)]
    for i, (part, record) in enumerate(zip(parts, k.equations.model.elements, strict=True)):
        if isinstance(part, Force | TorqueLoad):
            _given(k, part, record, rates, known, out)
        elif isinstance(part, Bushing):
            _bushing(k, part, record, rates, parameters, out)
        elif isinstance(part, TranslationalSpring | TorsionalSpring):
            _spring(k, i, part, record, rates, parameters, known, out)
    return out


def _add(k: Kinematics, where: list[Vec], i: int, value: Vec) -> None:
    where[i] = k.tape.plus(where[i], value)


def _given(
    k: Kinematics, part: Force | TorqueLoad, record: AnyArray, rates: Rates, known: KnownFunctions, out: Loads
) -> None:
    tape = k.tape
    head, head_r = int(record["head"]), int(record["head_r"])
    local = tuple(
        known.add(f"{part.name}.{c}", f, i)[0]
        for c, f, i in zip("xyz", part.components, record["function"], strict=True)
    )
    world: Vec = local
    if part.follows:
        world = tape.rotate(k.R[head_r].place(record["C_B"]).matrix, world)
    if isinstance(part, Force):
        _add(k, out.force, head, world)
        out.power = tape.add(out.power, tape.dot(world, rates.linear[head]))
    else:
        _add(k, out.torque, head_r, world)
        out.power = tape.add(out.power, tape.dot(world, rates.angular[head_r]))


def _law(
    k: Kinematics,
    i: int,
    part: Component,
    given: Law,
    x: Expr,
    rate: Expr,
    parameters: Parameters,
    added: Expr,
) -> tuple[Expr, Expr]:
    """Force of a spring, and the part of it that has no potential."""
    tape = k.tape
    if given.law is None:
        stiffness, damping = (
            parameters.scalar(f"{letter}.{part.name}", value)
            for letter, value in (("k", given.stiffness), ("c", given.damping))
        )
        rest = parameters.scalar(f"rest.{part.name}", given.rest)
        spring = tape.mul(stiffness, tape.add(rest, -x))
        other = tape.add(-tape.mul(damping, rate), added)
        return tape.add(spring, other), other
    if isinstance(given.law, sp.Basic):
        swap = {s: {"x": x, "v": rate, "t": TIME}[str(s)] for s in given.law.free_symbols}
        value = tape.add(tape.let(given.law.subs(swap, simultaneous=True)), added)
    else:
        value = tape.add(tape.let(law(sp.Integer(i), x, rate, TIME)), added)
    return value, value


def _spring(
    k: Kinematics, i: int, part: TranslationalSpring | TorsionalSpring, record: AnyArray, rates: Rates,
    parameters: Parameters, known: KnownFunctions, out: Loads,
) -> None:  # fmt: skip
    tape = k.tape
    added = known.add(f"{part.name}.force", part.law.actuator, record["function"][0])[0]
    tail, head = int(record["tail"]), int(record["head"])
    tail_r, head_r = int(record["tail_r"]), int(record["head_r"])
    A, B = k.R[tail_r], k.R[head_r]
    if isinstance(part, TorsionalSpring):
        c, s, u = angle_between(tape, A.vector(record["n"]), A.vector(record["m"]), B.vector(record["a"]))
        if record["q"] >= 0:
            sense = ONE * int(record["sense"])
            x = sense * k.variables.place[int(record["q"])]
            rate = sense * k.variables.v[int(record["v"])]
        else:
            x = tape.let(sp.atan2(s, c))
            rate = tape.dot(u, tape.minus(rates.angular[head_r], rates.angular[tail_r]))
        f, other = _law(k, i, part, part.law, x, rate, parameters, added)
        _add(k, out.torque, head_r, tape.scale(f, u))
        _add(k, out.torque, tail_r, tape.scale(-f, u))
        out.power = tape.add(out.power, tape.mul(other, rate))
        return
    d = tape.minus(k.p[head], k.p[tail])
    dv = tape.minus(rates.linear[head], rates.linear[tail])
    if record["kind"] == km.SPRING_LINE:
        x = tape.let(sp.sqrt(tape.dot(d, d)))
        n = tape.scale(tape.let(inverse(x)), d)
        u = ZERO3
    else:
        n = A.vector(record["n"])
        u = tape.cross(n, d)
        x = tape.dot(n, d)
    rate = tape.add(tape.dot(n, dv), tape.dot(u, rates.angular[tail_r]))
    f, other = _law(k, i, part, part.law, x, rate, parameters, added)
    _add(k, out.force, head, tape.scale(f, n))
    _add(k, out.force, tail, tape.scale(-f, n))
    _add(k, out.torque, tail_r, tape.scale(f, u))
    out.power = tape.add(out.power, tape.mul(other, rate))


def _bushing(
    k: Kinematics, part: Bushing, record: AnyArray, rates: Rates, parameters: Parameters, out: Loads
) -> None:
    """Wrench on the head in the tail frame: elastic part from its potential, and -C (ḋ, ω_rel).

    φ̇ = J⁻¹ω with J the left Jacobian of exp φ, so the torque of ½ xᵀKx is -J⁻ᵀ (K x)_φ.
    """
    tape = k.tape
    tail, head = int(record["tail"]), int(record["head"])
    tail_r, head_r = int(record["tail_r"]), int(record["head_r"])
    R_A = k.R[tail_r].place(record["C_A"]).matrix
    R_B = k.R[head_r].place(record["C_B"]).matrix
    d = tape.minus(k.p[head], k.p[tail])
    dv = tape.minus(rates.linear[head], rates.linear[tail])
    dv = tape.minus(dv, tape.cross(rates.angular[tail_r], d))
    turning = tape.minus(rates.angular[head_r], rates.angular[tail_r])
    x = [*tape.rotate_back(R_A, d), *_rotation_vector(k, tape.matmul(transpose(R_A), R_B))]
    rate = [*tape.rotate_back(R_A, dv), *tape.rotate_back(R_A, turning)]
    elastic, viscous, power = [], [], ZERO
    for j in range(6):
        K, C = (
            [parameters.scalar(f"{c}.{part.name}.{j + 1}.{l + 1}", float(A[j, l])) for l in range(6)]
            for c, A in (("k", part.stiffness), ("c", part.damping))
        )
        viscous.append(-tape.add(*(tape.mul(C[l], rate[l]) for l in range(6))))
        elastic.append(-tape.add(*(tape.mul(K[l], x[l]) for l in range(6))))
        power = tape.add(power, tape.mul(rate[j], viscous[j]))
    phi: Vec = (x[3], x[4], x[5])
    y: Vec = (elastic[3], elastic[4], elastic[5])
    across = tape.cross(phi, y)
    c = tape.let(turn_c(tape.dot(phi, phi)))
    turned = tape.plus(
        tape.plus(y, tape.scale(sp.Rational(1, 2), across)), tape.scale(c, tape.cross(phi, across))
    )
    local = [*elastic[:3], *turned]
    local = [tape.add(local[j], viscous[j]) for j in range(6)]
    force = tape.rotate(R_A, (local[0], local[1], local[2]))
    torque = tape.rotate(R_A, (local[3], local[4], local[5]))
    _add(k, out.force, head, force)
    _add(k, out.force, tail, negative(force))
    _add(k, out.torque, head_r, torque)
    _add(k, out.torque, tail_r, tape.plus(negative(torque), tape.cross(force, d)))
    out.power = tape.add(out.power, power)


def _rotation_vector(k: Kinematics, E: Mat) -> Vec:
    """Rotation vector of a rotation matrix."""
    tape = k.tape
    if E == UNIT:
        return ZERO3
    w, x, y, z = quaternion_of(tape, E)
    s = tape.let(sp.sqrt(tape.add(tape.mul(x, x), tape.mul(y, y), tape.mul(z, z))))
    return tape.scale(tape.let(turn_factor(s, w)), (x, y, z))
