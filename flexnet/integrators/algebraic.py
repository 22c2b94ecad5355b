"""Rows without a rate, 0 = f(q, v, z, t): unknowns that fit a state, and how fast they move with it.

Their unknowns z_a follow from the rest by Newton's method, damped so that the rows fall,

    f_z δ = -f,                                                                                    (1)

and their rates from the derivative of the rows along the motion, z_a held,

    f_z ż_a = -ḟ.                                                                                  (2)

Where rows follow accelerations or loads of joints, f(q, v, z, v̇, λ, t), these are the ones that z gives rise
to: f is then a function of q, v, z and t with v̇ and λ solved inside, and f_z its whole derivative.
"""

from dataclasses import replace

import numpy as np

from flexnet.dae import Dae
from flexnet.errors import FlexnetError
from flexnet.integrators.motion import motion
from flexnet.typing import Array, IntArray

MAX_ITERATIONS, MAX_HALVINGS = 60, 40
#: correction of an unknown over its value, and value over its size that counts as one, at the end of (1)
NEAR, SMALL = 1e-11, 1e-6
#: part of a step along which (2) takes its difference, and of an unknown by which f_z does
PART, DIFFERENCE = 1e-3, 1e-6


def consistent(dae: Dae) -> Dae:
    """The same equations from a start that meets their algebraic rows."""
    return replace(dae, v=solved(dae, dae.t, dae.q, dae.v)) if dae.is_algebraic.any() else dae


def _places(dae: Dae) -> IntArray:
    """Algebraic unknowns and their rows in v and r."""
    found: IntArray = np.flatnonzero(dae.is_algebraic) + dae.n_v - dae.n_z
    return found


def _rows(dae: Dae, t: float, q: Array, v: Array, at: IntArray) -> Array:
    """-w f of the algebraic rows, with the v̇ and λ that the state gives rise to where they follow them."""
    r, vdot, lam = np.zeros(dae.n_v), np.zeros(dae.n_v), np.zeros(dae.m)
    if dae.is_coupled:
        vdot, lam = motion(dae, t, q, v)
        vdot[at] = 0.0
    dae.residual(dae.model, t, q, v, vdot, lam, dae.work, r, np.zeros(dae.m))
    return r[at]


def sensing_row(dae: Dae) -> str:
    """Name of the first algebraic unknown whose row follows accelerations or loads; empty if none does."""
    if not (dae.is_coupled and dae.is_algebraic.any()):
        return ""
    n, m, at = dae.n_v, dae.m, _places(dae)
    x = np.concatenate([dae.sizes / dae.scale.time**2, dae.scale.energy / dae.row_sizes])
    rows = np.zeros((3, n))
    for r, f in zip(rows, (0.0, 1.0, -1.0), strict=True):
        y = f * x
        dae.residual(dae.model, dae.t, dae.q, dae.v, y[:n], y[n:], dae.work, r, np.zeros(m))
    moved = (rows != rows[0]).any(axis=0)[at]
    return dae.equations[at[int(np.argmax(moved))]] if moved.any() else ""


def _slopes(dae: Dae, t: float, q: Array, v: Array, at: IntArray, r: Array) -> Array:
    """-w f_z at the state of the last rows r; by differences where f holds v̇ and λ."""
    n = dae.n_v
    if not dae.is_coupled:
        M = np.zeros((n, n))
        dae.matrices(dae.model, dae.work, 0.0, 1.0, M, np.zeros((dae.m, n)))
        return M[np.ix_(at, at)]
    A, size = np.empty((len(at), len(at))), dae.sizes / dae.scale.time
    for k, i in enumerate(at):
        moved = v.copy()
        moved[i] += DIFFERENCE * max(abs(v[i]), SMALL * size[i])
        A[:, k] = (_rows(dae, t, q, moved, at) - r) / (moved[i] - v[i])
    return A


def _solve(dae: Dae, A: Array, b: Array, at: IntArray) -> Array:
    """Solve with f_z; a singular one names the row that says nothing new."""
    size = np.abs(A).max(axis=1)
    size = np.where(size > 0, size, 1.0)
    try:
        x = np.linalg.solve(A / size[:, None], b / size)
    except np.linalg.LinAlgError:
        x = np.full(len(b), np.nan)
    if not np.all(np.isfinite(x)):
        worst = int(np.argmax(np.abs(np.linalg.svd(np.nan_to_num(A / size[:, None]))[0][:, -1])))
        raise FlexnetError(
            f"the algebraic rows do not determine their unknowns: that of {dae.equations[at[worst]]!r} says"
            " nothing that others do not say, or holds none of them"
        )
    return np.asarray(x, dtype=float)


def solved(dae: Dae, t: float, q: Array, v: Array) -> Array:
    """Velocities (n_v,) with the algebraic unknowns that fit the rest of it, by (1).

    Raises
    ------
    FlexnetError
        If the rows have no solution near what v holds, by the name of the row that is met worst.
    """
    at, v = _places(dae), v.copy()
    r = _rows(dae, t, q, v, at)
    size = dae.sizes[at] / dae.scale.time
    for _ in range(MAX_ITERATIONS):
        if not np.any(r):
            return v
        A = _slopes(dae, t, q, v, at, r)
        step = _solve(dae, A, -r, at)
        per_row = 1.0 / np.maximum(np.abs(A) @ size, 1e-300)
        v, r, part = _fallen(dae, t, q, v, at, r, step, per_row)
        if part == 1.0 and np.all(np.abs(step) <= NEAR * (np.abs(v[at]) + SMALL * size)):
            return v
        if part == 0.0:
            break
    worst = int(np.argmax(np.abs(np.nan_to_num(r, nan=np.inf)) * per_row))
    if abs(r[worst]) * per_row[worst] <= NEAR * max(1.0, float(np.abs(v[at] / size).max())):
        return v
    raise FlexnetError(
        f"the algebraic unknown {dae.equations[at[worst]]!r} has no value at t = {t:.6g} s: its row is"
        f" nearest to zero where the unknown is {v[at[worst]]:.6g}, and not zero there; give it another"
        " start, or look whether there is a solution"
    )


def _fallen(
    dae: Dae, t: float, q: Array, v: Array, at: IntArray, r: Array, step: Array, per_row: Array
) -> tuple[Array, Array, float]:
    """Take a correction, halved until the rows fall; v, the rows and the part taken, 0 where none helps."""
    before, part = float(np.linalg.norm(r * per_row)), 1.0
    for _ in range(MAX_HALVINGS):
        new = v.copy()
        new[at] += part * step
        with np.errstate(over="ignore", invalid="ignore"):
            rows = _rows(dae, t, q, new, at)
            now = float(np.linalg.norm(rows * per_row))
        if now <= (1.0 - 1e-4 * part) * before:
            return new, rows, part
        part *= 0.5
    return v, r, 0.0


def moving(dae: Dae, t: float, q: Array, v: Array, vdot: Array, step: float) -> Array:
    """Rates v̇ (n_v,) with the rates of the algebraic unknowns by (2), whatever they were.

    The motion is followed for a small part of a step, forwards: what jumps at t has jumped.
    """
    at, vdot = _places(dae), vdot.copy()
    vdot[at] = 0.0
    h, found = PART * step, list[Array]()
    for k in (0.0, 1.0, 2.0):
        moved = np.empty(dae.n_q)
        dae.compose(dae.model, q, k * h * v + 0.5 * (k * h) ** 2 * vdot, moved)
        found.append(_rows(dae, t + k * h, moved, v + k * h * vdot, at))
    now = _rows(dae, t, q, v, at)
    rate = (4.0 * found[1] - 3.0 * found[0] - found[2]) / (2.0 * h)
    vdot[at] = _solve(dae, _slopes(dae, t, q, v, at, now), -rate, at)
    return vdot
