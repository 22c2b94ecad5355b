"""Differences of a model by its parameters, and of functions along a line: what derivatives are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from flexnet.components.flexible_body import FlexibleBody
from flexnet.errors import ModelError
from flexnet.formulation import Equations, formulate
from flexnet.studies.job import structure_of
from flexnet.studies.source import Source
from flexnet.typing import Array

#: part of a size by which it is moved, and of a parameter: the start it moves is assembled to a tolerance
PART, FAR = 3e-3, 2e-2
#: by how much differences far and near may differ, as a part of them and of what is differentiated
_SMOOTH, _NOISE = 0.05, 1e-7
#: least cosine of the angle between a shape and what it becomes: a shape that turns is another
_ALIKE = 0.9
#: what is left of a difference of the third or fifth order at half the way: 0.2, 0.06; of a jump 0, ⅔ or 2
_SHRINKS = 0.04, 0.4
#: steps of a difference, in parts, and their weights: central differences at 1, ½ and ¼, extrapolated
STEPS = ((1.0, 1 / 90), (-1.0, -1 / 90), (0.5, -4 / 9), (-0.5, 4 / 9), (0.25, 128 / 45), (-0.25, -128 / 45))
PLACES, WEIGHTS = np.array(STEPS).T.copy()


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """The equations at values of one parameter around its own.

    Attributes
    ----------
    name, size : of the parameter, and by which it is moved.
    equations : at the places of :data:`STEPS`.
    """

    name: str
    size: float
    equations: tuple[Equations, ...]

    @classmethod
    def along(
        cls, source: Source, values: Mapping[str, float], name: str, here: Equations, tree: str
    ) -> "Moved":
        """Build and formulate the model at values around that of one parameter."""
        size = FAR * (abs(values[name]) or 1.0)
        made = []
        for s, _ in STEPS:
            one = formulate(source.system({**values, name: values[name] + s * size}), tree)
            if structure_of(one) != structure_of(here):
                raise ModelError(
                    f"parameter {name!r} changes trees, rows or laws; a run cannot be differentiated"
                )
            refuse_other_shapes(name, here, one)
            made.append(one)
        return cls(name, size, tuple(made))

    def derivative(self, f: Callable[[Equations], Array], size: float = 0.0) -> Array:
        """Of a function of the equations by the parameter; ``size`` is that of the terms whose sum it is.

        Raises
        ------
        ModelError
            If differences far and near do not agree: something in the model jumps.
        """
        found = np.array([f(e) for e in self.equations])
        far, middle, near = (found[k] - found[k + 1] for k in (0, 2, 4))
        gaps, rest = np.abs(far - 4.0 * near), np.abs(2.0 * middle - 4.0 * near)
        gap = gaps.max(initial=0.0)
        large = _SMOOTH * 4.0 * np.abs(near).max(initial=0.0)
        if (
            gap > max(large, _NOISE * max(size, np.abs(found).max(initial=0.0)))
            and not _SHRINKS[0] * gap < rest[np.argmax(gaps)] < _SHRINKS[1] * gap
        ):
            raise ModelError(
                f"the model does not depend smoothly on {self.name!r}: computed modes of a flexible body,"
                " which have no sign of their own, or a choice in build() jump"
            )
        out: Array = WEIGHTS @ found / self.size
        return out


def refuse_other_shapes(name: str, here: Equations, there: Equations) -> None:
    """Refuse a body whose computed shapes turn, or change places, where the parameter ``name`` is moved.

    Its tensors would go on along other shapes: a derivative of them tells nothing, and those of a residual
    may hide it beside larger parts that are smooth.
    """
    for part, moved in zip(here.parts, there.parts, strict=True):
        if not isinstance(part, FlexibleBody) or not isinstance(moved, FlexibleBody):
            continue
        one, other = _motions(part), _motions(moved)
        if one.shape != other.shape:
            continue  # another mesh, or no shapes at all: those of an unreduced body are the freedoms
        along = np.einsum("ij,ij->j", one, other)
        sizes = np.linalg.norm(one, axis=0) * np.linalg.norm(other, axis=0)
        if np.any(along < _ALIKE * sizes):
            k = int(np.argmin(along - _ALIKE * sizes))
            raise ModelError(
                f"elastic coordinate {k + 1} of {part.name!r} is another shape where {name!r} is moved by"
                f" {100 * FAR:g} %: modes of nearly the same frequency mix or change places. Keep it from"
                " the parameters, give the body a section or support that parts them, or other modes"
            )


def _motions(part: FlexibleBody) -> Array:
    """How far nodes of a flexible body move and turn in a unit of its coordinates, (6 n, m), in lengths."""
    table = part.table
    if table.is_sparse:
        return np.zeros((0, 0))
    length = float(np.ptp(table.mesh.nodes, axis=0).max()) or 1.0
    rows = [table.output.translation, table.frames.translation]
    turns = [table.output.rotation, table.frames.rotation]
    out: Array = np.concatenate([*rows, *(length * x for x in turns)]).reshape(-1, table.m)
    return out


def directional(f: Callable[[float], Array], size: float) -> Array:
    """Derivative at zero of a function of one number that is moved by ``size``."""
    out: Array = sum((w * f(s * size) for s, w in STEPS), start=np.zeros(())) / size
    return out
