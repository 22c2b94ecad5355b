"""A run by an α-method: where it begins, and what its compiled loop receives."""

from collections.abc import Callable
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators import alpha_loop as loop
from flexnet.integrators import alpha_state as place
from flexnet.integrators.alpha import Alpha
from flexnet.integrators.alpha_adaptive import run_adaptive
from flexnet.integrators.compiled_march import AbstractCompiledMarch, Functions, Pace, functions_of
from flexnet.integrators.elimination import plan_elimination, plan_tangent, say_elimination
from flexnet.integrators.functions import NO_COUNTING
from flexnet.integrators.motion import Room
from flexnet.integrators.rows import H_OLD, MURMUR, REACHED, STEPS, WORKS, H, Output, T
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import (
    fastest_mode,
    initial_acceleration,
    initial_jerk,
    is_round_off,
    offset_across,
    places,
    powers,
    transient_part,
    without_transients,
)
from flexnet.kernels import sparse_lu
from flexnet.typing import Array

#: h ω of the fastest mode up to which a step follows it, and noise in it dies out by itself
RESOLVED = 1.0
#: part of a run that a step chosen by its error is no shorter than: a thousand million steps have no end
LEAST_PART = 1e-9


class AlphaMarch(AbstractCompiledMarch):
    """A run by an α-method.

    Attributes
    ----------
    state : what one step hands to the next (:class:`~flexnet.integrators.alpha_state.State`).
    """

    def __init__(self, dae: Dae, method: Alpha, settings: Settings) -> None:
        AbstractCompiledMarch.__init__(self, dae, settings)
        self.method = method
        self.load_constant = max(abs(c) for c in method.load_constants[: 1 + (dae.n_v > dae.n_z)])
        self.state = place.make_state(dae.q, dae.v, dae.m, dae.n_z)
        self._plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights, dae.n_z == 0)
        say_elimination(self._plan, 0, dae.n_v + dae.m)
        per_unknown = dae.is_algebraic * dae.scale.time / (dae.sizes[dae.n_v - dae.n_z :] * dae.fineness)
        self._scratch = place.make_scratch(
            places(dae),
            dae.sizes,
            dae.row_sizes,
            dae.weights,
            self._plan,
            self._plan_tangent(),
            per_unknown,
            dae.is_coupled,
            dae.unreduced,
        )
        self._handle = place.handle(self.state, self._scratch)
        self._room = Room(self._scratch.M, self._scratch.G, self._plan)
        self._is_noisy = dae.m > 0 or settings.step * fastest_mode(dae) > RESOLVED
        self._begin()

    def _plan_tangent(self) -> sparse_lu.Tangent:
        """How tangents are found and eliminated, where the matrix without them is sparse."""
        dae = self.dae
        if dae.is_coupled or dae.sparsity is None or len(self._plan.order) == 0:
            return sparse_lu.no_tangent()
        return plan_tangent(dae.sparsity, dae.n_v, dae.m, dae.weights)

    def start(self) -> Output:
        """The start as one output row."""
        dae = self.dae
        row = (dae.q, dae.v, *self._first, np.zeros(WORKS), np.zeros(2))
        return Output(np.array([dae.t]), *(x[None].copy() for x in row))

    @property
    def loops(self) -> tuple[Callable[..., int], Callable[..., int] | None]:
        """With a fixed step, a line search takes the step that Newton's method does not.

        None does with events, nor with unreduced bodies, whose tangents it would need.
        """
        if self._differs:
            return run_adaptive, None
        return loop.run_fixed, loop.run_damped if self.dae.unreduced is None else None

    @property
    def _differs(self) -> bool:
        """Whether steps differ: chosen by their error, or ended by events."""
        return self.settings.tolerance is not None or self.dae.events is not None

    @property
    def functions(self) -> Functions:
        """The functions of the DAE."""
        return *functions_of(self.dae), *(self.seeks if self._differs else ())

    def arguments(self, pace: Pace) -> tuple[Any, ...]:
        """Models, handle and constants."""
        dae, counting = self.dae, self.dae.counting or NO_COUNTING
        events = self.sought if self._differs else ()
        return dae.model, counting.model, dae.work, self._handle, self._constants(pace), *events

    def step_number(self, pace: Pace) -> int:
        """Fixed steps are never divided: their number is their count."""
        return int(self.state.counts[STEPS]) - pace.origin

    def change_pace(self, step: float) -> None:
        """Move a and v to where steps of another length expect them.

        That is v̇ + (αm - αf) h v̈ and, across the constraints, h² d of the page of the loop.
        """
        y, usual, method = self.state, self.settings.step, self.method
        if y.counts[place.HAS_OLD] == 0 or self.dae.events is not None:
            return  # a loop with events moves a itself, and v has no offset
        jerk = (y.vdot - y.vdot_old) / y.clock[H_OLD]
        y.a[:] += (method.alpha_m - method.alpha_f) * (step - usual) * jerk
        if method.index == 3 and not self._projects:
            here = replace(self.dae, q=y.q, v=y.v, t=self.t)
            offset = offset_across(here, y.vdot, y.lam, jerk, method.error_constant, self._room)
            y.v[:] += (step**2 - usual**2) * offset

    def _constants(self, pace: Pace) -> Array:
        s, a = self.settings, self.method
        span = max(s.end - self.schedule.start, s.step)
        return np.array(
            [
                a.alpha_m, a.alpha_f, a.beta, a.gamma, s.newton, s.tolerance or 0.0, span,
                max(s.smallest, LEAST_PART * span),
                pace.step if s.tolerance is None else min(s.largest, span),
                1.0 if self._projects else 0.0, pace.start,
                place.POSITION if a.index == 3 else place.ACCELERATION,
                1.0 if self.dae.loads_do_work else 0.0, 0.0 if self.dae.counting is None else 1.0,
                a.remainder, 1.0 if self._is_noisy else 0.0, float(self.dae.n_z), self.dae.scale.time,
            ]
        )  # fmt: skip

    @property
    def _projects(self) -> bool:
        """Whether velocities are projected; a velocity off its constraints would pass for a local error."""
        s = self.settings
        has_events = self.dae.events is not None
        return s.project or s.tolerance is not None or self.method.index == 1 or has_events

    def set_out(self, here: Dae) -> Array:
        """Begin anew where an event changed the velocity: what was before says nothing."""
        self.state.v[:] = here.v
        self.state.counts[place.HAS_OLD] = 0
        return self._set_out(here)[0]

    def _begin(self) -> None:
        """Where the DAE begins."""
        self._first = self._set_out(self.dae)
        has_positions = self.dae.m > 0 and self.method.index == 3 and self.settings.tolerance is None
        self._is_loaded = has_positions and not is_round_off(self.dae, *self._first, self._room)
        self.open_balance()

    @property
    def murmur(self) -> float:
        """Of constraints at the level of positions, unless v̇ and λ were round-off from the start."""
        bent, reached = self.state.clock[[MURMUR, REACHED]].tolist()
        return 0.25 * bent / reached if self._is_loaded and reached > 0.0 else nan

    def _set_out(self, dae: Dae) -> tuple[Array, Array]:
        """Consistent v̇ and λ at a start, given back, and a where the method wants it: v̇ + (αm - αf) h v̈."""
        y, h = self.state, self.settings.step
        y.clock[T] = dae.t
        y.clock[H] = h
        y.clock[H_OLD] = h
        y.clock[place.RATE] = 1.0
        if self.settings.tolerance is not None:
            span = self.settings.end - dae.t
            y.clock[H] = min(h, self.settings.largest, max(span, 1e-300))
        vdot, lam = initial_acceleration(dae, dae.t, dae.q, dae.v, self._room, h)
        y.vdot[:], y.lam[:] = vdot, lam
        jerk = initial_jerk(dae, vdot, 0.5 * h, self._room)
        part = transient_part(dae, vdot, h * jerk)
        if part > 0.0:
            slow, slow_lam, slow_jerk = without_transients(dae, vdot, lam, h, self._room)
            y.vdot[:] += part * (slow - vdot)
            y.lam[:] += part * (slow_lam - lam)
            jerk += part * (slow_jerk - jerk)
        shift = self.method.alpha_m - self.method.alpha_f
        y.a[:] = y.vdot + shift * y.clock[H] * jerk
        if self.method.index == 3:
            offset = offset_across(dae, vdot, lam, jerk, self.method.error_constant, self._room)
            if self._projects:
                y.offset[:] = offset
            else:
                y.v[:] = dae.v + h * h * offset
        y.clock[place.POWER : place.POWER + WORKS] = powers(dae, dae.t, dae.q, dae.v, vdot, lam)
        return vdot, lam
