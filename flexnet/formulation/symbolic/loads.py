"""Applied forces in symbols: weights, forces, torques, springs, dampers, actuators and bushings."""

from dataclasses import dataclass

import sympy as sp

from flexnet.components import Bushing, Component, Force, Law, RigidBody, TorsionalSpring, TranslationalSpring
from flexnet.components import Torque as TorqueLoad
from flexnet.formulation.symbolic.constraints import negative
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.special import inverse, law
from flexnet.formulation.symbolic.tape import ZERO, ZERO3, Expr, Vec, transpose
from flexnet.formulation.symbolic.turns import Turned, rotation_vector, swing_and_twist, twist
from flexnet.formulation.symbolic.variables import TIME, KnownFunctions
from flexnet.kernels import model as km
from flexnet.typing import AnyArray, Array


@dataclass(slots=True, eq=False)
class Loads:
    """Forces on nodes and torques on rotation nodes, in ground axes.

    Attributes
    ----------
    power : power of forces without a potential; a user's law is one, whatever it depends on.
    damping : power of linear dampers, bushings and material damping.
    potential : energy of springs and bushings.
    """

    force: list[Vec]
    torque: list[Vec]
    power: Expr = ZERO
    damping: Expr = ZERO
    potential: Expr = ZERO


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
            _bushing(k, part, record, rates, parameters, known, out)
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
    k: Kinematics, i: int, part: Component, given: Law, x: Expr, rate: Expr, parameters: Parameters,
    added: Expr, out: Loads,
) -> Expr:  # fmt: skip
    """Force of a spring; its power and energy go to ``out``."""
    tape = k.tape
    if given.law is None:
        stiffness, damping = (
            parameters.scalar(f"{letter}.{part.name}", value)
            for letter, value in (("k", given.stiffness), ("c", given.damping))
        )
        rest = parameters.scalar(f"rest.{part.name}", given.rest)
        short = tape.add(rest, -x)
        damper = tape.mul(damping, rate)
        out.power = tape.add(out.power, tape.mul(added, rate))
        out.damping = tape.add(out.damping, -tape.mul(damper, rate))
        out.potential = tape.add(out.potential, tape.mul(stiffness / 2, tape.mul(short, short)))
        return tape.add(tape.mul(stiffness, short), -damper, added)
    if isinstance(given.law, sp.Basic):
        swap = {s: {"x": x, "v": rate, "t": TIME}[str(s)] for s in given.law.free_symbols}
        value = tape.add(tape.let(given.law.subs(swap, simultaneous=True)), added)
    else:
        value = tape.add(tape.let(law(sp.Integer(i), x, rate, TIME)), added)
    out.power = tape.add(out.power, tape.mul(value, rate))
    return value


def _spring(
    k: Kinematics, i: int, part: TranslationalSpring | TorsionalSpring, record: AnyArray, rates: Rates,
    parameters: Parameters, known: KnownFunctions, out: Loads,
) -> None:  # fmt: skip
    tape = k.tape
    added = known.add(f"{part.name}.force", part.law.actuator, record["function"][0])[0]
    tail, head = int(record["tail"]), int(record["head"])
    tail_r, head_r = int(record["tail_r"]), int(record["head_r"])
    A = k.R[tail_r]
    if isinstance(part, TorsionalSpring):
        x, rate, u = twist(k, int(record["angle"]), rates, known)
        f = _law(k, i, part, part.law, x, rate, parameters, added, out)
        _add(k, out.torque, head_r, tape.scale(f, u))
        _add(k, out.torque, tail_r, tape.scale(-f, u))
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
    f = _law(k, i, part, part.law, x, rate, parameters, added, out)
    _add(k, out.force, head, tape.scale(f, n))
    _add(k, out.force, tail, tape.scale(-f, n))
    _add(k, out.torque, tail_r, tape.scale(f, u))


def _bushing(
    k: Kinematics, part: Bushing, record: AnyArray, rates: Rates, parameters: Parameters,
    known: KnownFunctions, out: Loads,
) -> None:  # fmt: skip
    """Wrench on the head in the tail frame: elastic part from its potential, and -C (ḋ, ω_rel).

    χ̇ = J⁻¹ω, so the torque of ½ xᵀKx is -J⁻ᵀ (K x)_χ.
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
    E = tape.matmul(transpose(R_A), R_B)
    if part.axis is None:
        turned: Turned = rotation_vector(tape, E)
    else:
        theta, _, _ = twist(k, int(record["angle"]), rates, known)
        turned = swing_and_twist(tape, E, part.axis, theta)
    x = [*tape.rotate_back(R_A, d), *turned.chi]
    rate = [*tape.rotate_back(R_A, dv), *tape.rotate_back(R_A, turning)]
    K, C = (
        _matrix(parameters, f"{c}.{part.name}", A) for c, A in (("k", part.stiffness), ("c", part.damping))
    )
    viscous = [-tape.add(*(tape.mul(c, y) for c, y in zip(row, rate, strict=True))) for row in C]
    elastic = [-tape.add(*(tape.mul(k_, y) for k_, y in zip(row, x, strict=True))) for row in K]
    local = [*elastic[:3], *turned.torque((elastic[3], elastic[4], elastic[5]))]
    local = [tape.add(y, z) for y, z in zip(local, viscous, strict=True)]
    # ẋ, and what the skew part of K does along it
    x_dot = [*rate[:3], *turned.rate((rate[3], rate[4], rate[5]))]
    skew = [
        tape.add(*(tape.mul((K[j][l] - K[l][j]) / 2, x[l]) for l in range(6) if K[j][l] != K[l][j]))
        for j in range(6)
    ]
    out.power = tape.add(out.power, *(-tape.mul(x_dot[j], skew[j]) for j in range(6)))
    out.damping = tape.add(out.damping, *(tape.mul(rate[j], viscous[j]) for j in range(6)))
    out.potential = tape.add(out.potential, *(-tape.mul(x[j] / 2, elastic[j]) for j in range(6)))
    force = tape.rotate(R_A, (local[0], local[1], local[2]))
    torque = tape.rotate(R_A, (local[3], local[4], local[5]))
    _add(k, out.force, head, force)
    _add(k, out.force, tail, negative(force))
    _add(k, out.torque, head_r, torque)
    _add(k, out.torque, tail_r, tape.plus(negative(torque), tape.cross(force, d)))


def _matrix(parameters: Parameters, name: str, A: Array) -> list[list[Expr]]:
    """A (6, 6) matrix of parameters ``name.1.2``; a symmetric one has its entries only once."""
    is_symmetric = bool((A == A.T).all())

    def entry(i: int, j: int) -> Expr:
        first, second = sorted((i, j)) if is_symmetric else (i, j)
        return parameters.scalar(f"{name}.{first + 1}.{second + 1}", float(A[i, j]))

    return [[entry(i, j) for j in range(6)] for i in range(6)]
