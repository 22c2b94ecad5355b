"""A step of the α-method and its derivatives along parameters.

Equations (1) and (2) are those of :mod:`flexnet.studies.sensitivity`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.analysis import Run
from flexnet.formulation import Equations, State
from flexnet.formulation.residuals import Residuals, residual_at
from flexnet.integrators import Settings, begin
from flexnet.integrators.alpha import Alpha
from flexnet.studies.differences import PART, PLACES, WEIGHTS, Moved
from flexnet.typing import Array

#: corrections of a step until nothing is gained
_MOST = 12


@dataclass(slots=True, eq=False)
class Trial:
    """Where a step leads: q₁, v₁, v̇₁, λ₁ and the time; z and ż are the last of v and v̇."""

    t: float
    q: Array
    v: Array
    a: Array
    lam: Array


class Step:
    """One step of the α-method as a function of the state before it and of v̇₁, λ₁."""

    def __init__(self, equations: Equations, method: Alpha, h: float) -> None:
        self.e, self.method, self.h = equations, method, h
        self.residuals = Residuals(equations.handle, equations.counts_turns)
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

    def beyond(self, t1: float, q: Array, dq: Array, v: Array, a: Array, lam: Array) -> tuple[Array, Array]:
        """q₁, its counted angles brought up, and r and Φ there, at many ends of the step, a row each."""
        rows = len(q)
        a, lam = (np.tile(x, (rows, 1)) if x.ndim == 1 else x for x in (a, lam))
        way, e = np.ascontiguousarray(dq[:, : self.e.n_v]), self.e
        ends, found = self.residuals.beyond(t1, q, way, v, a, lam)
        if not (good := np.isfinite(found).all(axis=1)).all():
            k = int(np.argmin(good))
            self.residual(e, Trial(t1, ends[k], v[k], a[k], lam[k]))
        return ends, found

    def residual(self, e: Equations, x: Trial) -> Array:
        """Residual r and constraints Φ, one after the other."""
        found = residual_at(e.handle, x.t, x.q, x.v, x.a, x.lam)
        if not np.isfinite(found).all():  # the law that gave no number is named
            e.residual(State(x.t, x.q, x.v[: e.n_v], x.v[e.n_v :]), x.a, x.lam)
        return found

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

    def matrix(self, t1: float, q: Array, dq: Array, x: Trial) -> Array:
        """The matrix of (2), (n + m, n + m)."""
        n, m = self.n, self.e.m
        _, G = self.e.mass_and_jacobian(x.q, t1)
        J = np.zeros((n + m, n + m))
        J[: self.e.n_v, n:] = G.T
        # (coordinate, step of the difference): each moved alone
        sizes = PART * self.moves
        moves = (sizes[:, None] * PLACES)[:, :, None] * np.eye(n)[:, None]
        moves = moves.reshape(-1, n)
        here = np.tile(q, (len(moves), 1)), dq + self.c_q * moves
        _, found = self.beyond(t1, *here, x.v + self.c_v * moves, x.a + moves, x.lam)
        J[:, :n] = (np.einsum("s,jsi->ji", WEIGHTS, found.reshape(n, len(PLACES), -1)) / sizes[:, None]).T
        return J

    def solve(
        self, q: Array, v: Array, a: Array, vdot: Array, x: Trial, J: Array | None
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
            x.v = v + dv
            (x.q,), (left,) = self.beyond(x.t, q[None], dq[None], x.v[None], x.a, x.lam)
            if J is None:
                J = self.matrix(x.t, q, dq, x)
            dx = np.linalg.solve(rows[:, None] * J * d, -rows * left)
            largest = np.abs(dx).max()
            if not largest < 0.5 * before:
                break
            before = largest
            x.a, x.lam = x.a + (d * dx)[:n], x.lam + (d * dx)[n:]
        return dq, self.matrix(x.t, q, dq, x)


class Line:
    """Derivatives along one parameter, row by row."""

    def __init__(self, step: Step, run: Run, moved: Moved, settings: Settings) -> None:
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

    def ways(self, step: Step, k: int, vdot1: Array) -> tuple[Array, Array, Array]:
        """Derivatives of a₁, of the way and of the change of v, for that of v̇₁."""
        a1 = step.algorithmic(self.algorithmic, self.a[k], vdot1)
        return a1, *step.increments(self.v_step, self.algorithmic, a1)


def right_sides(lines: Sequence[Line], step: Step, q: Array, dq: Array, x: Trial, k: int) -> Array:
    """-(∂r/∂y · y' + ∂r/∂p) at v̇₁' = 0, λ₁' = 0 of every line, (lines, n + m)."""
    moved = [line.ways(step, k, np.zeros(step.n)) for line in lines]
    ways, rates = np.array([way for _, way, _ in moved]), np.array([line.v_step for line in lines])
    rates += [change for _, _, change in moved]
    fastest = [step.largest(line.q[k], way, dv) for line, way, dv in zip(lines, ways, rates, strict=True)]
    found = _along(step, x, (q, dq, x.v), (np.array([line.q[k] for line in lines]), ways, rates), fastest)[1]
    # the residual of a solved step is the round-off of its terms
    still = step.residual(step.e, Trial(x.t, x.q, x.v, 0.0 * x.a, 0.0 * x.lam))
    terms = float(np.abs(still).max(initial=0.0))
    own = [line.moved.derivative(lambda one: step.residual(one, x), terms) for line in lines]
    return -(found + np.array(own))


def advance(lines: Sequence[Line], step: Step, q: Array, dq: Array, x: Trial, solved: Array, k: int) -> None:
    """Take v̇₁' and λ₁' of every line over, (lines, n + m), and what follows from them."""
    ways = []
    for line, column in zip(lines, solved, strict=True):
        line.a[k + 1], line.lam[k + 1] = column[: step.n], column[step.n :]
        a1, way, change = line.ways(step, k, line.a[k + 1])
        ways.append(way)
        line.v_step, line.algorithmic = line.v_step + change, a1
        line.v[k + 1] = line.v_step
    fastest = [step.largest(line.q[k], way, 0.0 * way) for line, way in zip(lines, ways, strict=True)]
    slopes = np.array([line.q[k] for line in lines]), np.array(ways), np.zeros((len(lines), step.n))
    for line, slope in zip(lines, _along(step, x, (q, dq, x.v), slopes, fastest)[0], strict=True):
        line.q[k + 1] = slope


def _along(
    step: Step, x: Trial, place: tuple[Array, ...], slopes: tuple[Array, ...], fastest: Sequence[float]
) -> tuple[Array, Array]:
    """Derivatives of q₁ and of r and Φ along slopes of q, of the way and of v₁, a line each; 0 along none."""
    speeds = np.array(fastest)
    sizes = PART / np.where(speeds > 0.0, speeds, 1.0)
    moves = sizes[:, None] * PLACES  # (line, step of the difference)
    q, dq, v = (
        (at + moves[:, :, None] * slope[:, None]).reshape(-1, len(at))
        for at, slope in zip(place, slopes, strict=True)
    )
    ends, found = step.beyond(x.t, q, dq, v, x.a, x.lam)
    weights = np.where(speeds > 0.0, 1.0 / sizes, 0.0)[:, None] * WEIGHTS
    shape = len(speeds), len(PLACES), -1
    led, left = (np.einsum("ls,lsi->li", weights, y.reshape(shape)) for y in (ends, found))
    return led, left


def _started(e: Equations, method: Alpha, settings: Settings) -> Any:
    """State of the method at the start."""
    march: Any = begin(e.dae(), method, settings)
    return march.state


def march(step: Step, run: Run, lines: Sequence[Line] = ()) -> tuple[Array, ...]:
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
        x = Trial(float(t1), *(column[k + 1] for column in states))
        x.a[n:] = step.rate_of_states(v, a, vdot, x.v)
        dq, J = step.solve(q, v, a, vdot, x, J)
        if lines:
            b = right_sides(lines, step, q, dq, x, k)
            rows = (d * step.row_scale)[:, None]
            solved = d[:, None] * np.linalg.solve(rows * J * d, rows * b.T)
            advance(lines, step, q, dq, x, solved.T, k)
        q, v, a, vdot = x.q, x.v, step.algorithmic(a, vdot, x.a), x.a
        for column, value in zip(states, (x.q, x.v, x.a, x.lam), strict=True):
            column[k + 1] = value
    return tuple(states)
