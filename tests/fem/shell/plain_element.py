"""The shell triangle written with whole arrays: the plain computation its compiled kernels are held against.

Facet axes throughout: rows e1, e2, n; freedoms (u, v, w, θx, θy, θz) per node.
"""

import numpy as np

from flexnet.kernels.fem_shell import ALPHA_B

# sides 4, 5, 6 of the six-node triangle: nodes (2,3), (3,1), (1,2)
SIDES = ((1, 2), (2, 0), (0, 1))

BETA = np.array(
    [
        [[1.0, 2.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -1.0, -2.0]],
        [[-2.0, -1.0, -1.0], [1.0, 1.0, 2.0], [-1.0, 0.0, 1.0]],
        [[1.0, -1.0, 0.0], [-1.0, -2.0, -1.0], [2.0, 1.0, 1.0]],
    ]
)
PAIRS = ((0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))
PAIR = {pair: 3 + m for m, pair in enumerate(PAIRS)}
BUBBLE = 9
MEMBRANE = [6 * node + freedom for node in range(3) for freedom in (0, 1, 5)]
BENDING = [6 * node + freedom for node in range(3) for freedom in (2, 3, 4)]


def _quadratic_slopes(zeta):
    """Return ∂N_i/∂ζ_m of the quadratic functions, (n_p, 6, 3)."""
    slopes = np.zeros((len(zeta), 6, 3))
    for i in range(3):
        slopes[:, i, i] = 4.0 * zeta[:, i] - 1.0
    for side, (i, j) in enumerate(SIDES):
        slopes[:, 3 + side, i] = 4.0 * zeta[:, j]
        slopes[:, 3 + side, j] = 4.0 * zeta[:, i]
    return slopes


def collocation(facets):
    """Return C with β at the six points = C · (w, θx, θy)_i, so that β(ζ) = Σ_k N_k(ζ) C_k q.

    Returns
    -------
    (n_e, 6, 2, 9) array, axes (element, point, β component, freedom).
    """
    C = np.zeros((len(facets.area), 6, 2, 9))
    # at the corners β_x = θy, β_y = -θx
    for i in range(3):
        C[:, i, 0, 3 * i + 2] = 1.0
        C[:, i, 1, 3 * i + 1] = -1.0
    # at the midsides β_s = -∂w/∂s = 3/(2l)(w_i - w_j) - (β_si + β_sj)/4 and β_n = (β_ni + β_nj)/2
    for side, (i, j) in enumerate(SIDES):
        dx, dy = facets.x[:, j] - facets.x[:, i], facets.y[:, j] - facets.y[:, i]
        l2 = dx**2 + dy**2
        # the part common to both ends: β/2 - (3/4) s (s·β)
        ss = np.stack([dx * dx, dx * dy, dx * dy, dy * dy], axis=-1).reshape(-1, 2, 2) / l2[:, None, None]
        end = 0.5 * np.eye(2) - 0.75 * ss
        slope = 1.5 * np.stack([dx, dy], axis=-1) / l2[:, None]
        for node, sign in ((i, 1.0), (j, -1.0)):
            C[:, 3 + side, :, 3 * node] = sign * slope
            C[:, 3 + side, :, 3 * node + 1] = -end[:, :, 1]
            C[:, 3 + side, :, 3 * node + 2] = end[:, :, 0]
    return C


def curvature(facets, zeta):
    """Return B with κ(ζ) = B · (w, θx, θy)_i, eq. (1).

    Returns
    -------
    (n_e, n_p, 3, 9) array, axes (element, point, (κx, κy, κxy), freedom).
    """
    C = collocation(facets)
    n_e = len(C)
    slopes = np.einsum("pim,eam->epai", _quadratic_slopes(zeta), facets.zeta_gradient())
    # (element, point, derivative, β component, freedom)
    H_grad = (slopes.reshape(n_e, -1, 6) @ C.reshape(n_e, 6, 18)).reshape(n_e, -1, 2, 2, 9)
    return np.stack([H_grad[:, :, 0, 0], H_grad[:, :, 1, 1], H_grad[:, :, 1, 0] + H_grad[:, :, 0, 1]], axis=2)


def hierarchical_rotation(facets):
    """Return T with θ̃ = T · (u, v, θ)_i: rotations of the nodes beyond the mean rotation of the triangle.

    Returns
    -------
    (n_e, 3, 9) array, axes (element, node, freedom).
    """
    grad = facets.zeta_gradient()
    T = np.zeros((len(facets.area), 3, 9))
    T[:, :, 0::3] = 0.5 * grad[:, None, 1, :]
    T[:, :, 1::3] = -0.5 * grad[:, None, 0, :]
    T[:, :, 2::3] = np.eye(3)
    return T


def _mean_strain(facets):
    """Return (1/A) Lᵀ, axes (element, (εx, εy, γxy), freedom); Felippa (2003) eq. (20)."""
    x, y = facets.x, facets.y
    B = np.zeros((len(facets.area), 3, 9))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x_ij, x_ki, x_kj = x[:, i] - x[:, j], x[:, k] - x[:, i], x[:, k] - x[:, j]
        y_ji, y_ik, y_jk = y[:, j] - y[:, i], y[:, i] - y[:, k], y[:, j] - y[:, k]
        B[:, 0, 3 * i] = B[:, 2, 3 * i + 1] = y_jk
        B[:, 1, 3 * i + 1] = B[:, 2, 3 * i] = x_kj
        B[:, 0, 3 * i + 2] = ALPHA_B / 6.0 * y_jk * (y_ik - y_ji)
        B[:, 1, 3 * i + 2] = ALPHA_B / 6.0 * x_kj * (x_ki - x_ij)
        B[:, 2, 3 * i + 2] = ALPHA_B / 3.0 * (x_ki * y_ik - x_ij * y_ji)
    return np.asarray(B / (2.0 * facets.area)[:, None, None])


def _side_to_cartesian(facets):
    """Return T_e with column of side k divided by l_k², axes (element, strain, side 21 32 13); eq. (15)."""
    x, y = facets.x, facets.y
    T = np.empty((len(facets.area), 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x_jk, x_ik, y_jk, y_ik = x[:, j] - x[:, k], x[:, i] - x[:, k], y[:, j] - y[:, k], y[:, i] - y[:, k]
        T[:, 0, i] = y_jk * y_ik
        T[:, 1, i] = x_jk * x_ik
        T[:, 2, i] = -(y_jk * x_ik + x_jk * y_ik)
    return np.asarray(T / (4.0 * facets.area**2)[:, None, None])


def membrane_strain(facets, zeta, beta0):
    """Return B with ε(ζ) = B · (u, v, θ)_i, eq. (1).

    Parameters
    ----------
    facets : plane geometry.
    zeta : (n_p, 3) array, area coordinates.
    beta0 : scale of the higher-order stiffness, :func:`beta_0`.

    Returns
    -------
    (n_e, n_p, 3, 9) array, axes (element, point, (εx, εy, γxy), freedom).
    """
    # ε̃ at the corners first: (element, node, strain, freedom)
    side = np.einsum("esk,iko->eiso", _side_to_cartesian(facets), BETA)
    corner = side @ hierarchical_rotation(facets)[:, None]
    corner *= (1.5 * np.sqrt(beta0) * 2.0 / 3.0) * facets.area[:, None, None, None]
    return np.asarray(np.einsum("pi,eisf->epsf", zeta, corner) + _mean_strain(facets)[:, None])


def membrane_freedoms(facets, normals):
    """Return P with (u, v, θ)_i = P · q, q in facet axes, θ by eq. (1).

    Parameters
    ----------
    facets : plane geometry.
    normals : (n_e, 3, 3) array, normals of the sides 12, 23, 31 in body axes.

    Returns
    -------
    (n_e, 9, 18) array, axes (element, membrane freedom, facet freedom).
    """
    n_side = np.einsum("eab,esb->esa", facets.R, normals)
    P = np.zeros(
        (len(facets.area), 3, 3, 3, 2, 3)
    )  # (element, node, (u, v, θ), node, translation or rotation, xyz)
    P[:, :, 2, :, 1, 2] = 1.0 / 3.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        P[:, i, 0, i, 0, 0] = P[:, i, 1, i, 0, 1] = 1.0
        P[:, i, 2, i, 1] += (n_side[:, i] + n_side[:, k]) / 3.0
        P[:, i, 2, j, 1] -= n_side[:, i] / 3.0
        P[:, i, 2, k, 1] -= n_side[:, k] / 3.0
    return P.reshape(-1, 9, 18)


def coefficients(facets):
    """Return the field in the basis, (n_e, 10, 3, 18), axes (element, function, (u, v, w), facet freedom)."""
    C = np.zeros((len(facets.area), 10, 3, 18))
    membrane = C.reshape(-1, 10, 3, 3, 6)[
        ..., (0, 1, 5)
    ]  # a copy: (element, function, component, node, (u, v, θ))
    _add_membrane(facets, membrane)
    C.reshape(-1, 10, 3, 3, 6)[..., (0, 1, 5)] = membrane
    _add_deflection(facets, C)
    return C


def _add_membrane(facets, C):
    """Write eq. (1) into C, axes (element, function, component, node, (u, v, θ))."""
    for i in range(3):
        C[:, i, 0, i, 0] = C[:, i, 1, i, 1] = 1.0
    theta = hierarchical_rotation(facets).reshape(-1, 3, 3, 3)
    for i in range(3):
        j = (i + 1) % 3
        m = np.stack([facets.y[:, i] - facets.y[:, j], facets.x[:, j] - facets.x[:, i]], axis=-1)
        # ζ_iζ_j = ζ_i²ζ_j + ζ_iζ_j² + ζ1ζ2ζ3
        for function in (PAIR[i, j], PAIR[j, i], BUBBLE):
            C[:, function, :2, i, 2] += 0.5 * m
            C[:, function, :2, j, 2] -= 0.5 * m
        S_shape = 0.5 * m[:, :, None, None] * (theta[:, i] + theta[:, j])[:, None]
        C[:, PAIR[i, j], :2] += S_shape
        C[:, PAIR[j, i], :2] -= S_shape


def _add_deflection(facets, C):
    """Write eq. (2) into C, axes (element, function, component, freedom)."""
    for i in range(3):
        w, theta_x, theta_y = 6 * i + 2, 6 * i + 3, 6 * i + 4
        C[:, i, 2, w] = 1.0
        for j in ((i + 1) % 3, (i + 2) % 3):
            C[:, PAIR[i, j], 2, w] = 1.0
            C[:, PAIR[j, i], 2, w] = -1.0
            for function, weight in ((PAIR[i, j], 1.0), (BUBBLE, 0.5)):
                C[:, function, 2, theta_x] += weight * (facets.y[:, j] - facets.y[:, i])
                C[:, function, 2, theta_y] -= weight * (facets.x[:, j] - facets.x[:, i])
