"""Flexible bodies as signals of stress see them: the vector z of docs/theory/stress.md as expressions.

The same numbers as :meth:`flexnet.fem.BodyMotion.vector`, in the same order, each written where it is asked
for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from flexnet.algebra import Expr, Mat, Vec, add, mul, rotate_back
from flexnet.components import FlexibleArm, FlexibleBody

#: products of ω in z, as in flexnet.fem.unit_loads
PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


@dataclass(frozen=True, slots=True, eq=False)
class SeenBody:
    """Motion and loads of a flexible body.

    Attributes
    ----------
    q, v, a : elastic coordinates, their rates and accelerations.
    R : orientation of its frame.
    acceleration : of its frame less gravity, ground axes.
    omega, alpha : angular velocity and acceleration of its frame, ground axes.
    loads : force and torque on every attachment frame, ground axes.
    """

    q: Sequence[Expr]
    v: Sequence[Expr]
    a: Sequence[Expr]
    R: Mat
    acceleration: Vec
    omega: Vec
    alpha: Vec
    loads: Sequence[tuple[Vec, Vec]]

    def vector(self, is_stiffened: bool) -> list[Expr]:
        """The vector z: q, g, c, q̇ and, with prestress, g q."""
        w, alpha = rotate_back(self.R, self.omega), rotate_back(self.R, self.alpha)
        g: list[Expr] = [*rotate_back(self.R, self.acceleration), *alpha]
        g += [mul(w[i], w[j]) for i, j in PRODUCTS]
        g += [x for pair in self.loads for vector in pair for x in rotate_back(self.R, vector)]
        turn, second = _tilde(w), _tilde(alpha)
        square = add(mul(w[0], w[0]), mul(w[1], w[1]), mul(w[2], w[2]))
        c: list[Expr] = []
        for i, j in product(range(3), range(3)):
            # A = ω̇~ + ω~ω~, with ω~ω~ = ωω - ω²1
            A = add(second[i][j], mul(w[i], w[j]), -square if i == j else 0)
            for q, v, a in zip(self.q, self.v, self.a, strict=True):
                c.append(add(mul(A, q), mul(2, mul(turn[i][j], v)), a if i == j else 0))
        z = [*self.q, *g, *c, *self.v]
        return [*z, *(mul(x, q) for x, q in product(g, self.q))] if is_stiffened else z


def arms_of(body: FlexibleBody, parts: Sequence[object]) -> dict[str, int]:
    """Number of the attachment frame of every arm of a flexible body, by the name of the arm."""
    return {p.name: p.index for p in parts if isinstance(p, FlexibleArm) and p.tail.name == body.name}


def _tilde(w: Vec) -> Mat:
    x, y, z = w
    return (0, -z, y), (z, 0, -x), (-y, x, 0)
