"""What the loop of the α-methods works on: state, scratch, output rows, and what stands where in them."""

from typing import NamedTuple

import numpy as np

from flexnet.integrators.rows import WORK, WORST
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import typeof
from flexnet.kernels.handle import make_restore, store
from flexnet.typing import Array, IntArray

# places in State.clock after those of every loop; powers are those whose works are in it
POWER = WORK + 4
RATE, H_OLDER, ERROR, BENT, LEVEL_REACHED = range(POWER + 4, POWER + 9)
# places in State.counts
TANGENT, HAS_OLD, REFRESH = range(WORST + 1, WORST + 4)
# places in the constants
ALPHA_M, ALPHA_F, BETA, GAMMA, NEWTON, TOLERANCE, SPAN, H_MIN, H_MAX, PROJECT, T_START, LEVEL, LOADS = range(
    13
)
COUNTS, REMAINDER, IS_NOISY, STATES, TIME = 13, 14, 15, 16, 17

#: level of the constraints in the equations of a step
POSITION, ACCELERATION = 0.0, 2.0


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run exactly."""

    q: Array
    v: Array
    a: Array
    vdot: Array
    lam: Array
    vdot_old: Array
    lam_old: Array
    vdot_older: Array
    lam_older: Array
    offset: Array
    clock: Array
    counts: IntArray


class Scratch(NamedTuple):
    """Arrays of one step, overwritten."""

    q1: Array
    v1: Array
    a1: Array
    vdot1: Array
    lam1: Array
    dq: Array
    r: Array
    phi: Array
    rhs: Array
    M: Array
    G: Array
    K: Array
    D: Array
    A: Array
    pivots: IntArray
    qp: Array
    vp: Array
    rp: Array
    rate: Array
    acceleration: Array
    power: Array
    bracket: Array
    line: Array  # (2, n + m) v̇ and λ where a damped correction begins, and the correction
    sizes: Array  # of every coordinate, given
    row_sizes: Array  # of every constraint, given
    weights: Array  # (n + m,) what makes Newton's matrix one without units, given
    plan: sparse_ldl.Plan
    values: Array  # factors of a sparse matrix
    is_sparse: IntArray  # (1,) whether the present factors are in values, else in A
    norm: (
        Array  # (n + m + 2,) weights of corrections of v̇ and λ; largest of a coordinate times its size; level
    )
    per_size: Array  # (n,) one over the size of a coordinate's change
    per_place: Array  # (n_q,) one over the size of a number in q
    per_unknown: Array  # (n_z,) one over the size of an algebraic unknown, 0 of a state with a rate
    coupling: Array  # (n, n + m) ∂r/∂v̇ - M and ∂r/∂λ - Gᵀ; nothing where no force follows v̇ or λ


def make_state(q: Array, v: Array, m: int) -> State:
    """Allocate a state for a configuration, a velocity and m constraints."""
    n = len(v)
    z = np.zeros
    return State(
        q.copy(), v.copy(), z(n), z(n), z(m), z(n), z(m), z(n), z(m), z(n), z(17), z(8, dtype=np.int64)
    )  # fmt: skip


def make_scratch(
    places: Array,
    sizes: Array,
    row_sizes: Array,
    weights: Array,
    plan: sparse_ldl.Plan,
    per_unknown: Array,
    is_coupled: bool = False,
) -> Scratch:
    """Allocate the arrays of one step; sizes of q, v, constraints and z and weights are those of the DAE."""
    z, n_q, n, m = np.zeros, len(places), len(sizes), len(row_sizes)
    coupling = z((n, n + m)) if is_coupled else z((0, 0))
    return Scratch(
        z(n_q), z(n), z(n), z(n), z(m), z(n), z(n), z(m), z(n + m), z((n, n)), z((m, n)), z((n, n)),
        z((n, n)), z((n + m, n + m)), z(n + m, dtype=np.int64), z(n_q), z(n), z(n), z(m), z(m), z(4), z(m),
        z((2, n + m)), sizes, row_sizes, weights, plan, z(n + m + len(plan.rows)), z(1, dtype=np.int64),
        z(n + m + 2), 1.0 / sizes, 1.0 / places, per_unknown, coupling,
    )  # fmt: skip


_EMPTY = np.zeros(0)
_NOTHING = make_scratch(_EMPTY, _EMPTY, _EMPTY, _EMPTY, sparse_ldl.no_plan(), _EMPTY)
_KIND = typeof((make_state(_EMPTY, _EMPTY, 0), _NOTHING))
restore = make_restore(_KIND)


def handle(y: State, s: Scratch) -> IntArray:
    """Pack a state and the arrays of a step, both of which must outlive the handle."""
    assert typeof((y, s)) == _KIND, "an array of the step has an unexpected type"
    return store((y, s))
