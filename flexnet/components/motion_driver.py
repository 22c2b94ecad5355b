"""Motion drivers: across variables that are known functions of time."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexnet.components.frame import Frame
from flexnet.components.terminal import Direction, Rotation, Terminal, Translation
from flexnet.components.time_function import TimeFunction
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array


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
