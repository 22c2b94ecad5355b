"""Sensitivities of a run with respect to parameters: the derivative of every step of the α-method.

With a prime for d/dp, a step from (q, v, a, v̇) to (q₁, v₁, a₁, v̇₁, λ₁), as in the page of the loop
(:mod:`flexnet.integrators.alpha_loop`), gives, differentiated,

    (1 - αm) a₁' = (1 - αf) v̇₁' + αf v̇' - αm a'                                                  (1)

    [ ∂r/∂x₁   Gᵀ ] [ v̇₁' ]       [ ∂r/∂y · y' + ∂r/∂p ]
    [ ∂Φ/∂x₁   0  ] [ λ₁' ]  =  -  [ ∂Φ/∂y · y' + ∂Φ/∂p ]                                         (2)

where ∂/∂x₁ is the derivative by v̇₁ through q₁ and v₁ too, and y the state before the step. So the derivative
is that of the numbers that the scheme gives, not of the motion they approximate. The start is differentiated
as a whole: assembly, accelerations, and what the method makes of them. First-order states z of controllers
and networks are, as in the loop, the last of v, their rates the last of v̇, and their rows the last of r.

q' is the derivative of the numbers in q, so that a quaternion needs no chart:
q₁' = d/dε [(q + ε q') ⊕ (dq + ε dq')]. Derivatives of the residual are differences that are taken as near as
the laws need (:mod:`flexnet.integrators.tangent_differences`). Steps are first solved to round-off from where
the corrector left them: differences of runs see what it left, derivatives need not. Where the end is no whole
number of steps, the shorter ones to it begin where the method moves a and v, and that is differentiated, too.
The parameter is moved by building the model anew; its packed numbers are all that may change.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.analysis import Run, simulate
from flexnet.analysis.channels import ChannelReader
from flexnet.errors import ModelError, ResultError
from flexnet.formulation import Equations, formulate, snapshot
from flexnet.integrators import Settings, hht
from flexnet.integrators.alpha import Alpha
from flexnet.studies.differences import APART_BY, Moved
from flexnet.studies.differentiated import differentiate
from flexnet.studies.source import read_source
from flexnet.system import System
from flexnet.typing import Array
from flexnet.units import NUMBER, Dimension
from flexnet.validation import nearest, number


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivities:
    """A run and its derivatives.

    Attributes
    ----------
    run : the motion.
    parameters : by which it was differentiated.
    channels : derivatives of the channels, (parameters, rows) each.
    q, v, a, lam : (parameters, rows, ·) derivatives of configuration, velocity, v̇ and multipliers;
        first-order states are the last of v, their rates the last of v̇.
    """

    run: Run
    parameters: tuple[str, ...]
    channels: Mapping[str, Array]
    q: Array
    v: Array
    a: Array
    lam: Array

    def __repr__(self) -> str:
        return f"{self.run!r}\ndifferentiated by: {', '.join(self.parameters)}"

    def channel(self, name: str) -> Array:
        """Derivatives of a channel, (parameters, rows), in its unit over that of the parameter."""
        if name not in self.channels:
            raise ResultError(f"the run has no channel {name!r}{nearest(name, self.channels)}")
        return self.channels[name]


def sensitivities(
    build: Callable[..., System] | str | Path,
    parameters: Mapping[str, float],
    end: float,
    step: float,
    method: Alpha | None = None,
    tree: str = "default",
    fixed: Mapping[str, Any] | None = None,
    newton: float = 1e-10,
) -> Sensitivities:
    """Run a model and differentiate the run by parameters of ``build``.

    Parameters
    ----------
    build : function that returns a System, or a case file.
    parameters : their values, by name; numbers that do not change the structure of the model.
    end, step : of the run, s; the step is fixed.
    method : HHT-α if left out; any α-method with constraints at position level.
    tree : name of a tree rule.
    fixed : further parameters of ``build``.
    newton : error the corrector may leave.

    Raises
    ------
    ModelError
        If there is no parameter, or one is unknown, or changes trees, rows or laws; if the model has events,
        delayed signals or forces that follow accelerations or loads of joints.
    """
    scheme = method or hht()
    if scheme.index != 3:
        raise ModelError(f"{scheme.name} cannot be differentiated; take an α-method at position level")
    source, values = (
        read_source(build, fixed),
        {k: number(x, f"parameter {k!r}") for k, x in parameters.items()},
    )
    if not values:
        raise ModelError("a run is differentiated by at least one parameter; none is given")
    source.check(tuple(values))
    equations = formulate(source.system(values), tree)
    _refuse(equations)
    run = simulate(equations, end, step, scheme, newton=newton)
    moved = [Moved(source, values, tree, name, equations) for name in values]
    for one in moved:
        one.come_nearer()
    found = differentiate(run, scheme, Settings(step, end, newton=newton), moved)
    state = found.tangents[:4]
    channels = _channels(run, found.rows[1:], moved, state)
    return Sensitivities(run, tuple(values), channels, *state)


def _refuse(equations: Equations) -> None:
    """Refuse what (2) knows nothing of: events, what was before the last step, loads that act."""
    what = f"a run of {equations.system.name!r} cannot be differentiated: "
    remedy = "; take differences of runs"
    if equations.system.events:
        raise ModelError(f"{what}events change it, such as {equations.system.events[0].name!r}{remedy}")
    if equations.system.delays:
        raise ModelError(f"{what}signal {next(iter(equations.system.delays))!r} is delayed{remedy}")
    if equations.is_coupled:
        raise ModelError(f"{what}forces follow accelerations or loads of joints{remedy}")


def _channels(
    run: Run, base: tuple[Array, ...], moved: Sequence[Moved], state: tuple[Array, ...]
) -> dict[str, Array]:
    """Derivatives of the channels: along the parameter, the states with it.

    In one difference, not by the states and by the parameter apart: the larger of two sides of a node, which
    are equal along the motion, is one of them in the one and may be the other in the other.
    """
    names, floors = [channel.name for channel in run.equations.system.channels], _sizes(run)
    out: dict[str, list[Array]] = {name: [] for name in names}
    for k, one in enumerate(moved):
        lines = [s[k] for s in state]

        def read(e: Equations, by: float, lines: Sequence[Array] = lines) -> list[Array]:
            columns = [x + by * dx for x, dx in zip(base, lines, strict=True)]
            found = ChannelReader(e).read(e.system.channels, snapshot(e, run.t, *columns))
            return [np.asarray(found[name]) for name in names]

        best, gaps, _ = one.differences(read, floors)
        own = abs(one.values[one.name]) or 1.0
        for name, found, gap, size in zip(names, best, gaps, floors, strict=True):
            if gap.max(initial=0.0) > APART_BY * max(np.abs(found).max(initial=0.0), size / own):
                one.refuse()
            out[name].append(found)
    return {name: np.array(rows) for name, rows in out.items()}


def _sizes(run: Run) -> list[float]:
    """Sizes of the channels: the largest of those that measure the same, at least the unit of the model."""
    e, found = run.equations, dict[Dimension, float]()
    units = np.array([e.scale.length, e.scale.mass, e.scale.time])
    known = [(c, c.measure.dimension or NUMBER) for c in e.system.channels]
    for c, measured in known:
        own = float(np.abs(run.channel(c.name)).max(initial=0.0)) / c.factor
        found[measured] = max(own, found.get(measured, float(np.prod(units ** np.array(measured)))))
    return [found[measured] * c.factor for c, measured in known]
