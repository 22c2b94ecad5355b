"""Counted angles and rotations of bushings in symbols.

The formulas are those of :mod:`flexnet.kernels.turns` and :mod:`flexnet.kernels.bushing`.
"""

from dataclasses import dataclass

from flexnet.algebra import (
    ZERO3,
    Expr,
    Mat,
    Vec,
    add,
    atan2,
    cross,
    dot,
    minus,
    mul,
    number,
    numbers,
    plus,
    rotate,
    sqrt,
    times,
    turn_c,
    turn_factor,
    turn_work,
    wrap,
)  # fmt: skip
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.variables import KnownFunctions
from flexnet.kernels import model as km
from flexnet.typing import AnyArray, Array


def twist(k: Kinematics, i: int, rates: Rates, known: KnownFunctions) -> tuple[Expr, Expr, Vec]:
    """Counted angle i, its rate, and its gradient, the axis of turning in ground."""
    record = k.equations.model.angles[i]
    tail, head = int(record["tail_r"]), int(record["head_r"])
    A, B = k.R[tail], k.R[head]
    n, m, a = (A.vector(x) for x in record["tail"])
    if record["place"] < 0:
        return *_sum(k, record, known), a
    n_B, m_B, b = (B.vector(x) for x in record["head"])
    s = add(dot(m, n_B), -dot(n, m_B))
    c = add(dot(n, n_B), dot(m, m_B))
    last = k.variables.place[int(record["place"])]
    angle = add(last, wrap(add(atan2(s, c), -last)))
    u = times(1 / add(1, dot(a, b)), plus(a, b))
    return angle, dot(u, minus(rates.angular[head], rates.angular[tail])), u


def counted_angle(k: Kinematics, i: int, known: KnownFunctions) -> tuple[Expr, bool]:
    """Counted angle i as a sum of coordinates, exactly; or what q holds of it, a step behind."""
    record = k.equations.model.angles[i]
    if record["place"] < 0:
        return _sum(k, record, known)[0], True
    return k.variables.place[int(record["place"])], False


def _sum(k: Kinematics, record: AnyArray, known: KnownFunctions) -> tuple[Expr, Expr]:
    """Angle and rate as sums over the branches between the two frames."""
    model = k.equations.model
    angles, rates = [], []
    for turn in model.turns[slice(*record["branches"])]:
        sense, edge = int(turn["sense"]), model.r_edges[int(turn["edge"])]
        if edge["kind"] == km.R_DRIVEN:
            name = k.equations.packer.R.branches[int(turn["edge"])].edge.name
            function = k.equations.terminals[name].rotation.function  # type: ignore[union-attr]
            assert function is not None
            f, f_dot, _ = known.add(name, function, int(edge["function"]))
            angles.append(sense * f)
            rates.append(sense * f_dot)
        else:
            angles.append(sense * k.variables.place[int(edge["q"])])
            rates.append(sense * k.variables.v[int(edge["v"])])
    return add(number(float(record["offset"])), *angles), add(*rates)


@dataclass(slots=True, eq=False)
class RotationVector:
    """χ = φ, with φ̇ = J⁻¹ω and J the left Jacobian of exp φ."""

    chi: Vec

    def rate(self, w: Vec) -> Vec:
        """χ̇ = J⁻¹ω."""
        return turn_work(self.chi, 1, w)

    def torque(self, y: Vec) -> Vec:
        """J⁻ᵀy."""
        return turn_work(self.chi, -1, y)


@dataclass(slots=True, eq=False)
class SwingTwist:
    """χ = σ + θ a: axis a, that of the head b, k = a × b, and κ, κ₂ of the swing."""

    chi: Vec
    a: Vec
    b: Vec
    k: Vec
    kappa: Expr
    second: Expr

    def rate(self, w: Vec) -> Vec:
        """χ̇ = κ (c ω - (a·ω) b) + κ₂ (k·ω) k + (u·ω) a."""
        turn = times(dot(self._gradient, w), self.a)
        return plus(self._swing(w, self.a, self.b), turn)

    def torque(self, y: Vec) -> Vec:
        """The transpose."""
        turn = times(dot(self.a, y), self._gradient)
        return plus(self._swing(y, self.b, self.a), turn)

    @property
    def _gradient(self) -> Vec:
        rho = 1 / add(1, dot(self.a, self.b))
        return times(rho, plus(self.a, self.b))

    def _swing(self, y: Vec, a: Vec, b: Vec) -> Vec:
        along = minus(times(dot(a, b), y), times(dot(a, y), b))
        across = times(mul(self.second, dot(self.k, y)), self.k)
        return plus(times(self.kappa, along), across)


Turned = RotationVector | SwingTwist


def swing_and_twist(E: Mat, axis: Array, theta: Expr) -> SwingTwist:
    """Rotation of a bushing with an axis, given its twist."""
    a = numbers(axis)
    b = rotate(E, a)
    k = cross(a, b)
    k2 = dot(k, k)
    if k == ZERO3:
        return SwingTwist(times(theta, a), a, b, k, 1, 1)
    cosine = sqrt(add(1, dot(a, b)) / 2)  # of half the swing
    sine = sqrt(k2) / (2 * cosine)
    kappa = turn_factor(sine, cosine) / (2 * cosine)
    square = mul(kappa, kappa)
    second = mul(4 * square, turn_c(4 * mul(square, k2)))
    chi = plus(times(kappa, k), times(theta, a))
    return SwingTwist(chi, a, b, k, kappa, second)
