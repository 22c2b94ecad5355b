"""Branches and rigid bodies as families: programs of the formulas of :mod:`.branch`, and their numbers.

Axes, offsets, orientations and inertias are arguments, but for components that are 0 or ±1, which the family
knows; so is whether the parent is the datum, which way the edge points, and whether all of the mechanism
stays in the plane. The programs of a family, in the order in which kernels count them:

===========  =================================================================================================
R-branch     place: orientation and axes · motion: these, ω and ω̇ · rate: ω · inward: torque and its work
T-branch     place: position, vector and directions · motion: these, v and a · rate: v · inward
rigid body   inertia: d'Alembert force and torque · column: m a and J ω̇ · kinetic: energy · momenta
===========  =================================================================================================
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

import numpy as np

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Arguments,
    Expr,
    Mat,
    Program,
    Vec,
    array_of,
    cross,
    is_numeric,
    negative,
    plus,
    prepared,
    quaternion_matrix,
    times,
)
from flexnet.algebra.language import functions
from flexnet.formulation import branch as law
from flexnet.formulation.orientation import Orientation
from flexnet.typing import AnyArray

#: what a family knows of a number: 0, 1, -1, or nothing
Known = int | None
Pattern = tuple[Known, ...]
#: programs, and the function that makes the numbers they are called with of those of a member
Family = tuple[tuple[Program, ...], Callable[[Sequence[float]], list[float]]]

#: of a component of a unit vector, or of the largest of some quantities
_ROUND_OFF = 1e-16


def directions(*arrays: AnyArray) -> tuple[list[Pattern], list[float]]:
    """What a family knows of unit vectors and rotations, and their other numbers."""
    return _told(arrays, _direction)


def quantities(*arrays: AnyArray) -> tuple[list[Pattern], list[float]]:
    """The same of arrays with a unit: which of their numbers are zero, whatever the unit."""
    return _told(arrays, _quantity)


def _told(
    arrays: Sequence[AnyArray], known: Callable[[float, float], Known]
) -> tuple[list[Pattern], list[float]]:
    found = [_one(np.asarray(x, dtype=float).tobytes(), known) for x in arrays]
    return [pattern for pattern, _ in found], [e for _, rest in found for e in rest]


@lru_cache(maxsize=4096)
def _one(numbers: bytes, known: Callable[[float, float], Known]) -> tuple[Pattern, tuple[float, ...]]:
    """Pattern and other numbers of one array; most frames are turned as many others are."""
    flat = np.frombuffer(numbers).tolist()
    size = max((abs(e) for e in flat), default=0.0)
    pattern = tuple(known(e, size) for e in flat)
    return pattern, tuple(e for e, k in zip(flat, pattern, strict=True) if k is None)


def _direction(x: float, size: float) -> Known:
    near = round(x)
    return near if abs(near) <= 1 and abs(x - near) < _ROUND_OFF else None


def _quantity(x: float, size: float) -> Known:
    return 0 if abs(x) <= _ROUND_OFF * size else None


class _Trace:
    """Arguments of the programs of a family while it is traced.

    Parameters
    ----------
    is_flat : whether rotations are about z and positions in the plane.
    """

    def __init__(self, is_flat: bool) -> None:
        self.a, self.is_flat = Arguments(), is_flat
        self.a.array("p")

    def constant(self, known_of: Pattern) -> AnyArray:
        """A constant vector, or a matrix; numbers where the family knows them all."""
        entries = array_of([self.a.more("p") if e is None else e for e in known_of])
        out = entries.astype(float) if is_numeric(entries) else entries
        return out.reshape(3, 3) if len(known_of) == 9 else out

    def matrix(self, name: str, is_datum: bool) -> Mat:
        """Orientation of a rotation node."""
        (a, b, c), (d, e, f), (g, h, i) = self.a.matrix(name)
        if is_datum:
            return UNIT
        return ((a, -d, 0), (d, a, 0), (0, 0, 1)) if self.is_flat else ((a, b, c), (d, e, f), (g, h, i))

    def place(self, name: str, is_datum: bool = False) -> Vec:
        """Position, velocity or acceleration of a node."""
        x, y, z = self.a.vector(name)
        return ZERO3 if is_datum else (x, y, 0 if self.is_flat else z)

    def spin(self, name: str, is_datum: bool = False) -> Vec:
        """Angular velocity or acceleration of a rotation node."""
        x, y, z = self.a.vector(name)
        return ZERO3 if is_datum else ((0, 0, z) if self.is_flat else (x, y, z))

    def vectors(self, name: str, count: int, is_spin: bool = False) -> list[Vec]:
        """Directions found before."""
        e = self.a.array(name, 3 * count)
        made: list[Vec] = [(e[i], e[i + 1], e[i + 2]) for i in range(0, 3 * count, 3)]
        if self.is_flat:
            return [(0, 0, z) for _, _, z in made] if is_spin else [(x, y, 0) for x, y, _ in made]
        return made

    def program(
        self,
        name: str,
        inputs: str,
        outputs: Mapping[str, Sequence[Expr]],
        sums: Sequence[str] = (),
    ) -> Program:
        """A program of some of the arguments."""
        return Program(
            name,
            {key: self.a.inputs[key] for key in inputs.split()},
            {key: array_of(value) for key, value in outputs.items()},
            frozenset(sums),
        )

    def written(self, R: Mat) -> list[Expr]:
        """Entries of a rotation matrix that have to be written; in the plane the others never change."""
        e = [x for row in R for x in row]
        return [e[0], e[1], None, e[3], e[4]] if self.is_flat else e

    def filled(self, vectors: Sequence[Vec]) -> list[Expr]:
        """Entries of some vectors."""
        return [x for v in vectors for x in v]


def _prepared(programs: Sequence[Program], others: Sequence[Program]) -> Family:
    """A family of programs that take the numbers p, in the front, and of others that do not."""
    front, prepare = prepared(programs, "p")
    run, n = functions([prepare])["prepare"], len(prepare.results)

    def numbers(p: Sequence[float]) -> list[float]:
        out = np.zeros(n)
        run(np.array(p, dtype=float), out)
        return out.tolist()

    return (*front, *others), numbers


@cache
def turn_family(
    is_flat: bool, is_datum: bool, sign: int, C_A: Pattern, C_B: Pattern, axes: tuple[Pattern, ...],
    is_driven: bool, is_free: bool, is_arm: bool = False,
) -> Family:  # fmt: skip
    """Programs of an R-branch: a chain of turns by coordinates or a known function, or any rotation.

    A flexible arm turns by a rotation vector, which does no work: the elastic coordinates do.
    """
    t = _Trace(is_flat)
    A, B = t.constant(C_A), t.constant(C_B)
    fixed = [t.constant(n) for n in axes]
    R_A = Orientation(t.matrix("R_A", is_datum))
    f = t.a.array("f", 3)
    n = 0 if is_driven else (3 if is_free or is_arm else len(axes))
    q, v, a = t.a.array("q", 4 if is_free else n), t.a.array("v", n), t.a.array("a", n)
    w_A, wd_A = t.spin("w_A", is_datum), t.spin("wd_A", is_datum)
    if is_arm:
        phi: Vec = (0, 0, q[2]) if is_flat else (q[0], q[1], q[2])
        R_B, u = law.bent(R_A, A, B, phi, sign)
    elif is_free:
        R_B, u = law.turned_freely(R_A, A, B, quaternion_matrix(q, is_unit=False), sign)
    else:
        by = f[:1] if is_driven else q
        R_B, u = law.turned(R_A, A, B, list(zip(fixed, by, strict=True)), sign)
    rates, seconds = ([f[1]], [f[2]]) if is_driven else (v, a)
    if is_arm:
        apparent = law.bent_second(R_A, R_B, A, phi, (v[0], v[1], v[2]), sign)
    else:
        apparent = ZERO3 if is_free else law.in_turn(u, rates)
    w_B, wd_B = law.turn_motion(u, rates, seconds, w_A, wd_A, sign, apparent)
    place = {"R_B": t.written(R_B.matrix), "u": t.filled(u)}
    found = t.vectors("u_found", len(u), is_spin=True)
    later = law.turned_rate(w_A, sign, law.combined(found, rates))
    tau = t.a.vector("tau")
    return _prepared(
        [
            t.program("place", "p q f R_A", place),
            t.program("motion", "p q f R_A v a w_A wd_A", {**place, "w_B": w_B, "wd_B": wd_B}),
        ],
        [
            t.program("rate", "u_found f v w_A", {"w_B": later}),
            t.program(
                "inward",
                "u_found tau",
                {"tau_A": tau, "out": [] if is_arm else law.work(sign, found[:n], tau)},
                ["tau_A"],
            ),
        ],
    )


@cache
def slide_family(
    is_flat: bool, is_datum: bool, is_carried_by_datum: bool, sign: int, offset: Pattern,
    free: tuple[Pattern, ...], driven: tuple[Pattern, ...], is_arm: bool = False,
) -> Family:  # fmt: skip
    """Programs of a T-branch: a constant vector, and slides by coordinates and known functions.

    A flexible arm slides along the axes of its body, which does no work: the elastic coordinates do.
    """
    t = _Trace(is_flat)
    s0 = t.constant(offset)
    ways, known_ways = [t.constant(x) for x in free], [t.constant(x) for x in driven]
    carrier = Orientation(t.matrix("R", is_carried_by_datum))
    f = t.a.array("f", 3 * len(driven))
    n = len(free)
    q, v, a = t.a.array("q", n), t.a.array("v", n), t.a.array("a", n)
    w, wd = t.spin("w", is_carried_by_datum), t.spin("wd", is_carried_by_datum)
    x_A, v_A, a_A = (t.place(name, is_datum) for name in ("x_A", "v_A", "a_A"))
    d, e = [carrier.vector(x) for x in ways], [carrier.vector(x) for x in known_ways]
    r = plus(carrier.vector(s0), law.combined(d, q), law.combined(e, f[0::3]))
    rate = plus(law.combined(d, v), law.combined(e, f[1::3]))
    second = plus(law.combined(d, a), law.combined(e, f[2::3]))
    flat = slice(0, 2 if is_flat else 3)
    place = {
        "x_B": law.moved(x_A, sign, r)[flat], "r": r[flat], "d": t.filled(d), "e": t.filled(e),
    }  # fmt: skip
    motion = {
        "v_B": law.moved_rate(v_A, sign, w, r, rate)[flat],
        "a_B": law.moved_second(a_A, sign, w, wd, r, rate, second)[flat],
    }
    (r_found,) = t.vectors("r_found", 1)
    d_found, e_found = t.vectors("d_found", n), t.vectors("e_found", len(driven))
    later = plus(law.combined(d_found, v), law.combined(e_found, f[1::3]))
    F = t.a.vector("F")
    carried = law.carried_torque(sign, r_found, F)
    return _prepared(
        [
            t.program("place", "p q f R x_A", place),
            t.program("motion", "p q f R v a w wd x_A v_A a_A", {**place, **motion}),
        ],
        [
            t.program(
                "rate", "r_found d_found e_found f v w v_A",
                {"v_B": law.moved_rate(v_A, sign, w, r_found, later)[flat]},
            ),
            t.program(
                "inward", "r_found d_found F",
                {"F_A": F, "tau": carried, "out": [] if is_arm else law.work(sign, d_found, F)},
                ["F_A", "tau"],
            ),
        ],
    )  # fmt: skip


@cache
def body_family(is_flat: bool, inertia: Pattern) -> Family:
    """Programs of a rigid body: its mass and its inertia are its numbers."""
    t = _Trace(is_flat)
    mass = t.a.more("p")
    J = [[*row] for row in t.constant(inertia)]
    R = t.matrix("R", False)
    x, v, a = t.place("x"), t.place("v"), t.place("a")
    w, wd = t.spin("w"), t.spin("wd")
    spin = law.spin(R, J, w)
    P = times(mass, v)
    sums = ["force", "torque"]
    return _prepared(
        [
            t.program(
                "inertia", "p R w wd a",
                {"force": negative(times(mass, a)), "torque": law.inertia_torque(R, J, w, wd)}, sums,
            ),
            t.program("column", "p R w v", {"force": P, "torque": spin}, sums),
            t.program("kinetic", "p R w v", {"out": [law.kinetic(R, mass, J, v, w)]}, ["out"]),
            t.program("momenta", "p R w x v", {"out": [*P, *plus(spin, cross(x, P))]}, ["out"]),
        ],
        [],
    )  # fmt: skip
