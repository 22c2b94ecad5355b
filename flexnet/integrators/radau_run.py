"""A run by Radau IIA: where it begins, and what its compiled loop works on."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from flexnet.dae import Dae
from flexnet.integrators.algebraic_rows import Unknowns, make_unknowns, no_unknowns
from flexnet.integrators.elimination import plan_elimination
from flexnet.integrators.radau import ESTIMATE, STAGES, TIMES, Radau
from flexnet.integrators.rows import WORKS
from flexnet.integrators.runge_kutta_run import AbstractStageMarch
from flexnet.integrators.runge_kutta_state import POWER, TIME
from flexnet.integrators.settings import Settings
from flexnet.integrators.state_account import make_account
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import typeof
from flexnet.kernels.handle import make_restore, make_store
from flexnet.kernels.recursion import Recursion, no_recursion
from flexnet.typing import AnyArray, Array, IntArray

# places in the constants after those of the explicit methods
NEWTON, IS_FIXED, N_Z = TIME + 1, TIME + 2, TIME + 3
# places in Scratch.fit
LENGTH, SLOWEST = 0, 1


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run exactly."""

    q: Array
    v: Array
    vdot: Array
    lam: Array
    clock: Array
    counts: IntArray
    account: Array  # of states at fixed steps, see state_account
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
    fit: Array  # (2,) LENGTH of the step of the factors, SLOWEST of Newton's corrections with the tangents


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


def make_state(q: Array, v: Array, m: int, n_z: int = 0) -> State:
    """Allocate a state for a configuration, a velocity, m constraints and an account of n_z states."""
    n, z = len(v), np.zeros
    clock, counts = z(POWER + WORKS), z(5, dtype=np.int64)
    return State(q.copy(), v.copy(), z(n), z(m), clock, counts, make_account(n_z), z(3 * n + 1))


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
        z(N, dtype=np.int64), z(N, dtype=np.int64), z(N), z(N, dtype=complex), z(2),
    )  # fmt: skip


_NO, _NONE = np.zeros(0), np.zeros(0, dtype=np.int64)
_KIND = typeof(
    (
        make_state(_NO, _NO, 0),
        make_scratch(0, _NO, _NO, _NO, _NONE, sparse_ldl.no_plan(), False, no_unknowns()),
        coefficients(),
    )
)
restore, _store = make_restore(_KIND), make_store(_KIND)


class RadauMarch(AbstractStageMarch):
    """A run by Radau IIA."""

    account_power = 1.5  # as shares of a tolerance go, see radau_loop

    def __init__(self, dae: Dae, method: Radau, settings: Settings) -> None:
        AbstractStageMarch.__init__(self, dae, settings)
        self.method = method
        self._table = coefficients()
        self._plan = plan_elimination(dae.sparsity, dae.n_v, dae.m, dae.weights)
        is_fixed = settings.tolerance is None
        self.state = make_state(dae.q, dae.v, dae.m, dae.n_z if is_fixed else 0)
        self._scratch = make_scratch(
            dae.n_q, dae.sizes, dae.row_sizes, dae.weights, dae.rotations, self._plan, dae.is_coupled,
            make_unknowns(dae),
        )  # fmt: skip
        record = (self.state, self._scratch, self._table)
        self._handle = _store(record)
        self.begin()

    @property
    def loops(self) -> tuple[Callable[..., int], Callable[..., int] | None]:
        """One loop, for fixed and for adaptive steps."""
        from flexnet.integrators.radau_loop import run  # here: it rests on this page

        return run, None

    @property
    def constants(self) -> Array:
        """The estimate of a step goes with h⁴; its share of the tolerance with h."""
        s = self.settings
        own = [s.newton, 1.0 if s.tolerance is None else 0.0, self.dae.n_z]
        return np.array([*self.usual_constants(3.0), *own])

    def forget(self) -> None:
        """Stages of the step before no longer foretell the next."""
        self.state.last[3 * self.dae.n_v] = 0.0
