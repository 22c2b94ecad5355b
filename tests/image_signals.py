"""The image of signals, blocks with states and events in other units.

A number without a unit takes that of what it is added to or compared with, and is a pure number where it is
multiplied, as :mod:`flexnet.signals.signal` says; so the image of a formula is read from the top downwards.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from flexnet.algebra import mul
from flexnet.components import TimeFunction
from flexnet.signals import Event, Signal
from flexnet.signals.block import Block, StateOf
from flexnet.signals.event import Lock, Reset, Sample, Slip, Stick
from flexnet.signals.measure import ANGLES, Measure
from flexnet.signals.signal import Applied, Formula, Known, Measured, Number, Time
from flexnet.units import NUMBER

#: a function of time ``a f(t/T)`` of f, a and T
Stretch = Callable[[TimeFunction, float, float], TimeFunction]


@dataclass(frozen=True)
class SignalImages:
    """Images of signals, each made once: two slots that share a state share its image.

    Parameters
    ----------
    factor : of a dimension.
    time : factor of time.
    stretch : image of a known function of time.
    """

    factor: Callable[[Any], float]
    time: float
    stretch: Stretch
    blocks: dict[Block, Block] = field(default_factory=dict)
    done: dict[tuple[Signal, Measured], Signal] = field(default_factory=dict)

    def signal(self, s: Signal, meets: Measured = None) -> Signal:
        """Image of a signal that meets others in ``meets`` where it has no unit of its own."""
        key = s, None if s.dimension is not None or isinstance(s, StateOf) else meets
        if key not in self.done:
            self.done[key] = self._signal(*key)
        return self.done[key]

    def _signal(self, s: Signal, meets: Measured) -> Signal:
        own = s.dimension if s.dimension is not None else meets
        size = self.factor(own or NUMBER)
        match s:
            case Number():
                return replace(s, value=size * s.value)
            case Known():
                return replace(s, of_time=self.stretch(s.of_time, size * self.time**s.order, self.time))
            case Formula():
                return self._formula(s, own)
            case Applied():
                return self._applied(s, size)
            case StateOf():
                return self.block(s.block).states[s.index]
            case Measure() | Time():
                return s
        raise NotImplementedError(f"the image of a {type(s).__name__} is not known")

    def _formula(self, s: Formula, own: Measured) -> Signal:
        needs = s.needs
        if s.operation == "add" and len(needs) == 1:  # the same numbers under another unit
            ratio = self.factor(own or NUMBER) / self.factor(needs[0].dimension or own or NUMBER)
            return Formula("multiply", (Number(ratio), self.signal(needs[0], own)), s.dimension)
        if s.operation in ("add", "maximum", "minimum", "absolute"):
            meets = [own] * len(needs)
        elif s.operation == "select":
            meets = [None, own, own]
        elif s.operation == "arctan2":
            meets = [next((n.dimension for n in needs if n.dimension is not None), None)] * 2
        elif s.dimension is None and own is not None:  # numbers alone, such as minus a number
            return Formula("multiply", (Number(self.factor(own)), self._formula(s, None)), None)
        else:
            meets = [None] * len(needs)
        return replace(s, needs=tuple(map(self.signal, needs, meets)))

    def _applied(self, s: Applied, size: float) -> Signal:
        sizes = [self.factor(n.dimension or NUMBER) for n in s.needs]

        def call(*x: float) -> float:
            return size * s.call(*(a / f for a, f in zip(x, sizes, strict=True)))

        def traced(*x: Any) -> Any:
            return mul(size, s.traced(*(mul(1.0 / f, a) for a, f in zip(x, sizes, strict=True))))

        return replace(s, call=call, traced=traced, needs=tuple(map(self.signal, s.needs)))

    def block(self, b: Block) -> Block:
        """Image of a block; its states first, because its rates rest on them."""
        if b not in self.blocks:
            factors = [self.factor(d or NUMBER) for d in b.dimensions]

            def rate(*z: StateOf) -> tuple[Signal, ...]:
                self.blocks[b] = z[0].block
                rows = zip(b.rates, b.row_dimensions, strict=True)
                for k, state in enumerate(z):
                    self.done[b.states[k], None] = state
                return tuple(self.signal(r, d) for r, d in rows)

            masses = tuple(
                replace(E, value=self.factor(E.dimension or NUMBER) * E.value)
                for E in b.masses
                if isinstance(E, Number)
            )
            starts = tuple(f * x for f, x in zip(factors, b.starts, strict=True))
            self.blocks[b] = Block(b.name, b.kind, starts, b.dimensions, rate, b.labels, masses)
        return self.blocks[b]

    def state(self, z: StateOf) -> StateOf:
        """Image of a state."""
        return self.block(z.block).states[z.index]

    def event(self, event: Event) -> Event:
        """Image of an event and of what it does."""
        action = event.action
        match action:
            case Lock():
                is_angle = action.coordinate in ANGLES
                action = replace(action, rate=self.factor((0 if is_angle else 1, 0, -1)) * action.rate)
            case Reset():
                value = self.signal(action.value, action.state.dimension)
                action = Reset(self.state(action.state), value)
            case Sample():
                pairs = zip(action.states, action.values, strict=True)
                values = tuple(self.signal(v, z.dimension) for z, v in pairs)
                action = Sample(self.time * action.period, tuple(map(self.state, action.states)), values)
            case Stick():
                action = replace(action, sense=self.state(action.sense), level=self.signal(action.level))
            case Slip():
                action = replace(
                    action, sense=self.state(action.sense), level=self.signal(action.level),
                    effort=self.signal(action.effort),
                )  # fmt: skip
        return replace(event, signal=self.signal(event.signal), action=action)
