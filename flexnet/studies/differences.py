"""Differences of a model by its parameters: what derivatives are made of.

They are those of (1) in :mod:`flexnet.integrators.tangent_differences`: central, at three steps,
extrapolated, taken nearer where they do not agree with themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from flexnet.components.flexible_body import FlexibleBody
from flexnet.errors import ModelError
from flexnet.formulation import Equations, formulate
from flexnet.integrators.alpha_tangent import APART_BY, NOISE
from flexnet.integrators.tangent_differences import AGREES, CLOSER
from flexnet.studies.job import structure_of
from flexnet.studies.source import Source
from flexnet.typing import Array, BoolArray

__all__ = ["APART_BY", "LEVELS", "Moved"]

#: part of a parameter by which it is moved at first: the start it moves is assembled to a tolerance
FAR = 2e-2
#: how often differences are taken nearer
LEVELS = 6
#: round-off of what is assembled or read, as a part of it
_ROUND = 1e-12
#: least cosine of the angle between a shape and what it becomes: a shape that turns is another
_ALIKE = 0.9
#: places of a difference, in parts of its size
PLACES = np.array([1.0, -1.0, 0.5, -0.5, 0.25, -0.25])


def extrapolated(found: Array, size: float) -> tuple[Array, Array]:
    """D₄ of functions at six places, (6, …), and how far it is from D₂."""
    far, middle, near = found[0] - found[1], found[2] - found[3], found[4] - found[5]
    fourth = (0.5 * far - 20.0 * middle + 128.0 * near) / (45.0 * size)
    return fourth, np.abs(fourth - (8.0 * near - middle) / (3.0 * size))


@dataclass(slots=True, eq=False)
class Moved:
    """The equations at values of one parameter around its own.

    Attributes
    ----------
    source, values, tree : what builds them.
    name : of the parameter.
    here : the equations at its own value.
    sizes : by which it is moved, level by level.
    equations : at the places of a difference, level by level.
    """

    source: Source
    values: Mapping[str, float]
    tree: str
    name: str
    here: Equations
    sizes: list[float] = field(default_factory=list)
    equations: list[tuple[Equations, ...]] = field(default_factory=list)

    def come_nearer(self) -> None:
        """Build and formulate the model at values around that of the parameter, nearer than before.

        Raises
        ------
        ModelError
            If they are of another structure, or their flexible bodies of other shapes.
        """
        own = self.values[self.name]
        size = FAR * (abs(own) or 1.0) / CLOSER ** len(self.sizes)
        made = []
        for part in PLACES:
            one = formulate(self.source.system({**self.values, self.name: own + part * size}), self.tree)
            if structure_of(one) != structure_of(self.here):
                raise ModelError(
                    f"parameter {self.name!r} changes trees, rows or laws; a run cannot be differentiated"
                )
            refuse_other_shapes(self.name, self.here, one, size / (abs(own) or 1.0))
            made.append(one)
        self.sizes.append(size)
        self.equations.append(tuple(made))

    def derivative(
        self,
        f: Callable[[Equations, float], Sequence[Array]],
        floors: Sequence[float] = (),
    ) -> list[Array]:
        """Of functions of the equations by the parameter, each one or several numbers of one unit.

        Parameters
        ----------
        f : of the equations and of how far the parameter is moved.
        floors : sizes of what the functions are made of, whose round-off is in them; the largest of all that
            they give if left out.

        Raises
        ------
        ModelError
            If differences do not agree, however near: something in the model jumps.
        """
        best, gaps, terms = self.differences(f, floors)
        for value, gap, still in zip(best, gaps, terms, strict=True):
            if gap.max(initial=0.0) > max(APART_BY * np.abs(value).max(initial=0.0), NOISE * still):
                self.refuse()
        return best

    def differences(
        self, f: Callable[[Equations, float], Sequence[Array]], floors: Sequence[float] = ()
    ) -> tuple[list[Array], list[Array], list[float]]:
        """The same, whether they agree or not: see :func:`_best`."""

        def at(level: int) -> tuple[list[Array], float]:
            if level == len(self.sizes):
                self.come_nearer()
            size = self.sizes[level]
            found = zip(self.equations[level], PLACES * size, strict=True)
            return [np.array(x) for x in zip(*(f(e, moved) for e, moved in found), strict=True)], size

        return _best(at, LEVELS, floors)

    def refuse(self) -> None:
        """Say that differences by this parameter do not agree.

        Raises
        ------
        ModelError
            Always.
        """
        raise ModelError(
            f"the model does not depend smoothly on {self.name!r}: computed modes of a flexible body,"
            " which have no sign of their own, or a choice in build() jump"
        )


def _best(
    at: Callable[[int], tuple[list[Array], float]],
    levels: int,
    floors: Sequence[float] = (),
) -> tuple[list[Array], list[Array], list[float]]:
    """Of the differences at all levels those that agree best with themselves, group by group.

    Returns
    -------
    values, gaps, terms : derivatives, by how much differences disagree with themselves at least, and the size
        of that whose difference they are over the first step.
    """
    best: list[Array] = []
    gaps: list[Array] = []
    least: list[Array] = []
    terms: list[float] = []
    last: list[tuple[Array, Array]] = []
    for level in range(levels):
        groups, size = at(level)
        found = [extrapolated(x, size) for x in groups]
        own = [float(np.abs(x).max(initial=0.0)) for x in groups]
        if not best:
            best, gaps = [x for x, _ in found], [g for _, g in found]
            least = gaps.copy()
            terms = [x / size for x in floors or len(groups) * [max(own, default=0.0)]]
        agrees = True
        for k, (value, gap) in enumerate(found):
            if last:
                best[k], gaps[k] = _kept(best[k], gaps[k], last[k], (value, gap))
                least[k] = np.minimum(least[k], gap)
            largest = float(np.abs(best[k]).max(initial=0.0))
            floor = floors[k] if floors else 1e-3 * max(own)
            noise = _ROUND * max(own[k], floor) / size
            agrees &= bool(gaps[k].max(initial=0.0) <= max(AGREES * largest, noise))
        last = found
        if agrees:
            break
    return best, least, terms


def _kept(
    best: Array, gap: Array, last: tuple[Array, Array], new: tuple[Array, Array]
) -> tuple[Array, Array]:
    """What is kept of differences, as by :func:`flexnet.integrators.tangent_differences.keep`."""
    apart = np.abs(new[0] - last[0])
    is_better = np.maximum(new[1], apart) < last[1]
    score = np.maximum(np.where(is_better, new[1], last[1]), apart)
    taken: BoolArray = (gap == last[1]) | (CLOSER * score < gap)
    return np.where(taken, np.where(is_better, new[0], last[0]), best), np.where(taken, score, gap)


def refuse_other_shapes(name: str, here: Equations, there: Equations, part: float) -> None:
    """Refuse a body whose computed shapes turn, or change places, where a parameter is moved by a part of it.

    Its tensors would go on along other shapes: a derivative of them tells nothing, and those of a residual
    may hide it beside larger parts that are smooth.
    """
    for body, moved in zip(here.parts, there.parts, strict=True):
        if not isinstance(body, FlexibleBody) or not isinstance(moved, FlexibleBody):
            continue
        one, other = _motions(body), _motions(moved)
        if one.shape != other.shape:
            continue  # another mesh, or no shapes at all: those of an unreduced body are the freedoms
        along = np.einsum("ij,ij->j", one, other)
        sizes = np.linalg.norm(one, axis=0) * np.linalg.norm(other, axis=0)
        if np.any(along < _ALIKE * sizes):
            k = int(np.argmin(along - _ALIKE * sizes))
            raise ModelError(
                f"elastic coordinate {k + 1} of {body.name!r} is another shape where {name!r} is moved by"
                f" {100 * part:g} %: modes of nearly the same frequency mix or change places. Keep it from"
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
