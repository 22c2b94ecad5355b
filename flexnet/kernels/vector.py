"""Three-vectors, rotation matrices and unit quaternions, written out for compiled loops.

Quaternions are (w, x, y, z). Every function writes into its last argument.
"""

from math import cos, sin, sqrt

from flexnet.kernels.compile import kernel, shared
from flexnet.typing import Array


@shared
def dot(a: Array, b: Array) -> float:
    """Scalar product of two vectors."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@shared
def add_cross(s: float, a: Array, b: Array, out: Array) -> None:
    """Compute ``out += s a × b``."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0] += s * x
    out[1] += s * y
    out[2] += s * z


@shared
def add_scaled(s: float, a: Array, out: Array) -> None:
    """Compute ``out += s a``."""
    out[0] += s * a[0]
    out[1] += s * a[1]
    out[2] += s * a[2]


@shared
def rotate(R: Array, a: Array, out: Array) -> None:
    """Compute ``out = R a``."""
    x, y, z = a[0], a[1], a[2]
    out[0] = R[0, 0] * x + R[0, 1] * y + R[0, 2] * z
    out[1] = R[1, 0] * x + R[1, 1] * y + R[1, 2] * z
    out[2] = R[2, 0] * x + R[2, 1] * y + R[2, 2] * z


@shared
def rotate_back(R: Array, a: Array, out: Array) -> None:
    """Compute ``out = Rᵀ a``."""
    x, y, z = a[0], a[1], a[2]
    out[0] = R[0, 0] * x + R[1, 0] * y + R[2, 0] * z
    out[1] = R[0, 1] * x + R[1, 1] * y + R[2, 1] * z
    out[2] = R[0, 2] * x + R[1, 2] * y + R[2, 2] * z


@shared
def multiply(A: Array, B: Array, out: Array) -> None:
    """Compute ``out = A B`` for (3, 3) matrices."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@kernel
def matrix_to_quaternion(R: Array, out: Array) -> None:
    """Quaternion (w ≥ 0) of a rotation matrix, from its largest component: no angle is singular."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    i = 0
    best = trace
    for k in range(3):
        if R[k, k] > best:
            best = R[k, k]
            i = k + 1
    if i == 0:
        w = sqrt(max(1.0 + trace, 0.0))
        out[0] = 0.5 * w
        s = 0.5 / w
        out[1] = s * (R[2, 1] - R[1, 2])
        out[2] = s * (R[0, 2] - R[2, 0])
        out[3] = s * (R[1, 0] - R[0, 1])
    else:
        a = i - 1
        b = (a + 1) % 3
        c = (a + 2) % 3
        x = sqrt(max(1.0 + R[a, a] - R[b, b] - R[c, c], 0.0))
        s = 0.5 / x
        out[0] = s * (R[c, b] - R[b, c])
        out[1 + a] = 0.5 * x
        out[1 + b] = s * (R[b, a] + R[a, b])
        out[1 + c] = s * (R[c, a] + R[a, c])
    if out[0] < 0.0:
        for k in range(4):
            out[k] = -out[k]


@shared
def compose_quaternion(q: Array, phi: Array, out: Array) -> None:
    """Compute ``out = q ∘ exp(φ/2)``: turn by the rotation vector φ given in the turned frame."""
    angle = sqrt(phi[0] ** 2 + phi[1] ** 2 + phi[2] ** 2)
    half = 0.5 * angle
    s = sin(half) / angle if angle > 1e-8 else 0.5 - angle * angle / 48.0
    pw, px, py, pz = cos(half), s * phi[0], s * phi[1], s * phi[2]
    w, x, y, z = q[0], q[1], q[2], q[3]
    ow = w * pw - x * px - y * py - z * pz
    ox = w * px + x * pw + y * pz - z * py
    oy = w * py - x * pz + y * pw + z * px
    oz = w * pz + x * py - y * px + z * pw
    norm = 1.0 / sqrt(ow * ow + ox * ox + oy * oy + oz * oz)
    out[0], out[1], out[2], out[3] = ow * norm, ox * norm, oy * norm, oz * norm
