"""Signals and first-order states in symbols: the same measures, of the frames of this mechanism.

A force that follows a signal reads a symbol of its own; :class:`Feedback` says what these symbols stand for,
and how they and the rates of the states change when a coordinate moves on.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from flexnet.algebra import (
    Condition,
    Expr,
    Node,
    Vec,
    add,
    calls_in,
    cross,
    dot,
    forward_each,
    minus,
    mul,
    number,
    sparse_jacobian,
    substituted,
    times,
    where,
)
from flexnet.components import FlexibleBody, Frame, TimeFunction
from flexnet.components.force_element import Twist
from flexnet.formulation.sensed_loads import SensedLoads
from flexnet.formulation.sensed_stress import SeenBody
from flexnet.formulation.sensing import Sensing
from flexnet.formulation.symbolic.branches import vector
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.loads import InlinedEnd
from flexnet.formulation.symbolic.reactions import loads_of
from flexnet.formulation.symbolic.turns import twist
from flexnet.formulation.symbolic.variables import TIME
from flexnet.signals import Applied, StateOf
from flexnet.typing import AnyArray

#: rounds of loads of joints and the forces that follow them that are written out
ROUNDS = 3


class SeenSymbols:
    """The mechanism in symbols, as signals see it."""

    t = TIME

    def __init__(self, equations: SymbolicEquations) -> None:
        self.e = equations

    @cached_property
    def _loads(self) -> SensedLoads:
        """Loads of joints, which are not there before the forces are."""
        return loads_of(self.e)

    def end(self, frame: Frame) -> InlinedEnd:
        """A frame in ground axes."""
        packer = self.e.numeric.packer
        node, turn = packer.node[frame.name], packer.body_index(frame)
        return InlinedEnd(self.e.mechanism, node, turn, frame.rotation)

    def acceleration(self, frame: Frame) -> Vec:
        """Acceleration of a frame's origin."""
        return vector(self.e.work.a[self.e.numeric.packer.node[frame.name]])

    def angular_acceleration(self, frame: Frame) -> Vec:
        """Angular acceleration of a frame."""
        return vector(self.e.work.omega_dot[self.e.numeric.packer.body_index(frame)])

    def energies(self) -> Sequence[Expr]:
        """Kinetic, potential and strain energy."""
        return self.e.energies

    def called(self, applied: Applied) -> int:
        """Place of a function that could not be traced."""
        return self.e.numeric.packer.calls[applied]

    def load(self, name: str) -> tuple[Vec, Vec]:
        """Force and torque of a joint or driver on its head."""
        return self._loads.load(name)

    def body(self, part: FlexibleBody) -> SeenBody:
        """Motion of a flexible body and loads on it."""
        e, m = self.e, part.table.m
        packer, place = e.numeric.packer, e.numeric.coordinates.elastic[part.name]
        frame = packer.frames[part.name]
        end, g = self.end(frame), packer.gravity
        return SeenBody(
            q=[e.variables.place[place.q + k] for k in range(m)], v=e.variables.v[place.v : place.v + m],
            a=e.variables.a[place.v : place.v + m], R=end.R,
            acceleration=minus(self.acceleration(frame), (float(g[0]), float(g[1]), float(g[2]))),
            omega=end.omega, alpha=self.angular_acceleration(frame),
            loads=self._loads.on_arms(part),
        )  # fmt: skip

    def coordinate(self, name: str) -> Expr | None:
        """A scalar entry of q by its name."""
        names = self.e.numeric.coordinates.q_names
        return self.e.variables.place.get(names.index(name)) if name in names else None

    def rate(self, name: str) -> Expr | None:
        """An entry of v by its name."""
        names = self.e.numeric.coordinates.v_names
        return self.e.variables.v[names.index(name)] if name in names else None

    def twist(self, owner: str) -> Twist:
        """Counted angle of a joint or force element."""
        labels = [angle.label for angle in self.e.numeric.angles]
        place = labels.index(f"{owner}.angle")
        return Twist(*twist(self.e.mechanism, place))

    def known(self, function: TimeFunction) -> tuple[Expr, Expr, Expr]:
        """A known function of time and its two derivatives."""
        place = self.e.numeric.packer.known[function]
        return self.e.known.add(f"known_{place}", function, place)

    def state(self, state: StateOf) -> Expr:
        """A state of a block."""
        return self.e.variables.z[self.e.numeric.states.places[state.block, state.index]]


class Feedback:
    """What signals stand for, and what they bring to the equations.

    Attributes
    ----------
    symbols : of the signals that forces follow, as the equations have them.
    values : what they stand for.
    rates : of the states.
    powers : of sources, ports and dissipation of networks; none where there are none.
    """

    def __init__(self, equations: SymbolicEquations) -> None:
        self.e, numeric = equations, equations.numeric
        _ = equations.residual  # the laws have been read: their signals are known
        sensing = Sensing(
            SeenSymbols(equations),
            numeric.packer.by_name,
            numeric.packer.frames,
            numeric.terminals,
            numeric.packer.network,
        )
        followed = list(equations.known.signals.values())
        self.symbols: list[Node] = [symbol for symbol, _ in followed]
        found = sensing.read([*(signal for _, signal in followed), *numeric.states.rates])
        network = numeric.packer.network
        self.powers = [] if network is None else sensing.read(list(network.powers))
        if numeric.is_coupled:
            found = self._settled(found)
        self.values, self.rates = found[: len(followed)], found[len(followed) :]

    def _settled(self, found: list[Expr]) -> list[Expr]:
        """What signals stand for where loads of joints hold signals in turn, by rounds as the kernels do.

        The force that follows the load of a joint has no part in that load that counts; after as many rounds
        as there are signals nothing changes, unless one lies on a chord of another's circuit and back.
        """
        known: list[Expr] = [0] * len(self.symbols)
        for _ in range(min(len(self.symbols), ROUNDS) + 1):
            out = substituted(found, dict(zip(self.symbols, known, strict=True)))
            known = out[: len(known)]
        return out

    def inserted(self, entries: Iterable[Expr]) -> list[Expr]:
        """Entries with the signals written out."""
        return calls_in("laws", substituted(entries, dict(zip(self.symbols, self.values, strict=True))))

    @cached_property
    def rows(self) -> list[Expr]:
        """Rows w (E ż - f) of the states."""
        weights = self.e.numeric.model.states
        z_dot = self.e.variables.z_dot
        rates = zip(weights, z_dot, calls_in("laws", self.rates), strict=True)
        return [add(mul(number(float(w[0])), rate), mul(number(-float(w[1])), f)) for w, rate, f in rates]

    def matrix(self, M: AnyArray, c_q: Node, c_v: Node) -> AnyArray:
        """Newton's matrix with the states: M of the mechanism, and how feedback changes it."""
        e, n, n_z = self.e, self.e.n, len(self.rates)
        weights = e.numeric.model.states
        out = np.full((n + n_z, n + n_z), 0, dtype=object)
        out[:n, :n] = M
        for i in range(n_z):
            # a unit in place of E = 0 where neither c_q nor c_v is asked for
            mass, unit = number(float(weights[i, 0])), number(float(weights[i, 1]))
            out[n + i, n + i] = mass if weights[i, 0] else where(Condition(0, c_v, False), 0, unit)
        # what a unit of each signal does to the equations
        answers = forward_each(e.residual, [{s: 1} for s in self.symbols]).T
        found, n_s = [*self.values, *self.rates], len(self.values)
        entries = [(j, n + k, mul(c_v, d)) for j, k, d in sparse_jacobian(found, e.variables.z)]
        slopes = forward_each(found, [self._moves(k, c_q, c_v) for k in range(n)])
        entries += [(j, k, d) for (j, k), d in np.ndenumerate(slopes) if type(d) is Node or d != 0]
        for j, k, slope in entries:
            if j < n_s:
                for i in range(n):
                    out[i, k] = add(out[i, k], mul(answers[j][i], slope))
            else:
                i = n + j - n_s
                out[i, k] = add(out[i, k], mul(number(-float(weights[j - n_s, 1])), slope))
        return out

    def _moves(self, k: int, c_q: Node, c_v: Node) -> dict[Node, Expr]:
        """What changes with coordinate k: it moves q by c_q and v by c_v."""
        x = self.e.variables
        out: dict[Node, Expr] = {x.v[k]: c_v}
        for i, j in self.e.numeric.coordinates.scalars:
            if j == k:
                out[x.place[i]] = c_q
        for i, j in self.e.numeric.coordinates.quaternions:
            if j <= k < j + 3:
                w, *rest = x.q[i : i + 4]
                axis: Vec = (int(k == j), int(k == j + 1), int(k == j + 2))
                u: Vec = (rest[0], rest[1], rest[2])
                turned = [add(*pair) for pair in zip(times(w, axis), cross(u, axis), strict=True)]
                half = [-dot(u, axis), *turned]
                out |= {q: mul(c_q, mul(number(0.5), d)) for q, d in zip(x.q[i : i + 4], half, strict=True)}
        return {y: d for y, d in out.items() if type(d) is Node or d != 0}
