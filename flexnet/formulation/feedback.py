"""Signals that act: which states there are, and the programs that follow them, packed for the kernels.

All signals that force elements follow, and the rates of all states, are one program of the frames,
coordinates, states and time; a second one is the derivative of the rates by the states, which Newton's matrix
holds (docs/theory/signals.md).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from flexnet.algebra import (
    UNIT,
    Arguments,
    Expr,
    Node,
    Vec,
    calls_in,
    cross,
    dot,
    forward,
    is_unit,
    matrix_of_numbers,
    minus,
    mul,
    reach,
    sparse_jacobian,
)
from flexnet.components import FlexibleBody, Frame, TimeFunction
from flexnet.components.force_element import Twist
from flexnet.dae import Scale
from flexnet.errors import ModelError
from flexnet.formulation.functions import FunctionTable
from flexnet.formulation.sensed_loads import SeenEnd, SensedLoads, three
from flexnet.formulation.sensed_stress import SeenBody
from flexnet.formulation.sensing import Sensing
from flexnet.kernels.model import ON_COORDINATE, ON_NODE, ON_ROTATION, ROW_END
from flexnet.signals import Applied, Block, Known, Signal, StateOf, states_of
from flexnet.signals.evaluation import as_given
from flexnet.signals.signal import Measured
from flexnet.typing import AnyArray, Array, BoolArray
from flexnet.units import NUMBER

if TYPE_CHECKING:
    from flexnet.formulation.pack import Packer


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """First-order states of a mechanism, in the order of z.

    Attributes
    ----------
    blocks : that have them.
    names : of the states, such as ``pid_1.integral``.
    start : (n_z,) values at the start, SI.
    places : place of every state in z.
    """

    blocks: tuple[Block, ...] = ()
    names: tuple[str, ...] = ()
    start: Array = field(default_factory=lambda: np.zeros(0))
    places: dict[tuple[Block, int], int] = field(init=False)

    def __post_init__(self) -> None:
        keys = [(b, k) for b in self.blocks for k in range(len(b.starts))]
        object.__setattr__(self, "places", {key: i for i, key in enumerate(keys)})

    @property
    def rates(self) -> list[Signal]:
        """Rates of all states."""
        return [rate for block in self.blocks for rate in block.rates]

    @property
    def masses(self) -> Array:
        """E of every row, (n_z,) SI."""
        return np.array([E for block in self.blocks for E in block.inertias], dtype=float)

    @property
    def is_algebraic(self) -> BoolArray:
        """Which rows have no rate, (n_z,)."""
        return np.asarray(self.masses == 0.0)

    def sizes(self, scale: Scale) -> Array:
        """Size (n_z,) of every state in units of the model, times its time: z stands where rates do."""
        return _in_units(scale, [d for b in self.blocks for d in b.dimensions]) * scale.time

    def weights(self, scale: Scale) -> Array:
        """What makes every row one of a coordinate of its state's size, (n_z,); powers of two, so exact."""
        size = self.sizes(scale)
        row = _in_units(scale, [d for b in self.blocks for d in b.row_dimensions])
        rate = size / scale.time**2
        out: Array = np.ldexp(1.0, np.frexp(scale.mass * (scale.length / size) ** 2 * (rate / row))[1])
        return out


def _in_units(scale: Scale, dimensions: list[Measured]) -> Array:
    units = np.array([scale.length, scale.mass, scale.time])
    return np.array([np.prod(units ** np.array(d or NUMBER)) for d in dimensions]).reshape(-1)


def collect_states(signals: Sequence[Signal]) -> States:
    """States that signals rest on; blocks without a name are numbered by their kind.

    Raises
    ------
    ModelError
        If two blocks have one name.
    """
    blocks = states_of(signals)[0]
    met, names = Counter[str](), list[str]()
    for block in blocks:
        met[block.kind] += 1
        called = block.name or f"{block.kind.replace(' ', '_')}_{met[block.kind]}"
        names += [".".join(filter(None, (called, label))) for label in block.labels]
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ModelError(f"two blocks have a state {twice[0]!r}; give one of them another name")
    start = np.array([x for block in blocks for x in block.starts], dtype=float)
    return States(tuple(blocks), tuple(names), start)


class SeenArrays:
    """The mechanism as the kernels hold it: arguments of :func:`flexnet.kernels.feedback.follow`."""

    def __init__(self, packer: "Packer", table: FunctionTable, states: States) -> None:
        self.packer, self.table = packer, table
        nodes, turns = len(packer.node), len(packer.rotation_node)
        self.arguments = a = Arguments()
        self.x, self.v = a.array("x", 3 * nodes), a.array("v", 3 * nodes)
        self.R, self.w = a.array("R", 9 * turns), a.array("w", 3 * turns)
        self.theta = a.array("theta", len(packer.angles))
        self.q = a.array("q", len(packer.coordinates.q_names))
        self.u = a.array("u", len(packer.coordinates.v_names))
        self.z = a.array("z", len(states.names))
        a.array("f")
        self.t = a.number("t")
        self.dx, self.dw = a.array("dx", 3 * nodes), a.array("dw", 3 * turns)
        self.unit = a.array("unit", len(packer.coordinates.v_names))
        self.c_q, self.c_v = a.number("c_q"), a.number("c_v")
        self.a = a.array("a", 3 * nodes)
        self.wd = a.array("wd", 3 * turns)
        loads = (
            a.array("F", 3 * nodes), a.array("T", 3 * turns), a.array("row", ROW_END * len(packer.rows)),
            a.array("lam", len(packer.rows)), a.array("axes", 9 * len(packer.R.branches)),
            a.array("e", 9 * len(packer.T.branches)),
        )  # fmt: skip
        self._loads = SensedLoads.of_arrays(packer, *loads)
        self.vd = a.array("vd", len(packer.coordinates.v_names))
        self.energy = a.array("energy", 3)
        a.array("numbers")
        a.array("laws")
        self.numbers = list[float]()
        self.answers = frozenset([*self.a, *self.wd, *self.vd, *loads[0], *loads[1], *loads[3]])
        self._places = states.places

    def number(self, value: float) -> Expr:
        """A number in a signal, such as a gain: an argument, but for 0 and ±1, which the program knows."""
        given = as_given(value)
        if given in (0, 1, -1):
            return given
        self.numbers.append(float(given))
        return self.arguments.more("numbers")

    def end(self, frame: Frame) -> SeenEnd:
        """A frame in ground axes."""
        i, j = self.packer.node[frame.name], self.packer.body_index(frame)
        e, C = self.R[9 * j : 9 * j + 9], frame.rotation
        body = (e[0], e[1], e[2]), (e[3], e[4], e[5]), (e[6], e[7], e[8])
        at = UNIT if is_unit(C) else matrix_of_numbers(C)
        return SeenEnd(three(self.x, i), three(self.v, i), body, three(self.w, j), at)

    def acceleration(self, frame: Frame) -> Vec:
        """Acceleration of a frame's origin."""
        return three(self.a, self.packer.node[frame.name])

    def angular_acceleration(self, frame: Frame) -> Vec:
        """Angular acceleration of a frame."""
        return three(self.wd, self.packer.body_index(frame))

    def energies(self) -> Sequence[Expr]:
        """Kinetic, potential and strain energy."""
        return self.energy

    def called(self, applied: Applied) -> int:
        """Place of a function that could not be traced; it gets one when it is first met."""
        calls, formulas = self.packer.calls, self.packer.laws.formulas
        if applied not in calls:
            calls[applied] = len(formulas)
            formulas.append((f"function {applied.name!r} of signals", applied.call, len(applied.needs)))
        return calls[applied]

    def load(self, name: str) -> tuple[Vec, Vec]:
        """Force and torque of a joint or driver on its head."""
        return self._loads.load(name)

    def body(self, part: FlexibleBody) -> SeenBody:
        """Motion of a flexible body and loads on it: the cutsets of its arms."""
        p, m, place = self.packer, part.table.m, self.packer.coordinates.elastic[part.name]
        frame = p.frames[part.name]
        end, g = self.end(frame), p.gravity
        return SeenBody(
            q=self.q[place.q : place.q + m], v=self.u[place.v : place.v + m],
            a=self.vd[place.v : place.v + m], R=end.body,
            acceleration=minus(self.acceleration(frame), (float(g[0]), float(g[1]), float(g[2]))),
            omega=end.omega, alpha=three(self.wd, p.body_index(frame)),
            loads=self._loads.on_arms(part),
        )  # fmt: skip

    def rests_on_motion(self, outputs: Sequence[Expr]) -> bool:
        """Whether outputs rest on accelerations or loads of joints."""
        return not self.answers.isdisjoint(frozenset[Node]().union(*reach(outputs)))

    def coordinate(self, name: str) -> Expr | None:
        """An entry of q by its name."""
        names = self.packer.coordinates.q_names
        return self.q[names.index(name)] if name in names else None

    def rate(self, name: str) -> Expr | None:
        """An entry of v by its name."""
        names = self.packer.coordinates.v_names
        return self.u[names.index(name)] if name in names else None

    def twist(self, owner: str) -> Twist:
        """Counted angle of a joint, or of a torsional spring on one."""
        labels = [angle.label for angle in self.packer.angles]
        angle = self.packer.angles[labels.index(f"{owner}.angle")]
        part = angle.owner
        if angle.axis is None or getattr(part, "joint", "") is None:
            raise ModelError(f"the load of {owner!r} cannot be fed back: it turns about no axis of a joint")
        A, B = self.end(angle.tail), self.end(angle.head)
        axis = A.vector(tuple(angle.axis.tolist()))
        return Twist(self.theta[labels.index(angle.label)], dot(axis, minus(B.omega, A.omega)), axis)

    def known(self, function: TimeFunction) -> tuple[Expr, Expr, Expr]:
        """A known function of time and its two derivatives."""
        known = self.packer.known
        if function not in known:
            known[function] = self.table.add(function, "signal", is_motion=True)
        place, entries = known[function], self.arguments.inputs["f"]
        assert isinstance(entries, list)
        while len(entries) < 3 * place + 3:
            self.arguments.more("f")
        return entries[3 * place], entries[3 * place + 1], entries[3 * place + 2]

    def state(self, state: StateOf) -> Expr:
        """A state of a block."""
        return self.z[self._places[state.block, state.index]]

    def moves(self, outputs: Sequence[Expr]) -> dict[Node, Expr]:
        """How what outputs rest on changes when one coordinate moves on: places by c_q, rates by c_v."""
        out: dict[Node, Expr] = {}
        c_q, c_v, asked = self.c_q, self.c_v, frozenset[Node]().union(*reach(outputs))
        ways = (
            (self.x, self.dx, c_q),
            (self.v, self.dx, c_v),
            (self.w, self.dw, c_v),
            (self.u, self.unit, c_v),
        )
        for entries, moves, c in ways:
            out |= {x: mul(c, d) for x, d in zip(entries, moves, strict=True) if x in asked}
        places = self.packer.coordinates.scalars
        out |= {self.q[i]: mul(c_q, self.unit[j]) for i, j in places if self.q[i] in asked}
        for k in range(len(self.R) // 9):
            R = self.R[9 * k : 9 * k + 9]
            for j in range(3):
                if not asked.isdisjoint(R[j::3]):
                    column = cross(three(self.dw, k), (R[j], R[3 + j], R[6 + j]))
                    out |= {x: mul(c_q, d) for x, d in zip(R[j::3], column, strict=True) if x in asked}
        for theta, angle in zip(self.theta, self.packer.angles, strict=True):
            if angle.axis is not None and theta in asked:
                tail, head = (self.packer.body_index(end) for end in (angle.tail, angle.head))
                axis = self.end(angle.tail).vector(tuple(angle.axis.tolist()))
                out[theta] = mul(c_q, dot(axis, minus(three(self.dw, head), three(self.dw, tail))))
        return out

    def moved_by(self, slopes: Sequence[Expr]) -> list[tuple[int, int, int]]:
        """Kind and number of the nodes, bodies and coordinates that each slope rests on, and its number."""
        kinds = (ON_NODE, self.dx, 3), (ON_ROTATION, self.dw, 3), (ON_COORDINATE, self.unit, 1)
        place = {x: (kind, i // width) for kind, moves, width in kinds for i, x in enumerate(moves)}
        found = {(*place[x], j) for j, asked in enumerate(reach(slopes)) for x in asked if x in place}
        return sorted(found)


def pack_feedback(
    packer: "Packer",
    table: FunctionTable,
    states: States,
    scale: Scale,
    elements: AnyArray,
    watched: Sequence[Signal],
) -> dict[str, AnyArray]:
    """What the kernels follow: fields of their model.

    Only states where no force follows a signal, no event watches one, and there are no networks.
    """
    slots = list(table.signals.items())
    weight = states.weights(scale)
    rows = np.column_stack([states.masses * weight, weight, states.start]).reshape(-1, 3)
    for leaf in states_of(packer.signals)[1]:
        if isinstance(leaf, Known) and leaf.of_time not in packer.known:
            packer.known[leaf.of_time] = table.add(leaf.of_time, "signal", is_motion=True)
    network = packer.network
    if not slots and not states.names and not watched and network is None:
        return {"states": rows}
    seen = SeenArrays(packer, table, states)
    sensing = Sensing(seen, packer.by_name, packer.frames, packer.terminals, network, seen.number)
    values = sensing.read([*(signal for _, signal in slots), *states.rates])
    zeros = sensing.read(list(watched))
    powers = [] if network is None else sensing.read(list(network.powers))
    gains = sparse_jacobian(values, seen.z)
    slopes = forward(values, seen.moves(values))
    a = seen.arguments
    made = {
        "signals": values,
        "gains": [d for _, _, d in gains],
        "slopes": slopes,
        "zeros": zeros,
        "powers": powers,
    }
    programs = [a.program(name, calls_in("laws", outputs)) for name, outputs in made.items()]
    owners = [(i, int(np.flatnonzero(elements["f"] <= i)[-1])) for i, _ in slots]
    motion = [*map(seen.rests_on_motion, (values, zeros))]
    energy = not frozenset(seen.energy).isdisjoint(frozenset[Node]().union(*reach([*values, *zeros])))
    follows = [*motion, network is not None, energy, bool(packer.calls)]
    return {
        "feedback": np.array([packer.families.add(programs), *chain(*owners)], dtype=np.int64),
        "sensed": np.array(follows, dtype=np.int64),
        "numbers": np.array(seen.numbers),
        "states": rows,
        "gains": np.array([(i, j) for i, j, _ in gains], dtype=np.int64).reshape(-1, 2),
        "rests": np.array(seen.moved_by(slopes), dtype=np.int64).reshape(-1, 3),
    }
