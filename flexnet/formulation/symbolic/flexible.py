"""Flexible bodies in symbols: the kernels of the sweeps, run on the packed model with names for its numbers.

The equations are those of :mod:`flexnet.kernels.flexible` and :mod:`flexnet.kernels.arm`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexnet.algebra import Expr, Vec, add, dot, mul
from flexnet.formulation.equations import Equations
from flexnet.formulation.symbolic.flexible_tensors import named_model
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import Variables
from flexnet.formulation.unreduced import refuse_unreduced
from flexnet.kernels import elastic
from flexnet.kernels.in_python import in_python
from flexnet.kernels.model import ARM_MOVES, ARM_TURNS, BENT, MOVED
from flexnet.kernels.work import Work
from flexnet.typing import AnyArray

if TYPE_CHECKING:
    from flexnet.formulation.symbolic.kinematics import Kinematics, Rates


def _itself(x: Any) -> Any:
    return x


_ask = in_python(elastic.flexible_bodies, {"float": _itself, "array_at": _itself})


@dataclass(slots=True, eq=False)
class ArmCoordinates:
    """Place of an attachment frame in its body, or its rotation vector.

    Attributes
    ----------
    v : first velocity of its body.
    x, x_dot, x_ddot : present value and its derivatives.
    X : (m) vectors ∂x/∂qⱼ.
    """

    v: int
    x: Vec
    x_dot: Vec
    x_ddot: Vec
    X: list[Vec]

    def add_work(self, sign: int, forces: list[Expr], out: list[Expr]) -> None:
        """Add to generalised forces (n_v) what forces on x do on the elastic coordinates."""
        for j, r in enumerate(self.X, self.v):
            out[j] = add(out[j], mul(sign, dot(r, forces)))


class ElasticBodies:
    """All flexible bodies of a mechanism.

    Attributes
    ----------
    model, work : of the kernels, in symbols.
    arms : place and rotation vector of every flexible arm.
    """

    def __init__(self, equations: Equations, variables: Variables, parameters: Parameters) -> None:
        refuse_unreduced(equations, "the symbolic engine writes out")
        self.model = named_model(equations, parameters)
        self.work = Work(*(np.full(x.shape, 0, dtype=object) for x in equations.work))
        self.q = np.full(len(equations.initial.q), 0, dtype=object)
        for i, x in variables.place.items():
            self.q[i] = x
        self.v, self.a = (np.array(x, dtype=object) for x in (variables.v, variables.a))
        self._ask(elastic.SHAPES, self.q)
        self._ask(elastic.RATES, self.v)
        self.arms = [
            (self._arm(f, ARM_MOVES, MOVED), self._arm(f, ARM_TURNS, BENT)) for f in self.model.flex_frames
        ]

    def _ask(self, what: int, x: AnyArray) -> AnyArray:
        """What the kernels say: two numbers, or what they leave in the workspace."""
        out = np.full(2, 0, dtype=object)
        if len(self.model.flex) > 0:
            _ask(self.model, self.work, what, 0, 0, x, self.v, self.a, out)
        return out

    def _arm(self, frame: Any, kind: int, start: int) -> ArmCoordinates:
        f, flex = self.model.flex[frame.body], self.work.flex
        x, x_dot, x_ddot, *_ = flex[frame.x + start : frame.x + start + 9].reshape(3, 3)
        rows = frame.w + (6 + kind) * f.m
        X = flex[rows : rows + 3 * f.m].reshape(f.m, 3)
        return ArmCoordinates(f.v, _vec(x), _vec(x_dot), _vec(x_ddot), [_vec(row) for row in X])

    def _move(self, k: "Kinematics", rates: "Rates", seconds: "Rates | None" = None) -> None:
        """Let the bodies be where they are and move as they do."""
        w = self.work
        for f in self.model.flex:
            w.R[f.rotation], w.p[f.node] = k.R[f.rotation].matrix, k.p[f.node]
            w.omega[f.rotation], w.v[f.node] = rates.angular[f.rotation], rates.linear[f.node]
            if seconds is not None:
                w.omega_dot[f.rotation], w.a[f.node] = seconds.angular[f.rotation], seconds.linear[f.node]

    def inertia(self, k: "Kinematics", rates: "Rates", seconds: "Rates") -> list[Expr]:
        """Inertia, elastic and damping forces on the elastic coordinates (n_v); ``work`` has the others."""
        self._move(k, rates, seconds)
        self.work.force[:] = self.work.torque[:] = 0
        self._ask(elastic.INERTIA, self.q)
        return list(self.work.elastic)

    def damping(self) -> Expr:
        """Power of the damping of all bodies."""
        return self._ask(elastic.DAMPING, self.v)[0]

    def kinetic(self, k: "Kinematics", rates: "Rates") -> Expr:
        """Kinetic energy of all bodies."""
        self._move(k, rates)
        return self._ask(elastic.KINETIC, self.v)[0]

    def potential(self, k: "Kinematics", rates: "Rates") -> tuple[Expr, Expr]:
        """Potential of gravity and strain energy of all bodies."""
        self._move(k, rates)
        gravity, strain = self._ask(elastic.POTENTIAL, self.q)
        return gravity, strain

    def tensor(self, i: int, letter: str) -> AnyArray:
        """M, K or C (m, m) of a body."""
        f = self.model.flex[i]
        start = getattr(f, letter)
        return self.model.flex_data[start : start + f.m**2].reshape(f.m, f.m)


def _vec(x: AnyArray) -> Vec:
    return x[0], x[1], x[2]
