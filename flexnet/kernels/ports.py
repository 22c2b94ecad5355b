"""What a mechanism feels of unreduced bodies: rows of their ports, and the small mechanism that has these.

The small mechanism has the same nodes, branches, rows and elements, and shares the workspace of them; an
unreduced body has its ports for coordinates, (1) of :mod:`flexnet.kernels.unreduced`. Coordinate k of it
moves no frame but its own: E and the directions of the arms are units, written once. What changes with the
state is the inertia of the body held rigid, and P.
"""

from flexnet.kernels.compile import inner
from flexnet.kernels.flexible_shapes import mean
from flexnet.kernels.linear_algebra import copy
from flexnet.kernels.model import W_C, W_E1, W_END, W_FIRST, W_J_DOT, W_VECTORS, Model
from flexnet.kernels.work import Work
from flexnet.typing import Array

#: ports of a body: E, E₁, then six of each attachment frame
FIRST, ARMS, PER_ARM = 6, 12, 6


@inner
def find_ports(model: Model, work: Work, small: Model, seen: Work, P: Array) -> None:
    """Rows P of all unreduced bodies, and all that the small mechanism needs of flexible ones."""
    at = 0
    for k in range(model.flex.shape[0]):
        f, g = model.flex[k], small.flex[k]
        m = f.m
        state = work.flex[f.w : f.w + W_VECTORS + W_END * m]
        if f.ptr < 0:
            copy(state, seen.flex[g.w : g.w + W_VECTORS + W_END * m])
            continue
        copy(state[W_C:W_J_DOT], seen.flex[g.w + W_C : g.w + W_J_DOT])
        for i in range(6 * m):
            P[at + i] = state[W_VECTORS + i]
            P[at + FIRST * m + i] = state[W_VECTORS + W_E1 * m + i] if f.G >= 0 else 0.0
        at += g.m * m
    at = 0
    for k in range(model.flex.shape[0]):
        f, g = model.flex[k], small.flex[k]
        m, row = f.m, ARMS
        for i in range(model.flex_frames.shape[0]):
            frame, other = model.flex_frames[i], small.flex_frames[i]
            if frame.body != k:
                continue
            if f.ptr < 0:
                copy(work.flex[frame.w : frame.w + 6 * m], seen.flex[other.w : other.w + 6 * m])
                continue
            for j in range(m):
                for b in range(3):
                    P[at + (row + b) * m + j] = work.flex[frame.w + 3 * j + b]
                    P[at + (row + 3 + b) * m + j] = work.flex[frame.w + 3 * m + 3 * j + b]
            row += PER_ARM
        if f.ptr >= 0:
            at += g.m * m


@inner
def add_mean_motion(model: Model, work: Work, small: Model, M: Array) -> None:
    """Add EᵀA⁻¹E - E₁ᵀA₁⁻¹E₁ of stiffened unreduced bodies, (5) of :mod:`flexnet.kernels.flexible`."""
    p, h, t, r = work.tmp[0, 0], work.tmp[0, 1], work.tmp[0, 2], work.tmp[1, 0]
    for k in range(model.flex.shape[0]):
        f, g = model.flex[k], small.flex[k]
        if f.ptr < 0 or f.G < 0:
            continue
        for order in range(2):
            state = work.flex[f.w + order * W_FIRST : f.w + W_VECTORS]
            for j in range(6):
                for a in range(3):
                    p[a] = 1.0 if j == a else 0.0
                    h[a] = 1.0 if j == 3 + a else 0.0
                mean(f.mass, state, p, h, t, r)
                sign = 1.0 if order == 0 else -1.0
                column = g.v + order * FIRST + j
                for a in range(3):
                    M[g.v + order * FIRST + a, column] += sign * t[a]
                    M[g.v + order * FIRST + 3 + a, column] += sign * r[a]
