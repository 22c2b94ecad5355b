"""The path of rests under growing loads; equations and method in :mod:`~flexnet.analysis.continuation`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.analysis.continuation import Crossing, Curve, follow, start_of
from flexnet.analysis.descent import Descent
from flexnet.analysis.loading import Loading, Point
from flexnet.analysis.stability import moving_most, told
from flexnet.analysis.statics import Equilibrium, at_rest
from flexnet.errors import ConvergenceError, ModelError
from flexnet.formulation import Equations, State, as_equations, refuse_states
from flexnet.system import System
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Critical:
    """Where a motion loses its stiffness.

    Attributes
    ----------
    kind : "limit": the load has an extreme; "branch": another path crosses this one.
    after : number of the point of the path before it.
    factor : of the loads.
    state : configuration, at rest.
    motion : names of the coordinates that move most.
    """

    kind: str
    after: int
    factor: float
    state: State
    motion: tuple[str, ...]

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        what = "limit point" if self.kind == "limit" else "branching point"
        return f"{what} at {self.factor:.6g} times the loads: {told(self.motion)}"


@dataclass(frozen=True, slots=True, eq=False)
class LoadPath:
    """Rests under loads that grow, in the order of the path.

    Attributes
    ----------
    factor : (rows,) what the loads are multiplied by.
    q : (rows, n_q) configurations.
    lam : (rows, m) multipliers of the constraints.
    falling : (rows,) number of motions that are pushed on: 0 where the rest is stable, unless forces that
        follow the motion let two of them feed each other (flutter), which ``equilibrium`` tells.
    critical : limit points and branching points.
    iterations : corrections made.
    """

    factor: Array
    q: Array
    lam: Array
    falling: IntArray
    critical: tuple[Critical, ...]
    iterations: int
    loading: Loading
    points: tuple[Point, ...]

    def equilibrium(self, row: int) -> Equilibrium:
        """The rest of a row, with loads and verdict."""
        point = self.points[row]
        return at_rest(self.loading.at(point.p), point.place, self.loading.t, self.iterations)


def load_path(
    system: System | Equations,
    tree: str = "default",
    end: float = 1.0,
    t: float = 0.0,
    loads: Sequence[str] | None = None,
    tolerance: float = 1e-10,
    steps: int = 400,
    require: Sequence[str] = (),
    counts: str = "spatial",
    virtual: bool = False,
) -> LoadPath:
    """Follow the rests of a mechanism from no load to ``end`` times its loads, past limit points.

    Parameters
    ----------
    system : the mechanism, or its equations.
    tree, require, counts, virtual : as in :func:`~flexnet.formulation.formulate`, where a System is given.
    end : factor of the loads at which the path ends, the first time it is passed.
    t : time at which drivers and loads are taken, s.
    loads : names of the loads that grow, ``"gravity"`` among them; all if left out. Others stay as they are.
    tolerance : error of a rest, displacements over the length of the mechanism, rad, or of the loads.
    steps : at most.

    Raises
    ------
    ConvergenceError
        If the path does not come to ``end``: says how far it came and names the coordinates that move there.
    """
    equations = as_equations(system, tree, require, counts, virtual)
    refuse_states(equations, "a load path")
    if not end > 0.0:
        raise ModelError(f"the path of loads ends at a positive factor, got {end:g}; turn the loads round")
    loading = Loading.of(equations, t, loads)
    start = start_of(loading, equations.initial.q, end, tolerance)
    if isinstance(start, Descent):
        names = told(moving_most(equations, start.travelled, 2))
        raise ConvergenceError(
            f"{equations.system.name}: no path of loads: without them nothing holds the mechanism, and with a"
            f" few of them it does not come to rest; {names} drifts. Hold it by a spring or a joint"
        )
    curve = follow(loading, start, end, tolerance, steps)
    if not curve.is_whole:
        raise ConvergenceError(_why_short(equations, curve, end))
    return LoadPath(
        np.array([x.p for x in curve.points]),
        np.array([x.place.q for x in curve.points]),
        np.array([x.place.lam for x in curve.points]),
        np.array([x.falling for x in curve.points]),
        tuple(_critical(loading, found) for found in curve.critical),
        curve.iterations,
        loading,
        curve.points,
    )


def _critical(loading: Loading, found: Crossing) -> Critical:
    e, point = loading.equations, found.point
    state = State(loading.t, point.place.q, np.zeros(e.n_v))
    kind = "limit" if found.is_limit else "branch"
    return Critical(kind, found.after, point.p, state, moving_most(e, found.motion))


def _why_short(equations: Equations, curve: Curve, end: float) -> str:
    last = curve.points[-1]
    names = moving_most(equations, last.moves, 2)
    most = max(x.p for x in curve.points)
    limits = sum(x.is_limit for x in curve.critical)
    return (
        f"{equations.system.name}: the path of loads was followed for {len(curve.points) - 1} steps to"
        f" {last.p:.4g} times the loads and {most:.4g} at most, not to {end:g}, past {limits} limit points;"
        f" {told(names)} moves most there. Let it end below, or allow more steps"
    )
