"""Inertia and elasticity of flexible bodies in symbols: their tensors contracted with the coordinates.

The equations are (1)-(6) of :mod:`flexnet.kernels.flexible`, the tensors symbols or numbers.
"""

from dataclasses import dataclass, field

from flexnet.algebra import (
    UNIT,
    ZERO3,
    Expr,
    Mat,
    Vec,
    add,
    cross,
    dot,
    minus,
    mul,
    plus,
    rotate,
    times,
)
from flexnet.components import FlexibleArm
from flexnet.formulation.equations import Equations
from flexnet.formulation.symbolic.flexible_frames import read_arms
from flexnet.formulation.symbolic.flexible_tensors import Tensors, contract, read_tensors, rows
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import Variables
from flexnet.formulation.unreduced import refuse_unreduced


@dataclass(slots=True, eq=False)
class MeanMotion:
    """Mean motion x = A⁻¹(p, h) of a deformed body with momentum p, h, of one order.

    Attributes
    ----------
    mass, c, J : of the matrix A = [m 1, -c̃; c̃, J].
    K : inverse of the inertia about the centre of mass, made regular for a line of masses.
    B, C : (m) rows of E.
    """

    mass: Expr
    c: Vec
    J: Mat
    B: list[Vec]
    C: list[Vec]
    K: Mat = UNIT

    def __post_init__(self) -> None:
        c, J = self.c, self.J
        over = 1 / self.mass
        least = mul(1e-13, add(J[0][0], J[1][1], J[2][2]))
        cc = [[mul(over, mul(c[i], c[j])) for j in range(3)] for i in range(3)]
        a, e, g = (
            add(J[i][i], least, *(-cc[j][j] for j in range(3) if j != i)) for i in range(3)
        )  # fmt: skip
        b, d, f = add(J[0][1], cc[0][1]), add(J[0][2], cc[0][2]), add(J[1][2], cc[1][2])
        k00, k11, k22 = add(mul(e, g), -mul(f, f)), add(mul(a, g), -mul(d, d)), add(mul(a, e), -mul(b, b))
        k01, k02, k12 = add(mul(d, f), -mul(b, g)), add(mul(b, f), -mul(d, e)), add(mul(b, d), -mul(a, f))
        s = 1 / add(mul(a, k00), mul(b, k01), mul(d, k02))
        self.K = (
            times(s, (k00, k01, k02)), times(s, (k01, k11, k12)), times(s, (k02, k12, k22)),
        )  # fmt: skip

    def __call__(self, p: Vec, h: Vec) -> tuple[Vec, Vec]:
        """Translation and rotation of the frame that has the momentum p and h."""
        over = 1 / self.mass
        r = rotate(self.K, minus(h, times(over, cross(self.c, p))))
        return times(over, minus(p, cross(r, self.c))), r


@dataclass(slots=True, eq=False)
class Shapes:
    """Tensors of one flexible body at its present deformation, in body axes.

    Attributes
    ----------
    c, J : first moment and inertia.
    B, C : (m) vectors ∂c/∂qⱼ and couplings of rotation.
    Y : (m) matrices ∫ρ (s+Nq) Nⱼᵀ.
    G : (m) twelve products of the geometric stiffness with q; empty without stiffening.
    means : mean motion of second and of first order; empty without stiffening.
    """

    c: Vec
    J: Mat
    B: list[Vec]
    C: list[Vec]
    Y: list[Mat]
    G: list[list[Expr]]
    means: list[MeanMotion] = field(default_factory=list)


class ElasticBodies:
    """All flexible bodies of a mechanism."""

    def __init__(self, equations: Equations, variables: Variables, parameters: Parameters) -> None:
        refuse_unreduced(equations, "the symbolic engine writes out")
        model, packer = equations.model, equations.packer
        names = {packer.node[name]: name for name in packer.bodies}
        self.bodies = [
            read_tensors(names[int(f["node"])], f, model.flex_data, variables, parameters) for f in model.flex
        ]
        arms = [part.name for part in equations.parts if isinstance(part, FlexibleArm)]
        self.arms = read_arms(arms, model.flex_frames, model.flex_data, self.bodies, parameters)
        self.shapes = [self._shapes(b) for b in self.bodies]

    def _combine(self, vectors: list[Vec], x: list[Expr]) -> Vec:
        return plus(ZERO3, *(times(s, d) for s, d in zip(x, vectors, strict=True)))

    def _shapes(self, b: Tensors) -> Shapes:
        """c, B, J, C, Y and G q for the elastic coordinates."""
        m, q = b.m, b.q
        Y_ab = [
            [
                [add(b.sN[a, c, j], contract(b.NN[a, c, :, j], q)) for j in range(m)]
                for c in range(3)
            ]
            for a in range(3)
        ]  # fmt: skip
        X = [
            [
                add(b.s2[a, c], contract(b.sN[c, a], q), *(mul(Y_ab[a][c][j], q[j]) for j in range(m)))
                for c in range(3)
            ]
            for a in range(3)
        ]
        trace = add(X[0][0], X[1][1], X[2][2])
        J = [[add(trace, -X[a][c]) if a == c else -X[a][c] for c in range(3)] for a in range(3)]
        c_ = plus(b.s1, rows(b.N1, q))
        B: list[Vec] = [(b.N1[0, j], b.N1[1, j], b.N1[2, j]) for j in range(m)]
        C: list[Vec] = [
            (
                add(Y_ab[1][2][j], -Y_ab[2][1][j]),
                add(Y_ab[2][0][j], -Y_ab[0][2][j]),
                add(Y_ab[0][1][j], -Y_ab[1][0][j]),
            )
            for j in range(m)
        ]
        G: list[list[Expr]] = []
        means: list[MeanMotion] = []
        if b.G is not None:
            first = MeanMotion(b.mass, c_, _matrix(J), B, C)
            G = self._geometric(b, q)
            half = plus(ZERO3, *(times(q[j] / 2, (G[j][0], G[j][1], G[j][2])) for j in range(m)))
            c_ = plus(c_, half)
            B = [plus(B[j], (G[j][0], G[j][1], G[j][2])) for j in range(m)]
            more = self._line(b, q, G, [mul(1 / 2, g) for g in _six(G, q)])
            C = [plus(C[j], (G[j][3], G[j][4], G[j][5]), times(more[j], b.line)) for j in range(m)]
            J = self._with_products(J, G, q, -1)
            means = [MeanMotion(b.mass, c_, _matrix(J), B, C), first]
        Y: list[Mat] = [_matrix([[Y_ab[a][c][j] for c in range(3)] for a in range(3)]) for j in range(m)]
        return Shapes(c_, _matrix(J), B, C, Y, G, means)

    def _geometric(self, b: Tensors, x: list[Expr]) -> list[list[Expr]]:
        """Products of the twelve geometric stiffness matrices with x, (m) lists of twelve."""
        assert b.G is not None
        return [[contract(b.G[k, :, j], x) for k in range(12)] for j in range(b.m)]

    def _line(self, b: Tensors, x: list[Expr], G: list[list[Expr]], g: list[Expr]) -> list[Expr]:
        """y·Gⱼ - Q̂ⱼ·g with y = Q̂ x, (m): C₃ of :mod:`flexnet.kernels.flexible_line` and its rates along ν."""
        assert b.Q is not None
        y = [contract(row, x) for row in b.Q]
        return [add(dot(y, G[j][:6]), -contract(b.Q[:, j], g)) for j in range(b.m)]

    def _line_rate(self, b: Tensors, Gd: list[list[Expr]], xd: list[Expr]) -> Vec:
        """Ċ₃ q̇ with the products Gd of the geometric stiffness with q̇; zero without."""
        if not Gd or b.Q is None:
            return ZERO3
        return times(dot([contract(row, b.q) for row in b.Q], _six(Gd, xd)), b.line)

    def _with_products(
        self, J: list[list[Expr]], G: list[list[Expr]], x: list[Expr], factor: Expr
    ) -> list[list[Expr]]:
        """Add ``factor`` times the matrix of the six products κ_k = G_k·x: xx, yy, zz, xy, yz, zx."""
        out = [list(row) for row in J]
        for k in range(6):
            kappa = factor * add(*(mul(G[j][6 + k], x[j]) for j in range(len(x))))
            if k < 3:
                out[k][k] = add(out[k][k], kappa)
            else:
                a, c = k - 3, (k - 2) % 3
                out[a][c] = add(out[a][c], kappa / 2)
                out[c][a] = add(out[c][a], kappa / 2)
        return out

    def inertia(
        self, i: int, a0: Vec, w: Vec, wd: Vec, v: list[Expr], a: list[Expr]
    ) -> tuple[Vec, Vec, list[Expr]]:
        """Left sides of (2), (3) and (4) with K q + C q̇, in body axes; a₀ is less gravity."""
        b, s = self.bodies[i], self.shapes[i]
        xd, xdd = v[b.v : b.v + b.m], a[b.v : b.v + b.m]
        Bv, Cv = self._combine(s.B, xd), self._combine(s.C, xd)
        inner = plus(cross(w, s.c), times(2, Bv))
        p = plus(
            times(b.mass, a0), self._combine(s.B, xdd), cross(wd, s.c), cross(w, inner),
        )  # fmt: skip
        Jd1, Jd, Gd = self._rates(b, s, xd)
        turning = plus(rotate(s.J, w), Cv)
        h = plus(
            cross(s.c, a0),
            rotate(s.J, wd),
            rotate(Jd, w),
            self._combine(s.C, xdd),
            cross(w, turning),
        )
        for j, g in enumerate(Gd):
            p = plus(p, times(xd[j], (g[0], g[1], g[2])))
            h = plus(h, times(xd[j], (g[3], g[4], g[5])))
        h = plus(h, self._line_rate(b, Gd, xd))
        elastic = [self._elastic(b, s, j, a0, w, wd, xd, xdd) for j in range(b.m)]
        if s.means:
            second = self._mean_forces(b, s, s.means[0], Jd, Gd, xd, xdd)
            first = self._mean_forces(b, s, s.means[1], Jd1, [], xd, xdd)
            _, r = s.means[0](Bv, Cv)
            along = 2 * dot(b.line, plus(w, r))
            third = [mul(along, x) for x in self._line(b, xd, s.G, _six(s.G, xd))]
            elastic = [add(x, y, -z, t) for x, y, z, t in zip(elastic, second, first, third, strict=True)]
        return p, h, elastic

    def _mean_forces(
        self, b: Tensors, s: Shapes, mean: MeanMotion, Jd: Mat, Gd: list[list[Expr]],
        xd: list[Expr], xdd: list[Expr],
    ) -> list[Expr]:  # fmt: skip
        """Force (6) of one part of Δ on every elastic coordinate; ``Gd`` is empty for the first order."""
        p, h = self._combine(mean.B, xd), self._combine(mean.C, xd)
        t, r = mean(p, h)
        p_dot, h_dot = self._combine(mean.B, xdd), self._combine(mean.C, xdd)
        for x, g in zip(xd, Gd, strict=False):
            p_dot = plus(p_dot, times(x, (g[0], g[1], g[2])))
            h_dot = plus(h_dot, times(x, (g[3], g[4], g[5])))
        h_dot = plus(h_dot, self._line_rate(b, Gd, xd))
        # less Ȧ x, with ċ = p
        p_dot = minus(p_dot, cross(r, p))
        h_dot = minus(h_dot, plus(cross(p, t), rotate(Jd, r)))
        t_dot, r_dot = mean(p_dot, h_dot)
        along = plus(t_dot, cross(t, r))  # t·(r × B) = (t × r)·B
        return [
            add(
                dot(mean.B[j], along), dot(mean.C[j], r_dot), *self._gyration(b, j, r, xd),
                *self._by_inertia(s, j, r, bool(Gd)),
            )
            for j in range(b.m)
        ]  # fmt: skip

    def _gyration(self, b: Tensors, j: int, w: Vec, xd: list[Expr]) -> list[Expr]:
        """Terms of 2 ω·Ċ₁ⱼ."""
        pairs = ((1, 2), (2, 0), (0, 1))
        rates = (add(contract(b.NN[c, d, :, j], xd), -contract(b.NN[d, c, :, j], xd)) for c, d in pairs)
        return [mul(2 * x, rate) for x, rate in zip(w, rates, strict=True)]

    def _by_inertia(self, s: Shapes, j: int, w: Vec, is_second: bool) -> list[Expr]:
        """Terms of ½ ω·∂J/∂qⱼ ω, of first order or of both."""
        Y, w2 = s.Y[j], dot(w, w)
        terms = [mul(w2, Y[a][a]) for a in range(3)]
        terms += [-mul(mul(w[a], w[c]), Y[a][c]) for a in range(3) for c in range(3)]
        if is_second:
            terms += [-mul(mul(w[a], w[a]), s.G[j][6 + a]) for a in range(3)]
            terms += [-mul(mul(w[a], w[(a + 1) % 3]), s.G[j][9 + a]) for a in range(3)]
        return terms

    def kinetic(self, i: int, V: Vec, w: Vec, v: list[Expr]) -> Expr:
        """Kinetic energy (5) of a body; V and ω in body axes."""
        b, s = self.bodies[i], self.shapes[i]
        xd = v[b.v : b.v + b.m]
        p = plus(times(b.mass / 2, V), cross(w, s.c), self._combine(s.B, xd))
        h = plus(times(1 / 2, rotate(s.J, w)), self._combine(s.C, xd))
        terms = [dot(V, p), dot(w, h)]
        terms += [mul(x / 2, contract(row, xd)) for x, row in zip(xd, b.M, strict=True)]
        for sign, mean in zip((1, -1), s.means, strict=False):
            p, h = self._combine(mean.B, xd), self._combine(mean.C, xd)
            t, r = mean(p, h)
            terms += [sign / 2 * dot(p, t), sign / 2 * dot(h, r)]
        return add(*terms)

    def strain(self) -> Expr:
        """Strain energy ½ qᵀKq of all bodies."""
        pairs = [(x, contract(row, b.q)) for b in self.bodies for x, row in zip(b.q, b.K, strict=True)]
        return add(*(mul(x / 2, y) for x, y in pairs))

    def _rates(self, b: Tensors, s: Shapes, xd: list[Expr]) -> tuple[Mat, Mat, list[list[Expr]]]:
        """J̇ of first order and of all, and G q̇."""
        X = [
            [add(*(mul(add(s.Y[j][a][c], s.Y[j][c][a]), xd[j]) for j in range(b.m))) for c in range(3)]
            for a in range(3)
        ]
        trace = add(X[0][0], X[1][1], X[2][2])
        Jd = [[add(trace, -X[a][c]) if a == c else -X[a][c] for c in range(3)] for a in range(3)]
        if b.G is None:
            return _matrix(Jd), _matrix(Jd), []
        second = _matrix(self._with_products(Jd, s.G, xd, -2))
        return _matrix(Jd), second, self._geometric(b, xd)

    def _elastic(
        self, b: Tensors, s: Shapes, j: int, a0: Vec, w: Vec, wd: Vec, xd: list[Expr], xdd: list[Expr]
    ) -> Expr:
        """Left side of (4) for coordinate j, with K q + C q̇."""
        terms = [contract(b.M[j], xdd), contract(b.K[j], b.q), contract(b.D[j], xd)]
        terms += [dot(s.B[j], a0), dot(s.C[j], wd), *self._gyration(b, j, w, xd)]
        return add(*terms, *(-x for x in self._by_inertia(s, j, w, b.G is not None)))


def _six(G: list[list[Expr]], x: list[Expr]) -> list[Expr]:
    """Σⱼ Gⱼ xⱼ of the first six products."""
    return [add(*(mul(g[k], y) for g, y in zip(G, x, strict=True))) for k in range(6)]


def _matrix(rows: list[list[Expr]]) -> Mat:
    x, y, z = (tuple(row) for row in rows)
    return x, y, z
