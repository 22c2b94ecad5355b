"""Applied forces in symbols: weights, and the laws of force elements inlined."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from flexnet.algebra import ZERO3, Expr, Mat, Node, Vec, add, extern, negative, number, plus, rotate, times
from flexnet.components import ForceElement, RigidBody, TimeFunction
from flexnet.components.force_element import Motion, Twist, tail_torque
from flexnet.formulation.laws import Data, answer, energies
from flexnet.formulation.orientation import Orientation
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.turns import twist
from flexnet.formulation.symbolic.variables import TIME, KnownFunctions
from flexnet.formulation.traced_law import inlined_rate
from flexnet.typing import AnyArray, Array


@dataclass(slots=True, eq=False)
class Loads:
    """Forces on nodes and torques on rotation nodes, in ground axes.

    Attributes
    ----------
    power : power of what neither stores nor damps.
    damping : power of dampers and material damping.
    potential : energy force elements store.
    """

    force: list[Vec]
    torque: list[Vec]
    power: Expr = 0
    damping: Expr = 0
    potential: Expr = 0


def gravity(k: Kinematics, parameters: Parameters) -> Vec:
    """Acceleration of gravity, in ground."""
    return parameters.vector("g", k.equations.system.g)


def apply_loads(k: Kinematics, rates: Rates, parameters: Parameters, known: KnownFunctions) -> Loads:
    """All applied forces at a state."""
    packer = k.equations.packer
    out = Loads([ZERO3] * len(packer.node), [ZERO3] * len(packer.rotation_node))
    g = gravity(k, parameters)
    bodies = [p for p in k.equations.parts if isinstance(p, RigidBody)]
    for body in bodies:
        node = packer.node[body.name]
        weight = times(parameters.scalar(f"m.{body.name}", body.mass), g)
        out.force[node] = plus(out.force[node], weight)
    parts = [p for p in k.equations.parts if isinstance(p, ForceElement)]
    for part, record in zip(parts, k.equations.model.elements, strict=True):
        _apply(k, part, record, rates, parameters, known, out)
    return out


class InlinedEnd:
    """A frame of the mechanism; turns about one axis stay sums of angles."""

    def __init__(self, k: Kinematics, rates: Rates, node: int, rotation: int, C: Array) -> None:
        self.x, self.v, self.omega = k.p[node], rates.linear[node], rates.angular[rotation]
        self._place: Orientation = k.R[rotation].place(C)

    @property
    def R(self) -> Mat:
        """Orientation of the frame."""
        return self._place.matrix

    def vector(self, n: Vec) -> Vec:
        """A vector of the frame in ground axes."""
        if any(type(x) is Node for x in n):
            return rotate(self.R, n)
        return self._place.vector(np.array(n, dtype=float))


def _apply(
    k: Kinematics, part: ForceElement, record: AnyArray, rates: Rates, parameters: Parameters,
    known: KnownFunctions, out: Loads,
) -> None:  # fmt: skip
    """Add what the law of an element gives."""
    tail, head = int(record["tail"]), int(record["head"])
    tail_r, head_r = int(record["tail_r"]), int(record["head_r"])

    def counted() -> Twist:
        return Twist(*twist(k, int(record["angle"]), rates, known))

    A = InlinedEnd(k, rates, tail, tail_r, part.tail.rotation)
    B = InlinedEnd(k, rates, head, head_r, part.head.rotation)
    motion = Motion(A, B, counted)
    p = _data(part, record, parameters, known).read(part)
    load = answer(part, motion, p, TIME)
    stores = partial(_rate_of_potential, part, motion, p, known)
    potential, power, damping = energies(part, motion, load, stores)
    out.force[head] = plus(out.force[head], load.force)
    out.torque[head_r] = plus(out.torque[head_r], load.torque)
    if not part.acts_from_datum:
        out.force[tail] = plus(out.force[tail], negative(load.force))
        out.torque[tail_r] = plus(out.torque[tail_r], tail_torque(part, motion, load))
    out.potential = add(out.potential, potential)
    out.power, out.damping = add(out.power, power), add(out.damping, damping)


def _rate_of_potential(
    part: ForceElement, motion: Motion, p: object, known: KnownFunctions, _: Expr
) -> Expr:  # fmt: skip
    return inlined_rate(part, motion, p, TIME, {f: first for f, first, _ in known.symbols.values()})


def _data(part: ForceElement, record: AnyArray, parameters: Parameters, known: KnownFunctions) -> Data:
    """Numbers of an element as parameters named after it; directions stay numbers."""
    functions, formulas = [int(record["f"])], [int(record["law"])]

    def scalar(name: str, place: tuple[int, ...], value: float) -> Expr:
        letters = "xyz" if place and len(getattr(part, name)) == 3 else None
        ends = [letters[i] if letters else str(i + 1) for i in place]
        return parameters.scalar(".".join([part.letters.get(name, name), part.name, *ends]), value)

    def function(name: str, place: int | None, given: TimeFunction) -> Expr:
        ends = [part.letters.get(name, name), "" if place is None else "xyz"[place]]
        found = known.add(".".join([part.name, *filter(None, ends)]), given, functions[0])[0]
        functions[0] += not given.is_zero
        return found

    def formula(name: str, given: object) -> Callable[..., Expr]:
        formulas[0] += 1
        return partial(extern, "laws", formulas[0] - 1)

    return Data(scalar, function, lambda name, place, value: number(value), formula)
