"""Motion drivers as the user asks for them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexnet.components import (
    Component,
    Direction,
    Frame,
    RotationDriver,
    TimeFunction,
    TranslationDriver,
    as_axis,
    as_time_function,
    complement,
)
from flexnet.errors import ModelError
from flexnet.typing import Array


def rotation_driver(
    name: str, carrier: Component | None, a: Frame, b: Frame, angle: TimeFunction, axis: Any
) -> Component:
    """Driver of an angle: that of a joint, or of one frame as seen from another."""
    if carrier is None:
        return RotationDriver(name, a, b, as_axis("z" if axis is None else axis, f"axis of {name!r}"), angle)
    rotation = carrier.terminal.rotation
    if rotation is None or rotation.kind != "axis":
        raise ModelError(f"motion driver {name!r}: joint {carrier.name!r} has no single angle to drive")
    return RotationDriver(name, a, b, rotation.axes[0], angle, carrier.name)


def translation_driver(
    name: str, carrier: Component | None, a: Frame, b: Frame, displacement: Any, axis: Any
) -> Component:
    """Driver of a displacement: in a joint's motion space, or of one frame as seen from another."""
    several = isinstance(displacement, list | tuple)
    functions = tuple(
        as_time_function(f, f"displacement of {name!r}")
        for f in (displacement if several else [displacement])
    )
    space = (
        () if carrier is None or carrier.terminal.translation is None else carrier.terminal.translation.free
    )
    if carrier is not None and not space:
        raise ModelError(f"motion driver {name!r}: joint {carrier.name!r} has no translation to drive")
    if axis is not None:
        directions: tuple[Array, ...] = (as_axis(axis, f"axis of {name!r}"),)
    elif carrier is not None:
        directions = tuple(d.vector for d in space[: len(functions)])
    else:
        directions = tuple(np.eye(3)[: len(functions)])
    if carrier is None:
        free: tuple[Direction, ...] = complement(directions)
    else:
        free = _rest_of(space, directions, f"motion driver {name!r} on joint {carrier.name!r}")
    return TranslationDriver(
        name, a, b, directions, functions, free, None if carrier is None else carrier.name
    )


def check_fight(driver: Component, others: Iterable[Component]) -> None:
    """Refuse a driver of a motion that another one drives."""
    for other in others:
        if type(other) is type(driver) and {other.tail.name, other.head.name} == {
            driver.tail.name,
            driver.head.name,
        }:
            mine, theirs = _driven_axes(driver), _driven_axes(other)
            if any(abs(u @ w) > 1e-9 for u in mine for w in theirs):
                raise ModelError(
                    f"motion driver {driver.name!r} fights {other.name!r}: both drive the same motion"
                    f" of {driver.head.name!r}"
                )


def _rest_of(space: tuple[Direction, ...], directions: tuple[Array, ...], what: str) -> tuple[Direction, ...]:
    """Directions of a joint's motion space normal to the driven ones, which must lie in it."""
    for u in directions:
        if np.linalg.norm(u - sum((u @ d.vector) * d.vector for d in space)) > 1e-9:
            raise ModelError(f"{what} drives along {u.tolist()}, where the joint does not move")
    out: list[Direction] = []
    for direction in space:
        taken = [*directions, *(d.vector for d in out)]
        rest = direction.vector - sum((direction.vector @ u) * u for u in taken)
        length = float(np.linalg.norm(rest))
        if length > 1e-6 and len(taken) < len(space):
            out.append(Direction(direction.name, rest / length))
    return tuple(out)


def _driven_axes(driver: Component) -> tuple[Array, ...]:
    if isinstance(driver, RotationDriver):
        return (driver.axis,)
    if isinstance(driver, TranslationDriver):
        return driver.directions
    return ()
