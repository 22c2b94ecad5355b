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
q₁' = d/dε [(q + ε q') ⊕ (dq + ε dq')]. Derivatives of the residual are central differences at three steps,
extrapolated (error ε⁶); r is linear in v̇₁ and λ₁ and nearly quadratic in velocities, so that what is left
for ε = 3·10⁻³ of a size is round-off. Steps are first solved to round-off from where the corrector left them:
differences of runs see what it left, derivatives need not. The parameter is moved by building the model anew;
its packed numbers are all that may change.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.analysis import Run, simulate
from flexnet.analysis.channels import ChannelReader
from flexnet.errors import ModelError, ResultError
from flexnet.formulation import Equations, State, formulate, snapshot
from flexnet.integrators import Settings, begin, hht
from flexnet.integrators.alpha import Alpha
from flexnet.studies.job import structure_of
from flexnet.studies.source import Source, read_source
from flexnet.system import System
from flexnet.typing import Array
from flexnet.validation import nearest, number

#: part of a size by which it is moved, and of a parameter: the start it moves is assembled to a tolerance
PART, FAR = 3e-3, 2e-2
#: steps of a difference, in parts, and their weights: central differences at 1, ½ and ¼, extrapolated
#: by how much differences far and near may differ, as a part of them and of what is differentiated
_SMOOTH, _NOISE = 0.05, 1e-7
#: what is left of a difference of the third or fifth order at half the way: 0.2, 0.06; of a jump 0, ⅔ or 2
_SHRINKS = 0.04, 0.4
#: corrections of a step until nothing is gained
_MOST = 12
_STEPS = ((1.0, 1 / 90), (-1.0, -1 / 90), (0.5, -4 / 9), (-0.5, 4 / 9), (0.25, 128 / 45), (-0.25, -128 / 45))


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
        If a parameter is unknown, or changes trees, rows or laws; if the model has events, delayed signals or
        forces that follow accelerations or loads of joints.
    """
    scheme = method or hht()
    if scheme.index != 3:
        raise ModelError(f"{scheme.name} cannot be differentiated; take an α-method at position level")
    source, values = (
        read_source(build, fixed),
        {k: number(x, f"parameter {k!r}") for k, x in parameters.items()},
    )
    source.check(tuple(values))
    equations = formulate(source.system(values), tree)
    _refuse(equations)
    run = simulate(equations, end, step, scheme, newton=newton)
    marches = Settings(step, end, newton=newton)
    moved = [_Moved.along(source, values, name, equations, tree) for name in values]
    step_of = _Step(equations, scheme, step)
    found = [_Line(step_of, run, m, marches) for m in moved]
    base = march(step_of, run, found)
    state = tuple(np.array([getattr(line, key) for line in found]) for key in ("q", "v", "a", "lam"))
    channels = _channels(run, base, moved, state)
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


@dataclass(frozen=True, slots=True, eq=False)
class _Moved:
    """The equations at values of one parameter around its own.

    Attributes
    ----------
    name, size : of the parameter, and by which it is moved.
    equations : at the places of :data:`_STEPS`.
    """

    name: str
    size: float
    equations: tuple[Equations, ...]

    @classmethod
    def along(
        cls, source: Source, values: Mapping[str, float], name: str, here: Equations, tree: str
    ) -> "_Moved":
        size = FAR * (abs(values[name]) or 1.0)
        made = []
        for s, _ in _STEPS:
            one = formulate(source.system({**values, name: values[name] + s * size}), tree)
            if structure_of(one) != structure_of(here):
                raise ModelError(
                    f"parameter {name!r} changes trees, rows or laws; a run cannot be differentiated"
                )
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
        out: Array = np.array([w for _, w in _STEPS]) @ found / self.size
        return out


def _directional(f: Callable[[float], Array], size: float) -> Array:
    """Derivative at zero of a function of one number that is moved by ``size``."""
    out: Array = sum((w * f(s * size) for s, w in _STEPS), start=np.zeros(())) / size
    return out


@dataclass(slots=True, eq=False)
class _Trial:
    """Where a step leads: q₁, v₁, v̇₁, λ₁ and the time; z and ż are the last of v and v̇."""

    t: float
    q: Array
    v: Array
    a: Array
    lam: Array


class _Step:
    """One step of the α-method as a function of the state before it and of v̇₁, λ₁."""

    def __init__(self, equations: Equations, method: Alpha, h: float) -> None:
        self.e, self.method, self.h = equations, method, h
        part = (1 - method.alpha_f) / (1 - method.alpha_m)
        self.c_q, self.c_v = h * h * method.beta * part, h * method.gamma * part
        dae = equations.dae()
        self.sizes, self.weights, self.n = dae.sizes, dae.weights, dae.n_v
        # what moves a coordinate by its size over a step, and a state, which has no place in q, by its own
        self.moves = self.sizes / np.where(np.arange(self.n) < equations.n_v, self.c_q, self.c_v)
        self.row_scale = np.concatenate([np.ones(self.n), np.full(equations.m, 1.0 / self.c_q)])

    def algorithmic(self, a: Array, vdot: Array, vdot1: Array) -> Array:
        """a₁ by (1); linear, so of derivatives too."""
        m = self.method
        out: Array = ((1 - m.alpha_f) * vdot1 + m.alpha_f * vdot - m.alpha_m * a) / (1 - m.alpha_m)
        return out

    def increments(self, v: Array, a: Array, a1: Array) -> tuple[Array, Array]:
        """Way dq and change of v over the step; linear."""
        m, h = self.method, self.h
        return h * v + h * h * ((0.5 - m.beta) * a + m.beta * a1), h * ((1 - m.gamma) * a + m.gamma * a1)

    def lead(self, t1: float, q: Array, dq: Array) -> Array:
        """q₁, its counted angles brought up."""
        return self.e.count(self.e.compose(q, dq[: self.e.n_v]), t1)

    def residual(self, e: Equations, x: _Trial) -> Array:
        """Residual r and constraints Φ, one after the other."""
        return np.concatenate(e.residual(State(x.t, x.q, x.v[: e.n_v], x.v[e.n_v :]), x.a, x.lam))

    def rate_of_states(self, v: Array, a: Array, vdot: Array, v1: Array) -> Array:
        """Rates ż₁ with which (1) leads from z to z₁, the last of v and v₁: runs do not record them."""
        m, last = self.method, slice(self.e.n_v, None)
        a1 = ((v1 - v)[last] / self.h - (1 - m.gamma) * a[last]) / m.gamma
        out: Array = ((1 - m.alpha_m) * a1 + m.alpha_m * a[last] - m.alpha_f * vdot[last]) / (1 - m.alpha_f)
        return out

    def largest(self, q: Array, way: Array, dv: Array) -> float:
        """Largest of derivatives of q, of the way and of v over a step, in sizes."""
        n = self.e.n_v
        parts = np.abs(q) / self.e.q_sizes, np.abs(way / self.sizes)[:n], self.h * np.abs(dv / self.sizes)[:n]
        return float(np.concatenate([*parts, np.abs(dv / self.sizes)[n:]]).max(initial=0.0))

    def matrix(self, t1: float, q: Array, dq: Array, x: _Trial) -> Array:
        """The matrix of (2), (n + m, n + m)."""
        n, m = self.n, self.e.m
        _, G = self.e.mass_and_jacobian(x.q, t1)
        J = np.zeros((n + m, n + m))
        J[: self.e.n_v, n:] = G.T
        for j, size in enumerate(self.moves):
            unit = np.zeros(n)
            unit[j] = 1.0

            def along(s: float, unit: Array = unit) -> Array:
                q1 = self.lead(t1, q, dq + s * self.c_q * unit)
                moved = _Trial(t1, q1, x.v + s * self.c_v * unit, x.a + s * unit, x.lam)
                return self.residual(self.e, moved)

            J[:, j] = _directional(along, PART * size)
        return J

    def solve(
        self, q: Array, v: Array, a: Array, vdot: Array, x: _Trial, J: Array | None
    ) -> tuple[Array, Array]:
        """Solve a step to round-off from a trial near its end, which is brought there.

        Returns
        -------
        dq, J : the way (n_v,), and the matrix of (2) at the end.
        """
        n, d = self.n, self.weights
        # the rows of the constraints are those of Φ/c_q, as in the corrector
        rows = d * self.row_scale
        before = np.inf
        for _ in range(_MOST):
            dq, dv = self.increments(v, a, self.algorithmic(a, vdot, x.a))
            x.q, x.v = self.lead(x.t, q, dq), v + dv
            if J is None:
                J = self.matrix(x.t, q, dq, x)
            dx = np.linalg.solve(rows[:, None] * J * d, -rows * self.residual(self.e, x))
            largest = np.abs(dx).max()
            if not largest < 0.5 * before:
                break
            before = largest
            x.a, x.lam = x.a + (d * dx)[:n], x.lam + (d * dx)[n:]
        return dq, self.matrix(x.t, q, dq, x)


class _Line:
    """Derivatives along one parameter, row by row."""

    def __init__(self, step: _Step, run: Run, moved: _Moved, settings: Settings) -> None:
        rows, e = len(run.t), step.e
        self.moved = moved
        self.q, self.v = np.zeros((rows, e.n_q)), np.zeros((rows, step.n))
        self.a, self.lam = np.zeros((rows, step.n)), np.zeros((rows, e.m))

        def start(one: Equations) -> Array:
            y = _started(one, step.method, settings)
            first = one.initial
            return np.concatenate([first.q, first.v, one.z_of(first), y.v, y.a, y.vdot, y.lam])

        parts = np.split(moved.derivative(start), np.cumsum([e.n_q, *4 * [step.n]]))
        self.q[0], self.v[0], self.v_step, self.algorithmic, self.a[0], self.lam[0] = parts

    def right_side(self, step: _Step, q: Array, dq: Array, x: _Trial, k: int) -> Array:
        """-(∂r/∂y · y' + ∂r/∂p) at v̇₁' = 0, λ₁' = 0."""
        a1 = step.algorithmic(self.algorithmic, self.a[k], np.zeros_like(self.a[k]))
        way, change = step.increments(self.v_step, self.algorithmic, a1)
        dv = self.v_step + change

        def along(s: float) -> Array:
            q1 = step.lead(x.t, q + s * self.q[k], dq + s * way)
            return step.residual(step.e, _Trial(x.t, q1, x.v + s * dv, x.a, x.lam))

        e, fastest = step.e, step.largest(self.q[k], way, dv)
        own = _directional(along, PART / fastest) if fastest > 0 else 0.0
        # the residual of a solved step is the round-off of its terms
        terms = float(
            np.abs(step.residual(e, _Trial(x.t, x.q, x.v, 0.0 * x.a, 0.0 * x.lam))).max(initial=0.0)
        )
        out: Array = -(own + self.moved.derivative(lambda one: step.residual(one, x), terms))
        return out

    def advance(self, step: _Step, q: Array, dq: Array, t1: float, solved: Array, k: int) -> None:
        """Take v̇₁' and λ₁' over, and what follows from them."""
        self.a[k + 1], self.lam[k + 1] = solved[: step.n], solved[step.n :]
        a1 = step.algorithmic(self.algorithmic, self.a[k], self.a[k + 1])
        way, change = step.increments(self.v_step, self.algorithmic, a1)
        size = max(step.largest(self.q[k], way, 0.0 * way), 1e-300)
        self.q[k + 1] = _directional(lambda s: step.lead(t1, q + s * self.q[k], dq + s * way), PART / size)
        self.v_step = self.v_step + change
        self.v[k + 1], self.algorithmic = self.v_step, a1


def _started(e: Equations, method: Alpha, settings: Settings) -> Any:
    """State of the method at the start."""
    march: Any = begin(e.dae(), method, settings)
    return march.state


def march(step: _Step, run: Run, lines: Sequence[_Line] = ()) -> tuple[Array, ...]:
    """Solve every step to round-off, and (2) for all parameters; returns q, v, v̇ and λ, (rows, ·) each.

    States are the last of v, their rates, of which those at the start are the method's, the last of v̇.
    """
    y = _started(step.e, step.method, Settings(step.h, float(run.t[-1])))
    q, v, a, vdot = y.q.copy(), y.v.copy(), y.a.copy(), y.vdot.copy()
    columns = [run[f"state/{key}"] for key in ("q", "v", "a", "lambda", "z")]
    states = [columns[0].copy(), np.hstack([columns[1], columns[4]]), columns[2], columns[3].copy()]
    n, J, d = step.e.n_v, None, step.weights
    states[2] = np.hstack([columns[2], np.tile(vdot[n:], (len(run.t), 1))])
    for k, t1 in enumerate(run.t[1:]):
        x = _Trial(float(t1), *(column[k + 1] for column in states))
        x.a[n:] = step.rate_of_states(v, a, vdot, x.v)
        dq, J = step.solve(q, v, a, vdot, x, J)
        if lines:
            b = np.array([line.right_side(step, q, dq, x, k) for line in lines])
            rows = (d * step.row_scale)[:, None]
            solved = d[:, None] * np.linalg.solve(rows * J * d, rows * b.T)
            for line, column in zip(lines, solved.T, strict=True):
                line.advance(step, q, dq, x.t, column, k)
        q, v, a, vdot = x.q, x.v, step.algorithmic(a, vdot, x.a), x.a
        for column, value in zip(states, (x.q, x.v, x.a, x.lam), strict=True):
            column[k + 1] = value
    return tuple(states)


def _channels(
    run: Run, base: tuple[Array, ...], moved: Sequence[_Moved], state: tuple[Array, ...]
) -> dict[str, Array]:
    """Derivatives of the channels: along the states, and by the parameter where they stay."""
    names = [channel.name for channel in run.equations.system.channels]

    def read(e: Equations, columns: Sequence[Array]) -> Array:
        found = ChannelReader(e).read(e.system.channels, snapshot(e, run.t, *columns))
        return np.array([found[name] for name in names])

    out: dict[str, list[Array]] = {name: [] for name in names}
    for k, one in enumerate(moved):
        lines, e = [s[k] for s in state], run.equations
        z = np.abs(lines[1][:, e.n_v :]) / e.states.sizes(e.scale)
        size = max(float((np.abs(lines[0]) / e.q_sizes).max(initial=0.0)), z.max(initial=0.0), 1e-300)

        def along(s: float, lines: Sequence[Array] = lines) -> Array:
            return read(run.equations, [x + s * dx for x, dx in zip(base, lines, strict=True)])

        fixed = one.derivative(lambda e: read(e, base).ravel()).reshape(len(names), -1)
        both = _directional(along, PART / size) + fixed
        for name, row in zip(names, both, strict=True):
            out[name].append(row)
    return {name: np.array(rows) for name, rows in out.items()}
