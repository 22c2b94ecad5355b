"""What a step of an energy scheme hands to the next, and the arrays it works in."""

from typing import NamedTuple

import numpy as np

from flexnet.integrators.energy_momentum import Kept, make_kept
from flexnet.integrators.rows import WORK, WORST
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import typeof
from flexnet.kernels.handle import make_restore, store
from flexnet.typing import Array, IntArray

# places in State.clock; works are those of drivers, forces, damping, constraints and the scheme itself,
# stages the times of the last three, PEAK the largest kinetic energy so far, rates those of convergence,
# EPSILON the ε of the last step, SLOPE the change of the energy by ε over the expected one,
# GRIP the least change of the energy by ε that a stage must expect, REST the energy of constraints closing
TARGET, STAGE, STAGE_OLD, STAGE_OLDER = range(WORK + 5, WORK + 9)
PEAK, RATE, CLOSING_RATE, EPSILON, SLOPE, GRIP, REST = range(WORK + 9, WORK + 16)
# places in State.counts
TANGENT, STAGES, REFRESH = range(WORST + 1, WORST + 4)
# places in the constants
GAMMA, ERROR_CONSTANT, ENERGY_CONTROL, TOLERANCE, SPAN, H_MIN, H_MAX, T_START, IS_STIFF, NEWTON, LOADS = (
    range(11)
)
COUNTS = 11
#: one over the time of the model, with sizes a velocity
PER_TIME = 12
# places in Scratch.sums
NOISE, DISSIPATED, SQUARE, KNOWN, TRAVEL, DRIVEN, EPS, FORCED = range(8)
#: change of a rate of convergence per step
AGEING = 1.1


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run."""

    q: Array
    v: Array
    vdot: Array  # v̇ and λ of the present state, for output
    lam: Array
    a: Array  # A and λ of the last three stages
    a_old: Array
    a_older: Array
    lam_stage: Array
    lam_old: Array
    lam_older: Array
    w: Array  # w of the last step, one after another for each of its stages
    momentum: Array  # (k,) momenta to keep
    phi: Array  # Φ of the present state, from which constraints do their work over the next step
    clock: Array
    counts: IntArray


class Scratch(NamedTuple):
    """Arrays of one step, overwritten."""

    q1: Array
    v1: Array
    qs: Array  # stage configuration Q
    u: Array  # stage velocity U
    a: Array  # stage acceleration A
    w: Array
    u_before: Array  # U' and A' of the stage before
    a_before: Array
    w_before: Array
    lam_before: Array
    lam: Array
    dq: Array
    r: Array
    d: Array  # direction M U of the correction
    phi: Array
    rate: Array
    acceleration: Array
    rhs: Array
    second: Array  # another right-hand side
    M: Array
    G: Array
    A: Array
    pivots: IntArray
    qp: Array
    up: Array
    ap: Array
    rp: Array
    power: Array
    power_before: Array
    energy: Array
    sums: Array
    J: Array  # tangent M + c D + c² K
    B: Array  # matrix of the present state, for output
    pivots_B: IntArray
    z: Array  # answer of Newton's matrix to M U
    x: Array  # change of A, λ and w in one iteration
    S: Array  # (20, ·) changes before it
    phi_p: Array  # constraints nearby, not needed
    rate_p: Array
    sizes: Array  # of every coordinate, given
    q_sizes: Array  # of every entry of q, given
    row_sizes: Array  # of every constraint, given
    weights: Array  # (n + m,) what makes Newton's matrix one without units, given
    plan: sparse_ldl.Plan
    values: Array  # factors of a sparse matrix
    kept: Kept
    begun: Array  # A, w and λ before the step is closed
    tableau: Array  # (4,) b', b, c', c of the stage at work
    is_sparse: IntArray  # (1,) whether the present factors are in values, else in A


def make_state(q: Array, v: Array, m: int, k: int) -> State:
    """Allocate a state for a configuration, a velocity, m constraints and k momenta that are kept."""
    n = len(v)
    z = np.zeros
    return State(
        q.copy(), v.copy(), z(n), z(m), z(n), z(n), z(n), z(m), z(m), z(m), z(2 * n), z(k), z(m), z(20),
        z(8, dtype=np.int64),
    )  # fmt: skip


def make_scratch(
    sizes: Array, q_sizes: Array, row_sizes: Array, weights: Array, plan: sparse_ldl.Plan, twists: Array
) -> Scratch:
    """Allocate the arrays of one step; sizes and weights are those of the DAE."""
    z, n, n_q, m = np.zeros, len(sizes), len(q_sizes), len(row_sizes)
    return Scratch(
        z(n_q), z(n), z(n_q), z(n), z(n), z(n), z(n), z(n), z(n), z(m), z(m), z(n), z(n), z(n), z(m),
        z(m), z(m), z(n + m), z(n + m), z((n, n)), z((m, n)), z((n + m, n + m)), z(n + m, dtype=np.int64),
        z(n_q), z(n), z(n), z(n), z(4), z(4), z(3), z(8), z((n, n)), z((n + m, n + m)),
        z(n + m, dtype=np.int64), z(n + m), z(2 * n + m), z((20, 2 * n + m)), z(m), z(m),
        sizes, q_sizes, row_sizes, weights, plan,
        z(n + m + len(plan.rows)), make_kept(twists, n), z(2 * n + m), z(4), z(1, dtype=np.int64),
    )  # fmt: skip


_EMPTY = np.zeros(0)
_KIND = typeof(
    (
        make_state(_EMPTY, _EMPTY, 0, 0),
        make_scratch(_EMPTY, _EMPTY, _EMPTY, _EMPTY, sparse_ldl.no_plan(), np.zeros((0, 6))),
    )
)
restore = make_restore(_KIND)


def handle(y: State, s: Scratch) -> IntArray:
    """Pack a state and the arrays of a step, both of which must outlive the handle."""
    assert typeof((y, s)) == _KIND, "an array of the step has an unexpected type"
    return store((y, s))
