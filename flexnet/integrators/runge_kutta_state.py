"""What the loop of the Runge-Kutta methods works on: state, scratch, coefficients, and what stands where."""

from typing import NamedTuple

import numpy as np

from flexnet.dae import Links
from flexnet.integrators.algebraic_rows import Unknowns, no_unknowns
from flexnet.integrators.rows import PEAK, WORKS
from flexnet.integrators.runge_kutta import Tableau
from flexnet.kernels import sparse_ldl
from flexnet.kernels.compile import typeof
from flexnet.kernels.handle import make_restore, make_store
from flexnet.kernels.recursion import Recursion, make_recursion, no_recursion, table_width
from flexnet.typing import Array, IntArray

# places in State.clock after those of every loop; powers are those of the present state
POWER = PEAK + 1
# round-off of the rates over sizes, 1/s, and the first failure at a time: the time, step and error of it
NOISE, DOUBT_T, DOUBT_H, DOUBT_ERROR = range(POWER + WORKS, POWER + WORKS + 4)
# steps that stability held short, not their error, and the sum of the rates in them, 1/s
STIFF, RATES = DOUBT_ERROR + 1, DOUBT_ERROR + 2
# places in the constants
TOLERANCE, SPAN, H_MIN, H_MAX, LOADS, COUNTS, ORDER, TIME = range(8)
# and of explicit methods: |hλ| above which a step may be stiff, and its estimate over amplitude and |hλ|⁵
LIMIT, SHARE = 8, 9


class State(NamedTuple):
    """What one step hands to the next; enough to resume a run exactly."""

    q: Array
    v: Array
    vdot: Array
    lam: Array
    clock: Array
    counts: IntArray
    account: Array  # none: steps hold the errors of states to the tolerance


class Scratch(NamedTuple):
    """Arrays of one step, overwritten, and what is given for all steps."""

    q1: Array
    qp: Array
    v1: Array
    vdot1: Array
    lam1: Array
    q_end: Array  # end of the step while rows before it are written
    v_end: Array
    lam_end: Array
    theta: Array  # (n,) turn and way since the start of the step
    dq: Array
    turns: Array  # (stages, n) θ̇
    accelerations: Array  # (stages, n) v̇
    powers: Array  # (stages, WORKS)
    weights: Array  # (stages,) of the dense output at a time
    r: Array
    phi: Array
    rhs: Array
    M: Array  # along a tree of bodies: the table of its bodies
    G: Array  # along a tree of bodies: the numbers of its links
    A: Array
    pivots: IntArray
    rate: Array
    bias: Array
    power: Array
    error: Array  # (2, 2 n) estimates
    still: Array  # (n,) no acceleration
    free: Array  # (m,) no load
    sizes: Array
    row_sizes: Array
    units: Array  # (n + m,) what makes the matrix one without units
    rotations: IntArray  # first places in v of 3-D rotations
    plan: sparse_ldl.Plan
    values: Array
    recursion: Recursion
    form: IntArray  # (2,) which factors are present: sparse, symmetric, … ; whether F has v̇ and λ
    unknowns: Unknowns  # of algebraic rows


class Coefficients(NamedTuple):
    """A tableau."""

    A: Array
    b: Array
    c: Array
    E: Array
    D: Array
    stages: IntArray  # (1,)


def make_state(q: Array, v: Array, m: int) -> State:
    """Allocate a state for a configuration, a velocity and m constraints."""
    n, z = len(v), np.zeros
    return State(q.copy(), v.copy(), z(n), z(m), z(RATES + 1), z(5, dtype=np.int64), z(0))


def make_scratch(
    n_q: int,
    stages: int,
    sizes: Array,
    row_sizes: Array,
    units: Array,
    rotations: IntArray,
    plan: sparse_ldl.Plan,
    links: Links | None,
    is_coupled: bool,
    unknowns: Unknowns,
) -> Scratch:
    """Allocate the arrays of one step."""
    z, n, m = np.zeros, len(sizes), len(row_sizes)
    room = sparse_ldl.scattered
    if links is None:
        recursion, M, G, full = no_recursion(), room(n, n), room(m, n), n + m
    else:
        recursion = make_recursion(links.parent, links.first, links.place, links.d)
        M, G, full = z((len(links.parent), table_width(links.d))), links.numbers, 0
    return Scratch(
        z(n_q), z(n_q), z(n), z(n), z(m), z(n_q), z(n), z(m), z(n), z(n), z((stages, n)), z((stages, n)),
        z((stages, WORKS)), z(stages), z(n), z(m), z(n + m), M, G, room(full, full),
        z(n + m, dtype=np.int64), z(m), z(m), z(WORKS), z((2, 2 * n)), z(n), z(m), sizes, row_sizes, units,
        rotations, plan, z(n + m + len(plan.rows)), recursion, np.array([0, is_coupled]), unknowns,
    )  # fmt: skip


def coefficients(tableau: Tableau) -> Coefficients:
    """A tableau as the loop reads it."""
    t = tableau
    return Coefficients(t.A, t.b, t.c, t.E, t.D, np.array([t.stages]))


_NO, _NONE = np.zeros(0), np.zeros(0, dtype=np.int64)
_KIND = typeof(
    (
        make_state(_NO, _NO, 0),
        make_scratch(0, 0, _NO, _NO, _NO, _NONE, sparse_ldl.no_plan(), None, False, no_unknowns()),
        Coefficients(np.zeros((0, 0)), _NO, _NO, np.zeros((0, 0)), np.zeros((0, 0)), _NONE),
    )
)
restore, _store = make_restore(_KIND), make_store(_KIND)


def handle(y: State, s: Scratch, k: Coefficients) -> IntArray:
    """Pack a state, the arrays of a step and a tableau, all of which must outlive the handle."""
    return _store((y, s, k))
