"""A tape of small expressions: every intermediate result gets a name, equal ones the same name.

The sweeps of the formulation write on the tape as they go, so that common subexpressions are found while
the equations are built and no expression is ever larger than a line. What a user reads is expanded from
the tape afterwards; what a compiler reads is the tape.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from flexnet.typing import AnyArray, Array

#: a scalar expression, a vector of three of them, a (3, 3) matrix by rows
Expr: TypeAlias = Any
Vec: TypeAlias = tuple[Any, Any, Any]
Mat: TypeAlias = tuple[Vec, Vec, Vec]

ZERO: Expr = sp.S.Zero
ONE: Expr = sp.S.One
ZERO3: Vec = (ZERO, ZERO, ZERO)
UNIT: Mat = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def number(x: float) -> Expr:
    """A number as an expression: exact where it is a small whole number or half, but for round-off."""
    twice = round(2.0 * x)
    if abs(2.0 * x - twice) < 1e-14 and abs(twice) < 1000:
        return sp.Rational(twice, 2)
    return sp.Float(float(x), 17)


def numbers(x: Array) -> Vec:
    """Three numbers as a vector of expressions."""
    return number(x[0]), number(x[1]), number(x[2])


def matrix_of_numbers(C: Array) -> Mat:
    """A (3, 3) array as a matrix of expressions."""
    return numbers(C[0]), numbers(C[1]), numbers(C[2])


class Tape:
    """Named intermediate results, in the order in which they were made.

    Attributes
    ----------
    lines : what each name stands for, in names that came before it.
    """

    def __init__(self) -> None:
        self.lines: dict[Expr, Expr] = {}
        self._names: dict[Expr, Expr] = {}

    # -- scalars -------------------------------------------------------------------------------

    def let(self, e: Expr) -> Expr:
        """Name an expression; signs and numbers stay in front of the name."""
        if e.is_Atom:
            return e
        factor, rest = e.as_coeff_Mul()
        if rest.is_Symbol:
            return e
        if rest.is_Add and rest.could_extract_minus_sign():
            factor, rest = -factor, -rest
        name = self._names.get(rest)
        if name is None:
            name = sp.Symbol(f"z{len(self.lines)}", real=True)
            self._names[rest] = name
            self.lines[name] = rest
        return factor * name if factor is not ONE else name

    def mul(self, a: Expr, b: Expr) -> Expr:
        """Product of two scalars."""
        if a is ZERO or b is ZERO:
            return ZERO
        if a is ONE:
            return b
        if b is ONE:
            return a
        return self.let(a * b)

    def add(self, *terms: Expr) -> Expr:
        """Sum of scalars."""
        left = [x for x in terms if x is not ZERO]
        if not left:
            return ZERO
        return left[0] if len(left) == 1 else self.let(sp.Add(*left))

    def product(self, factors: Sequence[Expr]) -> Expr:
        """Product of several scalars."""
        out = ONE
        for factor in factors:
            out = self.mul(out, factor)
        return out

    # -- vectors -------------------------------------------------------------------------------

    def plus(self, *vectors: Vec) -> Vec:
        """Sum of vectors."""
        x, y, z = (self.add(*(v[k] for v in vectors)) for k in range(3))
        return x, y, z

    def minus(self, a: Vec, b: Vec) -> Vec:
        """Difference of two vectors."""
        return self.add(a[0], -b[0]), self.add(a[1], -b[1]), self.add(a[2], -b[2])

    def scale(self, s: Expr, a: Vec) -> Vec:
        """Vector times scalar."""
        return self.mul(s, a[0]), self.mul(s, a[1]), self.mul(s, a[2])

    def dot(self, a: Vec, b: Vec) -> Expr:
        """Scalar product."""
        return self.add(*(self.mul(x, y) for x, y in zip(a, b, strict=True)))

    def cross(self, a: Vec, b: Vec) -> Vec:
        """Vector product."""
        mul, add = self.mul, self.add
        return (
            add(mul(a[1], b[2]), -mul(a[2], b[1])),
            add(mul(a[2], b[0]), -mul(a[0], b[2])),
            add(mul(a[0], b[1]), -mul(a[1], b[0])),
        )

    # -- matrices ------------------------------------------------------------------------------

    def rotate(self, R: Mat, a: Vec) -> Vec:
        """R a."""
        return self.dot(R[0], a), self.dot(R[1], a), self.dot(R[2], a)

    def rotate_back(self, R: Mat, a: Vec) -> Vec:
        """Rᵀ a."""
        return self.rotate(transpose(R), a)

    def matmul(self, A: Mat, B: Mat) -> Mat:
        """A B."""
        Bt = transpose(B)
        x, y, z = (self.rotate(Bt, row) for row in A)
        return x, y, z

    # -- reading -------------------------------------------------------------------------------

    def expand(self, outputs: Iterable[Expr]) -> list[Expr]:
        """Write expressions without intermediate names."""
        memo: dict[Expr, Expr] = {}
        wanted = list(outputs)
        for name in needed(self.lines, wanted):
            memo[name] = self.lines[name].xreplace(memo)
        return [e.xreplace(memo) for e in wanted]

    def expand_array(self, outputs: AnyArray) -> sp.Matrix:
        """Write a matrix without intermediate names."""
        flat = self.expand(outputs.ravel().tolist())
        rows, columns = outputs.shape if outputs.ndim == 2 else (len(outputs), 1)
        return sp.Matrix(rows, columns, flat)


def transpose(A: Mat) -> Mat:
    """Aᵀ."""
    x, y, z = zip(*A, strict=True)
    return x, y, z


def needed(lines: dict[Expr, Expr], outputs: Iterable[Expr]) -> list[Expr]:
    """Names the outputs rest on, in the order of the tape."""
    found: set[Expr] = set()
    stack = [s for e in outputs for s in e.free_symbols if s in lines]
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack += [s for s in lines[name].free_symbols if s in lines and s not in found]
    return [name for name in lines if name in found]


def rotation_about(tape: Tape, axis: Array, angle: Expr) -> Mat:
    """Rotation matrix about a constant unit vector."""
    c, s = tape.let(sp.cos(angle)), tape.let(sp.sin(angle))
    n = numbers(axis)
    k = tape.add(ONE, -c)
    skew = ((ZERO, -n[2], n[1]), (n[2], ZERO, -n[0]), (-n[1], n[0], ZERO))
    rows = []
    for i in range(3):
        row = []
        for j in range(3):
            nn = n[i] * n[j]
            if i == j:
                diagonal = ONE if nn == 1 else tape.add(c, tape.mul(nn, k))
                row.append(diagonal)
            else:
                row.append(tape.add(tape.mul(nn, k), tape.mul(skew[i][j], s)))
        rows.append(tuple(row))
    x, y, z = rows
    return x, y, z


def is_unit(C: Array) -> bool:
    """Whether a matrix is the identity but for round-off."""
    return bool(np.allclose(C, np.eye(3), rtol=0, atol=1e-14))
