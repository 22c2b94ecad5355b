"""Constant tensors of flexible bodies in symbols, as named parameters, and their contractions."""

from dataclasses import dataclass

import numpy as np

from flexnet.algebra import Expr, Vec, add, mul
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import Variables
from flexnet.typing import AnyArray, Array

#: entries smaller than this part of the largest of their tensor are round-off of the quadrature
_NOISE = 1e-13


@dataclass(slots=True, eq=False)
class Tensors:
    """Constant tensors of one flexible body as expressions."""

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


def read_tensors(
    name: str, f: AnyArray, data: Array, variables: Variables, parameters: Parameters
) -> Tensors:
    """Tensors of the body of this name from its record in the numeric model."""
    m = int(f["m"])

    def read(letter: str, start: int, *shape: int) -> AnyArray:
        return symbols_of(parameters, f"{name}.{letter}", data[start : start + int(np.prod(shape))], shape)

    G = int(f["G"])
    return Tensors(
        name, m, [variables.place[int(f["q"]) + j] for j in range(m)], int(f["v"]), int(f["node"]),
        int(f["rotation"]), parameters.scalar(f"m.{name}", float(f["mass"])),
        parameters.vector(f"{name}.s", f["s1"]),
        symbols_of(parameters, f"{name}.ss", np.ravel(f["s2"]), (3, 3)),
        read("N", int(f["N1"]), 3, m), read("sN", int(f["sN"]), 3, 3, m),
        read("NN", int(f["NN"]), 3, 3, m, m), read("M", int(f["M"]), m, m),
        read("K", int(f["K"]), m, m), read("C", int(f["C"]), m, m),
        read("G", G, 12, m, m) if G >= 0 else None,
    )  # fmt: skip


def symbols_of(parameters: Parameters, name: str, values: Array, shape: tuple[int, ...]) -> AnyArray:
    """Array of parameters ``name.1.2`` with the round-off of the tensor left out."""
    array = np.asarray(values, dtype=float).reshape(shape)
    smallest = _NOISE * float(np.abs(array).max(initial=0.0))
    out = np.empty(shape, dtype=object)
    for where in np.ndindex(*shape):
        label = ".".join(str(k + 1) for k in where)
        value = float(array[where])
        out[where] = parameters.scalar(f"{name}.{label}", value if abs(value) > smallest else 0.0)
    return out


def contract(A: AnyArray, x: list[Expr]) -> Expr:
    """Σⱼ Aⱼ xⱼ."""
    return add(*(mul(a, b) for a, b in zip(A, x, strict=True)))


def rows(A: AnyArray, x: list[Expr]) -> Vec:
    """A x of a (3, m) tensor."""
    a, b, c = (contract(A[i], x) for i in range(3))
    return a, b, c
