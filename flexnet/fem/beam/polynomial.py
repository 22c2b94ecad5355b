r"""Euler–Bernoulli beam in formulas: polynomial shapes, deformation field of second order, no mesh.

The beam lies along x and is clamped in its frame at x = 0. With ξ = x/L, shapes ψ and coordinates q

.. math:: v = \sum_i ψ_i q_{v,i}, \quad w = \sum_i ψ_i q_{w,i}, \quad u = \sum_i χ_i q_{u,i}      \tag{1}

are the deflections along y and z and the stretch. A point of the axis moves to

.. math:: \left(x + u - \tfrac12 \int_0^x (v'^2 + w'^2)\, dx,\; v,\; w\right) :               \tag{2}

bending keeps the length of the axis, to second order (DynaFlex §3.2 and §5.3). Left out are shear, rotary
inertia and twist. Shapes are Taylor monomials ξ², ξ³, … (ξ, ξ², … for the stretch), or the same space by
Chebyshev polynomials, ξ² T₀(2ξ-1), ξ² T₁(2ξ-1), …, which keeps matrices well conditioned.

With H(x) = ∫₀ˣ ψ'ψ'ᵀ dx the second order of (2) gives the geometric tensors of a table exactly:
Kᵃ_x = -∫ρA H dx and K^ω_yy = K^ω_zz = ∫ρA x H dx; a frame at x shortens by ½ qᵀH(x)q.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from flexnet.errors import ModelError
from flexnet.fem.beam.section import BeamSection
from flexnet.fem.fingerprint import fingerprint
from flexnet.fem.flex_table import FlexTable, FrameRows
from flexnet.fem.geometric_tensors import GeometricTensors
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.material import Material
from flexnet.fem.table_builder import mode_table
from flexnet.mesh import beam_mesh
from flexnet.typing import AnyArray, Array

Expr = Any

#: length, modulus, area, second moments, density
L, E, A, I_Y, I_Z, RHO = sp.symbols("L E A I_y I_z rho", positive=True)
_XI = sp.Symbol("xi", real=True)

FUNCTIONS = ("taylor", "chebyshev")


@dataclass(frozen=True, slots=True, eq=False)
class BeamFormulas:
    """Tensors of a beam as expressions of L, E, A, I_y, I_z and ρ; m coordinates.

    Attributes
    ----------
    mass, s1, s2, N1, sN, NN, K : as in a table.
    acceleration, omega_products : (3, m, m) and (6, m, m) of the second order.
    translation, rotation : (3, m) rows of the frame at ξ.
    H : (m, m) shortening of the frame at ξ.
    """

    mass: Expr
    s1: AnyArray
    s2: AnyArray
    N1: AnyArray
    sN: AnyArray
    NN: AnyArray
    K: AnyArray
    acceleration: AnyArray
    omega_products: AnyArray
    translation: AnyArray
    rotation: AnyArray
    H: AnyArray

    @property
    def m(self) -> int:
        """Number of elastic coordinates."""
        return len(self.K)


@dataclass(frozen=True, slots=True)
class PolynomialBeam:
    """A straight beam from the origin along x, in formulas and in numbers. Units are SI.

    Parameters
    ----------
    length : [m].
    material, section : what it is made of.
    v, w, u : numbers of shapes of the deflections along y and z, and of the stretch.
    functions : ``taylor`` or ``chebyshev``.
    nodes : points of the axis that are recorded and drawn, 0 at the frame.
    """

    length: float
    material: Material
    section: BeamSection
    v: int = 3
    w: int = 3
    u: int = 0
    functions: str = "taylor"
    nodes: int = 9

    def __post_init__(self) -> None:
        if not self.length > 0.0:
            raise ModelError(f"a beam needs a positive length, got {self.length} m")
        if self.functions not in FUNCTIONS:
            raise ModelError(f"no shapes {self.functions!r}; there are: {', '.join(FUNCTIONS)}")
        if min(self.v, self.w, self.u) < 0 or self.v + self.w + self.u < 1 or self.nodes < 2:
            raise ModelError("a beam needs at least one shape, and two nodes to be drawn")

    @property
    def formulas(self) -> BeamFormulas:
        """Tensors in symbols."""
        return beam_formulas(self.v, self.w, self.u, self.functions)

    @property
    def values(self) -> dict[Expr, float]:
        """Values of the symbols."""
        s, m = self.section, self.material
        return {L: self.length, E: m.E, A: s.A, I_Y: s.Iy, I_Z: s.Iz, RHO: m.rho}

    def table(self) -> FlexTable:
        """The tensors as numbers, with frames ``start`` and ``end``, for ``System.flexible_body``."""
        f = self.formulas
        inertia = InertiaTensors(
            float(self._number(f.mass)), *(self._number(x) for x in (f.s1, f.s2, f.N1, f.sN, f.NN))
        )
        K = self._number(f.K)
        omega = np.sqrt(np.diag(K) / np.einsum("aaii->i", inertia.NN))
        places = np.linspace(0.0, 1.0, self.nodes)
        zero = np.zeros((3, f.m, f.m))
        ends = np.zeros((2, 6, f.m, f.m))
        ends[1, 0] = self._number(f.H, 1.0)
        return FlexTable(
            key=fingerprint("polynomial beam", self),
            inertia=inertia,
            K=K,
            C=self.material.eta * K,
            frames=self._rows(("start", "end"), np.array([0.0, 1.0]), [0, self.nodes - 1]),
            output=self._rows([str(i) for i in range(self.nodes)], places, range(self.nodes)),
            geometric=GeometricTensors(
                self._number(f.acceleration), zero, self._number(f.omega_products), ends
            ),
            modes=mode_table(("shape",) * f.m, omega, inertia, np.nan, is_free=False),
            mesh=beam_mesh(self.length, self.nodes - 1),
        )

    def given(self, name: str) -> dict[str, Expr]:
        """Expressions for the parameters of a body of this name in the symbolic engine."""
        f = self.formulas
        tensors = {
            f"{name}.ss": f.s2, f"{name}.N": f.N1, f"{name}.sN": f.sN, f"{name}.NN": f.NN, f"{name}.K": f.K,
            f"{name}.M": f.NN[0, 0] + f.NN[1, 1] + f.NN[2, 2],
            f"{name}.G": np.concatenate([f.acceleration, 0 * f.acceleration, f.omega_products]),
            f"{name}.end.Psi": _at_end(f.translation), f"{name}.end.Theta": _at_end(f.rotation),
            f"{name}.end.H": np.stack([_at_end(f.H), 0 * f.H, 0 * f.H]),
        }  # fmt: skip
        out = {f"m.{name}": f.mass, f"{name}.s.x": f.s1[0], f"{name}.end.x": L}
        for key, tensor in tensors.items():
            for where in np.ndindex(*tensor.shape):
                if tensor[where] != 0:
                    out[".".join([key, *(str(i + 1) for i in where)])] = tensor[where]
        return out

    def _number(self, tensor: Any, xi: float = 0.0) -> Array:
        """Value of an expression or of an array of expressions."""
        swap = {**self.values, _XI: xi}
        if not isinstance(tensor, np.ndarray):
            return np.asarray(float(tensor.subs(swap)))
        flat = [float(sp.sympify(e).subs(swap)) for e in tensor.ravel()]
        return np.array(flat, dtype=float).reshape(tensor.shape)

    def _rows(self, names: Sequence[str], places: Array, nodes: Sequence[int]) -> FrameRows:
        f = self.formulas
        position = np.zeros((len(places), 3))
        position[:, 0] = self.length * places
        translation, rotation = (
            np.array([self._number(rows, xi) for xi in places]) for rows in (f.translation, f.rotation)
        )
        return FrameRows(tuple(names), np.array(nodes, dtype=np.int64), position, translation, rotation)


@cache
def beam_formulas(v: int, w: int, u: int, functions: str) -> BeamFormulas:
    """Tensors of a beam with so many shapes of each kind, coordinates in the order v, w, u."""
    bend = [_XI**2 * p for p in _polynomials(max(v, w), functions)]
    stretch = [_XI * p for p in _polynomials(u, functions)]
    axes = [1] * v + [2] * w + [0] * u
    shapes = [*bend[:v], *bend[:w], *stretch]
    m = len(shapes)
    N = _zeros(3, m)
    for j, (a, shape) in enumerate(zip(axes, shapes, strict=True)):
        N[a, j] = shape
    slopes, curvatures = ([sp.diff(s, _XI, k) for s in shapes] for k in (1, 2))
    K, H, omega = _zeros(m, m), _zeros(m, m), _zeros(6, m, m)
    for i, j in np.ndindex(m, m):
        if axes[i] != axes[j]:
            continue
        if axes[i] == 0:
            K[i, j] = E * A / L * _integral(slopes[i] * slopes[j])
        else:
            K[i, j] = E * (I_Z if axes[i] == 1 else I_Y) / L**3 * _integral(curvatures[i] * curvatures[j])
            H[i, j] = sp.integrate(sp.expand(slopes[i] * slopes[j]), (_XI, 0, _XI)) / L
    mass, s = RHO * A * L, np.array([L * _XI, sp.S.Zero, sp.S.Zero], dtype=object)
    acceleration = _zeros(3, m, m)
    acceleration[0] = -mass * _integrals(H)
    omega[1] = omega[2] = mass * L * _integrals(_XI * H)
    rotation = _zeros(3, m)
    for j, a in enumerate(axes):
        if a:
            rotation[3 - a, j] = (slopes[j] if a == 1 else -slopes[j]) / L
    return BeamFormulas(
        mass, mass * _integrals(s), mass * _integrals(np.multiply.outer(s, s)), mass * _integrals(N),
        mass * _integrals(np.multiply.outer(s, N)),
        mass * _integrals(np.einsum("ai,bj->abij", N, N)), K, acceleration, omega, N, rotation, H,
    )  # fmt: skip


def _polynomials(count: int, functions: str) -> list[Expr]:
    """1, ξ, ξ², …, or Chebyshev polynomials of 2ξ - 1."""
    if functions == "taylor":
        return [_XI**k for k in range(count)]
    return [sp.expand(sp.chebyshevt(k, 2 * _XI - 1)) for k in range(count)]


def _zeros(*shape: int) -> AnyArray:
    return np.full(shape, sp.S.Zero, dtype=object)


def _integral(e: Expr) -> Expr:
    """∫₀¹ e dξ."""
    return sp.integrate(sp.expand(e), (_XI, 0, 1))


def _integrals(tensor: AnyArray) -> AnyArray:
    out = _zeros(*tensor.shape)
    for where in np.ndindex(*tensor.shape):
        if tensor[where] != 0:
            out[where] = _integral(tensor[where])
    return out


def _at_end(tensor: AnyArray) -> AnyArray:
    """A tensor at ξ = 1."""
    out = _zeros(*tensor.shape)
    for where in np.ndindex(*tensor.shape):
        out[where] = sp.sympify(tensor[where]).subs(_XI, 1)
    return out
