"""A run by an energy scheme: where it begins, and what its compiled loop receives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators import energy_loop as loop
from flexnet.integrators import energy_state as place
from flexnet.integrators.algebraic_rows import make_unknowns
from flexnet.integrators.compiled_march import AbstractCompiledMarch, Functions, Pace, functions_of
from flexnet.integrators.elimination import plan_elimination
from flexnet.integrators.energy import Energy
from flexnet.integrators.energy_adaptive import run_adaptive
from flexnet.integrators.energy_composition import refuse_losses, run_composed
from flexnet.integrators.functions import NO_COUNTING, NO_SYMMETRY
from flexnet.integrators.motion import smallest_solution
from flexnet.integrators.rows import Output
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import initial_acceleration
from flexnet.typing import Array


class EnergyMarch(AbstractCompiledMarch):
    """A run by an energy scheme.

    The velocity is put on its constraints before the first step; the energy that takes is the first entry
    of what the scheme did itself.
    """

    def __init__(self, dae: Dae, method: Energy, settings: Settings) -> None:
        AbstractCompiledMarch.__init__(self, dae, settings)
        self.method = method
        if method.order == 4:
            refuse_losses(dae)
        find = dae.symmetry if method.momenta else None
        self.symmetry = find() if find is not None else NO_SYMMETRY
        self.state = place.make_state(dae.q, dae.v, dae.m, len(self.symmetry.twists), dae.n_z)
        plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights)
        self._scratch = place.make_scratch(
            self.state, dae.sizes, dae.q_sizes, dae.row_sizes, dae.weights, plan, self.symmetry.twists,
            dae.n_v - dae.n_z, make_unknowns(dae),
        )  # fmt: skip
        self._handle = place.handle(self.state, self._scratch)
        self.set_out(dae)
        self.open_balance()

    def start(self) -> Output:
        """The start as one output row."""
        y = self.state
        row = (y.q, y.v, y.vdot, y.lam, y.clock["work"][0], np.zeros(2))
        return Output(np.array([self.dae.t]), *(x[None].copy() for x in row))

    @property
    def loops(self) -> tuple[Callable[..., int], Callable[..., int] | None]:
        """A fixed step that fails is divided within its loop."""
        fixed = loop.run_fixed if self.method.order == 2 else run_composed
        return run_adaptive if self._differs else fixed, None

    @property
    def _differs(self) -> bool:
        """Whether steps differ: chosen by their error, or ended by events."""
        return self.settings.tolerance is not None or self.dae.events is not None

    @property
    def functions(self) -> Functions:
        """All functions of the DAE."""
        dae, x, kept, t = self.dae, self._scratch, self.symmetry, 0.0
        return (
            *functions_of(dae),
            (kept.momenta, (kept.model, t, x.q1, x.v1, x.kept.six)),
            (kept.rates, (kept.model, t, x.q1, x.v1, x.dq, x.kept.twists, x.kept.X, x.kept.Y, x.kept.Z)),
            *(self.seeks if self._differs else ()),
        )

    def arguments(self, pace: Pace) -> tuple[Any, ...]:
        """Models, handle and constants."""
        dae, counting = self.dae, self.dae.counting or NO_COUNTING
        return (
            dae.model, self.symmetry.model, counting.model, dae.work, self._handle, self._constants(pace),
            *(self.sought if self._differs else ()),
        )  # fmt: skip

    def step_number(self, pace: Pace) -> int:
        """Steps may be divided: rows tell how many whole ones there were."""
        return 0 if pace.start > self.schedule.start else self.rows * pace.every

    def change_pace(self, step: float) -> None:
        """A one-step scheme begins anew at every step."""

    def _constants(self, pace: Pace) -> Any:
        s, e, dae = self.settings, self.method, self.dae
        span = max(s.end - dae.t, s.step)
        made = place.one(place.CONSTANTS)
        made["gamma"] = 0.0 if e.stages == 1 else e.gamma
        made["error_constant"] = e.error_constant
        made["follows_energy"] = e.control == "energy"
        made["tolerance"], made["span"] = s.tolerance or 0.0, span
        made["h_min"] = max(s.smallest, 1e-12 * span)
        made["h_max"] = pace.step if s.tolerance is None else min(s.largest, span)
        made["t_start"], made["is_stiff"] = pace.start, self._is_stiff
        made["newton"] = s.newton if e.order == 2 else 0.0  # composed: to round-off
        made["loads_do_work"], made["counts"] = dae.loads_do_work, dae.counting is not None
        made["is_coupled"] = dae.is_coupled
        made["per_time"] = 1.0 / dae.scale.time
        return made

    def set_out(self, here: Dae) -> Array:
        """Velocity on its constraints, the energy to keep, v̇ and λ for the first row and prediction."""
        dae, y, s = here, self.state, self.settings
        y.v[:], y.w[:] = dae.v, 0.0
        y.counts["stages"] = 0
        assert dae.energy is not None  # the registry has seen to it
        n, m = dae.n_v, dae.m
        phi, rate, energy, r = np.zeros(m), np.zeros(m), np.zeros(3), np.zeros(n)
        dae.energy(dae.model, dae.t, y.q, y.v, dae.work, phi, rate, energy)
        given = energy.sum()
        dae.residual(dae.model, dae.t, y.q, y.v, np.zeros(n), np.zeros(m), dae.work, r, phi)
        M, G, stiff = np.zeros((n, n)), np.zeros((m, n)), np.zeros((n, n))
        # M first: loads of the residual, which would stiffen the other, are gone after it
        dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
        dae.matrices(dae.model, dae.work, 1.0, 1.0, stiff, G)
        self._scratch.inertias[:] = np.diag(M)[n - dae.n_z :] * ~dae.is_algebraic
        # feedback may be none at the start and all the same come
        self._is_stiff = dae.n_z > 0 or not np.array_equal(M, stiff)
        if m:
            A = np.zeros((n + m, n + m))
            A[:n, :n], A[:n, n:], A[n:, :n] = M, G.T, G
            y.v[:] += smallest_solution(dae, A, np.concatenate([np.zeros(n), -rate]))[:n]
        dae.energy(dae.model, dae.t, y.q, y.v, dae.work, phi, rate, energy)
        if len(y.momentum):
            six, kept = np.zeros(6), self.symmetry
            kept.momenta(kept.model, dae.t, y.q, y.v, six)
            y.momentum[:] = kept.twists @ six
        vdot, lam = initial_acceleration(dae, dae.t, y.q, y.v)
        y.vdot[:] = y.a[:] = y.a_old[:] = vdot
        y.lam[:] = y.lam_stage[:] = lam
        c = y.clock
        c["t"] = c["stage"] = c["stage_old"] = dae.t
        c["target"], c["peak"], c["response"] = energy.sum(), energy[0], np.inf
        c["work"][0, 4] += energy.sum() - given
        c["epsilon"] = 0.0
        # a mechanism at rest moves as its constraints close what the start left open
        placed = np.abs(y.q / dae.q_sizes).max(initial=1.0)
        open_by = max(np.abs(phi / dae.row_sizes).max(initial=0.0), 1e-15 * placed)
        inertia = (np.diag(M) * dae.sizes**2)[: n - dae.n_z].sum()
        c["rest"] = 0.5 * inertia * (4.0 * open_by / s.step) ** 2
        c["h"] = c["h_old"] = s.step
        c["rate"] = c["projection_rate"] = c["slope"] = 1.0
        if s.tolerance is not None:
            c["h"] = min(s.step, s.largest, max(s.end - dae.t, 1e-300))
        return vdot
