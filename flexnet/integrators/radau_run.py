"""A run by Radau IIA: where it begins, and what its compiled loop works on."""

from collections.abc import Callable
from math import nan
from typing import Any, NamedTuple

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators.absent import NO_COUNTING
from flexnet.integrators.algebraic_rows import Unknowns, make_unknowns, no_unknowns
from flexnet.integrators.elimination import plan_elimination
from flexnet.integrators.march import AbstractCompiledMarch, Functions, Pace
from flexnet.integrators.radau import ESTIMATE, STAGES, TIMES, Radau
from flexnet.integrators.rows import WORKS, H, Output, T
from flexnet.integrators.runge_kutta_state import ERROR, POWER, TIME
from flexnet.integrators.settings import Settings
from flexnet.integrators.start import initial_acceleration, powers
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import typeof
from flexnet.kernels.handle import make_restore, store
from flexnet.kernels.recursion import Recursion, no_recursion
from flexnet.typing import AnyArray, Array, IntArray

# places in the constants after those of the explicit methods
NEWTON, IS_FIXED, N_Z = TIME + 1, TIME + 2, TIME + 3


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run exactly."""

    q: Array
    v: Array
    vdot: Array
    lam: Array
    clock: Array
    counts: IntArray
    last: Array  # (3 n,) v̇ of the stages of the last step: they foretell the next; then its length


class Scratch(NamedTuple):
    """Arrays of one step, overwritten, and what is given for all steps."""

    q1: Array
    qp: Array
    v1: Array
    vdot1: Array
    lam1: Array
    dq: Array
    r: Array
    phi: Array
    rhs: Array
    M: Array
    G: Array
    A: Array
    pivots: IntArray
    rate: Array
    bias: Array
    power: Array
    powers: Array  # (3, WORKS)
    still: Array  # (n,) no acceleration
    free: Array  # (m,) no load
    sizes: Array
    row_sizes: Array
    units: Array  # (n + m,) what makes the matrix one without units
    rotations: IntArray  # first places in v of 3-D rotations
    plan: sparse_ldl.Plan
    values: Array
    recursion: Recursion  # none: as of the explicit methods
    form: IntArray  # (2,) likewise
    unknowns: Unknowns  # of algebraic rows
    velocities: Array  # (3, n) v of the stages
    accelerations: Array  # (3, n) v̇
    ways: Array  # (3, n) θ
    turns: Array  # (3, n) θ̇
    loads: Array  # (3, m) λ
    gaps: Array  # (3, n + m) what is left of (2)
    mass: Array  # tangents at the start of a step: M, ∂r/∂q, ∂r/∂v, G, ∂Φ̇/∂q
    K: Array
    D: Array
    holds: Array
    W: Array
    one: Array  # (n + m, n + m) factors of the real and of the complex part
    two: AnyArray
    one_pivots: IntArray
    two_pivots: IntArray
    x: Array
    z: AnyArray


class Coefficients(NamedTuple):
    """The tableau and its inverse, taken apart: A⁻¹ = T diag(1/γ₀, ζ, ζ̄) T⁻¹."""

    A: Array
    inverse: Array
    c: Array
    E: Array
    eigen: AnyArray  # (2,) the real eigenvalue 1/γ₀ and ζ
    left: AnyArray  # (2, 3) rows of T⁻¹
    right: AnyArray  # (2, 3) columns of T


def coefficients() -> Coefficients:
    """The tableau as the loop reads it."""
    A = np.array(STAGES)
    values, T = np.linalg.eig(np.linalg.inv(A))
    order = [int(np.argmin(np.abs(values.imag))), int(np.argmax(values.imag))]
    left = np.linalg.inv(T)[order]
    return Coefficients(
        A, np.linalg.inv(A), np.array(TIMES), np.array(ESTIMATE), values[order].copy(),
        np.ascontiguousarray(left), np.ascontiguousarray(T.T[order]),
    )  # fmt: skip


def make_state(q: Array, v: Array, m: int) -> State:
    """Allocate a state for a configuration, a velocity and m constraints."""
    n, z = len(v), np.zeros
    return State(q.copy(), v.copy(), z(n), z(m), z(ERROR + 1), z(5, dtype=np.int64), z(3 * n + 1))


def make_scratch(
    n_q: int,
    sizes: Array,
    row_sizes: Array,
    units: Array,
    rotations: IntArray,
    plan: sparse_ldl.Plan,
    is_coupled: bool,
    unknowns: Unknowns,
) -> Scratch:
    """Allocate the arrays of one step."""
    z, n, m = np.zeros, len(sizes), len(row_sizes)
    N = n + m
    return Scratch(
        z(n_q), z(n_q), z(n), z(n), z(m), z(n), z(n), z(m), z(N), z((n, n)), z((m, n)), z((N, N)),
        z(N, dtype=np.int64), z(m), z(m), z(WORKS), z((3, WORKS)), z(n), z(m), sizes, row_sizes, units,
        rotations, plan, z(N + len(plan.rows)), no_recursion(), np.array([0, is_coupled]), unknowns,
        z((3, n)), z((3, n)), z((3, n)), z((3, n)), z((3, m)), z((3, N)),
        z((n, n)), z((n, n)), z((n, n)), z((m, n)), z((m, n)), z((N, N)), z((N, N), dtype=complex),
        z(N, dtype=np.int64), z(N, dtype=np.int64), z(N), z(N, dtype=complex),
    )  # fmt: skip


_NO, _NONE = np.zeros(0), np.zeros(0, dtype=np.int64)
_KIND = typeof(
    (
        make_state(_NO, _NO, 0),
        make_scratch(0, _NO, _NO, _NO, _NONE, sparse_ldl.no_plan(), False, no_unknowns()),
        coefficients(),
    )
)
restore = make_restore(_KIND)


class RadauMarch(AbstractCompiledMarch):
    """A run by Radau IIA."""

    def __init__(self, dae: Dae, method: Radau, settings: Settings) -> None:
        AbstractCompiledMarch.__init__(self, dae, settings)
        self.method = method
        self._table = coefficients()
        self._plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights)
        self.state = make_state(dae.q, dae.v, dae.m)
        self._scratch = make_scratch(
            dae.n_q, dae.sizes, dae.row_sizes, dae.weights, dae.rotations, self._plan, dae.is_coupled,
            make_unknowns(dae),
        )  # fmt: skip
        record = (self.state, self._scratch, self._table)
        assert typeof(record) == _KIND, "an array of the step has an unexpected type"
        self._handle = store(record)
        self._begin()

    def start(self) -> Output:
        """The start as one output row."""
        dae, y = self.dae, self.state
        row = (dae.q, dae.v, y.vdot, y.lam, np.zeros(WORKS), np.zeros(2))
        return Output(np.array([dae.t]), *(x[None].copy() for x in row))

    @property
    def loops(self) -> tuple[Callable[..., int], Callable[..., int] | None]:
        """One loop, for fixed and for adaptive steps."""
        from flexnet.integrators.radau_loop import run  # here: it rests on this page

        return run, None

    @property
    def functions(self) -> Functions:
        """The functions of the DAE but its energy."""
        dae, s, t = self.dae, self._scratch, 0.0
        counting = dae.counting or NO_COUNTING
        return (
            (dae.residual, (dae.model, t, s.q1, s.v1, s.still, s.free, dae.work, s.r, s.phi)),
            (dae.matrices, (dae.model, dae.work, 0.0, 0.0, s.M, s.G)),
            (dae.compose, (dae.model, s.q1, s.dq, s.qp)),
            (dae.rates, (dae.model, s.v1, s.still, dae.work, s.rate, s.bias)),
            (dae.power, (dae.model, s.q1, s.v1, s.lam1, dae.work, s.power)),
            (counting.update, (counting.model, t, s.q1)),
            *self.seeks,
        )

    def arguments(self, pace: Pace) -> tuple[Any, ...]:
        """Models, handle and constants."""
        dae, counting = self.dae, self.dae.counting or NO_COUNTING
        return dae.model, counting.model, dae.work, self._handle, self._constants, *self.sought

    def step_number(self, pace: Pace) -> int:
        """Steps are counted from row to row."""
        return 0

    @property
    def error(self) -> float:
        """Sum of the estimated errors of the steps, over sizes; none where the step is fixed."""
        return nan if self.settings.tolerance is None else float(self.state.clock[ERROR])

    @property
    def roughness(self) -> float:
        """Steps resolve what their error tells of."""
        return nan

    def change_pace(self, step: float) -> None:
        """A step foretells the next whatever its length."""

    @property
    def _constants(self) -> Array:
        s, dae = self.settings, self.dae
        span = max(s.end - self.schedule.start, s.step)
        return np.array(
            [
                s.tolerance or self.method.tolerance, span, max(s.smallest, 1e-12 * span),
                min(s.largest, span), 1.0 if dae.loads_do_work else 0.0,
                # the estimate of a step goes with h⁴; its share of the tolerance with h
                0.0 if dae.counting is None else 1.0, 3.0, dae.scale.time, s.newton,
                1.0 if s.tolerance is None else 0.0, dae.n_z,
            ]
        )  # fmt: skip

    def _begin(self) -> None:
        """Where the DAE begins."""
        self.state.clock[H] = min(self.settings.step, self.settings.largest)
        self.set_out(self.dae)

    def set_out(self, here: Dae) -> Array:
        """Consistent v̇ and λ at a start."""
        dae, y = here, self.state
        y.clock[T] = dae.t
        y.v[:] = dae.v
        y.vdot[:], y.lam[:] = initial_acceleration(dae, dae.t, dae.q, dae.v, self._plan)
        y.clock[POWER : POWER + WORKS] = powers(dae, dae.t, dae.q, dae.v, y.vdot, y.lam)
        y.last[3 * dae.n_v] = 0.0  # what was before tells nothing
        moving = np.array(y.vdot)
        y.vdot[self._scratch.unknowns.at] = 0.0  # their rows are met at every stage
        return moving
