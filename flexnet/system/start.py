"""Wanted initial values of joints."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from flexnet.components import Terminal
from flexnet.errors import ModelError
from flexnet.system.graph import terminals_of

if TYPE_CHECKING:
    from flexnet.system.system import System


@dataclass(frozen=True, slots=True)
class Start:
    """Wanted initial value of one joint coordinate, and of its rate if given."""

    joint: str
    coordinate: str
    value: float | None
    rate: float | None


def _wanted(
    joint: str,
    terminal: Terminal,
    rate: float | None,
    coordinates: Mapping[str, float],
    earlier: Iterable[Start],
) -> list[Start]:
    """Values the user asks for, one a coordinate; refuses what the joint does not have, or has already."""
    names = terminal.coordinates
    for key in coordinates:
        if key not in names:
            raise ModelError(
                f"joint {joint!r} has no coordinate {key!r} to start at; it has {', '.join(names)}"
            )
    if rate is not None and len(coordinates) > 1:
        raise ModelError(f"start of joint {joint!r}: a rate needs one coordinate at a time")
    if not coordinates and len(names) != 1:
        raise ModelError(f"start of joint {joint!r} must say which of {', '.join(names)} it means")
    if rate is None and not coordinates:
        raise ModelError(f"start of joint {joint!r} gives neither a value nor a rate")
    for key, value in (*coordinates.items(), ("rate", rate)):
        if value is not None and not np.isfinite(value):
            raise ModelError(f"start of joint {joint!r}: {key} is {value}, not a finite number")
    wanted = [Start(joint, key, coordinates.get(key), rate) for key in coordinates or names]
    for old, new in product(earlier, wanted):
        if (old.joint, old.coordinate) == (new.joint, new.coordinate):
            for what, first, second in ((new.coordinate, old.value, new.value), ("rate", old.rate, new.rate)):
                if first is not None and second is not None and first != second:
                    raise ModelError(
                        f"joint {joint!r} is to start at two values of {what}: {first:g} and {second:g}"
                    )
    return wanted


def start(self: "System", joint: str, rate: float | None = None, **coordinates: float) -> None:
    """Ask for initial values of a joint's coordinates, such as ``start("O", angle=1.0, rate=6.0)``.

    Parameters
    ----------
    coordinates : ``angle``, ``alpha``, ``beta`` [rad], ``displacement``, ``x``, ``y``, ``z`` [m].
    rate : initial rate of the coordinate (rad/s or m/s), where one coordinate is given or the
        joint has only one; rates of several coordinates need several calls.
    """
    terminals = terminals_of([self.joint(joint, "start")], self.is_planar)
    self.starts += _wanted(joint, terminals[joint], rate, coordinates, self.starts)
