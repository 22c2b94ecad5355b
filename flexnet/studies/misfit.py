"""Optimisation and identification: how far channels of a run are from what they should be, and derivatives.

With the channels y of a run, what is wanted of them ŷ and the weights w,

    r(p) = w (y(p) - ŷ),     ∂r/∂p = w y'(p),     value(p) = ½ rᵀr

over all rows in which something is wanted. The derivatives are those of
:mod:`flexnet.studies.sensitivity`, so that Gauss-Newton steps (scipy.optimize) need few runs. A run that
fails has an infinite misfit: optimisers turn back from it.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy  # its rooms are loaded as they are entered

from flexnet.analysis import Run, simulate
from flexnet.errors import FlexnetError, ModelError, ResultError
from flexnet.formulation import formulate
from flexnet.integrators import hht
from flexnet.integrators.alpha import Alpha
from flexnet.studies.sensitivity import sensitivities
from flexnet.studies.source import Source, read_source
from flexnet.system import System
from flexnet.typing import Array, IntArray, Vector
from flexnet.validation import nearest, number, shown

log = logging.getLogger("flexnet.study")


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What an optimisation found.

    Attributes
    ----------
    parameters : their values.
    rms : root of the mean square of what is left of the misfit.
    runs : simulations, and how many of them were differentiated.
    run : the motion with the values found.
    message : why the search ended.
    """

    parameters: Mapping[str, float]
    rms: float
    runs: tuple[int, int]
    run: Run
    message: str

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.parameters.items())
        return (
            f"{values}; rms {self.rms:.3g} after {self.runs[0]} runs, {self.runs[1]} of them differentiated"
        )


class Misfit:
    """Channels of a run beside what they should be, as optimisers of scipy take it.

    Parameters
    ----------
    build : function that returns a System, or a case file.
    parameters : what may change, by name: where to start, or ``(start, least, largest)``.
    wanted : what channels should be, by name, in their units: a number, values at the rows of the run, or a
        function of time; NaN where anything goes.
    end, step : of the run, s; the step is fixed.
    weights : factors on channels, by name; 1 if left out.
    method : HHT-α if left out; any α-method with constraints at position level.
    tree : name of a tree rule.
    fixed : further parameters of ``build``.

    Attributes
    ----------
    start, bounds : of the parameters, (n,) and two of them.
    counts : simulations so far, and derivatives.

    Raises
    ------
    ModelError, ResultError
        If a parameter or a channel is unknown, a start is out of its bounds, or nothing is wanted.
    """

    def __init__(
        self,
        build: Callable[..., System] | str | Path,
        parameters: Mapping[str, Any],
        wanted: Mapping[str, Any],
        end: float,
        step: float,
        weights: Mapping[str, float] | None = None,
        method: Alpha | None = None,
        tree: str = "default",
        fixed: Mapping[str, Any] | None = None,
    ) -> None:
        self.source: Source = read_source(build, fixed)
        limits = {name: _limits(name, given) for name, given in parameters.items()}
        if not limits:
            raise ModelError("a misfit needs a parameter that may change")
        self.names = tuple(limits)
        self.source.check(self.names)
        self.start, *bounds = np.array(list(limits.values())).T
        self.bounds = (bounds[0], bounds[1])
        self.end, self.step, self.method, self.tree = end, step, method or hht(), tree
        self.counts = [0, 0]
        self.run = self._simulate(self.start)
        self._wanted = _targets(self.run, wanted, weights or {})

    def residual(self, x: Vector) -> Array:
        """Weighted misfit of every row in which something is wanted; infinite where the run fails."""
        try:
            self.run = self._simulate(np.asarray(x, dtype=float))
        except FlexnetError as error:
            log.info("a run failed and is turned back from: %s", error)
            return np.full(sum(len(one.weights) for one in self._wanted), np.inf)
        return np.concatenate(
            [t.weights * (self.run.channel(t.name)[t.rows] - t.values) for t in self._wanted]
        )

    def jacobian(self, x: Vector) -> Array:
        """Derivatives of the residual by the parameters, (rows, parameters)."""
        self.counts[1] += 1
        named = dict(zip(self.names, map(float, x), strict=True))
        found = sensitivities(
            self.source.build, named, self.end, self.step, self.method, self.tree, self.source.fixed
        )
        parts = [t.weights[:, None] * found.channel(t.name)[:, t.rows].T for t in self._wanted]
        return np.concatenate(parts)

    def value(self, x: Vector) -> float:
        """Half the sum of squares, for searches without derivatives; infinite out of bounds."""
        if np.any(np.asarray(x) < self.bounds[0]) or np.any(np.asarray(x) > self.bounds[1]):
            return np.inf
        r = self.residual(x)
        return float(0.5 * r @ r)

    def fit(self, tolerance: float = 1e-10, most: int = 50) -> Fit:
        """Find the parameters of least misfit, by Gauss-Newton steps in a region of trust.

        Parameters
        ----------
        tolerance : relative change of the misfit and of the parameters below which the search ends.
        most : runs at most.
        """
        width = 0.5 * (self.bounds[1] - self.bounds[0])
        own = np.where(self.start != 0, np.abs(self.start), 1.0)
        sizes = np.where(np.isfinite(width), width, own)
        found = scipy.optimize.least_squares(
            self.residual, self.start, self.jacobian, self.bounds, "dogbox", tolerance, tolerance, 1e-15,
            x_scale=sizes, max_nfev=most,
        )  # fmt: skip
        left = self.residual(found.x)
        named = dict(zip(self.names, map(float, found.x), strict=True))
        rms = float(np.sqrt(np.mean(left**2)))
        return Fit(named, rms, (self.counts[0], self.counts[1]), self.run, str(found.message))

    def _simulate(self, x: Array) -> Run:
        self.counts[0] += 1
        system = self.source.system(dict(zip(self.names, map(float, x), strict=True)))
        # as closely as sensitivities solve it
        return simulate(formulate(system, self.tree), self.end, self.step, self.method, newton=1e-10)


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """What is wanted of one channel: at which rows, which values, how much it counts."""

    name: str
    rows: IntArray
    values: Array
    weights: Array


def _limits(name: str, given: Any) -> tuple[float, float, float]:
    """Start, least and largest value of a parameter."""
    what = f"parameter {name!r}"
    several = tuple(given) if isinstance(given, list | tuple | np.ndarray) else (given, -np.inf, np.inf)
    if len(several) != 3:
        raise ModelError(f"{what} is {shown(given)}; expected a start, or a start, least and largest value")
    start, least, largest = number(several[0], what), float(several[1]), float(several[2])
    if not least <= start <= largest or least == largest:
        raise ModelError(f"{what} starts at {start:g}, which is not within {least:g} to {largest:g}")
    return start, least, largest


def _targets(run: Run, wanted: Mapping[str, Any], weights: Mapping[str, float]) -> list[_Target]:
    """Rows and values, channel by channel."""
    known = [channel.name for channel in run.equations.system.channels]
    for name in (*wanted, *weights):
        if name not in known:
            raise ResultError(f"the run has no channel {name!r}{nearest(name, known)}")
    out = []
    for name, given in wanted.items():
        values = np.asarray(given(run.t) if callable(given) else given, dtype=float)
        if values.shape not in ((), run.t.shape):
            raise ResultError(
                f"wanted of {name!r} has the shape {values.shape}; the run has {len(run.t)} rows"
            )
        values = np.broadcast_to(values, run.t.shape)
        rows = np.flatnonzero(np.isfinite(values))
        weight = number(weights.get(name, 1.0), f"weight of {name!r}", at_least=0.0)
        out.append(_Target(name, rows, values[rows], np.full(len(rows), weight)))
    if not any(len(one.rows) for one in out):
        raise ResultError("nothing is wanted of any channel")
    return out
