"""Motion drivers: across variables that are known functions of time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.components.component import Component, check_ends
from flexnet.components.frame import Frame, as_axis
from flexnet.components.registry import Mechanism, builder, component
from flexnet.components.terminal import Direction, Rotation, Terminal, Translation
from flexnet.components.time_function import TimeFunction, TimeLike, as_motion
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array, Vector


@component
@dataclass(frozen=True, slots=True, eq=False)
class RotationDriver:
    """Known rotation ``rot(axis, angle(t))`` of the head frame as seen from the tail frame.

    Motion space   {}   (as a branch it brings no unknown, only known functions of time)
    Reaction space {axis} on a joint that has this rotation, {x, y, z} otherwise
    Terminal       θ = θ(t)                                      GTM table 4 (θ), DynaFlex §3.3

    Attributes
    ----------
    axis : (3,) unit vector, the same components in both frames.
    angle : rad.
    joint : name of the joint whose rotation is driven; None if the driver stands alone.
    """

    symbol: ClassVar[str] = "md"
    kind: ClassVar[Kind] = Kind.DRIVER
    noun: ClassVar[str] = "motion driver"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (0, 0)

    name: str
    tail: Frame
    head: Frame
    axis: Array
    angle: TimeFunction
    joint: str | None = None

    @property
    def terminal(self) -> Terminal:
        """Driven rotation, no translational equation."""
        on_joint = self.joint is not None
        return Terminal(None, Rotation("driven", (self.axis,), function=self.angle, about_axis_only=on_joint))


@component
@dataclass(frozen=True, slots=True, eq=False)
class TranslationDriver:
    """Known displacements of the head frame along directions of the tail frame.

    Motion space   the directions that are not driven
    Reaction space the driven directions
    Terminal       r = Σ directionⱼ fⱼ(t) + …                    GTM table 4 (R), DynaFlex §3.3

    Attributes
    ----------
    directions : one to three orthogonal (3,) unit vectors in the tail frame.
    displacements : a function of time [m] for each direction.
    joint : name of the joint whose translation is driven; None if the driver stands alone.
    free : directions left free (of the joint, or of the whole space).
    """

    symbol: ClassVar[str] = "md"
    kind: ClassVar[Kind] = Kind.DRIVER
    noun: ClassVar[str] = "motion driver"
    acts_from_datum: ClassVar[bool] = False

    name: str
    tail: Frame
    head: Frame
    directions: tuple[Array, ...]
    displacements: tuple[TimeFunction, ...]
    free: tuple[Direction, ...]
    joint: str | None = None

    @property
    def branch_coordinates(self) -> tuple[int, int]:
        """None where all is driven; the directions that are left free."""
        return len(self.free), 0

    def __post_init__(self) -> None:
        if len(self.directions) != len(self.displacements):
            raise ModelError(f"motion driver {self.name!r} needs one function for each direction")
        D = np.array(self.directions)
        if not np.allclose(D @ D.T, np.eye(len(D)), atol=1e-9):
            raise ModelError(f"motion driver {self.name!r} needs orthogonal directions")

    @property
    def terminal(self) -> Terminal:
        """Driven translation, no rotational equation."""
        driven = tuple(
            (Direction(f"driven_{i}", d), f)
            for i, (d, f) in enumerate(zip(self.directions, self.displacements, strict=True))
        )
        return Terminal(Translation(free=self.free, driven=driven), None)


def complement(directions: tuple[Array, ...]) -> tuple[Direction, ...]:
    """Directions orthogonal to the given ones, named after the nearest axes."""
    D = np.array(directions)
    out: list[Direction] = []
    for letter, e in zip("xyz", np.eye(3), strict=True):
        taken = [*D, *(d.vector for d in out)]
        rest = e - sum((e @ d) * d for d in taken)
        length = float(np.linalg.norm(rest))
        if length > 1e-6 and len(taken) < 3:
            out.append(Direction(letter, rest / length))
    return tuple(out)


@builder
def motion(
    system: Mechanism,
    name: str,
    joint: str | None = None,
    tail: Frame | None = None,
    head: Frame | None = None,
    angle: TimeLike | None = None,
    displacement: TimeLike | Sequence[TimeLike] | None = None,
    axis: str | Vector | None = None,
) -> RotationDriver | TranslationDriver:
    """Prescribe a motion: of a joint's own freedom, or of one frame as seen from another.

    Parameters
    ----------
    joint : name of the joint to drive; or give ``tail`` (the ground if left out) and ``head``.
    angle : rad, about the joint's axis or about ``axis`` (z if left out).
    displacement : m, along the joint's free direction or along ``axis``; three functions prescribe
        the whole position of ``head`` in the tail frame.
    axis : direction in the tail frame where it is not the joint's own.
    """
    if (angle is None) == (displacement is None):
        raise ModelError(f"motion driver {name!r} needs either an angle or a displacement")
    carrier = None if joint is None else system.joint(joint, f"motion driver {name!r}")
    if carrier is not None:
        a, b = carrier.tail, carrier.head
    elif head is None:
        raise ModelError(f"motion driver {name!r} needs a joint or a head frame")
    else:
        a, b = system.datum if tail is None else tail, head
        check_ends("motion driver", name, a, b)
    made: RotationDriver | TranslationDriver
    if angle is not None:
        function = as_motion(angle, f"motion driver {name!r}", "1")
        made = _rotation_driver(name, carrier, a, b, function, axis)
    else:
        assert displacement is not None
        made = _translation_driver(name, carrier, a, b, displacement, axis)
    _check_fight(made, system.components.values())
    return made


def _rotation_driver(
    name: str, carrier: Component | None, a: Frame, b: Frame, angle: TimeFunction, axis: str | Vector | None
) -> RotationDriver:
    """Driver of an angle: that of a joint, or of one frame as seen from another."""
    if carrier is None:
        return RotationDriver(name, a, b, as_axis("z" if axis is None else axis, f"axis of {name!r}"), angle)
    about = carrier.terminal.single_axis
    if about is None:
        raise ModelError(f"motion driver {name!r}: joint {carrier.name!r} has no single angle to drive")
    return RotationDriver(name, a, b, about, angle, carrier.name)


def _translation_driver(
    name: str,
    carrier: Component | None,
    a: Frame,
    b: Frame,
    displacement: TimeLike | Sequence[TimeLike],
    axis: str | Vector | None,
) -> TranslationDriver:
    """Driver of a displacement: in a joint's motion space, or of one frame as seen from another."""
    given = displacement if isinstance(displacement, Sequence | np.ndarray) else [displacement]
    functions = tuple(as_motion(f, f"motion driver {name!r}", "m") for f in given)
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


def _check_fight(driver: RotationDriver | TranslationDriver, others: Iterable[Component]) -> None:
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
