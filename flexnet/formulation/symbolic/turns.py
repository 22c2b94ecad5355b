"""Counted angles and rotations of bushings in symbols.

The formulas are those of :mod:`flexnet.kernels.turns` and :mod:`flexnet.kernels.bushing`.
"""

from dataclasses import dataclass

import sympy as sp

from flexnet.formulation.symbolic.constraints import quaternion_of
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates
from flexnet.formulation.symbolic.special import turn_c, turn_factor, wrap
from flexnet.formulation.symbolic.tape import ONE, UNIT, ZERO3, Expr, Mat, Tape, Vec, number, numbers
from flexnet.formulation.symbolic.variables import KnownFunctions
from flexnet.kernels import model as km
from flexnet.typing import AnyArray, Array


def twist(k: Kinematics, i: int, rates: Rates, known: KnownFunctions) -> tuple[Expr, Expr, Vec]:
    """Counted angle i, its rate, and its gradient, the axis of turning in ground."""
    tape, record = k.tape, k.equations.model.angles[i]
    tail, head = int(record["tail_r"]), int(record["head_r"])
    A, B = k.R[tail], k.R[head]
    n, m, a = (A.vector(x) for x in record["tail"])
    if record["place"] < 0:
        return *_sum(k, record, known), a
    n_B, m_B, b = (B.vector(x) for x in record["head"])
    s = tape.add(tape.dot(m, n_B), -tape.dot(n, m_B))
    c = tape.add(tape.dot(n, n_B), tape.dot(m, m_B))
    last = k.variables.place[int(record["place"])]
    angle = tape.add(last, tape.let(wrap(tape.add(tape.let(sp.atan2(s, c)), -last))))
    u = tape.scale(tape.let(1 / tape.add(ONE, tape.dot(a, b))), tape.plus(a, b))
    return angle, tape.dot(u, tape.minus(rates.angular[head], rates.angular[tail])), u


def _sum(k: Kinematics, record: AnyArray, known: KnownFunctions) -> tuple[Expr, Expr]:
    """Angle and rate as sums over the branches between the two frames."""
    model = k.equations.model
    angles, rates = [], []
    for turn in model.turns[slice(*record["branches"])]:
        sense, edge = ONE * int(turn["sense"]), model.r_edges[int(turn["edge"])]
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
    return k.tape.add(number(float(record["offset"])), *angles), k.tape.add(*rates)


@dataclass(slots=True, eq=False)
class RotationVector:
    """χ = φ, with φ̇ = J⁻¹ω and J the left Jacobian of exp φ."""

    tape: Tape
    chi: Vec

    def rate(self, w: Vec) -> Vec:
        """χ̇ = J⁻¹ω."""
        return self._work(ONE, w)

    def torque(self, y: Vec) -> Vec:
        """J⁻ᵀy."""
        return self._work(-ONE, y)

    def _work(self, s: Expr, y: Vec) -> Vec:
        tape, phi = self.tape, self.chi
        across = tape.cross(phi, y)
        c = tape.let(turn_c(tape.dot(phi, phi)))
        return tape.plus(y, tape.scale(-s / 2, across), tape.scale(c, tape.cross(phi, across)))


@dataclass(slots=True, eq=False)
class SwingTwist:
    """χ = σ + θ a: axis a, that of the head b, k = a × b, and κ, κ₂ of the swing."""

    tape: Tape
    chi: Vec
    a: Vec
    b: Vec
    k: Vec
    kappa: Expr
    second: Expr

    def rate(self, w: Vec) -> Vec:
        """χ̇ = κ (c ω - (a·ω) b) + κ₂ (k·ω) k + (u·ω) a."""
        tape = self.tape
        turn = tape.scale(tape.dot(self._gradient, w), self.a)
        return tape.plus(self._swing(w, self.a, self.b), turn)

    def torque(self, y: Vec) -> Vec:
        """The transpose."""
        tape = self.tape
        turn = tape.scale(tape.dot(self.a, y), self._gradient)
        return tape.plus(self._swing(y, self.b, self.a), turn)

    @property
    def _gradient(self) -> Vec:
        tape = self.tape
        rho = tape.let(1 / tape.add(ONE, tape.dot(self.a, self.b)))
        return tape.scale(rho, tape.plus(self.a, self.b))

    def _swing(self, y: Vec, a: Vec, b: Vec) -> Vec:
        tape = self.tape
        along = tape.minus(tape.scale(tape.dot(a, b), y), tape.scale(tape.dot(a, y), b))
        across = tape.scale(tape.mul(self.second, tape.dot(self.k, y)), self.k)
        return tape.plus(tape.scale(self.kappa, along), across)


Turned = RotationVector | SwingTwist


def rotation_vector(tape: Tape, E: Mat) -> RotationVector:
    """Rotation vector of a rotation matrix."""
    if E == UNIT:
        return RotationVector(tape, ZERO3)
    w, x, y, z = quaternion_of(tape, E)
    s = tape.let(sp.sqrt(tape.add(tape.mul(x, x), tape.mul(y, y), tape.mul(z, z))))
    return RotationVector(tape, tape.scale(tape.let(turn_factor(s, w)), (x, y, z)))


def swing_and_twist(tape: Tape, E: Mat, axis: Array, theta: Expr) -> SwingTwist:
    """Rotation of a bushing with an axis, given its twist."""
    a = numbers(axis)
    b = tape.rotate(E, a)
    k = tape.cross(a, b)
    k2 = tape.dot(k, k)
    if k == ZERO3:
        return SwingTwist(tape, tape.scale(theta, a), a, b, k, ONE, ONE)
    cosine = tape.let(sp.sqrt(tape.add(ONE, tape.dot(a, b)) / 2))  # of half the swing
    sine = tape.let(tape.let(sp.sqrt(k2)) / (2 * cosine))
    kappa = tape.let(tape.let(turn_factor(sine, cosine)) / (2 * cosine))
    square = tape.mul(kappa, kappa)
    second = tape.mul(4 * square, tape.let(turn_c(4 * tape.mul(square, k2))))
    chi = tape.plus(tape.scale(kappa, k), tape.scale(theta, a))
    return SwingTwist(tape, chi, a, b, k, kappa, second)
