"""Arms of flexible bodies in symbols: their coordinates as functions of the elastic ones.

The equations are (1) of :mod:`flexnet.kernels.arm`.
"""

from dataclasses import dataclass, field

import numpy as np

from flexnet.algebra import ZERO3, Expr, Vec, add, dot, minus, mul, plus, times
from flexnet.formulation.symbolic.flexible_tensors import EVERY, Kinds, Tensors, round_off, rows, symbols_of
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.typing import AnyArray, Array


@dataclass(slots=True, eq=False)
class ArmCoordinates:
    """Place of an attachment frame in its body, or its rotation vector: x = x₀ + Ψq - ½ qᵀHq.

    Attributes
    ----------
    body : its tensors, with the elastic coordinates.
    start, Psi, H : x₀, (3, m) and (3, m, m); no H without stiffening.
    x : present value.
    X : (m) vectors ∂x/∂qⱼ.
    """

    body: Tensors
    start: Vec
    Psi: AnyArray
    H: AnyArray | None
    x: Vec = ZERO3
    X: list[Vec] = field(default_factory=list)

    def __post_init__(self) -> None:
        q = self.body.q
        self.X = [(r[0], r[1], r[2]) for r in self.Psi.T]
        self.x = plus(self.start, *(times(y, r) for y, r in zip(q, self.X, strict=True)))
        if self.H is not None:
            bent = [rows(self.H[:, j, :], q) for j in range(len(q))]
            self.x = plus(self.x, *(times(-y / 2, h) for y, h in zip(q, bent, strict=True)))
            self.X = [minus(r, h) for r, h in zip(self.X, bent, strict=True)]

    def rate(self, v: list[Expr]) -> list[Expr]:
        """X q̇, or X q̈ of accelerations."""
        own = v[self.body.v : self.body.v + self.body.m]
        return list(plus(ZERO3, *(times(y, r) for y, r in zip(own, self.X, strict=True))))

    def bias(self, v: list[Expr]) -> list[Expr]:
        """-q̇ᵀHq̇."""
        if self.H is None:
            return [0, 0, 0]
        own = v[self.body.v : self.body.v + self.body.m]
        return list(plus(*(times(-y, rows(self.H[:, j, :], own)) for j, y in enumerate(own))))

    def add_work(self, sign: int, forces: list[Expr], out: list[Expr]) -> None:
        """Add to generalised forces (n_v) what forces on x do on the elastic coordinates."""
        for j, r in enumerate(self.X):
            out[self.body.v + j] = add(out[self.body.v + j], mul(sign, dot(r, forces)))


def read_arms(
    names: list[str], records: AnyArray, data: Array, bodies: list[Tensors], parameters: Parameters
) -> list[tuple[ArmCoordinates, ArmCoordinates]]:
    """Place and rotation vector of every flexible arm."""
    return [_read(name, f, data, bodies, parameters) for name, f in zip(names, records, strict=True)]


def _read(
    name: str, f: AnyArray, data: Array, bodies: list[Tensors], parameters: Parameters
) -> tuple[ArmCoordinates, ArmCoordinates]:
    b = bodies[int(f["body"])]

    def read(letter: str, start: int, *shape: int, kinds: Kinds = EVERY) -> AnyArray:
        values = data[start : start + int(np.prod(shape))].reshape(shape)
        off = round_off(values, b.sizes, len(shape) - 1, kinds)
        return symbols_of(parameters, f"{name}.{letter}", values, off)

    H = read("H", int(f["H"]), 6, b.m, b.m, kinds=(slice(3), slice(3, 6))) if f["H"] >= 0 else None
    Psi, Theta = read("Psi", int(f["translation"]), 3, b.m), read("Theta", int(f["rotation"]), 3, b.m)
    return (
        ArmCoordinates(b, parameters.vector(name, f["position"]), Psi, None if H is None else H[:3]),
        ArmCoordinates(b, ZERO3, Theta, None if H is None else H[3:]),
    )
