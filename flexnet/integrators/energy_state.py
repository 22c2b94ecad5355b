"""What a step of an energy scheme hands to the next, and the arrays it works in.

Numbers stand in records with named fields, one of each: ``clock = y.clock[0]``, then ``clock.peak``.
"""

from typing import Any, NamedTuple

import numpy as np

from flexnet.integrators.algebraic_rows import Unknowns, no_unknowns
from flexnet.integrators.energy_momentum import Kept, make_kept
from flexnet.integrators.rows import WORKS
from flexnet.integrators.state_account import make_account
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import is_interpreted, typeof
from flexnet.kernels.handle import make_restore, make_store
from flexnet.typing import Array, IntArray

_f, _i = np.float64, np.int64

#: numbers one step hands to the next; the first are those of every loop
CLOCK = np.dtype(
    [
        ("t", _f), ("h", _f), ("h_old", _f), ("residual", _f),
        ("work", _f, (WORKS,)),  # J
        ("error", _f), ("bent", _f), ("reached", _f),  # sum of local errors, bend and size of A
        ("bent_z", _f), ("reached_z", _f), ("murmur", _f),  # of α-methods only, see rows
        ("look", _f), ("closed", _f), ("left", _f), ("largest", _f),  # balance of the energies, see rows
        ("target", _f),  # energy the present state should have, J
        ("stage", _f), ("stage_old", _f), ("stage_older", _f),  # times of the last three stages
        ("peak", _f),  # largest kinetic energy so far, J
        ("rate", _f), ("projection_rate", _f),  # of convergence of Newton's method and of the projection
        ("epsilon", _f),  # ε of the last step
        ("slope", _f),  # change of the energy by ε over the expected one
        ("response", _f),  # change of the energy by ε, at a step of one second, where momenta are kept
        ("rest", _f),  # energy of constraints that close what the start left open, J
    ]
)  # fmt: skip
#: counts, in the order of every loop, then whether tangents are in Newton's matrix, the stages in the
#: history, and whether the next step needs a new matrix
COUNTS = np.dtype(
    [
        (name, _i)
        for name in (
            "steps", "iterations", "factorisations", "rejected", "worst", "tangent", "stages", "refresh",
        )
    ]
)  # fmt: skip
#: what the user, the scheme and the model decide
CONSTANTS = np.dtype(
    [
        ("gamma", _f),  # place of the first of two stages; 0 with one
        ("error_constant", _f),
        ("follows_energy", _f),  # whether an adaptive step is chosen by the energy
        ("tolerance", _f), ("span", _f), ("h_min", _f), ("h_max", _f), ("t_start", _f),
        ("is_stiff", _f),  # whether Newton's matrix holds a constant stiffness
        ("newton", _f),
        ("loads_do_work", _f), ("counts", _f),
        ("is_coupled", _f),  # whether forces follow accelerations or loads of joints
        ("per_time", _f),  # one over the time of the model: with sizes, a velocity
    ]
)  # fmt: skip
#: numbers of the step at work
TRIAL = np.dtype(
    [
        ("noise", _f),  # change of the velocity by round-off of the energies
        ("dissipated", _f),  # D, J
        ("square", _f),  # U·M U, J
        ("earlier", _f),  # work of the stage before, J
        ("travel", _f),  # way since M and G were found, in sizes
        ("driven", _f), ("forced", _f),  # powers of drivers and of forces by the answer z
        ("epsilon", _f),
        ("keeps", _i),  # whether this step keeps momenta
    ]
)  # fmt: skip
#: numbers of the projection at work, see energy_projection
PROJECTION = np.dtype(
    [
        ("largest", _f),  # velocity of the stage, in sizes
        ("square", _f),  # change of the energy by ε, at a step of one second, J
        ("slope", _f),  # of the step before
        ("surplus", _f),  # energy of the end over what it should be, J
        ("first", _f),  # that of the iteration before, without what the momenta are worth, J
        ("noise", _f),  # round-off of energies, J
        ("before", _f), ("rate", _f),  # size of the last change in round-offs, rate of convergence
        ("count", _i),  # changes that Broyden's updates know
        ("is_limited", _i),  # whether ε has reached its limit
        ("is_followed", _i),  # whether powers follow the change of the velocity
    ]
)  # fmt: skip
#: weights of the stage at work, see (1) and (2) of energy_loop: primes are of the stage before
TABLEAU = np.dtype([("b_before", _f), ("b", _f), ("c_before", _f), ("c", _f)])

#: change of a rate of convergence per step: what was measured is believed for some ten steps
AGEING = 1.1


def one(kind: np.dtype[Any]) -> Any:
    """One record of a kind, as an array."""
    made = np.zeros(1, kind)
    return made.view(np.recarray) if is_interpreted() else made


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
    clock: Any  # one CLOCK
    counts: Any  # one COUNTS
    account: Array  # of states, see state_account


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
    trial: Any  # one TRIAL
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
    begun: Array  # A, w and λ before they are projected
    tableau: Any  # one TABLEAU
    projection: Any  # one PROJECTION
    is_sparse: IntArray  # (1,) whether the present factors are in values, else in A
    inertial: IntArray  # (1,) how many of v have inertia and a place in q: those after them are states z
    inertias: Array  # (n_z,) E of the rows of states, 0 of those without a rate
    unknowns: Unknowns  # of algebraic rows
    needs_matrix: IntArray  # (1,) whether the next step of a loop whose steps differ begins with a new matrix
    clock: Array  # those of the state, as plain numbers
    counts: IntArray


def make_state(q: Array, v: Array, m: int, k: int, n_z: int = 0) -> State:
    """Allocate a state for q, v whose last n_z are states, m constraints and k momenta that are kept."""
    n = len(v)
    z = np.zeros
    return State(
        q.copy(), v.copy(), z(n), z(m), z(n), z(n), z(n), z(m), z(m), z(m), z(2 * n), z(k), z(m),
        one(CLOCK), one(COUNTS), make_account(n_z),
    )  # fmt: skip


def make_scratch(
    y: State, sizes: Array, q_sizes: Array, row_sizes: Array, weights: Array, plan: sparse_ldl.Plan,
    twists: Array, inertial: int, unknowns: Unknowns,
) -> Scratch:  # fmt: skip
    """Allocate the arrays of one step; sizes and weights are those of the DAE."""
    z, n, n_q, m = np.zeros, len(sizes), len(q_sizes), len(row_sizes)
    return Scratch(
        z(n_q), z(n), z(n_q), z(n), z(n), z(n), z(n), z(n), z(n), z(m), z(m), z(n), z(n), z(n), z(m),
        z(m), z(m), z(n + m), z(n + m), z((n, n)), z((m, n)), z((n + m, n + m)), z(n + m, dtype=np.int64),
        z(n_q), z(n), z(n), z(n), z(WORKS), z(WORKS), z(3), one(TRIAL), z((n, n)), z((n + m, n + m)),
        z(n + m, dtype=np.int64), z(n + m), z(2 * n + m), z((20, 2 * n + m)), z(m), z(m),
        sizes, q_sizes, row_sizes, weights, plan,
        z(n + m + len(plan.rows)), make_kept(twists, n), z(2 * n + m), one(TABLEAU), one(PROJECTION),
        z(1, dtype=np.int64), np.array([inertial], dtype=np.int64), z(n - inertial), unknowns,
        z(1, dtype=np.int64),
        np.asarray(y.clock).view(np.float64), np.asarray(y.counts).view(np.int64),
    )  # fmt: skip


_EMPTY = np.zeros(0)
_NONE = make_state(_EMPTY, _EMPTY, 0, 0)
_KIND = typeof(
    (
        _NONE,
        make_scratch(
            _NONE, _EMPTY, _EMPTY, _EMPTY, _EMPTY, sparse_ldl.no_plan(), np.zeros((0, 6)), 0, no_unknowns()
        ),
    )
)
restore, _store = make_restore(_KIND), make_store(_KIND)


def handle(y: State, s: Scratch) -> IntArray:
    """Pack a state and the arrays of a step, both of which must outlive the handle."""
    return _store((y, s))
