r"""DynaFlex §5.3 once more, by hand: the rod of second order with all of its kinetic energy.

The engines carry the kinetic energy of a flexible body to second order in its coordinates q. Here the field
r = S + R(α, β) (x - ½ qᵀHq, v, w) is differentiated as it stands, at the points of a quadrature:

.. math:: M = \int ρA\,J^TJ\,dx, \quad F = -\int ρA\,J^T\dot J\dot z\,dx - Kq,\quad z = (s, α, β, q). \tag{1}

The crank pin is a known function of time; its three constraints are held at acceleration level, stabilised.
"""

from dataclasses import dataclass, field

import numpy as np

from flexnet.typing import Array

#: modulus, density, area, second moment, length of rod and crank, mass of the slider
E, RHO, A, I, L, CRANK, SLIDER = 2.0e11, 7870.0, 2.826e-5, 6.361e-11, 0.3, 0.15, 0.0334
#: rate at which the constraints are pulled back, 1/s
PULL = 2000.0


def _turn(axis: int, angle: float, derivative: int = 0) -> Array:
    """Rotation about an axis, or a derivative of it."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle + derivative * np.pi / 2), np.sin(angle + derivative * np.pi / 2)
    out = np.zeros((3, 3))
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    out[axis, axis] = derivative == 0
    return out


@dataclass
class Rod:
    """Three monomials for each deflection; the last two points are the middle and the end, without mass."""

    speed: float = 150.0
    order: int = 2
    shapes: int = 3
    x: Array = field(init=False)

    def __post_init__(self) -> None:
        points, weights = np.polynomial.legendre.leggauss(10)
        xi = np.append((points + 1) / 2, [0.5, 1.0])
        k = np.arange(2, 2 + self.shapes)
        p = k[:, None] + k[None, :]
        self.x = L * xi
        self.weights = np.append(weights / 2, [0.0, 0.0]) * RHO * A * L
        self.psi = xi[:, None] ** k
        self.H = (self.order > 1) * np.multiply.outer(k, k) / (p - 1) * xi[:, None, None] ** (p - 1) / L
        bend = k * (k - 1)
        self.K = np.kron(np.eye(2), np.multiply.outer(bend, bend) / (p - 3) * E * I / L**3)

    def pin(self, t: float) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of the crank pin."""
        c, s = CRANK * np.cos(self.speed * t), CRANK * np.sin(self.speed * t)
        tilt = _turn(1, np.pi / 4)
        r, v = tilt @ [c, s, 0], tilt @ [-s, c, 0]
        return r, self.speed * v, -(self.speed**2) * r

    def field(self, z: Array, zd: Array) -> tuple[Array, Array, Array]:
        """Position, Jacobian and J̇ż of all points."""
        n, (slide, a, b), (_, ad, bd) = self.shapes, z[:3], zd[:3]
        q, qd = z[3:].reshape(2, n), zd[3:].reshape(2, n)
        Hq = np.einsum("pij,aj->pai", self.H, q)
        local = np.stack([self.x - np.einsum("pai,ai->p", Hq, q) / 2, *(self.psi @ x for x in q)], axis=1)
        shape = np.zeros((len(self.x), 3, 2, n))
        shape[:, 0], shape[:, 1, 0], shape[:, 2, 1] = -Hq, self.psi, self.psi
        shape = shape.reshape(len(self.x), 3, 2 * n)
        second = np.zeros_like(local)
        second[:, 0] = -np.einsum("pij,ai,aj->p", self.H, qd, qd)
        Z, Y = [_turn(2, a, d) for d in range(3)], [_turn(1, b, d) for d in range(3)]
        R = Z[0] @ Y[0]
        Rd = ad * Z[1] @ Y[0] + bd * Z[0] @ Y[1]
        Rdd = ad**2 * Z[2] @ Y[0] + 2 * ad * bd * Z[1] @ Y[1] + bd**2 * Z[0] @ Y[2]
        J = np.zeros((len(self.x), 3, 3 + 2 * n))
        J[:, 0, 0] = 1.0
        J[:, :, 1], J[:, :, 2] = local @ (Z[1] @ Y[0]).T, local @ (Z[0] @ Y[1]).T
        J[:, :, 3:] = R @ shape
        drift = local @ Rdd.T + 2 * (shape @ zd[3:]) @ Rd.T + second @ R.T
        return local @ R.T + [slide, 0, 0], J, drift

    def acceleration(self, t: float, z: Array, zd: Array) -> Array:
        """z̈ by (1)."""
        r, J, drift = self.field(z, zd)
        n = len(z)
        flat, weights = J.reshape(-1, n), np.repeat(self.weights, 3)
        system, right = np.zeros((n + 3, n + 3)), np.zeros(n + 3)
        system[:n, :n] = flat.T @ (weights[:, None] * flat)
        system[0, 0] += SLIDER
        system[:n, n:], system[n:, :n] = J[-1].T, J[-1]
        right[:n] = -flat.T @ (weights * drift.ravel())
        right[3:n] -= self.K @ z[3:]
        p, pd, pdd = self.pin(t)
        right[n:] = pdd - drift[-1] - 2 * PULL * (J[-1] @ zd - pd) - PULL**2 * (r[-1] - p)
        return np.linalg.solve(system, right)[:n]

    def deflections(self, end: float, h: float = 2e-5) -> tuple[Array, Array, Array]:
        """Time, v and w of the middle as in :func:`tests.symbolic.flexible_rod.deflections`; Runge–Kutta."""
        p, pd, _ = self.pin(0.0)
        z = np.zeros(3 + 2 * self.shapes)
        z[0] = p[0] + np.sqrt(L**2 - p[1] ** 2 - p[2] ** 2)
        z[2] = np.arctan2(-p[2], p[0] - z[0])
        zd = np.zeros_like(z)
        zd[:3] = np.linalg.solve(self.field(z, zd)[1][-1][:, :3], pd)
        out = []
        for k in range(round(end / h) + 1):
            out.append([k * h, *self._middle(z, zd)])
            a1 = self.acceleration(k * h, z, zd)
            v2 = zd + h / 2 * a1
            a2 = self.acceleration((k + 0.5) * h, z + h / 2 * zd, v2)
            v3 = zd + h / 2 * a2
            a3 = self.acceleration((k + 0.5) * h, z + h / 2 * v2, v3)
            v4 = zd + h * a3
            a4 = self.acceleration((k + 1) * h, z + h * v3, v4)
            z = z + h / 6 * (zd + 2 * v2 + 2 * v3 + v4)
            zd = zd + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        t, v, w = np.array(out).T
        return t, v, w

    def _middle(self, z: Array, zd: Array) -> tuple[float, float]:
        r = self.field(z, zd)[0]
        e_x = np.array([z[0], 0, 0]) - r[-1]
        e_x /= np.linalg.norm(e_x)
        e_y = np.cross([0, 0, 1], e_x)
        e_y /= np.linalg.norm(e_y)
        return float((r[-2] - r[-1]) @ e_y), float((r[-2] - r[-1]) @ np.cross(e_x, e_y))
