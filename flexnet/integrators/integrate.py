"""Run a DAE through time with an α-method or an energy scheme; the loops themselves are compiled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators import alpha_loop as loop
from flexnet.integrators import energy_loop
from flexnet.integrators.alpha import Alpha
from flexnet.integrators.energy import Energy
from flexnet.integrators.status import Outcome, Status
from flexnet.kernels.compile import specialise
from flexnet.typing import Array


#: one scheme
Method = Alpha | Energy
#: one scheme, or several with the time each takes over, s
Schedule = Method | Sequence[tuple[float, Method]]


@dataclass(frozen=True, slots=True)
class Settings:
    """How to step.

    Attributes
    ----------
    step : fixed step, or first step of an adaptive run, s.
    end : time to stop at, s.
    interval : time between output rows, s; every step if None.
    tolerance : wanted error of the positions at the end (m, rad); None for a fixed step.
    newton : error left by the corrector, m or rad.
    project : project velocities on G v + Φ_t = 0 after every step (energy schemes keep them there anyway).
    smallest, largest : bounds of an adaptive step, s.
    block : output rows the compiled loop writes before it returns.
    """

    step: float
    end: float
    interval: float | None = None
    tolerance: float | None = None
    newton: float = 1e-10
    project: bool = False
    smallest: float = 0.0
    largest: float = np.inf
    block: int = 256

    def __post_init__(self) -> None:
        if not self.step > 0:
            raise FlexnetError(f"the step must be positive, got {self.step} s")
        if self.tolerance is not None and not self.tolerance > 0:
            raise FlexnetError(f"the tolerance must be positive, got {self.tolerance}")
        if self.interval is not None and not self.interval > 0:
            raise FlexnetError(f"the output interval must be positive, got {self.interval} s")

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


class Integration:
    """A run that can be advanced block by block.

    Parameters
    ----------
    dae : the equations, with the state to start from.
    method : the scheme, or a list of ``(time, scheme)``: each takes over at the first output row at or
        after its time.
    settings : how to step.

    Attributes
    ----------
    method : the scheme at work.
    state : what one step hands to the next (:class:`~flexnet.integrators.alpha_loop.State`).
    rows : output rows written so far.
    status : how the run stands.
    """

    def __init__(self, dae: Dae, method: Schedule, settings: Settings) -> None:
        self.dae, self.settings = dae, settings
        self.schedule = _as_schedule(method, dae.t)
        self.method = self.schedule[0][1]
        self.t_start = dae.t
        self.state = loop.make_state(dae.q, dae.v, dae.m)
        self.rows = 0
        self.status = Status(Outcome.DONE, dae.t)
        y = self.state
        y.clock[loop.T] = dae.t
        y.clock[loop.H] = settings.step
        if settings.tolerance is not None:
            span = settings.end - dae.t
            y.clock[loop.H] = min(settings.step, settings.largest, max(span, 1e-300))
        self.switch(self.method)

    @property
    def spacing(self) -> float:
        """Time between output rows, s."""
        s = self.settings
        adaptive = s.interval or (s.end - self.t_start) / 500
        return s.every * s.step if s.tolerance is None else adaptive

    @property
    def total_rows(self) -> int:
        """Output rows of the whole run, the initial one not counted."""
        span = self.settings.end - self.t_start
        return max(round(span / self.spacing), 1) if span > 0 else 0

    def blocks(self) -> Iterator[loop.Output]:
        """Advance to the end; yields blocks of output rows and stops early if a step fails."""
        while self.rows < self.total_rows and self.status.is_done:
            start, stop = self.rows, self.total_rows
            for time, method in self.schedule:
                row = int(np.ceil((time - self.t_start) / self.spacing - 1e-9))
                if row == start and method is not self.method:
                    self.switch(method)
                elif row > start:
                    stop = min(stop, row)
            yield self.advance(min(self.settings.block, stop - start))

    def advance(self, rows: int) -> loop.Output:
        """Compute the next so many output rows; fewer come back if a step fails."""
        dae, s = self.dae, self.settings
        out = loop.make_output(rows, dae.n_q, dae.n_v, dae.m)
        out.t[:] = self.t_start + self.spacing * (self.rows + 1 + np.arange(rows))
        run = _run_alpha if isinstance(self.method, Alpha) else _run_energy
        code = run(self, out, self.rows * s.every)
        written = code // 16
        self.rows += written
        self._report(Outcome(code % 16))
        return loop.Output(*(array[:written] for array in out))

    def switch(self, method: Method) -> None:
        """Let another scheme take over at the present state; work done so far is kept."""
        self.method = method
        y = self.state
        y.clock[loop.H_OLD] = y.clock[loop.H]
        y.counts[loop.HAS_OLD] = y.counts[loop.TANGENT] = 0
        (_begin_alpha if isinstance(method, Alpha) else _begin_energy)(self)

    def _report(self, outcome: Outcome) -> None:
        y = self.state
        failed = outcome is not Outcome.DONE
        self.status = Status(
            outcome,
            float(y.clock[loop.T]),
            self.dae.equations[int(y.counts[loop.WORST])] if failed and self.dae.equations else "",
            float(y.clock[loop.RESIDUAL]) if failed else 0.0,
            int(y.counts[loop.STEPS]),
            int(y.counts[loop.ITERATIONS]),
            int(y.counts[loop.FACTORISATIONS]),
            int(y.counts[loop.REJECTED]),
        )


def _as_schedule(method: Schedule, t: float) -> tuple[tuple[float, Method], ...]:
    if isinstance(method, Alpha | Energy):
        return ((t, method),)
    schedule = tuple(sorted(method, key=lambda entry: entry[0]))
    if not schedule or not all(isinstance(m, Alpha | Energy) for _, m in schedule):
        raise FlexnetError("a schedule of schemes is a list of (time, scheme), such as (0.0, hht())")
    started = [entry for entry in schedule if entry[0] <= t]
    if not started:
        raise FlexnetError(
            f"no scheme is given for the start at t = {t:g} s; the first is for {schedule[0][0]:g} s"
        )
    return ((t, started[-1][1]), *schedule[len(started) :])


def _begin_alpha(run: Integration) -> None:
    """Consistent v̇ and λ, and a where the method expects it: v̇ + (αm - αf) h v̈."""
    dae, y, method = run.dae, run.state, run.method
    assert isinstance(method, Alpha)
    t, h = float(y.clock[loop.T]), float(y.clock[loop.H])
    vdot, lam = initial_acceleration(dae, t, y.q, y.v)
    y.vdot[:], y.lam[:] = vdot, lam
    y.a[:] = vdot + (method.alpha_m - method.alpha_f) * h * _jerk(dae, t, y.q, y.v, vdot, 0.5 * h)
    s = loop.make_scratch(dae.n_q, dae.n_v, dae.m)
    dae.residual(dae.model, t, y.q, y.v, vdot, lam, dae.work, s.r, s.phi)
    dae.power(dae.model, y.q, y.v, lam, dae.work, s.power)
    dae.rates(dae.model, y.v, vdot, dae.work, s.rate, s.acceleration)
    s.power[3] = -lam @ s.rate
    y.clock[loop.POWER : loop.POWER + 4] = s.power


def _run_alpha(run: Integration, out: loop.Output, first: int) -> int:
    dae, s, a = run.dae, run.settings, run.method
    assert isinstance(a, Alpha)
    span = max(s.end - run.t_start, s.step)
    constants = np.array(
        [
            a.alpha_m, a.alpha_f, a.beta, a.gamma, s.newton, s.tolerance or 0.0, span,
            max(s.smallest, 1e-12 * span), s.step if s.tolerance is None else min(s.largest, span),
            # a velocity off its constraints would pass for a local error when the step changes
            1.0 if s.project or s.tolerance is not None else 0.0, run.t_start,
        ]
    )  # fmt: skip
    x = loop.make_scratch(dae.n_q, dae.n_v, dae.m)
    examples = (
        (dae.residual, (dae.model, 0.0, x.q1, x.v1, x.a1, x.lam1, dae.work, x.r, x.phi)),
        (dae.matrices, (dae.model, dae.work, x.M, x.G)),
        (dae.compose, (dae.model, x.q1, x.dq, x.qp)),
        (dae.rates, (dae.model, x.v1, x.a1, dae.work, x.rate, x.acceleration)),
        (dae.power, (dae.model, x.q1, x.v1, x.lam1, dae.work, x.power)),
    )
    arguments = (dae.model, dae.work, run.state, x, constants, out, first, s.every)
    function: Callable[..., int] = loop.run_fixed if s.tolerance is None else loop.run_adaptive
    return int(specialise(function, examples, arguments)(*(f for f, _ in examples), *arguments))


def _begin_energy(run: Integration) -> None:
    """Velocity on its constraints, the energy to keep, and v̇ and λ for the first row and prediction."""
    dae, y = run.dae, run.state
    if dae.energy is None:
        raise FlexnetError(f"{run.method.name} needs the energy of the equations; they do not give it")
    t = float(y.clock[loop.T])
    phi, rate, energy = np.zeros(dae.m), np.zeros(dae.m), np.zeros(3)
    dae.energy(dae.model, t, y.q, y.v, dae.work, phi, rate, energy)
    before = energy.sum()
    y.v[:] += velocity_correction(dae, t, y.q, y.v, rate)
    dae.energy(dae.model, t, y.q, y.v, dae.work, phi, rate, energy)
    y.clock[loop.TARGET] = energy.sum()
    y.clock[loop.NUMERICAL] += before - energy.sum()
    y.clock[energy_loop.PEAK] = energy[0]
    vdot, lam = initial_acceleration(dae, t, y.q, y.v)
    y.vdot[:] = y.a[:] = y.vdot_old[:] = vdot
    y.lam[:] = y.lam_old[:] = lam
    y.clock[energy_loop.STAGE] = y.clock[energy_loop.STAGE_OLD] = t


def _run_energy(run: Integration, out: loop.Output, first: int) -> int:
    dae, s, e = run.dae, run.settings, run.method
    assert isinstance(e, Energy)
    span = max(s.end - run.t_start, s.step)
    constants = np.array(
        [
            0.0 if e.stages == 1 else e.gamma, e.error_constant, float(e.control == "energy"),
            s.tolerance or 0.0, span, max(s.smallest, 1e-12 * span),
            s.step if s.tolerance is None else min(s.largest, span), run.t_start,
        ]
    )  # fmt: skip
    x = energy_loop.make_scratch(dae.n_q, dae.n_v, dae.m)
    examples = (
        (dae.residual, (dae.model, 0.0, x.q1, x.v1, x.a, x.lam, dae.work, x.r, x.phi)),
        (dae.matrices, (dae.model, dae.work, x.M, x.G)),
        (dae.compose, (dae.model, x.q1, x.dq, x.qp)),
        (dae.rates, (dae.model, x.v1, x.a, dae.work, x.rate, x.acceleration)),
        (dae.power, (dae.model, x.q1, x.v1, x.lam, dae.work, x.power)),
        (dae.energy, (dae.model, 0.0, x.q1, x.v1, dae.work, x.phi, x.rate, x.energy)),
    )
    arguments = (dae.model, dae.work, run.state, x, constants, out, first, s.every, np.zeros(4))
    function: Callable[..., int] = energy_loop.run_fixed if s.tolerance is None else energy_loop.run_adaptive
    return int(specialise(function, examples, arguments)(*(f for f, _ in examples), *arguments))


def velocity_correction(dae: Dae, t: float, q: Array, v: Array, rate: Array) -> Array:
    """Change of v, shortest in the metric of the mass, that makes Φ̇ (now ``rate``) zero."""
    n, m = dae.n_v, dae.m
    if m == 0:
        return np.zeros(n)
    r, phi, M, G = np.zeros(n), np.zeros(m), np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, t, q, v, np.zeros(n), np.zeros(m), dae.work, r, phi)
    dae.matrices(dae.model, dae.work, M, G)
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
    out: Array = np.linalg.lstsq(A, np.concatenate([np.zeros(n), -rate]), rcond=1e-13)[0][:n]
    return out


def initial_acceleration(dae: Dae, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """Solve M v̇ + Gᵀλ = F, Φ̈ = 0 for v̇ (n_v,) and λ (m,)."""
    n, m = dae.n_v, dae.m
    zero, r, phi = np.zeros(n), np.zeros(n), np.zeros(m)
    rate, bias = np.zeros(m), np.zeros(m)
    M, G = np.zeros((n, n)), np.zeros((m, n))
    dae.residual(dae.model, t, q, v, zero, np.zeros(m), dae.work, r, phi)
    dae.rates(dae.model, v, zero, dae.work, rate, bias)
    dae.matrices(dae.model, dae.work, M, G)
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
    b = -np.concatenate([r, bias])
    if not np.all(np.isfinite(b)):
        raise FlexnetError("the forces at the start are not numbers; look at the user's laws")
    x = np.linalg.lstsq(A, b, rcond=1e-13)[0]
    return x[:n], x[n:]


def _jerk(dae: Dae, t: float, q: Array, v: Array, vdot: Array, step: float) -> Array:
    """v̈ by central differences along the motion."""
    ends = []
    for h in (step, -step):
        moved = np.empty(dae.n_q)
        dae.compose(dae.model, q, h * v + 0.5 * h * h * vdot, moved)
        ends.append(initial_acceleration(dae, t + h, moved, v + h * vdot)[0])
    out: Array = (ends[0] - ends[1]) / (2 * step)
    return out
