"""Blocks with states: first-order equations E ż = f, written in signals; rows with E = 0 are algebraic.

A block is its states and how their rates follow from them and from its inputs. A state is a signal; whoever
uses it brings the block into the model, and with it everything its rates rest on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from flexnet.errors import ModelError
from flexnet.signals.evaluation import leaves
from flexnet.signals.signal import Measured, Number, Signal, _dimension, as_signal
from flexnet.units import NUMBER, unit_name
from flexnet.validation import plain_name, shown


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
    rate : E ż of the states as signals, from the states as signals.
    masses : E of every row, numbers or quantities such as an inductance; ones if left out. A row whose
        mass is zero is algebraic: its state is where the signal is zero.
    units : SI unit of every state, where its dimension does not tell: volts and newton metres have the same.
    """

    name: str
    kind: str
    starts: tuple[float, ...]
    dimensions: tuple[Measured, ...]
    rate: Callable[..., tuple[Signal, ...]]
    labels: tuple[str, ...] = ()
    masses: tuple[Signal | float, ...] = ()
    units: tuple[str, ...] = ()
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
        object.__setattr__(self, "states", states)
        object.__setattr__(self, "rates", rates)
        object.__setattr__(self, "masses", self._checked_masses())
        for z, r, d in zip(states, rates, self.row_dimensions, strict=True):
            if r.dimension is not None and z.dimension is not None and r.dimension != d:
                raise ModelError(f"{self._called}: a state in {z.unit} has a rate in {r.unit}")

    @property
    def _called(self) -> str:
        return f"{self.kind} {self.name!r}" if self.name else self.kind

    def _checked_masses(self) -> tuple[Signal, ...]:
        masses = tuple(map(as_signal, self.masses or (1.0,) * len(self.starts)))
        if len(masses) != len(self.starts):
            raise ModelError(f"{self._called} has {len(masses)} masses of {len(self.starts)} states")
        for E in masses:
            if not isinstance(E, Number):
                raise ModelError(f"{self._called}: a mass is a number or a quantity, got {E!r}")
        return masses

    @property
    def inertias(self) -> tuple[float, ...]:
        """E of every row, SI; zero where it is algebraic."""
        return tuple(E.value for E in self.masses if isinstance(E, Number))

    @property
    def row_dimensions(self) -> tuple[Measured, ...]:
        """What every row is measured in: the unit of E ż; that of the row itself where it is algebraic."""
        out = list[Measured]()
        for z, r, E in zip(self.dimensions, self.rates, self.masses, strict=True):
            assert isinstance(E, Number)
            if E.value == 0.0:
                out.append(r.dimension)
            elif z is None:
                out.append(per_second(r.dimension, 0))
            else:
                e = E.dimension or NUMBER
                out.append((z[0] + e[0], z[1] + e[1], z[2] + e[2] - 1))
        return tuple(out)


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

    @property
    def unit(self) -> str:
        """SI unit, ``""`` where it takes that of what it meets."""
        named = self.block.units[self.index] if self.block.units else ""
        return named or ("" if self.dimension is None else unit_name(self.dimension))


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


def algebraic(
    rows: Callable[..., Any],
    start: float | Sequence[float] = 0.0,
    unit: str | Sequence[str] = "",
    name: str = "",
) -> Any:
    """Unknowns z that make signals of them zero, 0 = f(z, …): solved with the motion, at every step.

    An algebraic loop y = g(y) is ``algebraic(lambda y: g(y) - y)``.

    Parameters
    ----------
    rows : from the unknowns as signals, the signal that must be zero; as many as there are unknowns.
    start : where the search for their values at the start begins, SI; a list where there are several.
    unit : SI unit of the unknown, or of each; left out, a pure number.
    name : what they are called in results.

    Returns
    -------
    Signal or tuple of Signal
        The unknown, or all of them.

    Notes
    -----
    The rows must determine the unknowns: ∂f/∂z regular along the motion. They are met at the end of every
    step of an α-method with ρ∞ < 1 (docs/theory/signals.md).
    """
    is_one = not isinstance(start, Sequence)
    starts = tuple(map(float, start)) if isinstance(start, Sequence) else (float(start),)
    units = (unit,) * len(starts) if isinstance(unit, str) else tuple(unit)
    if len(units) != len(starts) or not starts:
        raise ModelError(f"algebraic unknowns start from {shown(start)} in {shown(unit)}; expected as many")

    def found(*z: Signal) -> tuple[Signal, ...]:
        values = rows(*z)
        given = tuple(values) if isinstance(values, Sequence) else (values,)
        if len(given) != len(starts):
            raise ModelError(f"{len(starts)} algebraic unknowns need as many rows, got {len(given)}")
        return tuple(map(as_signal, given))

    dimensions = tuple(_dimension(u or "1") for u in units)
    block = Block(name, "algebraic", starts, dimensions, found, masses=(0.0,) * len(starts))
    return block.states[0] if is_one else block.states
