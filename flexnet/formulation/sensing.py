"""Measures as formulas: written once, read by both engines.

An engine shows the mechanism as :class:`Seen`: its frames as force elements see their ends, its coordinates,
its counted angles, its known functions. What is measured of motions alone (:mod:`.sensed_motion`) channels
read off rows by the same formulas (:mod:`flexnet.analysis.channels`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, Protocol

from flexnet.algebra import (
    CALLS,
    Expr,
    Vec,
    add,
    dot,
    extern,
    minus,
    mul,
    number,
    numbers,
    times,
)
from flexnet.components import Component, FlexibleBody, ForceElement, Frame, Terminal, TimeFunction
from flexnet.components.force_element import Action, Motion
from flexnet.components.rod_element import RodElement
from flexnet.errors import ModelError
from flexnet.formulation.laws import Data, answer
from flexnet.formulation.sensed_loads import effort, section_force
from flexnet.formulation.sensed_motion import SeenMotion, component, sensed_motion
from flexnet.formulation.sensed_stress import SeenBody
from flexnet.graph import Kind
from flexnet.networks import Network, Variable
from flexnet.signals import (
    ENERGIES,
    Applied,
    Known,
    Measure,
    Signal,
    StateOf,
    StressRow,
    Time,
    evaluate,
    stress_signal,
)


class Seen(SeenMotion, Protocol):
    """A mechanism in motion, as expressions.

    Attributes
    ----------
    t : time.
    """

    t: Expr

    def energies(self) -> Sequence[Expr]:
        """Kinetic, potential and strain energy."""

    def called(self, applied: Applied) -> int:
        """Place of a function that could not be traced among those of the model."""

    def load(self, name: str) -> tuple[Vec, Vec]:
        """Force and torque of a joint or driver on its head, ground axes."""

    def body(self, part: FlexibleBody) -> SeenBody:
        """Motion of a flexible body and loads on it."""

    def known(self, function: TimeFunction) -> tuple[Expr, Expr, Expr]:
        """A known function of time and its two derivatives."""

    def state(self, state: StateOf) -> Expr:
        """A state of a block."""


@dataclass(slots=True, eq=False)
class Sensing:
    """Signals of a mechanism as expressions.

    Attributes
    ----------
    seen : the mechanism in motion.
    components, frames, terminals : of the System, by name.
    network : of the System; None where it has none.
    number : what stands for a number in a signal; itself if left out.
    """

    seen: Seen
    components: Mapping[str, Component]
    frames: Mapping[str, Frame]
    terminals: Mapping[str, Terminal]
    network: Network | None = None
    number: Callable[[float], Expr] | None = None
    _bodies: dict[str, list[Expr]] = field(default_factory=dict)

    def read(self, signals: list[Signal]) -> list[Expr]:
        """Expressions of signals."""
        return evaluate(signals, self._leaf, of_arrays=False, called=self._called, number=self.number)

    def _called(self, applied: Applied) -> Callable[..., Expr]:
        """A user's function that could not be traced, of expressions."""
        return partial(extern, CALLS, self.seen.called(applied))

    def _leaf(self, signal: Signal) -> Expr | Signal:
        if isinstance(signal, Variable):
            assert self.network is not None
            return self.network.signal(signal)
        if isinstance(signal, Time):
            return self.seen.t
        if isinstance(signal, StateOf):
            return self.seen.state(signal)
        if isinstance(signal, Known):
            return self.seen.known(signal.of_time)[signal.order]
        if isinstance(signal, StressRow):
            return self._sum(signal)
        assert isinstance(signal, Measure), f"a signal of an unknown kind: {type(signal).__name__}"
        return self._measure(signal)

    def _sum(self, row: StressRow) -> Expr:
        """A sum over the vector z of a flexible body."""
        part = self.components[row.body]
        assert isinstance(part, FlexibleBody)
        modes = part.stress_modes
        if row.body not in self._bodies:
            z = self.seen.body(part).vector(modes.is_stiffened)
            self._bodies[row.body] = [z[i] for i in modes.entries]
        terms = zip(row.weights, self._bodies[row.body], strict=True)
        return add(*(mul(number(float(w)), z) for w, z in terms if w))

    def _measure(self, m: Measure) -> Expr | Signal:
        if m.kind == "energy":
            found = self.seen.energies()
            return add(*(found[i] for i in ENERGIES[m.coordinate]))
        part = self.components.get(m.target)
        if m.kind in ("force", "torque") and isinstance(part, ForceElement):
            return component(getattr(self._load(part), m.kind), m.along)
        if m.kind in ("force", "torque") and part is not None and part.kind in (Kind.JOINT, Kind.DRIVER):
            return component(self._reaction(part)[m.kind == "torque"], m.along)
        if m.kind == "effort" and part is not None:
            joint = self.terminals[str(getattr(part, "joint", ""))]
            return effort(self.seen.load(part.name), joint, self.seen.end(part.tail))
        if m.kind == "stress" and isinstance(part, FlexibleBody):
            return stress_signal(part, m)
        if m.kind == "stress" and isinstance(part, RodElement):
            load, ends = self._load(part), (self.seen.end(part.tail), self.seen.end(part.head))
            return section_force(load.force, load.torque, m, part.head.name == m.point, *ends)
        return sensed_motion(self.seen, self.components, self.frames, self.terminals, m)

    def _reaction(self, part: Component) -> tuple[Vec, Vec]:
        """Force and torque of a joint or driver on its head; a joint has none in its motion space.

        Where motion and loads do not balance yet, the cutset of a branch has a part there.
        """
        force, torque = self.seen.load(part.name)
        terminal, A = self.terminals[part.name], self.seen.end(part.tail)
        if part.kind is Kind.DRIVER:
            return force, torque
        for direction in terminal.translation.free if terminal.translation else ():
            u = A.vector(numbers(direction.vector))
            force = minus(force, times(dot(u, force), u))
        if terminal.rotation is not None and terminal.rotation.kind == "axis":
            u = A.vector(numbers(terminal.rotation.axes[0]))
            torque = minus(torque, times(dot(u, torque), u))
        return force, torque

    def _load(self, part: ForceElement) -> Action:
        """What a force element does, its own signals included.

        There is no loop in it: a signal measures what was added before.
        """

        def function(name: str, place: int | None, given: TimeFunction) -> Expr:
            if given.kind == "signal":
                return self.read([given.expression])[0]
            return self.seen.known(given)[0]

        def scalar(name: str, place: tuple[int, ...], value: float) -> Expr:
            return number(value)

        def untraced(name: str, given: Any) -> Any:
            raise ModelError(f"the load of {part.name!r} cannot be fed back: its law is a Python function")

        data: SimpleNamespace = Data(scalar, function, scalar, untraced).read(part)
        motion = Motion(
            self.seen.end(part.tail), self.seen.end(part.head), lambda: self.seen.twist(part.name)
        )
        return answer(part, motion, data, self.seen.t)
