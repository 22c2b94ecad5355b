"""What the differentiated steps of an α-method work on: rows, derivatives, moved models, memory."""

from typing import Any, NamedTuple

import numpy as np

from flexnet.dae import Dae
from flexnet.typing import Array, IntArray


class Tools(NamedTuple):
    """Functions of the equations, and what they receive first."""

    residual: Any
    matrices: Any
    compose: Any
    count: Any
    model: Any
    work: Any
    counted: Any


class Rows(NamedTuple):
    """States at every row, (rows, ·), as recorded; solved to round-off in place. z is the last of v."""

    t: Array
    q: Array
    v: Array
    a: Array
    lam: Array


class Before(NamedTuple):
    """What the method hands to the next step beside q: v, a, v̇, (n,) each."""

    v: Array
    a: Array
    vdot: Array


class Tangents(NamedTuple):
    """Derivatives along parameters: at rows (parameters, rows, ·), of :class:`Before` (parameters, n)."""

    q: Array
    v: Array
    a: Array
    lam: Array
    v_step: Array
    algorithmic: Array
    vdot: Array


class Moved(NamedTuple):
    """Models where parameters are moved.

    Attributes
    ----------
    models : at (parameter · levels + level) · 6 + place of the difference; what was not made is not called.
    sizes : (parameters, levels) by which a parameter is moved.
    counts : (parameters,) levels that were made.
    """

    models: Any
    sizes: Array
    counts: IntArray


class Room(NamedTuple):
    """Sizes, and memory that is overwritten.

    Attributes
    ----------
    sizes, row_sizes, q_sizes : of velocities (n,), of constraints, of q.
    weights : d of :func:`flexnet.dae.matrix_weights`.
    """

    sizes: Array
    row_sizes: Array
    q_sizes: Array
    weights: Array
    rows: Array  # (n + m,) weights of rows
    J: Array
    A: Array
    pivots: IntArray
    M: Array
    G: Array
    way: Array
    b: Array  # (parameters, n + m)
    along: Array  # direction: of q, of the way, of v and of v̇
    dq: Array
    dv: Array
    da: Array
    q: Array
    move: Array
    end: Array
    v: Array
    a: Array
    no_a: Array
    no_lam: Array
    none: Array
    r: Array
    phi: Array
    found: Array  # (6, n + m)
    near: Array
    best: Array
    gaps: Array  # how far differences of every row disagree
    last: Array  # difference before, and how far it disagreed with itself
    last_gaps: Array
    least: Array  # how far any difference disagreed with itself at least
    ends: Array  # (6, n_q)
    trouble: IntArray  # parameter that is in the way


#: numbers of a step
H, ALPHA_M, ALPHA_F, BETA, GAMMA, C_Q, C_V, COUNTS, FIXED = range(9)


def make_room(dae: Dae, q_sizes: Array, parameters: int) -> Room:
    """Memory for a model."""
    n, m, n_q = dae.n_v, dae.m, dae.n_q
    k, moving = n + m, dae.n_v - dae.n_z
    shapes = {
        "rows": (k,), "J": (k, k), "A": (k, k), "M": (moving, moving), "G": (m, moving), "way": (n,),
        "b": (parameters, k), "along": (n_q,), "dq": (n,), "dv": (n,), "da": (n,), "q": (n_q,), "move": (n,),
        "end": (n_q,), "v": (n,), "a": (n,), "no_a": (n,), "no_lam": (m,), "none": (0,), "r": (n,),
        "phi": (m,), "found": (6, k), "near": (k,), "best": (k,), "gaps": (k,), "last": (k,),
        "last_gaps": (k,), "least": (k,), "ends": (6, n_q),
    }  # fmt: skip
    made = {name: np.zeros(shape) for name, shape in shapes.items()}
    own = {"sizes": dae.sizes, "row_sizes": dae.row_sizes, "q_sizes": q_sizes, "weights": dae.weights}
    given = {name: np.array(x, dtype=float) for name, x in own.items()}
    pivots, trouble = np.zeros(k, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Room(**given, **made, pivots=pivots, trouble=trouble)
