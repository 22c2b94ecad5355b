"""Applied forces in symbols: weights, forces, torques, springs, dampers, actuators and bushings."""

from dataclasses import dataclass

from flexnet.algebra import (
    ZERO3,
    Expr,
    Vec,
    add,
    cross,
    dot,
    extern,
    inverse,
    matmul,
    minus,
    mul,
    negative,
    plus,
    rotate,
    rotate_back,
    rotation_vector,
    sqrt,
    times,
    transpose,
)
from flexnet.algebra.exchange import from_sympy
from flexnet.components import Bushing, Component, Force, Law, RigidBody, TorsionalSpring, TranslationalSpring
from flexnet.components import Torque as TorqueLoad
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.turns import RotationVector, Turned, swing_and_twist, twist
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
    power: Expr = 0
    damping: Expr = 0
    potential: Expr = 0


def no_loads(k: Kinematics) -> Loads:
    """Nothing yet."""
    packer = k.equations.packer
    return Loads([ZERO3] * len(packer.node), [ZERO3] * len(packer.rotation_node))


def gravity(k: Kinematics, parameters: Parameters) -> Vec:
    """Acceleration of gravity, in ground."""
    return parameters.vector("g", k.equations.system.g)


def apply_loads(k: Kinematics, rates: Rates, parameters: Parameters, known: KnownFunctions) -> Loads:
    """All applied forces at a state."""
    out = no_loads(k)
    g = gravity(k, parameters)
    bodies = [p for p in k.equations.parts if isinstance(p, RigidBody)]
    for body in bodies:
        node = k.equations.packer.node[body.name]
        weight = times(parameters.scalar(f"m.{body.name}", body.mass), g)
        out.force[node] = plus(out.force[node], weight)
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
    where[i] = plus(where[i], value)


def _given(
    k: Kinematics, part: Force | TorqueLoad, record: AnyArray, rates: Rates, known: KnownFunctions, out: Loads
) -> None:
    head, head_r = int(record["head"]), int(record["head_r"])
    local = tuple(
        known.add(f"{part.name}.{c}", f, i)[0]
        for c, f, i in zip("xyz", part.components, record["function"], strict=True)
    )
    world: Vec = local
    if part.follows:
        world = rotate(k.R[head_r].place(record["C_B"]).matrix, world)
    if isinstance(part, Force):
        _add(k, out.force, head, world)
        out.power = add(out.power, dot(world, rates.linear[head]))
    else:
        _add(k, out.torque, head_r, world)
        out.power = add(out.power, dot(world, rates.angular[head_r]))


def _law(
    k: Kinematics, i: int, part: Component, given: Law, x: Expr, rate: Expr, parameters: Parameters,
    added: Expr, out: Loads,
) -> Expr:  # fmt: skip
    """Force of a spring; its power and energy go to ``out``."""
    if given.law is None:
        stiffness, damping = (
            parameters.scalar(f"{letter}.{part.name}", value)
            for letter, value in (("k", given.stiffness), ("c", given.damping))
        )
        rest = parameters.scalar(f"rest.{part.name}", given.rest)
        short = add(rest, -x)
        damper = mul(damping, rate)
        out.power = add(out.power, mul(added, rate))
        out.damping = add(out.damping, -mul(damper, rate))
        out.potential = add(out.potential, mul(stiffness / 2, mul(short, short)))
        return add(mul(stiffness, short), -damper, added)
    if callable(given.law):
        value = add(extern("laws", i, x, rate, TIME), added)
    else:
        value = add(from_sympy(given.law, {"x": x, "v": rate, "t": TIME}), added)
    out.power = add(out.power, mul(value, rate))
    return value


def _spring(
    k: Kinematics, i: int, part: TranslationalSpring | TorsionalSpring, record: AnyArray, rates: Rates,
    parameters: Parameters, known: KnownFunctions, out: Loads,
) -> None:  # fmt: skip
    added = known.add(f"{part.name}.force", part.law.actuator, record["function"][0])[0]
    tail, head = int(record["tail"]), int(record["head"])
    tail_r, head_r = int(record["tail_r"]), int(record["head_r"])
    A = k.R[tail_r]
    if isinstance(part, TorsionalSpring):
        x, rate, u = twist(k, int(record["angle"]), rates, known)
        f = _law(k, i, part, part.law, x, rate, parameters, added, out)
        _add(k, out.torque, head_r, times(f, u))
        _add(k, out.torque, tail_r, times(-f, u))
        return
    d = minus(k.p[head], k.p[tail])
    dv = minus(rates.linear[head], rates.linear[tail])
    if record["kind"] == km.SPRING_LINE:
        x = sqrt(dot(d, d))
        n = times(inverse(x), d)
        u = ZERO3
    else:
        n = A.vector(record["n"])
        u = cross(n, d)
        x = dot(n, d)
    rate = add(dot(n, dv), dot(u, rates.angular[tail_r]))
    f = _law(k, i, part, part.law, x, rate, parameters, added, out)
    _add(k, out.force, head, times(f, n))
    _add(k, out.force, tail, times(-f, n))
    _add(k, out.torque, tail_r, times(f, u))


def _bushing(
    k: Kinematics, part: Bushing, record: AnyArray, rates: Rates, parameters: Parameters,
    known: KnownFunctions, out: Loads,
) -> None:  # fmt: skip
    """Wrench on the head in the tail frame: elastic part from its potential, and -C (ḋ, ω_rel).

    χ̇ = J⁻¹ω, so the torque of ½ xᵀKx is -J⁻ᵀ (K x)_χ.
    """
    tail, head = int(record["tail"]), int(record["head"])
    tail_r, head_r = int(record["tail_r"]), int(record["head_r"])
    R_A = k.R[tail_r].place(record["C_A"]).matrix
    R_B = k.R[head_r].place(record["C_B"]).matrix
    d = minus(k.p[head], k.p[tail])
    dv = minus(rates.linear[head], rates.linear[tail])
    dv = minus(dv, cross(rates.angular[tail_r], d))
    turning = minus(rates.angular[head_r], rates.angular[tail_r])
    E = matmul(transpose(R_A), R_B)
    if part.axis is None:
        turned: Turned = RotationVector(rotation_vector(E))
    else:
        theta, _, _ = twist(k, int(record["angle"]), rates, known)
        turned = swing_and_twist(E, part.axis, theta)
    x = [*rotate_back(R_A, d), *turned.chi]
    rate = [*rotate_back(R_A, dv), *rotate_back(R_A, turning)]
    K, C = (
        _matrix(parameters, f"{c}.{part.name}", A) for c, A in (("k", part.stiffness), ("c", part.damping))
    )
    viscous = [-add(*(mul(c, y) for c, y in zip(row, rate, strict=True))) for row in C]
    elastic = [-add(*(mul(k_, y) for k_, y in zip(row, x, strict=True))) for row in K]
    local = [*elastic[:3], *turned.torque((elastic[3], elastic[4], elastic[5]))]
    local = [add(y, z) for y, z in zip(local, viscous, strict=True)]
    # ẋ, and what the skew part of K does along it
    x_dot = [*rate[:3], *turned.rate((rate[3], rate[4], rate[5]))]
    skew = [
        add(*(mul((K[j][l] - K[l][j]) / 2, x[l]) for l in range(6) if K[j][l] != K[l][j])) for j in range(6)
    ]
    out.power = add(out.power, *(-mul(x_dot[j], skew[j]) for j in range(6)))
    out.damping = add(out.damping, *(mul(rate[j], viscous[j]) for j in range(6)))
    out.potential = add(out.potential, *(-mul(x[j] / 2, elastic[j]) for j in range(6)))
    force = rotate(R_A, (local[0], local[1], local[2]))
    torque = rotate(R_A, (local[3], local[4], local[5]))
    _add(k, out.force, head, force)
    _add(k, out.force, tail, negative(force))
    _add(k, out.torque, head_r, torque)
    _add(k, out.torque, tail_r, plus(negative(torque), cross(force, d)))


def _matrix(parameters: Parameters, name: str, A: Array) -> list[list[Expr]]:
    """A (6, 6) matrix of parameters ``name.1.2``; a symmetric one has its entries only once."""
    is_symmetric = bool((A == A.T).all())

    def entry(i: int, j: int) -> Expr:
        first, second = sorted((i, j)) if is_symmetric else (i, j)
        return parameters.scalar(f"{name}.{first + 1}.{second + 1}", float(A[i, j]))

    return [[entry(i, j) for j in range(6)] for i in range(6)]
