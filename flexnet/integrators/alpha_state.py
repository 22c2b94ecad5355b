"""What the loop of the α-methods works on: state, scratch, output rows, and what stands where in them."""

from typing import NamedTuple

import numpy as np

from flexnet.integrators.rows import PEAK, WORKS, WORST
from flexnet.integrators.state_account import make_account
from flexnet.kernels import sparse_ldl, sparse_lu, unreduced
from flexnet.kernels.compile import typeof
from flexnet.kernels.handle import make_restore, make_store
from flexnet.typing import Array, IntArray

# places in State.clock after those of every loop; powers are those whose works are in it
POWER = PEAK + 1
RATE, H_OLDER = range(POWER + WORKS, POWER + WORKS + 2)
# places in State.counts
TANGENT, HAS_OLD, REFRESH = range(WORST + 1, WORST + 4)
# places in the constants
ALPHA_M, ALPHA_F, BETA, GAMMA, NEWTON, TOLERANCE, SPAN, H_MIN, H_MAX, PROJECT, T_START, LEVEL, LOADS = range(
    13
)
COUNTS, REMAINDER, IS_NOISY, STATES, TIME = 13, 14, 15, 16, 17

#: kinds of factors
DENSE, SYMMETRIC, WITH_STATES, WITH_TANGENTS, IN_BLOCKS = 0, 1, 2, 3, 4
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
    account: Array  # of states, see state_account


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
    K: Array  # nothing where tangents are sparse
    D: Array
    A: Array
    pivots: IntArray
    qp: Array
    vp: Array
    rp: Array
    rate: Array
    acceleration: Array
    power: Array
    power_before: Array
    bracket: Array
    line: Array  # (2, n + m) v̇ and λ where a damped correction begins, and the correction
    sizes: Array  # of every coordinate, given
    row_sizes: Array  # of every constraint, given
    weights: Array  # (n + m,) what makes Newton's matrix one without units, given
    plan: sparse_ldl.Plan
    values: Array  # factors of a sparse matrix
    tangent: sparse_lu.Tangent
    slopes: Array  # (2, entries) K and D where they are sparse
    lower: Array  # factors of a sparse matrix with states or tangents
    upper: Array
    is_sparse: IntArray  # (1,) where the present factors are: DENSE in A, SYMMETRIC in values, else the last
    # (n + m + 4,) weights of corrections of v̇ and λ; largest of a coordinate times its size; level; what one
    # unit of round-off does to positions and to λ, 0 where it is not known yet
    norm: Array
    per_size: Array  # (n,) one over the size of a coordinate's change
    per_place: Array  # (n_q,) one over the size of a number in q
    per_unknown: Array  # (n_z,) one over the size of an algebraic unknown, 0 of a state with a rate
    needs_matrix: IntArray  # (1,) whether the next step of a loop whose steps differ begins with a new matrix
    coupling: Array  # (n, n + m) ∂r/∂v̇ - M and ∂r/∂λ - Gᵀ; nothing where no force follows v̇ or λ
    blocks: unreduced.Blocks  # of unreduced bodies; M, G, A above are then not used


def make_state(q: Array, v: Array, m: int, n_z: int = 0) -> State:
    """Allocate a state for a configuration, a velocity, its last n_z states, and m constraints."""
    n = len(v)
    z = np.zeros
    return State(
        q.copy(), v.copy(), z(n), z(n), z(m), z(n), z(m), z(n), z(m), z(n),
        z(H_OLDER + 1), z(8, dtype=np.int64), make_account(n_z),
    )  # fmt: skip


def make_scratch(
    places: Array,
    sizes: Array,
    row_sizes: Array,
    weights: Array,
    plan: sparse_ldl.Plan,
    tangent: sparse_lu.Tangent,
    per_unknown: Array,
    is_coupled: bool = False,
    blocks: unreduced.Blocks | None = None,
) -> Scratch:
    """Allocate the arrays of one step; sizes of q, v, constraints and z and weights are those of the DAE."""
    z, n_q, n, m = np.zeros, len(places), len(sizes), len(row_sizes)
    room = sparse_ldl.scattered
    coupling = z((n, n + m)) if is_coupled else z((0, 0))
    wide = 0 if len(tangent.columns) or blocks is not None else n
    # with unreduced bodies the matrix as a whole is not made
    size = n if blocks is None else 0
    filled = max(len(p.order) + len(p.rows) for p in (plan, tangent.plan))
    return Scratch(
        z(n_q), z(n), z(n), z(n), z(m), z(n), z(n), z(m), z(n + m), room(size, n), room(m, n),
        z((wide, wide)), z((wide, wide)), room(size + m, n + m), z(n + m, dtype=np.int64), z(n_q), z(n), z(n),
        z(m), z(m), z(WORKS), z(WORKS), z(m), z((2, n + m)), sizes, row_sizes, weights, plan,
        z(n + m + len(plan.rows)), tangent, z((2, len(tangent.entries))), z(filled), z(filled),
        z(1, dtype=np.int64), z(n + m + 4), 1.0 / sizes, 1.0 / places, per_unknown, z(1, dtype=np.int64),
        coupling, unreduced.no_blocks() if blocks is None else blocks,
    )  # fmt: skip


_EMPTY = np.zeros(0)
_NOTHING = make_scratch(_EMPTY, _EMPTY, _EMPTY, _EMPTY, sparse_ldl.no_plan(), sparse_lu.no_tangent(), _EMPTY)
_KIND = typeof((make_state(_EMPTY, _EMPTY, 0), _NOTHING))
restore, _store = make_restore(_KIND), make_store(_KIND)


def handle(y: State, s: Scratch) -> IntArray:
    """Pack a state and the arrays of a step, both of which must outlive the handle."""
    return _store((y, s))
