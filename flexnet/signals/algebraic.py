"""Unknowns that follow from an equation without a rate: algebraic loops, currents without inductance."""

from collections.abc import Callable, Sequence
from typing import Any

from flexnet.errors import ModelError
from flexnet.signals.block import Block
from flexnet.signals.signal import Signal, _dimension, as_signal
from flexnet.validation import shown


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
