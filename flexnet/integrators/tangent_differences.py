"""Derivatives of the residual of a solved step: differences that are taken nearer where they must be.

They are central differences f(s) - f(-s) at s, s/2 and s/4, extrapolated:

    D(s) = (f(s) - f(-s))/2s,   D₂(s) = (4 D(s/2) - D(s))/3,   D₄ = (16 D₂(s/2) - D₂(s))/15       (1)

D₄ errs by s⁶; |D₄ - D₂(s/2)| says how far to believe it. A law may change within less than s: friction over
its slip speed, a contact over its depth. Where (1) at s does not agree with itself, or with D from very near
(what is narrower than s may be passed over), s is divided by eight, and again; of all s every row takes the
one that agrees best with itself and with its neighbour. So a smooth residual costs eight evaluations a
column, and a steep one what it needs.
"""

from flexnet.integrators.tangent_state import C_Q, C_V, COUNTS, Room, Rows, Tools
from flexnet.kernels.compile import shared
from flexnet.kernels.linear_algebra import lu_factor
from flexnet.typing import Array

#: part of a size by which a state is moved at first, by what it is divided, and how often
PART, CLOSER, LEVELS = 3e-3, 8.0, 7
#: part of the first s of the look from very near
NEAR = 2e-5
#: disagreement of (1), as a part of what is differentiated, that is none; and of terms, their round-off
AGREES, ROUND = 1e-7, 1e-15


@shared
def terms_of(f: Tools, rows: Rows, s: Room, k: int) -> float:
    """Largest weighted term of the residual, whose sum is round-off at a solved step; of Φ its size."""
    t, q, v, n, out = rows.t[k + 1], rows.q[k + 1], rows.v[k + 1], s.r.shape[0], 0.0
    for i in range(s.phi.shape[0]):
        out = max(out, s.rows[n + i] * s.row_sizes[i])
    f.residual(f.model, t, q, v, s.no_a, s.no_lam, f.work, s.r, s.phi)
    for i in range(n):
        out = max(out, s.rows[i] * abs(s.r[i]))
    f.residual(f.model, t, q, v, rows.a[k + 1], s.no_lam, f.work, s.r, s.phi)
    for i in range(n):
        out = max(out, s.rows[i] * abs(s.r[i]))
    return out


@shared
def find_matrix(f: Tools, c: Array, rows: Rows, s: Room, k: int) -> bool:
    """The matrix of (2) at the end of a step, and its factors; whether there are any."""
    n, m, moving = s.r.shape[0], s.phi.shape[0], s.G.shape[1]
    f.residual(
        f.model,
        rows.t[k + 1],
        rows.q[k + 1],
        rows.v[k + 1],
        rows.a[k + 1],
        rows.lam[k + 1],
        f.work,
        s.r,
        s.phi,
    )
    f.matrices(f.model, f.work, 0.0, 0.0, s.M, s.G)
    for i in range(n + m):
        for j in range(m):
            s.J[i, n + j] = s.G[j, i] if i < moving else 0.0
    terms = terms_of(f, rows, s, k)
    for i in range(s.along.shape[0]):
        s.along[i] = 0.0
    for j in range(n):
        for i in range(n):
            unit = 1.0 if i == j else 0.0
            s.dq[i], s.dv[i], s.da[i] = c[C_Q] * unit, c[C_V] * unit, unit
        # what moves a coordinate by its size over a step, and a state, which has no place in q, by its own
        size = PART * s.sizes[j] / (c[C_Q] if j < moving else c[C_V])
        if derivative(f, c, rows, s, k, size, terms, 0.0) < 0.0:
            return False
        for i in range(n + m):
            s.J[i, j] = s.best[i]
    for i in range(n + m):
        for j in range(n + m):
            s.A[i, j] = s.rows[i] * s.J[i, j] * s.weights[j]
    return lu_factor(s.A, s.pivots) > 0.0


@shared
def _look(f: Tools, c: Array, rows: Rows, s: Room, k: int, x: float, out: Array, end: Array) -> None:
    """The residual, and q₁, where everything is moved by x of its direction."""
    n = s.r.shape[0]
    for i in range(s.q.shape[0]):
        s.q[i] = rows.q[k, i] + x * s.along[i]
    for i in range(n):
        s.move[i] = s.way[i] + x * s.dq[i]
        s.v[i], s.a[i] = rows.v[k + 1, i] + x * s.dv[i], rows.a[k + 1, i] + x * s.da[i]
    f.compose(f.model, s.q, s.move, end)
    if c[COUNTS] == 1.0:
        f.count(f.counted, rows.t[k + 1], end)
    f.residual(f.model, rows.t[k + 1], end, s.v, s.a, rows.lam[k + 1], f.work, s.r, s.phi)
    for i in range(n):
        out[i] = s.r[i]
    for i in range(s.phi.shape[0]):
        out[n + i] = s.phi[i]


@shared
def place_of(i: int) -> float:
    """Where the residual is looked at, in parts of s."""
    return (1.0 if i < 2 else 0.5 if i < 4 else 0.25) * (1.0 if i % 2 == 0 else -1.0)


@shared
def second(found: Array, i: int, x: float) -> float:
    """D₂ of (1) at s/2."""
    out: float = (8.0 * (found[4, i] - found[5, i]) - (found[2, i] - found[3, i])) / (3.0 * x)
    return out


@shared
def fourth(found: Array, i: int, x: float) -> float:
    """D₄ of (1)."""
    far, middle = found[0, i] - found[1, i], found[2, i] - found[3, i]
    out: float = (0.5 * far - 20.0 * middle + 128.0 * (found[4, i] - found[5, i])) / (45.0 * x)
    return out


@shared
def derivative(
    f: Tools, c: Array, rows: Rows, s: Room, k: int, x: float, terms: float, beside: float
) -> float:
    """Derivative of the residual along a direction, in ``s.best``; its largest entry, -1 if there is none.

    Parameters
    ----------
    x : by which the direction is followed at first.
    terms, beside : of the residual, and what the derivative is added to, weighted.
    """
    largest, close = -1.0, NEAR * x
    _look(f, c, rows, s, k, close, s.found[0], s.end)
    _look(f, c, rows, s, k, -close, s.found[1], s.end)
    for i in range(s.near.shape[0]):
        s.near[i] = 0.5 * (s.found[0, i] - s.found[1, i]) / close
        s.gaps[i] = s.last_gaps[i] = s.least[i] = 1e300
    for _ in range(LEVELS):
        for i in range(6):
            _look(f, c, rows, s, k, x * place_of(i), s.found[i], s.end)
        size, gap = 0.0, 0.0
        for i in range(s.near.shape[0]):
            value, w = fourth(s.found, i, x), s.rows[i]
            passed = w * abs(value - s.near[i]) - ROUND * terms / close
            keep(s, i, value, max(w * abs(value - second(s.found, i, x)), passed), s.best)
            size, gap = max(size, w * abs(s.best[i])), max(gap, s.gaps[i])
        if gap < 1e300:
            largest = size
        if gap <= max(AGREES * max(size, beside), ROUND * terms / x):
            break
        x /= CLOSER
    return largest


@shared
def keep(s: Room, i: int, value: float, gap: float, best: Array) -> None:
    """Take a difference that agrees better with itself and its neighbour than what was found before.

    The first counts by itself until there is a second. From there on, as round-off may agree with itself by
    chance, of two neighbours one is as good as both agree: the nearer if it lies within what the other
    disagrees with itself, else the farther, which has less round-off: that grows as they come nearer.
    """
    if not gap < 1e300:
        return
    s.least[i] = min(gap, s.least[i])
    if s.last_gaps[i] < 1e300:
        apart = s.rows[i] * abs(value - s.last[i])
        is_first = s.gaps[i] == s.last_gaps[i]
        is_better = max(gap, apart) < s.last_gaps[i]
        score = max(gap if is_better else s.last_gaps[i], apart)
        if is_first or CLOSER * score < s.gaps[i]:
            s.gaps[i], best[i] = score, value if is_better else s.last[i]
    else:
        s.gaps[i], best[i] = gap, value
    s.last[i], s.last_gaps[i] = value, gap
