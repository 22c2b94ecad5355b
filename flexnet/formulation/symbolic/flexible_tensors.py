"""Constant tensors of flexible bodies in symbols, as named parameters, and their contractions."""

from dataclasses import dataclass

import numpy as np

from flexnet.algebra import Expr, Vec, add, mul
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import Variables
from flexnet.typing import AnyArray, Array

#: entries smaller than this part of the largest of their kind are round-off of the quadrature
_NOISE = 1e-13
#: entries of G by what they multiply: accelerations, angular ones, products of angular velocities
_KINDS_OF_G = (slice(0, 3), slice(3, 6), slice(6, 12))
_KINDS_OF_Q = (slice(0, 3), slice(3, 6))

Kinds = tuple[slice, ...]
EVERY: Kinds = (slice(None),)


@dataclass(slots=True, eq=False)
class Tensors:
    """Constant tensors of one flexible body as expressions; ``sizes`` (m,) are those of its modes.

    G is of a stiffened body; so are ``Q`` and ``line``, Q̂ and ν of :mod:`flexnet.kernels.flexible_line`.
    """

    name: str
    m: int
    q: list[Expr]
    v: int
    node: int
    rotation: int
    mass: Expr
    s1: Vec
    s2: AnyArray
    N1: AnyArray
    sN: AnyArray
    NN: AnyArray
    M: AnyArray
    K: AnyArray
    D: AnyArray
    G: AnyArray | None
    Q: AnyArray | None
    line: Vec
    sizes: Array


def read_tensors(
    name: str, f: AnyArray, data: Array, variables: Variables, parameters: Parameters
) -> Tensors:
    """Tensors of the body of this name from its record in the numeric model."""
    m = int(f["m"])

    sizes = mode_sizes(f, data)

    def read(letter: str, start: int, *shape: int, kinds: Kinds = EVERY) -> AnyArray:
        values = data[start : start + int(np.prod(shape))].reshape(shape)
        least = round_off(values, sizes, 1 if letter in ("N", "sN", "Q") else 2, kinds)
        return symbols_of(parameters, f"{name}.{letter}", values, least)

    G, Q, s2 = int(f["G"]), int(f["Q"]), np.reshape(f["s2"], (3, 3))
    line = data[Q + 6 * m : Q + 6 * m + 3] if G >= 0 else np.zeros(3)
    return Tensors(
        name, m, [variables.place[int(f["q"]) + j] for j in range(m)], int(f["v"]), int(f["node"]),
        int(f["rotation"]), parameters.scalar(f"m.{name}", float(f["mass"])),
        parameters.vector(f"{name}.s", f["s1"]),
        symbols_of(parameters, f"{name}.ss", s2, round_off(s2, sizes, 0)),
        read("N", int(f["N1"]), 3, m), read("sN", int(f["sN"]), 3, 3, m),
        read("NN", int(f["NN"]), 3, 3, m, m), read("M", int(f["M"]), m, m),
        read("K", int(f["K"]), m, m), read("C", int(f["C"]), m, m),
        read("G", G, 12, m, m, kinds=_KINDS_OF_G) if G >= 0 else None,
        read("Q", Q, 6, m, kinds=_KINDS_OF_Q) if G >= 0 else None, parameters.vector(f"{name}.line", line),
        sizes,
    )  # fmt: skip


def mode_sizes(f: AnyArray, data: Array) -> Array:
    """√M of every mode (m,): over it modes compare, be they displacements or rotations, in any unit."""
    m, start = int(f["m"]), int(f["M"])
    return np.asarray(np.sqrt(np.diag(data[start : start + m * m].reshape(m, m))))


def round_off(values: Array, sizes: Array, elastic: int, kinds: Kinds = EVERY) -> Array:
    """Largest round-off of every entry of a tensor, whose last so many axes are those of the modes.

    Parameters
    ----------
    kinds : parts of the first axis that have one unit each.
    """
    unit = np.ones(values.shape)
    for axis in range(values.ndim - elastic, values.ndim):
        unit *= sizes.reshape([-1 if k == axis else 1 for k in range(values.ndim)])
    out = np.zeros(values.shape)
    for part in kinds:
        # a mode without mass has no size: nothing of it is left out
        ratio = np.divide(np.abs(values[part]), unit[part], where=unit[part] > 0.0, out=out[part].copy())
        out[part] = _NOISE * ratio.max(initial=0.0) * unit[part]
    return out


def symbols_of(parameters: Parameters, name: str, values: Array, least: Array) -> AnyArray:
    """Array of parameters ``name.1.2`` with the round-off of the tensor left out."""
    out = np.empty(values.shape, dtype=object)
    for where in np.ndindex(*values.shape):
        label = ".".join(str(k + 1) for k in where)
        value = float(values[where])
        out[where] = parameters.scalar(f"{name}.{label}", value if abs(value) > least[where] else 0.0)
    return out


def contract(A: AnyArray, x: list[Expr]) -> Expr:
    """Σⱼ Aⱼ xⱼ."""
    return add(*(mul(a, b) for a, b in zip(A, x, strict=True)))


def rows(A: AnyArray, x: list[Expr]) -> Vec:
    """A x of a (3, m) tensor."""
    a, b, c = (contract(A[i], x) for i in range(3))
    return a, b, c
