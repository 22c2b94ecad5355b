"""Blocks with states: first-order equations ż = f, written in signals.

A block is its states and how their rates follow from them and from its inputs. A state is a signal; whoever
uses it brings the block into the model, and with it everything its rates rest on.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from flexnet.errors import ModelError
from flexnet.signals.signal import Measured, Signal, leaves
from flexnet.units import NUMBER
from flexnet.validation import plain_name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block:
    """States and their rates.

    Parameters
    ----------
    name : what its states are called in results; numbered by its kind if left out.
    kind : noun of the block.
    starts : value of every state at the start, SI.
    dimensions : what every state is measured in.
    labels : what its states are called; numbered if there are several and it is left out.
    rate : rates ż of the states as signals, from the states as signals.
    """

    name: str
    kind: str
    starts: tuple[float, ...]
    dimensions: tuple[Measured, ...]
    rate: Callable[..., tuple[Signal, ...]]
    labels: tuple[str, ...] = ()
    states: tuple["StateOf", ...] = field(init=False)
    rates: tuple[Signal, ...] = field(init=False)

    def __post_init__(self) -> None:
        if self.name:
            plain_name(self.name, f"the name of a {self.kind}")
        if not self.labels:
            n = len(self.starts)
            object.__setattr__(self, "labels", ("",) if n == 1 else tuple(str(k + 1) for k in range(n)))
        states = tuple(StateOf(self, k) for k in range(len(self.starts)))
        rates = self.rate(*states)
        for z, r in zip(states, rates, strict=True):
            if r.dimension is not None and z.dimension is not None:
                d = z.dimension
                expected = (d[0], d[1], d[2] - 1)
                if r.dimension != expected:
                    called = f" {self.name!r}" if self.name else ""
                    raise ModelError(f"{self.kind}{called}: a state in {z.unit} has a rate in {r.unit}")
        object.__setattr__(self, "states", states)
        object.__setattr__(self, "rates", rates)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StateOf(Signal):
    """One state of a block."""

    block: Block
    index: int
    needs: ClassVar[tuple[Signal, ...]] = ()

    @property
    def dimension(self) -> Measured:
        """What it is measured in."""
        return self.block.dimensions[self.index]


def states_of(signals: Iterable[Signal]) -> tuple[list[Block], list[Signal]]:
    """Blocks that signals rest on, each once, and all leaves of signals and rates."""
    blocks: dict[Block, None] = {}
    found: dict[Signal, None] = {}
    waiting = list(signals)
    while waiting:
        new: list[Signal] = []
        for leaf in leaves(waiting):
            found[leaf] = None
            if isinstance(leaf, StateOf) and leaf.block not in blocks:
                blocks[leaf.block] = None
                new += leaf.block.rates
        waiting = new
    return list(blocks), list(found)


def per_second(d: Measured, times: int = 1) -> Measured:
    """Dimension of a rate; with ``times`` -1, of an integral."""
    return None if d is None else (d[0], d[1], d[2] - times)


def number_in(signal: Signal) -> Measured:
    """Dimension of a signal; that of a pure number where it has none of its own."""
    return NUMBER if signal.dimension is None else signal.dimension
