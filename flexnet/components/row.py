"""Constraint rows: one scalar condition Φ = 0 on the motion of one frame as seen from another.

A row is a formula of what it may ask of its :class:`Relative` motion: the way d from the tail's origin to the
head's, vectors n̂ fixed in the tail and â fixed in the head, all in ground axes, a known function f of time
and an angle θ that counts whole turns. It is written once, with nodes in the place of numbers. All else
follows from it by exact differentiation (:func:`trace`): with δn̂ = δθ_A × n̂, δâ = δθ_B × â, δd = δp_B - δp_A

    δΦ = F·(δp_B - δp_A) + τ_A·δθ_A + τ_B·δθ_B + Φ_f δf                                                  (1)
    F = ∂Φ/∂d,    τ_A = Σ n̂ × ∂Φ/∂n̂,    τ_B = Σ â × ∂Φ/∂â,    Φ_f = ∂Φ/∂f

is the work of a unit wrench, which serves the Jacobian, the constraint forces and the reaction; and

    Φ̈ = F·(p̈_B - p̈_A) + τ_A·ω̇_A + τ_B·ω̇_B + Φ_f f̈ + γ                                                   (2)

with γ what is left of d²Φ/dt² where all accelerations are zero. A row between the frames of two joints, such
as that of two gears, asks for a second relative motion, its ``other``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

from flexnet.algebra import (
    Expr,
    Mat,
    Node,
    Vec,
    add,
    atan2,
    backward,
    cross,
    dot,
    forward,
    plus,
    symbol,
    transpose,
    wrap,
)
from flexnet.components.frame import Frame, normals
from flexnet.components.time_function import TimeFunction
from flexnet.errors import ModelError
from flexnet.typing import Array


@dataclass(slots=True, eq=False)
class Relative:
    """Motion of a head frame B as seen from a tail frame A, in ground axes, as a row may ask for it.

    Attributes
    ----------
    d : p_B - p_A, m.
    tail, head : the row's vectors fixed in A and in B.
    numbers : the row's numbers.
    f : its known function of time.
    """

    d: Vec
    tail: tuple[Vec, ...]
    head: tuple[Vec, ...]
    numbers: tuple[Expr, ...]
    f: Expr
    _turn: Node
    _second: "Relative | None"
    _frames: tuple[Mat, Mat]
    asked: set[str] = field(default_factory=set)

    @property
    def R_A(self) -> Mat:
        """Orientation of A: its axes are the columns."""
        self.asked.add("A")
        return transpose(self._frames[0])

    @property
    def R_B(self) -> Mat:
        """Orientation of B: its axes are the columns."""
        self.asked.add("B")
        return transpose(self._frames[1])

    @property
    def angle(self) -> Expr:
        """Twist θ of B about the axis the row counts about, whole turns included, rad."""
        self.asked.add("angle")
        return nearest_twist(self._turn, self.tail[-2:], self.head[-2:])

    @property
    def other(self) -> "Relative":
        """The second relative motion of a row between two joints."""
        assert self._second is not None, "the row has no second pair of frames"
        return self._second


def nearest_twist(last: Expr, tail: Sequence[Vec], head: Sequence[Vec]) -> Expr:
    """Twist θ between the normals n, m of an axis in the tail and n', m' of one in the head, rad.

    tan θ = (m·n' - n·m')/(n·n' + m·m'), and of all such θ the one nearest to the turn last counted.
    """
    (n, m), (n_B, m_B) = tail, head
    twist = atan2(add(dot(m, n_B), -dot(n, m_B)), add(dot(n, n_B), dot(m, m_B)))
    return add(last, wrap(add(twist, -last)))


Formula = Callable[[Relative], Expr]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One scalar condition of a joint or driver.

    Attributes
    ----------
    label : the reaction it brings, such as ``force x`` or ``torque y``, in the tail frame.
    formula : Φ of a relative motion.
    unit : ``m`` or ``rad``, that of Φ.
    tail, head : vectors (3,) in the tail and the head frame that the formula asks for.
    numbers : numbers it asks for.
    function : known function of time, where there is one.
    counts : axis (3,), the same in both frames, of the angle it asks for, whole turns included.
    held_by : trees in which a branch fulfils the row by itself: ``T``, ``R``, both (``TR``) or neither.
    other : frames of the second relative motion, where the formula asks for one, and the axis it counts.
    is_spatial : says nothing in the plane, and is left out there.
    """

    label: str
    formula: Formula
    unit: str = "m"
    tail: tuple[Array, ...] = ()
    head: tuple[Array, ...] = ()
    numbers: tuple[float, ...] = ()
    function: TimeFunction | None = None
    counts: Array | None = None
    held_by: str = ""
    other: tuple[Frame, Frame, Array | None] | None = None
    is_spatial: bool = False

    def __post_init__(self) -> None:
        if self.unit not in ("m", "rad"):
            raise ModelError(f"the row {self.label!r} is in {self.unit!r}; expected 'm' or 'rad'")

    @property
    def is_translation(self) -> bool:
        """Whether Φ is a length."""
        return self.unit == "m"

    @property
    def tail_vectors(self) -> tuple[Array, ...]:
        """Vectors in the tail frame: those given, and the normals of the axis it counts about."""
        return (*self.tail, *(() if self.counts is None else normals(self.counts)))

    @property
    def head_vectors(self) -> tuple[Array, ...]:
        """Vectors in the head frame, likewise."""
        return (*self.head, *(() if self.counts is None else normals(self.counts)))

    @property
    def other_vectors(self) -> tuple[Array, ...]:
        """Vectors in both frames of the second relative motion: the normals of the axis it counts about."""
        return () if self.other is None or self.other[2] is None else normals(self.other[2])

    @property
    def shape(self) -> tuple[int, int, int, bool, int | None]:
        """Vectors in tail and head, numbers, whether a function, vectors of a second motion."""
        other = None if self.other is None else len(self.other_vectors)
        vectors = len(self.tail_vectors), len(self.head_vectors)
        return (*vectors, len(self.numbers), self.function is not None, other)

    @property
    def traced(self) -> "TracedRow":
        """The formula and what follows from it, with nodes for everything it is asked of."""
        return trace(self.formula, *self.shape)

    def is_held(self, in_t: bool, in_r: bool) -> bool:
        """Whether a branch of the trees it is in fulfils the row."""
        in_trees = {"T": in_t, "R": in_r, "TR": in_t and in_r}
        return in_trees.get(self.held_by, False)


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """One relative motion of a traced row: its nodes, its rates' nodes and its part of the unit wrench.

    Attributes
    ----------
    d, tail, head, turn : as in :class:`Relative`; the turn last counted.
    axes_A, axes_B : axes of both frames; ``asks`` says which are asked for, ``A`` and ``B``.
    angle : the counted angle as the formula has it; None without one.
    dv, w_A, w_B : rates of d and of the two frames.
    force, tail_torque, head_torque : F, τ_A and τ_B of (1).
    """

    d: Vec
    tail: tuple[Vec, ...]
    head: tuple[Vec, ...]
    axes_A: Mat
    axes_B: Mat
    asks: frozenset[str]
    turn: Node
    angle: Expr | None
    dv: Vec
    w_A: Vec
    w_B: Vec
    force: Vec
    tail_torque: Vec
    head_torque: Vec


@dataclass(frozen=True, slots=True, eq=False)
class TracedRow:
    """Value, unit wrench and second derivative of a row as formulas of nodes.

    Attributes
    ----------
    value, by_f, bias : Φ, Φ_f and γ of (1), (2).
    legs : one relative motion, or two.
    numbers, f, f_dot : nodes of the row's numbers, its known function and its rate.
    """

    value: Expr
    by_f: Expr
    bias: Expr
    legs: tuple[Leg, ...]
    numbers: tuple[Node, ...]
    f: Node
    f_dot: Node

    @property
    def outputs(self) -> list[Expr]:
        """Φ, Φ_f and the unit wrenches of all legs."""
        wrenches = (w for leg in self.legs for w in (leg.force, leg.tail_torque, leg.head_torque))
        return [self.value, self.by_f, *(x for w in wrenches for x in w)]


def _vec(name: str) -> Vec:
    return symbol(f"{name}_x"), symbol(f"{name}_y"), symbol(f"{name}_z")


def _mat(name: str) -> Mat:
    return _vec(f"{name}x"), _vec(f"{name}y"), _vec(f"{name}z")


def _relative(
    mark: str, tail: int, head: int, numbers: tuple[Node, ...], f: Expr, second: Relative | None
) -> Relative:
    return Relative(
        _vec(f"d{mark}"),
        tuple(_vec(f"n{mark}{k}") for k in range(tail)),
        tuple(_vec(f"a{mark}{k}") for k in range(head)),
        numbers,
        f,
        symbol(f"turn{mark}"),
        second,
        (_mat(f"A{mark}"), _mat(f"B{mark}")),
    )


@cache
def trace(
    formula: Formula, tail: int, head: int, numbers: int, has_function: bool, other: int | None
) -> TracedRow:
    """Write a formula once, and differentiate it.

    Parameters
    ----------
    tail, head, numbers : how many vectors and numbers it is given.
    other : vectors in either frame of a second relative motion; None without one.
    """
    p = tuple(symbol(f"c{k}") for k in range(numbers))
    f, f_dot = symbol("f"), symbol("f_dot")
    second = None if other is None else _relative("o", other, other, (), 0, None)
    first = _relative("", tail, head, p, f if has_function else 0, second)
    value = formula(first)
    if type(value) is not Node:
        raise ModelError(
            f"the row {getattr(formula, '__name__', formula)!r} does not depend on the motion: Φ is {value!r}"
        )
    motions = [first] if second is None else [first, second]
    rates = [(_vec(f"dv{i}"), _vec(f"wA{i}"), _vec(f"wB{i}")) for i in range(len(motions))]
    legs = tuple(_leg(value, m, *rate) for m, rate in zip(motions, rates, strict=True))
    (by_f,) = backward({value: 1}, [f])
    moving: dict[Node, Expr] = {f: f_dot}
    for m, (dv, w_A, w_B) in zip(motions, rates, strict=True):
        moving |= dict(zip(_nodes(m.d), dv, strict=True))
        for vectors, w in (((*m.tail, *m._frames[0]), w_A), ((*m.head, *m._frames[1]), w_B)):
            for n in vectors:
                moving |= dict(zip(_nodes(n), cross(w, n), strict=True))
    (rate,) = forward([value], moving)
    (bias,) = forward([rate], moving)
    return TracedRow(value, by_f, bias, legs, p, f, f_dot)


def _nodes(v: Vec) -> list[Node]:
    return [x for x in v if isinstance(x, Node)]


def _leg(value: Node, m: Relative, dv: Vec, w_A: Vec, w_B: Vec) -> Leg:
    """Unit wrench (1) of one relative motion."""
    tails, heads = (*m.tail, *m._frames[0]), (*m.head, *m._frames[1])
    inputs = [x for v in (m.d, *tails, *heads) for x in _nodes(v)]
    g = backward({value: 1}, inputs)
    vectors = [(g[3 * i], g[3 * i + 1], g[3 * i + 2]) for i in range(len(g) // 3)]
    by_tail, by_head = vectors[1 : 1 + len(tails)], vectors[1 + len(tails) :]
    zero: Vec = (0, 0, 0)
    return Leg(
        m.d,
        m.tail,
        m.head,
        *m._frames,
        frozenset(m.asked),
        m._turn,
        m.angle if "angle" in m.asked else None,
        dv,
        w_A,
        w_B,
        vectors[0],
        plus(zero, *(cross(n, by) for n, by in zip(tails, by_tail, strict=True))),
        plus(zero, *(cross(a, by) for a, by in zip(heads, by_head, strict=True))),
    )


# -- the rows of the ideal joints ------------------------------------------------------------------
