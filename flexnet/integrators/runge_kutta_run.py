"""A run by an explicit Runge-Kutta method: where it begins, and what its compiled loop receives."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from flexnet.dae import Dae, Links
from flexnet.integrators import runge_kutta_loop as loop
from flexnet.integrators import runge_kutta_state as place
from flexnet.integrators.algebraic_rows import make_unknowns
from flexnet.integrators.compiled_march import AbstractCompiledMarch, Functions, Pace, functions_of
from flexnet.integrators.elimination import plan_elimination, say_elimination
from flexnet.integrators.functions import NO_COUNTING
from flexnet.integrators.motion import Room
from flexnet.integrators.rows import STEPS, WORKS, H, Output, T
from flexnet.integrators.runge_kutta import RungeKutta, tableau
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import initial_acceleration, powers
from flexnet.kernels.sparse_ldl import Plan, no_plan
from flexnet.typing import Array, IntArray

#: stiff steps that tell nothing
_FEW = 50


class AbstractStageMarch(AbstractCompiledMarch):
    """A run by a method of stages, each step of which begins anew."""

    method: Any
    _scratch: Any
    _handle: IntArray
    _plan: Plan
    _links: Links | None = None

    @property
    @abstractmethod
    def constants(self) -> Array:
        """Numbers of the run, as the loop reads them."""

    @abstractmethod
    def forget(self) -> None:
        """Forget the step before: it tells nothing."""

    def start(self) -> Output:
        """The start as one output row."""
        dae, y = self.dae, self.state
        row = (dae.q, dae.v, y.vdot, y.lam, np.zeros(WORKS), np.zeros(2))
        return Output(np.array([dae.t]), *(x[None].copy() for x in row))

    @property
    def functions(self) -> Functions:
        """The functions of the DAE but its energy."""
        matrices = None if self._links is None else self._links.articulate
        return *functions_of(self.dae, matrices), *self.seeks

    def arguments(self, pace: Pace) -> tuple[Any, ...]:
        """Models, handle and constants."""
        dae, counting = self.dae, self.dae.counting or NO_COUNTING
        return dae.model, counting.model, dae.work, self._handle, self.constants, *self.sought

    def step_number(self, pace: Pace) -> int:
        """Steps are not numbered; fixed ones are counted from row to row."""
        return 0

    def change_pace(self, step: float) -> None:
        """A step begins anew, whatever the length of the one before."""

    def begin(self) -> None:
        """Where the DAE begins."""
        self.state.clock[H] = min(self.settings.step, self.settings.largest)
        self.set_out(self.dae)
        self.open_balance()
        self.prepare()

    def set_out(self, here: Dae) -> Array:
        """Consistent v̇ and λ at a start."""
        dae, y = here, self.state
        y.clock[T] = dae.t
        y.v[:] = dae.v
        room = None if self._links else Room(self._scratch.M, self._scratch.G, self._plan)
        y.vdot[:], y.lam[:] = initial_acceleration(dae, dae.t, dae.q, dae.v, room, links=self._links)
        y.clock[place.POWER : place.POWER + WORKS] = powers(dae, dae.t, dae.q, dae.v, y.vdot, y.lam)
        self.forget()
        moving = np.array(y.vdot)
        y.vdot[self._scratch.unknowns.at] = 0.0  # they are solved for at every stage, not advanced
        return moving

    def usual_constants(self, order: float) -> list[float]:
        """Those of every such method; the estimate of a step over its share of the tolerance has an order."""
        s, dae = self.settings, self.dae
        span = max(s.end - self.schedule.start, s.step)
        return [
            s.tolerance or self.method.tolerance, span, max(s.smallest, 1e-12 * span), min(s.largest, span),
            1.0 if dae.loads_do_work else 0.0, 0.0 if dae.counting is None else 1.0, order, dae.scale.time,
        ]  # fmt: skip


class RungeKuttaMarch(AbstractStageMarch):
    """A run by an explicit Runge-Kutta method; the step is always chosen by its error."""

    _constants: tuple[float, Array] | None = None

    def __init__(self, dae: Dae, method: RungeKutta, settings: Settings) -> None:
        # rows lie between steps: they need not be a whole number of them apart
        AbstractCompiledMarch.__init__(self, dae, settings, settings.interval)
        self.method = method
        self._table = place.coefficients(tableau(method.name))
        self._links = None if dae.links is None else dae.links()
        self._plan = no_plan()
        if self._links is None:
            self._plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights)
        say_elimination(self._plan, len(self._links.parent) if self._links else 0, dae.n_v + dae.m)
        self.state = place.make_state(dae.q, dae.v, dae.m)
        self._scratch = place.make_scratch(
            dae.n_q,
            len(self._table.A),
            dae.sizes,
            dae.row_sizes,
            dae.weights,
            dae.rotations,
            self._plan,
            self._links,
            dae.is_coupled,
            make_unknowns(dae),
        )
        self._handle = place.handle(self.state, self._scratch, self._table)
        self.begin()

    @property
    def loops(self) -> tuple[Callable[..., int], Callable[..., int] | None]:
        """One loop; a step that fails becomes smaller."""
        return loop.run, None

    @property
    def constants(self) -> Array:
        """An estimate goes with h to the power of the order, its share of the tolerance with h."""
        start = self.schedule.start  # another run's where this one goes on from it
        if self._constants is None or self._constants[0] != start:
            usual = self.usual_constants(self.method.order - 1.0)
            self._constants = start, np.array([*usual, *self.method.stability])
        return self._constants[1]

    @property
    def told(self) -> str:
        """Where round-off of the forces is more than the tolerance, and where the motion is stiff."""
        return "; ".join(filter(None, (self._noise, self._stiffness)))

    @property
    def _noise(self) -> str:
        noise = float(self.state.clock[place.NOISE])
        if noise == 0.0:  # most of the time
            return ""
        c = self.constants
        share = float(c[place.TOLERANCE] / c[place.SPAN])
        text = (
            f"round-off of the forces is up to {noise / share:.2g} times the tolerance, and allowed in a step"
        )
        return text if noise > share else ""

    @property
    def _stiffness(self) -> str:
        """The steps tell it: at least half of them, and not a few, are as short as stability asks."""
        clock, steps = self.state.clock, int(self.state.counts[STEPS])
        stiff = int(clock[place.STIFF])
        if stiff < max(_FEW, steps / 2):
            return ""
        return (
            f"the motion is stiff: {stiff} of {steps} steps are as short as stability asks of"
            f" {self.method.name}, for what goes at some {clock[place.RATES] / stiff:.2g} 1/s and is below"
            " the tolerance; radau() or hht() take longer ones"
        )

    def forget(self) -> None:
        """A step needs nothing of the one before."""
