"""Attachment frames of flexible bodies in symbols: how they move with the elastic coordinates.

The equations are those of the flexible arms of :mod:`flexnet.kernels.flexible`.
"""

from dataclasses import dataclass, field

import numpy as np

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
    turn_f1,
    turn_f2,
    turn_g1,
    turn_g2,
)
from flexnet.formulation.symbolic.flexible_tensors import EVERY, Kinds, Tensors, round_off, rows, symbols_of
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.typing import AnyArray, Array


@dataclass(slots=True, eq=False)
class FlexFrame:
    """Attachment of a flexible body: constant rows, and their directions at the present state."""

    body: int
    position: Vec
    translation: AnyArray
    rotation: AnyArray
    H: AnyArray | None
    directions: list[Vec] = field(default_factory=list)
    turns: list[Vec] = field(default_factory=list)
    axes: list[Vec] = field(default_factory=list)
    theta: Vec = ZERO3
    R_arm: Mat = UNIT
    R_turn: Mat = UNIT


class FlexFrames:
    """All attachment frames of a mechanism, in the order of its flexible arms."""

    def __init__(
        self, names: list[str], records: AnyArray, data: Array, bodies: list[Tensors],
        parameters: Parameters,
    ) -> None:  # fmt: skip
        self.bodies = bodies
        self.frames = [self._read(name, f, data, parameters) for name, f in zip(names, records, strict=True)]

    def _read(self, name: str, f: AnyArray, data: Array, parameters: Parameters) -> FlexFrame:
        body = int(f["body"])
        b = self.bodies[body]

        def read(letter: str, start: int, *shape: int, kinds: Kinds = EVERY) -> AnyArray:
            values = data[start : start + int(np.prod(shape))].reshape(shape)
            off = round_off(values, b.sizes, len(shape) - 1, kinds)
            return symbols_of(parameters, f"{name}.{letter}", values, off)

        H = int(f["H"])
        return FlexFrame(
            body, parameters.vector(name, f["position"]), read("Psi", int(f["translation"]), 3, b.m),
            read("Theta", int(f["rotation"]), 3, b.m),
            read("H", H, 6, b.m, b.m, kinds=(slice(3), slice(3, 6))) if H >= 0 else None,
        )  # fmt: skip

    def turn(self, i: int) -> Mat:
        """Rotation exp(θ), θ = Ψ_r q - ½ qᵀH_r q, of a flexible frame; θ and ∂θ/∂qⱼ are kept."""
        f = self.frames[i]
        q = self.bodies[f.body].q
        f.theta = rows(f.rotation, q)
        f.turns = [(r[0], r[1], r[2]) for r in f.rotation.T]
        if f.H is not None:
            bent = [rows(f.H[3:, j, :], q) for j in range(len(q))]
            f.theta = plus(f.theta, *(times(-x / 2, h) for x, h in zip(q, bent, strict=True)))
            f.turns = [minus(d, h) for d, h in zip(f.turns, bent, strict=True)]
        x, y, z = f.theta
        xx, yy, zz = mul(x, x), mul(y, y), mul(z, z)
        phi2 = add(xx, yy, zz)
        if phi2 == 0:
            return UNIT
        f1, f2 = turn_f1(phi2), turn_f2(phi2)
        s = add(1, -mul(phi2, f2))
        xy, yz, zx = mul(f1, mul(x, y)), mul(f1, mul(y, z)), mul(f1, mul(x, z))
        sx, sy, sz = mul(s, x), mul(s, y), mul(s, z)
        return (
            (add(1, -mul(f1, add(yy, zz))), add(xy, -sz), add(zx, sy)),
            (add(xy, sz), add(1, -mul(f1, add(xx, zz))), add(yz, -sx)),
            (add(zx, -sy), add(yz, sx), add(1, -mul(f1, add(xx, yy)))),
        )

    def _factors(self, f: FlexFrame) -> tuple[Expr, Expr, Expr, Expr]:
        phi2 = dot(f.theta, f.theta)
        if phi2 == 0:
            return 0, 0, 0, 0
        return turn_f1(phi2), turn_f2(phi2), turn_g1(phi2), turn_g2(phi2)

    def set_axes(self, i: int, R_A: Mat) -> None:
        """Axes R_A (1 + f₁θ̃ + f₂θ̃θ̃) ∂θ/∂qⱼ of the elastic coordinates at a flexible frame."""
        f = self.frames[i]
        f.R_turn = R_A
        f1, f2, _, _ = self._factors(f)
        f.axes = []
        for d in f.turns:
            e = cross(f.theta, d)
            u = plus(d, times(f1, e), times(f2, cross(f.theta, e)))
            f.axes.append(rotate(R_A, u))

    def turn_bias(self, i: int, v: list[Expr]) -> Vec:
        """Part of the angular acceleration of a flexible frame that is quadratic in q̇, in ground."""
        f = self.frames[i]
        b = self.bodies[f.body]
        x = v[b.v : b.v + b.m]
        rate = plus(ZERO3, *(times(s, d) for s, d in zip(x, f.turns, strict=True)))
        f1, f2, g1, g2 = self._factors(f)
        e = cross(f.theta, rate)
        along = dot(f.theta, rate)
        u = plus(
            times(mul(g1, along), e),
            times(mul(g2, along), cross(f.theta, e)),
            times(f2, cross(rate, e)),
        )
        if f.H is not None:  # (1 + f₁θ̃ + f₂θ̃θ̃) of θ̈ = -q̇ᵀH_r q̇
            c = plus(ZERO3, *(times(-x[j], rows(f.H[3:, j, :], x)) for j in range(b.m)))
            e = cross(f.theta, c)
            u = plus(u, c, times(f1, e), times(f2, cross(f.theta, e)))
        return rotate(f.R_turn, u)

    def arm(self, i: int, R: Mat) -> Vec:
        """Vector s₀ + Ψq - ½ qᵀHq of a flexible frame in the body; its directions in ground are kept."""
        f = self.frames[i]
        b = self.bodies[f.body]
        f.R_arm, f.directions = R, []
        parts: list[Vec] = [f.position]
        for j in range(b.m):
            d: Vec = (f.translation[0, j], f.translation[1, j], f.translation[2, j])
            parts.append(times(b.q[j], d))
            if f.H is not None:
                h = rows(f.H[:3, j, :], b.q)
                d = minus(d, h)
                parts.append(times(-b.q[j] / 2, h))
            f.directions.append(rotate(R, d))
        return plus(*parts)

    def second(self, i: int, v: list[Expr]) -> Vec:
        """Part -q̇ᵀHq̇ of the acceleration of a flexible frame, in ground."""
        f = self.frames[i]
        b = self.bodies[f.body]
        if f.H is None:
            return ZERO3
        rate = v[b.v : b.v + b.m]
        parts = [times(-rate[j], rows(f.H[:3, j, :], rate)) for j in range(b.m)]
        return rotate(f.R_arm, plus(*parts))

    def rate(self, i: int, v: list[Expr], is_rotation: bool) -> Vec:
        """Sum of direction (or axis) times rate over the elastic coordinates."""
        f = self.frames[i]
        b = self.bodies[f.body]
        vectors = f.axes if is_rotation else f.directions
        return plus(ZERO3, *(times(v[b.v + j], d) for j, d in enumerate(vectors)))

    def work(self, i: int, F: Vec, is_rotation: bool) -> list[tuple[int, Expr]]:
        """Work of a force (or torque) beyond a flexible arm on the elastic coordinates: (v, generalised)."""
        f = self.frames[i]
        b = self.bodies[f.body]
        vectors = f.axes if is_rotation else f.directions
        return [(b.v + j, dot(d, F)) for j, d in enumerate(vectors)]
