"""Force elements: what a force between two frames declares, what it sees and what it answers.

An element's page holds its data and its law. The law is written once, in formulas of
:mod:`flexnet.algebra`; both engines trace it, the one into a function called for every element of its family,
the other into the equations of the whole mechanism. Energy, power and derivatives follow from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

from flexnet.algebra import (
    ZERO3,
    Expr,
    Mat,
    Node,
    Number,
    Vec,
    add,
    cross,
    dot,
    matmul,
    minus,
    negative,
    rotate_back,
    transpose,
)  # fmt: skip
from flexnet.components.frame import Frame
from flexnet.components.terminal import XYZ, Rotation, Terminal, Translation
from flexnet.components.time_function import TimeFunction
from flexnet.errors import ModelError
from flexnet.graph import Kind
from flexnet.typing import Array

_SMALL = 1e-9


class End(Protocol):
    """Frame at one end of an element, in ground axes.

    Attributes
    ----------
    x, v : position and velocity of its origin, m, m/s.
    omega : angular velocity, rad/s.
    R : orientation of its axes.
    """

    x: Vec
    v: Vec
    omega: Vec

    @property
    def R(self) -> Mat:
        """Orientation of the frame."""

    def vector(self, n: Vec) -> Vec:
        """A vector given in the axes of the frame, in ground axes."""


@dataclass(frozen=True, slots=True, eq=False)
class Twist:
    """Counted angle of the head about an axis as seen from the tail.

    Attributes
    ----------
    angle, rate : rad, rad/s.
    axis : its gradient in ground axes, ``rate = axis·(ω_head - ω_tail)``.
    """

    angle: Expr
    rate: Expr
    axis: Vec


class Motion:
    """What an element sees, computed where it is asked for.

    Parameters
    ----------
    tail, head : its two ends.
    twist : gives the counted angle, of elements that count one.
    """

    def __init__(self, tail: End, head: End, twist: Callable[[], Twist]) -> None:
        self.tail, self.head = tail, head
        self._twist = twist

    @cached_property
    def d(self) -> Vec:
        """From the origin of the tail to that of the head, in ground axes, m."""
        return minus(self.head.x, self.tail.x)

    @cached_property
    def v(self) -> Vec:
        """Rate of d, in ground axes, m/s."""
        return minus(self.head.v, self.tail.v)

    @cached_property
    def omega(self) -> Vec:
        """Angular velocity of the head relative to the tail, in ground axes, rad/s."""
        return minus(self.head.omega, self.tail.omega)

    @cached_property
    def R(self) -> Mat:
        """Orientation of the head as seen from the tail."""
        return matmul(transpose(self.tail.R), self.head.R)

    @cached_property
    def twist(self) -> Twist:
        """The counted angle; see :attr:`ForceElement.turns`."""
        return self._twist()

    @cached_property
    def d_tail(self) -> Vec:
        """D in the axes of the tail, m."""
        return rotate_back(self.tail.R, self.d)

    @cached_property
    def v_tail(self) -> Vec:
        """Rate of ``d_tail``: the velocity of the head seen by someone on the tail, m/s."""
        return rotate_back(self.tail.R, minus(self.v, cross(self.tail.omega, self.d)))

    @cached_property
    def omega_tail(self) -> Vec:
        """Relative angular velocity in the axes of the tail, rad/s."""
        return rotate_back(self.tail.R, self.omega)


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """What an element does.

    Attributes
    ----------
    force : on the head, at its origin, in ground axes, N; the opposite acts at the origin of the tail.
    torque : on the head, in ground axes, N m.
    potential : energy the element stores, J.
    dissipation : power it takes out by damping, W.
    power : power of what neither stores nor damps, W; to be left out where nothing but known functions of
        time does so: it is then what force and torque do beyond potential and dissipation.
    tail_torque : torque on the tail; left out, it balances the rest: ``-torque - d × force``.
    """

    force: Vec = ZERO3
    torque: Vec = ZERO3
    potential: Node | Number = 0
    dissipation: Node | Number = 0
    power: Node | Number | None = None
    tail_torque: Vec | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ForceElement:
    """A force between two frames: subclasses add their data and write :meth:`law`.

    A field that is a ``float``, or an array of them, is a parameter; a :class:`TimeFunction` is a known
    function; a Python function of three numbers, or a sympy expression of x, v and t, is a formula of three.
    The law receives all of them as attributes of ``p``, as expressions. Any other field is structure: the law
    reads it from ``self``, and may branch on it.

    Attributes
    ----------
    acts : ``"translation"``, ``"rotation"`` or both: in which graphs its edge lies.
    turns : ``"twist"`` if it counts the angle about its field ``axis``; ``"rotation"`` if it asks for the
        rotation between its frames, below half a turn but for a counted one about ``axis``; else empty.
    is_stiff : whether its exact tangent stands in Newton's matrix; such an element counts no twist.
    is_inside : whether both its ends are on one flexible body.
    letters : how a field is called in equations, where not by its name.
    directions : fields that are unit vectors of the tail frame, not parameters, in equations.
    """

    symbol: ClassVar[str] = "SDA"
    kind: ClassVar[Kind] = Kind.FORCE
    noun: ClassVar[str] = "force element"
    acts_from_datum: ClassVar[bool] = False
    branch_coordinates: ClassVar[tuple[int, int]] = (3, 3)
    acts: ClassVar[Literal["both", "translation", "rotation"]] = "both"
    turns: ClassVar[Literal["", "twist", "rotation"]] = ""
    is_stiff: ClassVar[bool] = False
    is_inside: ClassVar[bool] = False
    letters: ClassVar[Mapping[str, str]] = {"stiffness": "k", "damping": "c"}
    directions: ClassVar[tuple[str, ...]] = ("axis",)

    name: str
    tail: Frame
    head: Frame

    def law(self, motion: Motion, p: Any, t: Expr) -> Action:
        """What it does at a motion, with parameters p, at time t."""
        raise ModelError(f"force element {self.name!r} has no law: write {type(self).__name__}.law")

    @property
    def called(self) -> str:
        """What messages about this one call it."""
        return self.noun

    @property
    def terminal(self) -> Terminal:
        """Any motion, in the graphs in which it acts."""
        translation = None if self.acts == "rotation" else Translation(free=XYZ)
        names = ("rotation_x", "rotation_y", "rotation_z")
        rotation = None if self.acts == "translation" else Rotation("free", names=names)
        return Terminal(translation, rotation)

    def check_plane(self, what: str) -> None:
        """Refuse what has an effect across the plane of a planar system, or none in it."""
        axis: Array | None = getattr(self, "axis", None)
        if axis is None:
            return
        if self.turns and abs(abs(axis[2]) - 1.0) > _SMALL:
            raise ModelError(f"{what} turns about {axis.tolist()}; a planar system turns about z only")
        if not self.turns and abs(axis[2]) > _SMALL:
            raise ModelError(f"{what} acts along {axis.tolist()}; a planar system moves in x and y only")

    @property
    def lengths(self) -> tuple[float, ...]:
        """Lengths among its data, m, which tell how large the model is."""
        return ()

    @property
    def stiffnesses(self) -> tuple[float, float]:
        """Largest stiffness against translation and rotation, N/m, N m/rad, which tell how fast it is."""
        return 0.0, 0.0

    @property
    def functions(self) -> tuple[tuple[TimeFunction, bool], ...]:
        """Known functions among its data that are forces, with True for torques."""
        return ()


def tail_torque(element: ForceElement, motion: Motion, load: Action) -> Vec:
    """Torque on the tail."""
    if load.tail_torque is not None:
        return load.tail_torque
    turned = minus(cross(load.force, motion.d), load.torque)
    return ZERO3 if element.acts_from_datum else turned


def total_power(element: ForceElement, motion: Motion, load: Action) -> Expr:
    """Power of all forces and torques of an element."""
    on_head = dot(load.force, motion.head.v), dot(load.torque, motion.head.omega)
    if element.acts_from_datum:
        return add(*on_head)
    torque = tail_torque(element, motion, load)
    return add(*on_head, dot(negative(load.force), motion.tail.v), dot(torque, motion.tail.omega))
