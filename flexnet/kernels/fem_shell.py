"""The flat shell triangle, element by element: axes, strains, displacement field.

Letters and equations are those of docs/theory/shell.md and of flexnet.fem.shell, whose files carry the
derivations: ``facet``, ``opt``, ``drilling``, ``kinematics``, ``displacement``. Nodes i, j, k are cyclic.
Arrays are over a batch of facets, first axis the facet; R has the rows e1, e2, n. All results are in body
axes.
"""

from math import sqrt

from flexnet.kernels.compile import kernel, shared
from flexnet.typing import Array

ALPHA_B = 1.5  # weight of the drilling rotations in the side displacements

# β1 … β9 = 1, 2, 1, 0, 1, -1, -1, -1, -2 in cyclic order: (node i, side 21 32 13, θ̃_j)
BETA = (
    ((1.0, 2.0, 1.0), (0.0, 1.0, -1.0), (-1.0, -1.0, -2.0)),
    ((-2.0, -1.0, -1.0), (1.0, 1.0, 2.0), (-1.0, 0.0, 1.0)),
    ((1.0, -1.0, 0.0), (-1.0, -2.0, -1.0), (2.0, 1.0, 1.0)),
)

# places of ζ_i²ζ_j and ζ_j²ζ_i, j after i, in the cubic basis, and of ζ1ζ2ζ3
FORWARD = (3, 5, 7)
BACKWARD = (4, 6, 8)
BUBBLE = 9


@kernel
def measure_facets(X: Array, axis: Array, R: Array, x: Array, y: Array, area: Array, quality: Array) -> None:
    """Measure facets with nodes X (n_e, 3, 3): axes, plane coordinates from the centroid, area.

    ``quality`` (n_e, 2) receives twice the area over the longest side squared, and the length of the
    projection of ``axis`` on the facet. Where either is zero the other results are not defined.
    """
    for e in range(X.shape[0]):
        ax, ay, az = X[e, 1, 0] - X[e, 0, 0], X[e, 1, 1] - X[e, 0, 1], X[e, 1, 2] - X[e, 0, 2]
        bx, by, bz = X[e, 2, 0] - X[e, 0, 0], X[e, 2, 1] - X[e, 0, 1], X[e, 2, 2] - X[e, 0, 2]
        cx, cy, cz = bx - ax, by - ay, bz - az
        longest = max(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz)
        nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        twice = sqrt(nx * nx + ny * ny + nz * nz)
        area[e] = 0.5 * twice
        quality[e, 0] = twice / longest if longest > 0.0 else 0.0
        size = 1.0 / twice if twice > 0.0 else 0.0
        nx, ny, nz = size * nx, size * ny, size * nz
        along = nx * axis[0] + ny * axis[1] + nz * axis[2]
        tx, ty, tz = axis[0] - along * nx, axis[1] - along * ny, axis[2] - along * nz
        length = sqrt(tx * tx + ty * ty + tz * tz)
        quality[e, 1] = length
        size = 1.0 / length if length > 0.0 else 0.0
        R[e, 0, 0], R[e, 0, 1], R[e, 0, 2] = size * tx, size * ty, size * tz
        R[e, 1, 0] = ny * R[e, 0, 2] - nz * R[e, 0, 1]
        R[e, 1, 1] = nz * R[e, 0, 0] - nx * R[e, 0, 2]
        R[e, 1, 2] = nx * R[e, 0, 1] - ny * R[e, 0, 0]
        R[e, 2, 0], R[e, 2, 1], R[e, 2, 2] = nx, ny, nz
        a1 = (ax * R[e, 0, 0] + ay * R[e, 0, 1] + az * R[e, 0, 2]) / 3.0
        b1 = (bx * R[e, 0, 0] + by * R[e, 0, 1] + bz * R[e, 0, 2]) / 3.0
        a2 = (ax * R[e, 1, 0] + ay * R[e, 1, 1] + az * R[e, 1, 2]) / 3.0
        b2 = (bx * R[e, 1, 0] + by * R[e, 1, 1] + bz * R[e, 1, 2]) / 3.0
        x[e, 0], x[e, 1], x[e, 2] = -a1 - b1, 2.0 * a1 - b1, 2.0 * b1 - a1
        y[e, 0], y[e, 1], y[e, 2] = -a2 - b2, 2.0 * a2 - b2, 2.0 * b2 - a2


@shared
def _side_weight(x: Array, y: Array, twice: float, node: int, strain: int, freedom: int) -> float:
    """Strain component at a node by θ̃ of another: entry of T_e Q_i 2A/3, Felippa (2003) eqs (15), (21)."""
    total = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x_jk, x_ik, y_jk, y_ik = x[j] - x[k], x[i] - x[k], y[j] - y[k], y[i] - y[k]
        if strain == 0:
            T = y_jk * y_ik
        elif strain == 1:
            T = x_jk * x_ik
        else:
            T = -(y_jk * x_ik + x_jk * y_ik)
        total += T * BETA[node][i][freedom]
    return float(total / (3.0 * twice))


@shared
def _mean_drilling(x: Array, y: Array, twice: float, strain: int, i: int) -> float:
    """Mean strain by the drilling rotation of node i: entry of Lᵀ/A, Felippa (2003) eq. (20)."""
    j, k = (i + 1) % 3, (i + 2) % 3
    x_ij, x_ki, x_kj = x[i] - x[j], x[k] - x[i], x[k] - x[j]
    y_ji, y_ik, y_jk = y[j] - y[i], y[i] - y[k], y[j] - y[k]
    if strain == 0:
        return float(ALPHA_B / 6.0 * y_jk * (y_ik - y_ji) / twice)
    if strain == 1:
        return float(ALPHA_B / 6.0 * x_kj * (x_ki - x_ij) / twice)
    return float(ALPHA_B / 3.0 * (x_ki * y_ik - x_ij * y_ji) / twice)


@kernel
def membrane_strains(
    R: Array, x: Array, y: Array, area: Array, normals: Array, beta0: float, B: Array
) -> None:
    """Write the membrane strains at the corners into B (n_e, 3, 6, 18): ``opt`` (1), ``drilling`` (1).

    ``normals`` (n_e, 3, 3) are those of the sides 12, 23, 31 in body axes. Overwrites B[:, :, :3].
    """
    scale = 1.5 * sqrt(beta0)
    for e in range(R.shape[0]):
        xe, ye, twice = x[e], y[e], 2.0 * area[e]
        for node in range(3):
            for s in range(3):
                side_0 = scale * _side_weight(xe, ye, twice, node, s, 0)
                side_1 = scale * _side_weight(xe, ye, twice, node, s, 1)
                side_2 = scale * _side_weight(xe, ye, twice, node, s, 2)
                half = 0.5 * (side_0 + side_1 + side_2)
                # weights of the three drilling rotations
                w_0 = side_0 + _mean_drilling(xe, ye, twice, s, 0)
                w_1 = side_1 + _mean_drilling(xe, ye, twice, s, 1)
                w_2 = side_2 + _mean_drilling(xe, ye, twice, s, 2)
                mean = (w_0 + w_1 + w_2) / 3.0
                for j in range(3):
                    k, i = (j + 1) % 3, (j + 2) % 3
                    # ∂ζ_j/∂x, ∂ζ_j/∂y
                    gx, gy = (ye[k] - ye[i]) / twice, (xe[i] - xe[k]) / twice
                    u = half * gy + (gx if s == 0 else (gy if s == 2 else 0.0))
                    v = -half * gx + (gy if s == 1 else (gx if s == 2 else 0.0))
                    w_j = w_0 if j == 0 else (w_1 if j == 1 else w_2)
                    w_k = w_1 if j == 0 else (w_2 if j == 1 else w_0)
                    w_i = w_2 if j == 0 else (w_0 if j == 1 else w_1)
                    next_side, last_side = (w_j - w_k) / 3.0, (w_j - w_i) / 3.0
                    for c in range(3):
                        B[e, node, s, 6 * j + c] = u * R[e, 0, c] + v * R[e, 1, c]
                        B[e, node, s, 6 * j + 3 + c] = (
                            next_side * normals[e, j, c] + last_side * normals[e, i, c] + mean * R[e, 2, c]
                        )


@kernel
def curvatures(R: Array, x: Array, y: Array, area: Array, B: Array) -> None:
    """Write the curvatures at the corners, ``kinematics`` (2), into B[:, :, 3:] of (n_e, 3, 6, 18)."""
    for e in range(R.shape[0]):
        twice = 2.0 * area[e]
        for n in range(3):
            after, last = (n + 1) % 3, (n + 2) % 3
            gx, gy = (y[e, after] - y[e, last]) / twice, (x[e, last] - x[e, after]) / twice
            for p in range(3):
                # rows ∂β_x/∂x, ∂β_y/∂y, ∂β_x/∂y + ∂β_y/∂x; columns w, θx, θy; first the corner function
                slope = 3.0 if p == n else -1.0
                xx_w = yy_w = xy_w = xx_x = yy_y = 0.0
                yy_x, xy_x = -slope * gy, -slope * gx
                xx_y, xy_y = slope * gx, slope * gy
                # the midside functions of the two sides that meet in n
                for side in range(2):
                    m = after if side == 0 else last
                    o = last if side == 0 else after
                    hx, hy = (y[e, o] - y[e, n]) / twice, (x[e, n] - x[e, o]) / twice
                    if side == 1:
                        hx, hy = -hx, -hy  # ∂ζ_m: the cyclic order is n, m, o or n, o, m
                    # ∂(4ζ_nζ_m) at corner p
                    fx = 4.0 * ((hx if p == n else 0.0) + (gx if p == m else 0.0))
                    fy = 4.0 * ((hy if p == n else 0.0) + (gy if p == m else 0.0))
                    dx, dy = x[e, m] - x[e, n], y[e, m] - y[e, n]
                    l2 = dx * dx + dy * dy
                    sx, sy = 1.5 * dx / l2, 1.5 * dy / l2
                    xx, xy, yy = 0.5 - 0.75 * dx * dx / l2, -0.75 * dx * dy / l2, 0.5 - 0.75 * dy * dy / l2
                    xx_w += fx * sx
                    yy_w += fy * sy
                    xy_w += fy * sx + fx * sy
                    xx_x -= fx * xy
                    yy_x -= fy * yy
                    xy_x -= fy * xy + fx * yy
                    xx_y += fx * xx
                    yy_y += fy * xy
                    xy_y += fy * xx + fx * xy
                for c in range(3):
                    e1, e2, e3 = R[e, 0, c], R[e, 1, c], R[e, 2, c]
                    B[e, p, 3, 6 * n + c] = xx_w * e3
                    B[e, p, 4, 6 * n + c] = yy_w * e3
                    B[e, p, 5, 6 * n + c] = xy_w * e3
                    B[e, p, 3, 6 * n + 3 + c] = xx_x * e1 + xx_y * e2
                    B[e, p, 4, 6 * n + 3 + c] = yy_x * e1 + yy_y * e2
                    B[e, p, 5, 6 * n + 3 + c] = xy_x * e1 + xy_y * e2


@shared
def _add_product(C: Array, column: int, a: Array, s: float, b_1: Array, t: float, b_2: Array) -> None:
    """Add a ⊗ (s b_1 + t b_2) to three columns of C (3, 18)."""
    for r in range(3):
        for c in range(3):
            C[r, column + c] += a[r] * (s * b_1[c] + t * b_2[c])


@kernel
def field_coefficients(R: Array, x: Array, y: Array, area: Array, C: Array) -> None:
    """Add the field of the mid-surface, ``displacement`` (1) and (2), to C (n_e, ≥10, 3, 18)."""
    for e in range(R.shape[0]):
        e1, e2, n, twice = R[e, 0], R[e, 1], R[e, 2], 2.0 * area[e]
        for i in range(3):
            for r in range(3):
                C[e, i, r, 6 * i + r] += 1.0
        for i in range(3):
            j = (i + 1) % 3
            dx, dy = x[e, j] - x[e, i], y[e, j] - y[e, i]
            forward, backward, bubble = C[e, FORWARD[i]], C[e, BACKWARD[i]], C[e, BUBBLE]
            for r in range(3):
                m = -dy * e1[r] + dx * e2[r]
                for c in range(3):
                    # quadratic sides; ζ_iζ_j = ζ_i²ζ_j + ζ_iζ_j² + ζ1ζ2ζ3
                    turn = 0.5 * m * n[c]
                    forward[r, 6 * i + 3 + c] += 2.0 * turn
                    backward[r, 6 * j + 3 + c] -= 2.0 * turn
                    bubble[r, 6 * i + 3 + c] += turn
                    bubble[r, 6 * j + 3 + c] -= turn
                    # the S-shape, through the mean rotation of the triangle
                    for k in range(3):
                        after, last = (k + 1) % 3, (k + 2) % 3
                        gx, gy = (y[e, after] - y[e, last]) / twice, (x[e, last] - x[e, after]) / twice
                        mean = 0.5 * m * (gy * e1[c] - gx * e2[c])
                        forward[r, 6 * k + c] += mean
                        backward[r, 6 * k + c] -= mean
            # deflection of the nodes and its slope along the side, from either end
            for side in range(2):
                a, sign = (i, 1.0) if side == 0 else (j, -1.0)
                mine, other = (forward, backward) if side == 0 else (backward, forward)
                _add_product(mine, 6 * a, n, 1.0, n, 0.0, n)
                _add_product(other, 6 * a, n, -1.0, n, 0.0, n)
                _add_product(mine, 6 * a + 3, n, sign * dy, e1, -sign * dx, e2)
                _add_product(bubble, 6 * a + 3, n, 0.5 * sign * dy, e1, -0.5 * sign * dx, e2)


@kernel
def normal_coefficients(R: Array, x: Array, y: Array, C: Array) -> None:
    """Add the turn of the normal, β of ``kinematics``, to C[:, 10:16]: corners, then sides 23, 31, 12."""
    for e in range(R.shape[0]):
        e1, e2, n = R[e, 0], R[e, 1], R[e, 2]
        for i in range(3):
            # at a corner β_x is θy and β_y is -θx
            _add_product(C[e, 10 + i], 6 * i + 3, e1, 1.0, e2, 0.0, e2)
            _add_product(C[e, 10 + i], 6 * i + 3, e2, -1.0, e1, 0.0, e1)
            # β_s = 3/(2l)(w_j - w_k) - (β_sj + β_sk)/4 and β_n = (β_nj + β_nk)/2 on the side from j to k
            j, k = (i + 1) % 3, (i + 2) % 3
            dx, dy = x[e, k] - x[e, j], y[e, k] - y[e, j]
            l2 = dx * dx + dy * dy
            xx, xy, yy = 0.5 - 0.75 * dx * dx / l2, -0.75 * dx * dy / l2, 0.5 - 0.75 * dy * dy / l2
            for end in range(2):
                a, sign = (j, 1.5) if end == 0 else (k, -1.5)
                _add_product(C[e, 13 + i], 6 * a, e1, sign * dx / l2, n, 0.0, n)
                _add_product(C[e, 13 + i], 6 * a, e2, sign * dy / l2, n, 0.0, n)
                _add_product(C[e, 13 + i], 6 * a + 3, e1, -xy, e1, xx, e2)
                _add_product(C[e, 13 + i], 6 * a + 3, e2, -yy, e1, xy, e2)
