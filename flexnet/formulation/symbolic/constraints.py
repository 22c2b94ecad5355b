"""Step 2 in symbols: circuit equations of chords projected on their reaction spaces.

Rows and their unit wrenches are those of :mod:`flexnet.kernels.constraints`.
"""

from dataclasses import dataclass

import sympy as sp

from flexnet.formulation.rows import Row
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.special import wrap
from flexnet.formulation.symbolic.tape import ONE, ZERO, ZERO3, Expr, Mat, Tape, Vec, transpose
from flexnet.formulation.symbolic.variables import KnownFunctions, KnownValues
from flexnet.kernels import model as km
from flexnet.typing import AnyArray


@dataclass(slots=True, eq=False)
class Chord:
    """One scalar constraint: its value and its unit wrench.

    δΦ = force·(δp_B - δp_A) + head·δθ_B + tail·δθ_A, or the coordinate ``v`` itself.
    """

    row: Row
    record: AnyArray
    known: KnownValues
    value: Expr
    force: Vec
    tail: Vec
    head: Vec
    quaternion: tuple[Expr, Expr, Expr, Expr] | None = None
    R_D: Mat | None = None

    @property
    def v(self) -> int:
        """Driven velocity coordinate, -1 unless the row is one."""
        return int(self.record["v"]) if self.row.kind == km.COORDINATE else -1


def chords(k: Kinematics, known: KnownFunctions) -> list[Chord]:
    """All constraint rows with their values and unit wrenches."""
    pairs = zip(k.equations.rows, k.equations.model.rows, strict=True)
    return [_chord(k, row, record, known) for row, record in pairs]


def _known(row: Row, record: AnyArray, known: KnownFunctions) -> KnownValues:
    if row.function is None:
        return ZERO, ZERO, ZERO
    name = row.component.name
    driven = getattr(row.component, "displacements", ())
    if len(driven) > 1:
        name = f"{name}.{[f is row.function for f in driven].index(True) + 1}"
    return known.add(name, row.function, int(record["function"]))


def _chord(k: Kinematics, row: Row, record: AnyArray, known: KnownFunctions) -> Chord:
    tape, f = k.tape, _known(row, record, known)
    A, B = k.R[int(record["tail_r"])], k.R[int(record["head_r"])]
    if row.kind == km.COORDINATE:
        value = tape.add(k.variables.place[int(record["q"])], -f[0])
        return Chord(row, record, f, value, ZERO3, ZERO3, ZERO3)
    if row.kind == km.TRANSLATION:
        n = A.vector(record["n"])
        d = tape.minus(k.p[int(record["head"])], k.p[int(record["tail"])])
        return Chord(row, record, f, tape.add(tape.dot(n, d), -f[0]), n, tape.cross(n, d), ZERO3)
    if row.kind == km.PERPENDICULAR:
        n, a = A.vector(record["n"]), B.vector(record["a"])
        head = tape.cross(a, n)
        return Chord(row, record, f, tape.dot(n, a), ZERO3, negative(head), head)
    if row.kind == km.ANGLE:
        return _angle(k, row, record, f)
    return _orientation(k, row, record, f)


def negative(a: Vec) -> Vec:
    """Minus a vector."""
    return -a[0], -a[1], -a[2]


def angle_between(tape: Tape, n: Vec, m: Vec, a: Vec) -> tuple[Expr, Expr, Vec]:
    """Cosine and sine parts of the angle of a in the plane n, m, and its gradient, the axis of turning."""
    c, s = tape.dot(a, n), tape.dot(a, m)
    square = tape.add(tape.mul(c, c), tape.mul(s, s))
    rho = tape.let(1 / square)
    cross_m, cross_n = tape.cross(a, m), tape.cross(a, n)
    u = tape.minus(tape.scale(tape.mul(c, rho), cross_m), tape.scale(tape.mul(s, rho), cross_n))
    return c, s, u


def _angle(k: Kinematics, row: Row, record: AnyArray, f: KnownValues) -> Chord:
    """Φ = atan2(a·m, a·n) - f; where both frames turn about one axis only, the difference of angles."""
    tape = k.tape
    A, B = k.R[int(record["tail_r"])], k.R[int(record["head_r"])]
    n, m, a = A.vector(record["n"]), A.vector(record["m"]), B.vector(record["a"])
    c, s, u = angle_between(tape, n, m, a)
    value = tape.add(tape.let(sp.atan2(s, c)), -f[0])
    return Chord(row, record, f, tape.let(wrap(value)), ZERO3, negative(u), u)


def _orientation(k: Kinematics, row: Row, record: AnyArray, f: KnownValues) -> Chord:
    """Φ = component of 2 vec(E), E = rot(axis, f)ᵀ R_Aᵀ R_B; gradient w e_j + x × e_j in the driven frame."""
    tape = k.tape
    A = k.R[int(record["tail_r"])].place(record["C_A"])
    if f[0] is not ZERO:
        A = A.turn(record["n"], f[0])
    R_D, R_B = A.matrix, k.R[int(record["head_r"])].place(record["C_B"]).matrix
    quat = quaternion_of(tape, tape.matmul(transpose(R_D), R_B))
    w, x = quat[0], quat[1:]
    j = row.index
    e: Vec = tuple(ONE if i == j else ZERO for i in range(3))
    g = tape.plus(tape.scale(w, e), tape.cross(x, e))
    head = tape.rotate(R_D, g)
    return Chord(row, record, f, 2 * x[j], ZERO3, negative(head), head, quat, R_D)


def quaternion_of(tape: Tape, E: Mat) -> tuple[Expr, Expr, Expr, Expr]:
    """Unit quaternion (w > 0) of a rotation by less than half a turn."""
    w = tape.let(sp.sqrt(tape.add(ONE, E[0][0], E[1][1], E[2][2]))) / 2
    s = tape.let(1 / (4 * w))
    x = tape.mul(s, tape.add(E[2][1], -E[1][2]))
    y = tape.mul(s, tape.add(E[0][2], -E[2][0]))
    z = tape.mul(s, tape.add(E[1][0], -E[0][1]))
    return w, x, y, z


def gradient(k: Kinematics, chord: Chord, column: Rates, v: int) -> Expr:
    """Entry of G: rate of a row for the unit rate of coordinate v."""
    if chord.row.kind == km.COORDINATE:
        return ONE if chord.v == v else ZERO
    return _power(k, chord, column)


def _power(k: Kinematics, c: Chord, rates: Rates) -> Expr:
    """Power of the unit wrench of a row."""
    tape, r = k.tape, c.record
    d = tape.minus(rates.linear[int(r["head"])], rates.linear[int(r["tail"])])
    return tape.add(
        tape.dot(c.force, d),
        tape.dot(c.head, rates.angular[int(r["head_r"])]),
        tape.dot(c.tail, rates.angular[int(r["tail_r"])]),
    )


def time_rate(k: Kinematics, c: Chord) -> Expr:
    """Part -ḟ of Φ̇ that is a known function's own; drivers in the tree bring theirs by the velocities."""
    if c.row.kind != km.ORIENTATION:
        return -c.known[1]
    axis = k.R[int(c.record["tail_r"])].vector(c.record["m"])
    return -k.tape.mul(c.known[1], k.tape.dot(c.head, axis))


def rate(k: Kinematics, c: Chord, v: list[Expr], rates: Rates) -> Expr:
    """Φ̇ = G v + Φ_t."""
    own = v[c.v] if c.row.kind == km.COORDINATE else _power(k, c, rates)
    return k.tape.add(own, time_rate(k, c))


def acceleration(k: Kinematics, c: Chord, a: list[Expr], rates: Rates, acc: Rates) -> Expr:
    """Φ̈ for the accelerations given."""
    tape, r = k.tape, c.record
    if c.row.kind == km.COORDINATE:
        return tape.add(a[c.v], -c.known[2])
    if c.row.kind == km.ORIENTATION:
        return _orientation_acceleration(k, c, rates, acc)
    wA, wB = rates.angular[int(r["tail_r"])], rates.angular[int(r["head_r"])]
    aA, aB = acc.angular[int(r["tail_r"])], acc.angular[int(r["head_r"])]
    A, B = k.R[int(r["tail_r"])], k.R[int(r["head_r"])]
    if c.row.kind == km.TRANSLATION:
        tail, head = int(r["tail"]), int(r["head"])
        d, dv, da = (tape.minus(x[head], x[tail]) for x in (k.p, rates.linear, acc.linear))
        n1, n2 = _turn_rates(tape, c.force, wA, aA)
        return tape.add(
            tape.dot(n2, d), 2 * tape.dot(n1, dv), tape.dot(c.force, da), -c.known[2]
        )  # fmt: skip
    a_ = B.vector(r["a"])
    if c.row.kind == km.PERPENDICULAR:
        return _second(tape, A.vector(r["n"]), wA, aA, a_, wB, aB)
    n, m = A.vector(r["n"]), A.vector(r["m"])
    c0, s0 = tape.dot(a_, n), tape.dot(a_, m)
    c1, s1 = (tape.dot(tape.minus(wB, wA), tape.cross(a_, x)) for x in (n, m))
    c2, s2 = (_second(tape, x, wA, aA, a_, wB, aB) for x in (n, m))
    mul, add = tape.mul, tape.add
    rho = tape.let(1 / add(mul(c0, c0), mul(s0, s0)))
    turning = mul(add(mul(c0, s1), -mul(s0, c1)), rho)
    shrink = add(mul(c0, c1), mul(s0, s1))
    first = mul(add(mul(c0, s2), -mul(s0, c2)), rho)
    return add(first, -2 * mul(mul(shrink, turning), rho), -c.known[2])


def _turn_rates(tape: Tape, n: Vec, w: Vec, dw: Vec) -> tuple[Vec, Vec]:
    """First and second derivative of a vector n that turns with (ω, ω̇)."""
    n1 = tape.cross(w, n)
    return n1, tape.plus(tape.cross(dw, n), tape.cross(w, n1))


def _second(tape: Tape, n: Vec, wA: Vec, aA: Vec, b: Vec, wB: Vec, aB: Vec) -> Expr:
    """d²/dt² (n·b), n turning with A and b with B."""
    n1, n2 = _turn_rates(tape, n, wA, aA)
    b1, b2 = _turn_rates(tape, b, wB, aB)
    return tape.add(tape.dot(n2, b), 2 * tape.dot(n1, b1), tape.dot(n, b2))


def _orientation_acceleration(k: Kinematics, c: Chord, rates: Rates, acc: Rates) -> Expr:
    """Second derivative of 2 vec(E), as the kernel of the same name."""
    tape, r = k.tape, c.record
    assert c.quaternion is not None
    assert c.R_D is not None
    tail, head = int(r["tail_r"]), int(r["head_r"])
    axis = k.R[tail].vector(r["m"])
    f1, f2 = c.known[1], c.known[2]
    w_D = tape.plus(rates.angular[tail], tape.scale(f1, axis))
    world = tape.minus(rates.angular[head], w_D)
    nu = tape.rotate_back(c.R_D, world)
    g = tape.plus(
        tape.minus(acc.angular[head], acc.angular[tail]),
        tape.scale(-f2, axis),
        tape.scale(-f1, tape.cross(rates.angular[tail], axis)),
        negative(tape.cross(w_D, world)),
    )
    dnu = tape.rotate_back(c.R_D, g)
    w, x = c.quaternion[0], c.quaternion[1:]
    w1 = -tape.dot(nu, x) / 2
    x1 = tape.plus(tape.scale(w / 2, nu), tape.scale(ONE / 2, tape.cross(nu, x)))
    out = tape.plus(tape.scale(w1, nu), tape.scale(w, dnu), tape.cross(dnu, x), tape.cross(nu, x1))
    return out[c.row.index]
