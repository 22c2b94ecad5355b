"""Run a DAE through time with an α-method; the loop itself is compiled."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple

import numpy as np

from flexnet.dae import Counting, Dae
from flexnet.errors import FlexnetError
from flexnet.integrators import alpha_loop as loop
from flexnet.integrators import alpha_state
from flexnet.integrators.absent import NO_COUNTING
from flexnet.integrators.alpha import Alpha
from flexnet.integrators.alpha_projection import NEAR
from flexnet.integrators.elimination import plan_elimination
from flexnet.integrators.schedule import Schedule
from flexnet.integrators.status import Outcome, Status
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import is_cached, specialise
from flexnet.typing import Array
from flexnet.validation import number, whole

#: change of v̇ by dampers within a step that makes it a transient
STIFF = 0.8
#: h ω of the fastest mode up to which a step follows it, and noise in it dies out by itself
RESOLVED = 1.0
#: part of a step by which a row comes before the end, at least
NEAR_END = 0.1

_MEMORY = ("a", "vdot", "lam", "vdot_old", "lam_old", "vdot_older", "lam_older", "offset", "clock", "counts")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to step.

    Attributes
    ----------
    step : fixed step, or first step of an adaptive run, s.
    end : time to reach, s; where it is no whole number of steps, the last ones are shorter.
    interval : time between output rows, s; every step if None.
    tolerance : wanted error of the positions at the end, over the sizes of the coordinates (rad, and the
        length of the model); None for a fixed step.
    newton : largest error of a position that the corrector leaves, over the size of its coordinate.
    project : project velocities on G v + Φ_t = 0 after every step.
    smallest, largest : bounds of an adaptive step, s.
    block : output rows between two writes to disk, at least; chosen if None.
    """

    step: float
    end: float
    interval: float | None = None
    tolerance: float | None = None
    newton: float = 1e-10
    project: bool = False
    smallest: float = 0.0
    largest: float = np.inf
    block: int | None = None

    def __post_init__(self) -> None:
        for name in ("step", "end", "interval", "tolerance", "newton"):
            value = getattr(self, name)
            if value is not None or name in ("step", "end", "newton"):
                number(value, f"the {name} of a run")
        if self.block is not None:
            whole(self.block, "the block of a run", 1)
        if not self.step > 0:
            raise FlexnetError(f"the step must be positive, got {self.step} s")
        if not self.newton > 0:
            raise FlexnetError(f"the error left by the corrector must be positive, got newton={self.newton}")
        if self.tolerance is not None and not self.tolerance > 0:
            raise FlexnetError(f"the tolerance must be positive, got {self.tolerance}")
        if self.interval is not None and not self.interval > 0:
            raise FlexnetError(f"the output interval must be positive, got {self.interval} s")
        if not self.end >= 0:
            raise FlexnetError(f"the end of a run must not be negative, got {self.end} s")
        spacing = self.interval or (self.step if self.tolerance is None else 0.0)
        if 0 < self.end < (1 - 1e-6) * spacing:
            raise FlexnetError(f"output rows {spacing:g} s apart do not fit a run of {self.end:g} s")

    @property
    def every(self) -> int:
        """Fixed steps between output rows."""
        if self.interval is None or self.tolerance is not None:
            return 1
        every = round(self.interval / self.step)
        if every < 1 or abs(every * self.step - self.interval) > 1e-6 * self.interval:
            raise FlexnetError(
                f"the output interval {self.interval} s is not a multiple of the step {self.step} s"
            )
        return every

    def spacing(self, start: float) -> float:
        """Time between the output rows of a run from ``start``, s."""
        if self.tolerance is None:
            return self.every * self.step
        return self.interval or (self.end - start) / 500

    def schedule(self, start: float, spacing: float | None = None) -> Schedule:
        """Output rows of a run from ``start``; the spacing need not be given where rows end steps."""
        spacing = spacing or self.spacing(start)
        return Schedule(start, self.end, spacing, NEAR_END * min(self.step, spacing))

    @property
    def period(self) -> int:
        """Output rows the compiled loop fills before it returns: at most some seconds of work.

        The loop begins each period with a new matrix, an adaptive one ends it with a step. So the motion
        depends on it, and on no setting of how rows are written; and a run that goes on from the end of
        a period finds the same numbers as one that was never stopped.
        """
        return max(1, min(256, 4096 // self.every)) if self.tolerance is None else 32


class Pace(NamedTuple):
    """Fixed steps: from ``start``, ``every`` of them to a row, the first the one after number ``origin``."""

    start: float
    step: float
    every: int
    origin: int


class Integration:
    """A run that can be advanced block by block.

    Attributes
    ----------
    state : what one step hands to the next (:class:`~flexnet.integrators.alpha_state.State`).
    rows : output rows written so far.
    status : how the run stands.
    """

    def __init__(self, dae: Dae, method: Alpha, settings: Settings) -> None:
        self.dae, self.method, self.settings = dae, method, settings
        self.schedule = settings.schedule(dae.t)
        self.state = alpha_state.make_state(dae.q, dae.v, dae.m)
        self._plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights)
        self._scratch = alpha_state.make_scratch(
            places(dae), dae.sizes, dae.row_sizes, dae.weights, self._plan
        )
        self._handle = alpha_state.handle(self.state, self._scratch)
        self._is_noisy = dae.m > 0 or settings.step * fastest_mode(dae) > RESOLVED
        self.rows = 0
        self.status = Status(Outcome.DONE, dae.t)
        self._begin()

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        return self.schedule.total

    @property
    def memory(self) -> dict[str, Array]:
        """What the next step needs beside q and v; put back by :meth:`restore`."""
        return {name: np.asarray(getattr(self.state, name), dtype=float) for name in _MEMORY}

    def restore(self, q: Array, v: Array, memory: Mapping[str, Array], rows: int) -> None:
        """Go back to where a run stood after so many output rows."""
        self.state.q[:], self.state.v[:] = q, v
        for name in _MEMORY:
            getattr(self.state, name)[:] = memory[name]
        self.rows = rows
        self._report(Outcome.DONE)

    @property
    def t(self) -> float:
        """Time reached, s."""
        return float(self.state.clock[alpha_state.T])

    def start(self) -> alpha_state.Output:
        """The start as one output row."""
        dae = self.dae
        row = (dae.q, dae.v, *self._first, np.zeros(5), np.zeros(2))
        return alpha_state.Output(np.array([dae.t]), *(x[None].copy() for x in row))

    @property
    def is_resumable(self) -> bool:
        """Whether what is remembered now leads on as if the run had never been stopped."""
        return self.rows % self.settings.period == 0 and self.rows <= self.schedule.whole

    def blocks(self) -> Iterator[alpha_state.Output]:
        """Advance to the end; yields blocks of output rows and stops early if a step fails."""
        while self.rows < self.total_rows and self.status.is_done:
            yield self.advance(self.schedule.block(self.rows, self.settings.period))

    def advance(self, rows: int) -> alpha_state.Output:
        """Compute the next so many output rows; fewer come back if a step fails."""
        dae, is_adaptive = self.dae, self.settings.tolerance is not None
        out = alpha_state.make_output(rows, dae.n_q, dae.n_v, dae.m)
        out.t[:] = self.schedule.times(self.rows, rows)
        is_rest = self.rows >= self.schedule.whole and not is_adaptive
        pace = self._last_steps() if is_rest else self._usual_steps()
        usual = loop.run_adaptive if is_adaptive else loop.run_fixed
        function, written = usual, 0
        while written < rows:
            code = self._run(function, alpha_state.Output(*(array[written:] for array in out)), pace)
            written += code // 16
            if code % 16 == alpha_state.DONE:
                function = usual
            elif function is loop.run_fixed:
                function = loop.run_damped
            else:
                break
        if is_rest and written:
            # a sum of steps has round-off
            self.state.clock[alpha_state.T] = out.t[-1] = self.schedule.end
        self.rows += written
        self._report(Outcome(code % 16))
        return alpha_state.Output(*(array[:written] for array in out))

    def _usual_steps(self) -> "Pace":
        s = self.settings
        return Pace(self.schedule.start, s.step, s.every, 0)

    def _last_steps(self) -> "Pace":
        """Equal steps from the last whole row to the end; a and v move to where they expect them.

        That is v̇ + (αm - αf) h v̈ and, across the constraints, h² d of the page of the loop.
        """
        y, usual, method = self.state, self.settings.step, self.method
        step, every = self.schedule.rest(usual)
        if y.counts[alpha_state.HAS_OLD] > 0:
            jerk = (y.vdot - y.vdot_old) / y.clock[alpha_state.H_OLD]
            y.a[:] += (method.alpha_m - method.alpha_f) * (step - usual) * jerk
            if method.index == 3 and not self._projects:
                here = replace(self.dae, q=y.q, v=y.v, t=self.t)
                offset = _offset(here, y.vdot, y.lam, jerk, method.error_constant, self._plan)
                y.v[:] += (step**2 - usual**2) * offset
        return Pace(self.t, step, every, int(y.counts[alpha_state.STEPS]))

    def _run(self, function: Callable[..., int], out: alpha_state.Output, pace: "Pace") -> int:
        """Let a compiled loop fill rows; returns their number times 16, and how it ended."""
        dae = self.dae
        number = int(self.state.counts[alpha_state.STEPS]) - pace.origin
        counting = dae.counting or NO_COUNTING
        arguments = (
            dae.model, counting.model, dae.work, self._handle, self._constants(pace), out, number, pace.every,
        )  # fmt: skip
        run = _compiled(function, dae, counting, self._scratch, arguments)
        return run(
            dae.residual, dae.matrices, dae.compose, dae.rates, dae.power, counting.update, *arguments
        )  # fmt: skip

    def _constants(self, pace: "Pace") -> Array:
        s, a = self.settings, self.method
        span = max(s.end - self.schedule.start, s.step)
        return np.array(
            [
                a.alpha_m, a.alpha_f, a.beta, a.gamma, s.newton, s.tolerance or 0.0, span,
                max(s.smallest, 1e-12 * span), pace.step if s.tolerance is None else min(s.largest, span),
                1.0 if self._projects else 0.0, pace.start,
                alpha_state.POSITION if a.index == 3 else alpha_state.ACCELERATION,
                1.0 if self.dae.loads_do_work else 0.0, 0.0 if self.dae.counting is None else 1.0,
                a.remainder, 1.0 if self._is_noisy else 0.0,
            ]
        )  # fmt: skip

    @property
    def _projects(self) -> bool:
        """Whether velocities are projected; a velocity off its constraints would pass for a local error."""
        return self.settings.project or self.settings.tolerance is not None or self.method.index == 1

    @property
    def _roughness(self) -> float:
        bent, level = self.state.clock[[alpha_state.BENT, alpha_state.LEVEL_REACHED]]
        return float(0.25 * bent / level) if level > 0 and self.settings.tolerance is None else nan

    def _report(self, outcome: Outcome) -> None:
        y = self.state
        failed = outcome is not Outcome.DONE
        self.status = Status(
            outcome,
            float(y.clock[alpha_state.T]),
            self.dae.equations[int(y.counts[alpha_state.WORST])] if failed and self.dae.equations else "",
            float(y.clock[alpha_state.RESIDUAL]) if failed else 0.0,
            int(y.counts[alpha_state.STEPS]),
            int(y.counts[alpha_state.ITERATIONS]),
            int(y.counts[alpha_state.FACTORISATIONS]),
            int(y.counts[alpha_state.REJECTED]),
            float(y.clock[alpha_state.ERROR]),
            roughness=self._roughness,
        )

    def _begin(self) -> None:
        """Consistent v̇ and λ at the start, and a where the method expects it: v̇ + (αm - αf) h v̈."""
        dae, y, h = self.dae, self.state, self.settings.step
        y.clock[alpha_state.T] = dae.t
        y.clock[alpha_state.H] = h
        y.clock[alpha_state.H_OLD] = h
        y.clock[alpha_state.RATE] = 1.0
        if self.settings.tolerance is not None:
            span = self.settings.end - dae.t
            y.clock[alpha_state.H] = min(h, self.settings.largest, max(span, 1e-300))
        vdot, lam = initial_acceleration(dae, dae.t, dae.q, dae.v, self._plan)
        self._first = vdot, lam
        y.vdot[:], y.lam[:] = vdot, lam
        jerk = _jerk(dae, vdot, 0.5 * h, self._plan)
        largest = np.abs(vdot / dae.sizes).max(initial=0.0)
        if h * np.abs(jerk / dae.sizes).max(initial=0.0) > largest:
            slow, slow_lam = _slow_acceleration(dae, vdot, lam, h)
            if np.abs((slow - vdot) / dae.sizes).max() > STIFF * largest:
                # a transient shorter than the step: begin as if it were over
                y.vdot[:], y.lam[:], jerk[:] = slow, slow_lam, 0.0
        shift = self.method.alpha_m - self.method.alpha_f
        y.a[:] = y.vdot + shift * y.clock[alpha_state.H] * jerk
        if self.method.index == 3:
            offset = _offset(dae, vdot, lam, jerk, self.method.error_constant, self._plan)
            if self._projects:
                y.offset[:] = offset
            else:
                y.v[:] = dae.v + h * h * offset
        y.clock[alpha_state.POWER : alpha_state.POWER + 4] = powers(dae, dae.t, dae.q, dae.v, vdot, lam)


def places(dae: Dae) -> Array:
    """Size of every number in q, (n_q,): the largest change by a coordinate that changes by its own."""
    if dae.n_q == dae.n_v:
        return dae.sizes
    # far enough for the number of a quaternion that a small turn leaves alone
    part, out, moved = 2.0, np.zeros(dae.n_q), np.empty(dae.n_q)
    for i, size in enumerate(dae.sizes):
        dq = np.zeros(dae.n_v)
        dq[i] = part * size
        dae.compose(dae.model, dae.q, dq, moved)
        out = np.maximum(out, np.abs(moved - dae.q) / part)
    # a number that no coordinate changes has no round-off to speak of
    return np.where(out > 0.0, out, np.inf)


def fastest_mode(dae: Dae) -> float:
    """Largest frequency at the start of the stiffness that does not depend on the motion, rad/s."""
    n, m = dae.n_v, dae.m
    M, K, G = np.zeros((n, n)), np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, dae.t, dae.q, dae.v, np.zeros(n), np.zeros(m), dae.work, np.zeros(n), np.zeros(m))
    dae.matrices(dae.model, dae.work, 1.0, 0.0, K, G)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    if np.array_equal(M, K):
        return 0.0
    d = dae.weights[:n]
    squares = np.linalg.eigvals(np.linalg.lstsq(d[:, None] * M * d, d[:, None] * (K - M) * d, rcond=1e-13)[0])
    return float(np.sqrt(np.abs(squares).max()))


def powers(dae: Dae, t: float, q: Array, v: Array, vdot: Array, lam: Array) -> Array:
    """Power of drivers, forces, damping and constraints, (4,) W."""
    out, r, phi, rate, acceleration = (np.zeros(k) for k in (4, dae.n_v, dae.m, dae.m, dae.m))
    dae.residual(dae.model, t, q, v, vdot, lam, dae.work, r, phi)
    dae.power(dae.model, q, v, lam, dae.work, out)
    dae.rates(dae.model, v, vdot, dae.work, rate, acceleration)
    out[3] = -lam @ rate
    return out


def is_compiled(is_adaptive: bool) -> bool:
    """Whether the time loop has been compiled on this machine: if not, its first use takes a while."""
    return is_cached(loop.run_adaptive if is_adaptive else loop.run_fixed)


def initial_acceleration(
    dae: Dae, t: float, q: Array, v: Array, plan: sparse_ldl.Plan | None = None
) -> tuple[Array, Array]:
    """Solve M v̇ + Gᵀλ = F, Φ̈ = 0 for v̇ (n_v,) and λ (m,), along a plan of elimination if one is given.

    In a singular position, λ is the smallest that does.
    """
    n, m = dae.n_v, dae.m
    zero, r, phi = np.zeros(n), np.zeros(n), np.zeros(m)
    rate, bias = np.zeros(m), np.zeros(m)
    M, G = np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, t, q, v, zero, np.zeros(m), dae.work, r, phi)
    dae.rates(dae.model, v, zero, dae.work, rate, bias)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    b = -np.concatenate([r, bias])
    if not np.all(np.isfinite(b)):
        raise FlexnetError("the forces at the start are not numbers; look at the user's laws")
    x = _solve(dae, M, G, b, plan)
    return x[:n], x[n:]


def _solve(dae: Dae, M: Array, G: Array, b: Array, plan: sparse_ldl.Plan | None) -> Array:
    """Solve [M Gᵀ; G 0] x = b, along a plan where its pivots allow; else the smallest x that does."""
    m, n = G.shape
    if plan is not None and len(plan.order):
        values, x = np.zeros(n + m + len(plan.rows)), b.copy()
        sparse_ldl.gather(plan, M, G, values)
        if sparse_ldl.factor(plan, values) > 1e-12:
            sparse_ldl.solve(plan, values, x, np.zeros(n + m))
            return x
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
    return smallest_solution(dae, A, b)


def smallest_solution(dae: Dae, A: Array, b: Array) -> Array:
    """Smallest x with A x = b in the sense of least squares, without units; A is like [M Gᵀ; G 0]."""
    d = dae.weights
    out: Array = d * np.linalg.lstsq(d[:, None] * A * d, d * b, rcond=1e-13)[0]
    return out


def _offset(dae: Dae, vdot: Array, lam: Array, jerk: Array, C: float, plan: sparse_ldl.Plan) -> Array:
    """Part of [v, v̇]/12 - C v̈ across the constraints at the start, with the mass as metric, (n_v,)."""
    n, m = dae.n_v, dae.m
    bracket = _bracket(dae, vdot, lam)
    M, G = np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, dae.t, dae.q, dae.v, vdot, lam, dae.work, np.zeros(n), np.zeros(m))
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    b = np.concatenate([np.zeros(n), bracket / 12.0 - C * (G @ jerk)])
    return _solve(dae, M, G, b, plan)[:n]


def _bracket(dae: Dae, vdot: Array, lam: Array) -> Array:
    """G [v, v̇] (m,) at the start, as in the compiled loop."""
    if dae.n_q == dae.n_v:
        return np.zeros(dae.m)
    x, z = (NEAR / max(float(np.abs(u / dae.sizes).max()), 1e-300) for u in (dae.v, vdot))
    ends = []
    for first, second in ((x * dae.v, z * vdot), (z * vdot, x * dae.v)):
        middle, end = np.empty(dae.n_q), np.empty(dae.n_q)
        r, phi = np.zeros(dae.n_v), np.zeros(dae.m)
        dae.compose(dae.model, dae.q, first, middle)
        dae.compose(dae.model, middle, second, end)
        dae.residual(dae.model, dae.t, end, dae.v, vdot, lam, dae.work, r, phi)
        ends.append(phi)
    out: Array = (ends[0] - ends[1]) / (x * z)
    return out


def _jerk(dae: Dae, vdot: Array, step: float, plan: sparse_ldl.Plan) -> Array:
    """v̈ at the start by central differences along the motion."""
    ends = []
    for h in (step, -step):
        q = np.empty(dae.n_q)
        dae.compose(dae.model, dae.q, h * dae.v + 0.5 * h * h * vdot, q)
        ends.append(initial_acceleration(dae, dae.t + h, q, dae.v + h * vdot, plan)[0])
    out: Array = (ends[0] - ends[1]) / (2 * step)
    return out


def _slow_acceleration(dae: Dae, vdot: Array, lam: Array, h: float) -> tuple[Array, Array]:
    """v̇ (n_v,) and λ (m,) at the start by the implicit Euler rule, (M + h D) v̇ + Gᵀλ = F, G v̇ as it is.

    Dampers that end a motion within h answer with what h leaves of it, and not with their first blow.
    """
    n, m = dae.n_v, dae.m
    r, bent, phi = np.zeros(n), np.zeros(n), np.zeros(m)
    M, G = np.zeros((n, n)), np.zeros((m, n))
    D = np.zeros((n, n))
    dae.residual(dae.model, dae.t, dae.q, dae.v, vdot, lam, dae.work, r, phi)
    dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
    for k in range(n):
        v = dae.v.copy()
        v[k] += 1e-7 * max(dae.sizes[k] / dae.scale.time, abs(v[k]))
        dae.residual(dae.model, dae.t, dae.q, v, vdot, lam, dae.work, bent, phi)
        D[:, k] = (bent - r) / (v[k] - dae.v[k])
    b = np.concatenate([-r - h * D @ vdot, np.zeros(m)])
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = M + h * D, G.T, G
    x = smallest_solution(dae, A, b)
    return vdot + x[:n], lam + x[n:]


def _compiled(
    function: Callable[..., int],
    dae: Dae,
    counting: Counting,
    s: alpha_state.Scratch,
    arguments: tuple[object, ...],
) -> Callable[..., int]:
    """The loop compiled for the signatures of the functions of a DAE."""
    t = 0.0
    examples = (
        (dae.residual, (dae.model, t, s.q1, s.v1, s.a1, s.lam1, dae.work, s.r, s.phi)),
        (dae.matrices, (dae.model, dae.work, 0.0, 0.0, s.M, s.G)),
        (dae.compose, (dae.model, s.q1, s.dq, s.qp)),
        (dae.rates, (dae.model, s.v1, s.a1, dae.work, s.rate, s.acceleration)),
        (dae.power, (dae.model, s.q1, s.v1, s.lam1, dae.work, s.power)),
        (counting.update, (counting.model, t, s.q1)),
    )
    return specialise(function, examples, arguments)
