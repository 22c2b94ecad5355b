"""The derivative of steps of an α-method along parameters: the compiled loop.

The equations are (1) and (2) of :mod:`flexnet.studies.sensitivity`.
"""

from collections.abc import Sequence
from typing import Any

from flexnet.dae import Dae
from flexnet.integrators.compiled_march import functions_of
from flexnet.integrators.tangent_differences import (
    AGREES,
    PART,
    ROUND,
    derivative,
    find_matrix,
    fourth,
    keep,
    place_of,
    second,
    terms_of,
)
from flexnet.integrators.tangent_state import (
    ALPHA_F,
    ALPHA_M,
    BETA,
    C_Q,
    COUNTS,
    FIXED,
    GAMMA,
    Before,
    H,
    Moved,
    Room,
    Rows,
    Tangents,
    Tools,
)
from flexnet.kernels.compile import shared, specialise
from flexnet.kernels.linear_algebra import lu_solve
from flexnet.typing import Array, IntArray

#: corrections of a step until nothing is gained, and matrices that may be made anew for it
MOST, RENEWED = 12, 3
#: part of v̇ and λ that corrections may stop at, with a matrix of their own
STALLED = 1e-9
#: disagreement at which differences tell nothing, as a part of them, and of the terms that they are of
APART_BY, NOISE = 0.01, 1e-7
#: how a call ends
DONE, NO_NUMBER, SINGULAR, APART = range(4)


def run_tangents(
    dae: Dae, tools: Tools, c: Array, first: int, last: int, parts: Sequence[Any], levels: int
) -> tuple[int, int]:
    """Differentiate the steps from row ``first`` to ``last``; returns the row reached, and how it ended.

    Parameters
    ----------
    c : numbers of a step.
    parts : :class:`Rows`, :class:`Before`, :class:`Tangents`, :class:`Moved`, :class:`Room`.
    levels : of :class:`Moved` there is room for.
    """
    known = functions_of(dae)
    functions = known[0], known[1], known[2], known[6]
    arguments = (tools.model, tools.work, tools.counted, c, *parts, first, last, levels)
    code = specialise(_run, functions, arguments)
    ended = int(code(*(function for function, _ in functions), *arguments))
    return ended // 16, ended % 16


def _run(
    residual: Any, matrices: Any, compose: Any, count: Any, model: Any, work: Any, counted: Any, c: Array,
    rows: Rows, y: Before, lines: Tangents, moved: Moved, s: Room, first: int, last: int, levels: int,
) -> int:  # fmt: skip
    """To be compiled by :func:`~flexnet.kernels.compile.specialise`."""
    f = Tools(residual, matrices, compose, count, model, work, counted)
    for k in range(first, last):
        status = _step(f, c, rows, y, lines, moved, s, k, levels)
        if status != DONE:
            return 16 * k + status
    return 16 * last


@shared
def _step(
    f: Tools, c: Array, rows: Rows, y: Before, lines: Tangents, moved: Moved, s: Room, k: int, levels: int
) -> int:
    """One step: solved, and differentiated along every parameter."""
    status = _solve(f, c, rows, y, s, k)
    for p in range(lines.q.shape[0]):
        if status == DONE:
            status = _right_side(f, c, rows, lines, moved, s, k, p, levels)
    if status != DONE:
        return status
    n = y.v.shape[0]
    for p in range(lines.q.shape[0]):
        lu_solve(s.A, s.pivots, s.b[p])
        for i in range(s.rows.shape[0]):
            s.b[p, i] *= s.weights[i]
        _advance(f, c, rows, lines, s, k, p)
    for i in range(n):
        a1 = _algorithmic(c, y.a[i], y.vdot[i], rows.a[k + 1, i])
        y.a[i], y.v[i], y.vdot[i] = a1, rows.v[k + 1, i], rows.a[k + 1, i]
    return DONE


@shared
def _algorithmic(c: Array, a: float, vdot: float, vdot1: float) -> float:
    """a₁ by (1); linear, so of derivatives too."""
    out: float = ((1.0 - c[ALPHA_F]) * vdot1 + c[ALPHA_F] * vdot - c[ALPHA_M] * a) / (1.0 - c[ALPHA_M])
    return out


@shared
def _end(f: Tools, c: Array, rows: Rows, y: Before, s: Room, k: int) -> None:
    """Where v̇₁ and λ₁ of the row lead: way, v₁ and q₁, and the residual there."""
    h = c[H]
    for i in range(y.v.shape[0]):
        a1 = _algorithmic(c, y.a[i], y.vdot[i], rows.a[k + 1, i])
        s.way[i] = h * y.v[i] + h * h * ((0.5 - c[BETA]) * y.a[i] + c[BETA] * a1)
        rows.v[k + 1, i] = y.v[i] + h * ((1.0 - c[GAMMA]) * y.a[i] + c[GAMMA] * a1)
    q1 = rows.q[k + 1]
    f.compose(f.model, rows.q[k], s.way, q1)
    if c[COUNTS] == 1.0:
        f.count(f.counted, rows.t[k + 1], q1)
    f.residual(f.model, rows.t[k + 1], q1, rows.v[k + 1], rows.a[k + 1], rows.lam[k + 1], f.work, s.r, s.phi)


@shared
def _solve(f: Tools, c: Array, rows: Rows, y: Before, s: Room, k: int) -> int:
    """Solve a step to round-off from where the corrector left it, and factor its matrix at the end."""
    n, m = y.v.shape[0], s.phi.shape[0]
    h, before, renewed = c[H], 1e300, 0
    for i in range(s.rows.shape[0]):
        s.rows[i] = s.weights[i] / (1.0 if i < n else c[C_Q])
    for i in range(s.G.shape[1], n):  # rates of states are not recorded: those that lead to z₁
        a1 = ((rows.v[k + 1, i] - y.v[i]) / h - (1.0 - c[GAMMA]) * y.a[i]) / c[GAMMA]
        rate = (1.0 - c[ALPHA_M]) * a1 + c[ALPHA_M] * y.a[i] - c[ALPHA_F] * y.vdot[i]
        rows.a[k + 1, i] = rate / (1.0 - c[ALPHA_F])
    if c[FIXED] == 0.0:  # there is none of the step before
        _end(f, c, rows, y, s, k)
        if not find_matrix(f, c, rows, s, k):
            return SINGULAR
        c[FIXED] = 1.0
    for turn in range(MOST * (RENEWED + 1)):
        _end(f, c, rows, y, s, k)
        x = s.near
        for i in range(n):
            x[i] = -s.rows[i] * s.r[i]
        for i in range(m):
            x[n + i] = -s.rows[n + i] * s.phi[i]
        lu_solve(s.A, s.pivots, x)
        largest, size = 0.0, 0.0
        for i in range(n + m):
            largest = max(largest, abs(x[i]))
            size = max(size, abs(rows.a[k + 1, i] if i < n else rows.lam[k + 1, i - n]) / s.weights[i])
        if largest != largest:
            return NO_NUMBER
        is_slow = not largest < 0.5 * before or turn % MOST == MOST - 1
        if is_slow and (largest <= STALLED * size or renewed == RENEWED):
            break
        if is_slow:
            renewed += 1
            before = 1e300
            if not find_matrix(f, c, rows, s, k):
                return SINGULAR
            continue
        before = largest
        for i in range(n):
            rows.a[k + 1, i] += s.weights[i] * x[i]
        for i in range(m):
            rows.lam[k + 1, i] += s.weights[n + i] * x[n + i]
    _end(f, c, rows, y, s, k)
    return DONE if find_matrix(f, c, rows, s, k) else SINGULAR


@shared
def _ways(c: Array, lines: Tangents, s: Room, p: int, vdot1: Array) -> None:
    """Derivatives of the way and of v₁ for that of v̇₁, as a direction."""
    h = c[H]
    for i in range(vdot1.shape[0]):
        v, a = lines.v_step[p, i], lines.algorithmic[p, i]
        a1 = _algorithmic(c, a, lines.vdot[p, i], vdot1[i])
        s.dq[i] = h * v + h * h * ((0.5 - c[BETA]) * a + c[BETA] * a1)
        s.dv[i] = v + h * ((1.0 - c[GAMMA]) * a + c[GAMMA] * a1)
        s.da[i] = 0.0


@shared
def _fastest(c: Array, lines: Tangents, s: Room, k: int, p: int) -> float:
    """Largest of the direction in sizes over a step, and the direction of q."""
    out, moving = 1e-300, s.G.shape[1]
    for i in range(s.along.shape[0]):
        s.along[i] = lines.q[p, k, i]
        out = max(out, abs(s.along[i]) / s.q_sizes[i])
    for i in range(s.dq.shape[0]):
        if i < moving:
            out = max(out, abs(s.dq[i]) / s.sizes[i], c[H] * abs(s.dv[i]) / s.sizes[i])
        else:
            out = max(out, abs(s.dv[i]) / s.sizes[i])
    return out


@shared
def _right_side(
    f: Tools, c: Array, rows: Rows, lines: Tangents, moved: Moved, s: Room, k: int, p: int, levels: int
) -> int:
    """-(∂r/∂y · y' + ∂r/∂p) of (2), weighted."""
    terms = terms_of(f, rows, s, k)
    _ways(c, lines, s, p, s.no_a)
    fastest, size = _fastest(c, lines, s, k, p), 0.0
    for i in range(s.best.shape[0]):
        s.best[i] = 0.0
    if fastest > 1e-300:
        size = derivative(f, c, rows, s, k, PART / fastest, terms, 0.0)
    if size < 0.0:
        return NO_NUMBER
    for i in range(s.best.shape[0]):
        s.b[p, i] = -s.rows[i] * s.best[i]
    for j in range(s.gaps.shape[0]):
        s.gaps[j] = s.last_gaps[j] = s.least[j] = 1e300
    for level in range(moved.counts[p]):
        for i in range(6):
            _residual_of(f, rows, s, k, moved.models[(p * levels + level) * 6 + i], s.found[i])
        gap, least, own, x = 0.0, 0.0, 0.0, moved.sizes[p, level]
        for j in range(s.near.shape[0]):
            value = fourth(s.found, j, x)
            keep(s, j, value, s.rows[j] * abs(value - second(s.found, j, x)), s.near)
            own, gap = max(own, s.rows[j] * abs(s.near[j])), max(gap, s.gaps[j])
            least = max(least, s.least[j])
        if gap <= max(AGREES * max(own, size), ROUND * terms / x):
            break
        if level == moved.counts[p] - 1 and (
            level < levels - 1 or least > max(APART_BY * max(own, size), NOISE * terms / x)
        ):
            s.trouble[0] = p
            return APART
    for j in range(s.best.shape[0]):
        s.b[p, j] -= s.rows[j] * s.near[j]
    return DONE


@shared
def _residual_of(f: Tools, rows: Rows, s: Room, k: int, model: IntArray, out: Array) -> None:
    """The residual of another model at the end of a step."""
    n, t, q = s.r.shape[0], rows.t[k + 1], rows.q[k + 1]
    f.residual(model, t, q, rows.v[k + 1], rows.a[k + 1], rows.lam[k + 1], f.work, s.r, s.phi)
    for i in range(n):
        out[i] = s.r[i]
    for i in range(s.phi.shape[0]):
        out[n + i] = s.phi[i]


@shared
def _advance(f: Tools, c: Array, rows: Rows, lines: Tangents, s: Room, k: int, p: int) -> None:
    """Take v̇₁' and λ₁' over, and what follows from them."""
    n = s.r.shape[0]
    for i in range(n):
        lines.a[p, k + 1, i] = s.b[p, i]
    for i in range(s.phi.shape[0]):
        lines.lam[p, k + 1, i] = s.b[p, n + i]
    _ways(c, lines, s, p, lines.a[p, k + 1])
    x = PART / _fastest(c, lines, s, k, p)
    for j in range(6):
        for i in range(s.q.shape[0]):
            s.q[i] = rows.q[k, i] + x * place_of(j) * s.along[i]
        for i in range(n):
            s.move[i] = s.way[i] + x * place_of(j) * s.dq[i]
        f.compose(f.model, s.q, s.move, s.ends[j])
        if c[COUNTS] == 1.0:
            f.count(f.counted, rows.t[k + 1], s.ends[j])
    for i in range(s.q.shape[0]):
        lines.q[p, k + 1, i] = fourth(s.ends, i, x)
    for i in range(n):
        a1 = _algorithmic(c, lines.algorithmic[p, i], lines.vdot[p, i], lines.a[p, k + 1, i])
        lines.v_step[p, i] = lines.v[p, k + 1, i] = s.dv[i]
        lines.algorithmic[p, i], lines.vdot[p, i] = a1, lines.a[p, k + 1, i]
