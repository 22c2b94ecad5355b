"""Step 2 in symbols: circuit equations of chords projected on their reaction spaces.

Rows and their unit wrenches are those of :mod:`flexnet.kernels.constraints`.
"""

from dataclasses import dataclass

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Expr,
    Mat,
    Vec,
    add,
    atan2,
    cross,
    dot,
    matmul,
    minus,
    mul,
    negative,
    plus,
    quaternion_of,
    rotate,
    rotate_back,
    times,
    transpose,
    wrap,
)
from flexnet.formulation.rows import Row
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
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
        return 0, 0, 0
    name = row.component.name
    driven = getattr(row.component, "displacements", ())
    if len(driven) > 1:
        name = f"{name}.{[f is row.function for f in driven].index(True) + 1}"
    return known.add(name, row.function, int(record["function"]))


def _chord(k: Kinematics, row: Row, record: AnyArray, known: KnownFunctions) -> Chord:
    f = _known(row, record, known)
    A, B = k.R[int(record["tail_r"])], k.R[int(record["head_r"])]
    if row.kind == km.COORDINATE:
        value = add(k.variables.place[int(record["q"])], -f[0])
        return Chord(row, record, f, value, ZERO3, ZERO3, ZERO3)
    if row.kind == km.TRANSLATION:
        n = A.vector(record["n"])
        d = minus(k.p[int(record["head"])], k.p[int(record["tail"])])
        return Chord(row, record, f, add(dot(n, d), -f[0]), n, cross(n, d), ZERO3)
    if row.kind == km.PERPENDICULAR:
        n, a = A.vector(record["n"]), B.vector(record["a"])
        head = cross(a, n)
        return Chord(row, record, f, dot(n, a), ZERO3, negative(head), head)
    if row.kind == km.ANGLE:
        return _angle(k, row, record, f)
    return _orientation(k, row, record, f)


def angle_between(n: Vec, m: Vec, a: Vec) -> tuple[Expr, Expr, Vec]:
    """Cosine and sine parts of the angle of a in the plane n, m, and its gradient, the axis of turning."""
    c, s = dot(a, n), dot(a, m)
    square = add(mul(c, c), mul(s, s))
    rho = 1 / square
    cross_m, cross_n = cross(a, m), cross(a, n)
    u = minus(times(mul(c, rho), cross_m), times(mul(s, rho), cross_n))
    return c, s, u


def _angle(k: Kinematics, row: Row, record: AnyArray, f: KnownValues) -> Chord:
    """Φ = atan2(a·m, a·n) - f; where both frames turn about one axis only, the difference of angles."""
    A, B = k.R[int(record["tail_r"])], k.R[int(record["head_r"])]
    n, m, a = A.vector(record["n"]), A.vector(record["m"]), B.vector(record["a"])
    c, s, u = angle_between(n, m, a)
    value = add(atan2(s, c), -f[0])
    return Chord(row, record, f, wrap(value), ZERO3, negative(u), u)


def _orientation(k: Kinematics, row: Row, record: AnyArray, f: KnownValues) -> Chord:
    """Φ = component of 2 vec(E), E = rot(axis, f)ᵀ R_Aᵀ R_B; gradient w e_j + x × e_j in the driven frame."""
    A = k.R[int(record["tail_r"])].place(record["C_A"])
    if f[0] != 0:
        A = A.turn(record["n"], f[0])
    R_D, R_B = A.matrix, k.R[int(record["head_r"])].place(record["C_B"]).matrix
    quat = quaternion_of(matmul(transpose(R_D), R_B))
    w, x = quat[0], quat[1:]
    j = row.index
    e = UNIT[j]
    g = plus(times(w, e), cross(x, e))
    head = rotate(R_D, g)
    return Chord(row, record, f, 2 * x[j], ZERO3, negative(head), head, quat, R_D)


def gradient(k: Kinematics, chord: Chord, column: Rates, v: int) -> Expr:
    """Entry of G: rate of a row for the unit rate of coordinate v."""
    if chord.row.kind == km.COORDINATE:
        return 1 if chord.v == v else 0
    return _power(k, chord, column)


def _power(k: Kinematics, c: Chord, rates: Rates) -> Expr:
    """Power of the unit wrench of a row."""
    r = c.record
    d = minus(rates.linear[int(r["head"])], rates.linear[int(r["tail"])])
    return add(
        dot(c.force, d),
        dot(c.head, rates.angular[int(r["head_r"])]),
        dot(c.tail, rates.angular[int(r["tail_r"])]),
    )


def time_rate(k: Kinematics, c: Chord) -> Expr:
    """Part -ḟ of Φ̇ that is a known function's own; drivers in the tree bring theirs by the velocities."""
    if c.row.kind != km.ORIENTATION:
        return -c.known[1]
    axis = k.R[int(c.record["tail_r"])].vector(c.record["m"])
    return -mul(c.known[1], dot(c.head, axis))


def rate(k: Kinematics, c: Chord, v: list[Expr], rates: Rates) -> Expr:
    """Φ̇ = G v + Φ_t."""
    own = v[c.v] if c.row.kind == km.COORDINATE else _power(k, c, rates)
    return add(own, time_rate(k, c))


def acceleration(k: Kinematics, c: Chord, a: list[Expr], rates: Rates, acc: Rates) -> Expr:
    """Φ̈ for the accelerations given."""
    r = c.record
    if c.row.kind == km.COORDINATE:
        return add(a[c.v], -c.known[2])
    if c.row.kind == km.ORIENTATION:
        return _orientation_acceleration(k, c, rates, acc)
    wA, wB = rates.angular[int(r["tail_r"])], rates.angular[int(r["head_r"])]
    aA, aB = acc.angular[int(r["tail_r"])], acc.angular[int(r["head_r"])]
    A, B = k.R[int(r["tail_r"])], k.R[int(r["head_r"])]
    if c.row.kind == km.TRANSLATION:
        tail, head = int(r["tail"]), int(r["head"])
        d, dv, da = (minus(x[head], x[tail]) for x in (k.p, rates.linear, acc.linear))
        n1, n2 = _turn_rates(c.force, wA, aA)
        return add(
            dot(n2, d), 2 * dot(n1, dv), dot(c.force, da), -c.known[2]
        )  # fmt: skip
    a_ = B.vector(r["a"])
    if c.row.kind == km.PERPENDICULAR:
        return _second(A.vector(r["n"]), wA, aA, a_, wB, aB)
    n, m = A.vector(r["n"]), A.vector(r["m"])
    c0, s0 = dot(a_, n), dot(a_, m)
    c1, s1 = (dot(minus(wB, wA), cross(a_, x)) for x in (n, m))
    c2, s2 = (_second(x, wA, aA, a_, wB, aB) for x in (n, m))
    rho = 1 / add(mul(c0, c0), mul(s0, s0))
    turning = mul(add(mul(c0, s1), -mul(s0, c1)), rho)
    shrink = add(mul(c0, c1), mul(s0, s1))
    first = mul(add(mul(c0, s2), -mul(s0, c2)), rho)
    return add(first, -2 * mul(mul(shrink, turning), rho), -c.known[2])


def _turn_rates(n: Vec, w: Vec, dw: Vec) -> tuple[Vec, Vec]:
    """First and second derivative of a vector n that turns with (ω, ω̇)."""
    n1 = cross(w, n)
    return n1, plus(cross(dw, n), cross(w, n1))


def _second(n: Vec, wA: Vec, aA: Vec, b: Vec, wB: Vec, aB: Vec) -> Expr:
    """d²/dt² (n·b), n turning with A and b with B."""
    n1, n2 = _turn_rates(n, wA, aA)
    b1, b2 = _turn_rates(b, wB, aB)
    return add(dot(n2, b), 2 * dot(n1, b1), dot(n, b2))


def _orientation_acceleration(k: Kinematics, c: Chord, rates: Rates, acc: Rates) -> Expr:
    """Second derivative of 2 vec(E), as the kernel of the same name."""
    r = c.record
    assert c.quaternion is not None
    assert c.R_D is not None
    tail, head = int(r["tail_r"]), int(r["head_r"])
    axis = k.R[tail].vector(r["m"])
    f1, f2 = c.known[1], c.known[2]
    w_D = plus(rates.angular[tail], times(f1, axis))
    world = minus(rates.angular[head], w_D)
    nu = rotate_back(c.R_D, world)
    g = plus(
        minus(acc.angular[head], acc.angular[tail]),
        times(-f2, axis),
        times(-f1, cross(rates.angular[tail], axis)),
        negative(cross(w_D, world)),
    )
    dnu = rotate_back(c.R_D, g)
    w, x = c.quaternion[0], c.quaternion[1:]
    w1 = -dot(nu, x) / 2
    x1 = plus(times(w / 2, nu), times(1 / 2, cross(nu, x)))
    out = plus(times(w1, nu), times(w, dnu), cross(dnu, x), cross(nu, x1))
    return out[c.row.index]
