"""Frames on flexible bodies: the coordinates of an arm, from the elastic ones of its body.

An arm is a branch with three coordinates x, functions of the elastic ones: in the T-tree the place of its
frame in the body, in the R-tree a rotation vector. They are of second order with stiffening:

    x = x₀ + Ψq - ½ qᵀHq,    ẋ = Xq̇,    ẍ = Xq̈ - q̇ᵀHq̇,    X = Ψ - qᵀH                                    (1)

What a branch does with them is said by its family (:mod:`flexnet.formulation.branch`). With the directions U
of x in ground, which the family finds, those of the elastic coordinates are U X.
"""

from flexnet.kernels.compile import shared
from flexnet.kernels.flexible_shapes import row_product
from flexnet.kernels.model import ARM_MOVES, ARM_TURNS, Model
from flexnet.kernels.work import Work
from flexnet.typing import Array


@shared
def arm_rows(model: Model, i: int, kind: int, work: Work) -> Array:
    """X of a flexible frame by columns, (3 m,)."""
    frame = model.flex_frames[i]
    m = model.flex[frame.body].m
    start = frame.w + (6 + kind) * m
    return work.flex[start : start + 3 * m]


@shared
def place_arms(model: Model, q: Array, work: Work) -> None:
    """Find x and X of all flexible frames."""
    for i in range(model.flex_frames.shape[0]):
        for kind in (ARM_MOVES, ARM_TURNS):
            _place_arm(model, i, kind, q, work)


@shared
def _place_arm(model: Model, i: int, kind: int, q: Array, work: Work) -> None:
    frame = model.flex_frames[i]
    f, data = model.flex[frame.body], model.flex_data
    m, x, rows = f.m, q[f.q : f.q + f.m], arm_rows(model, i, kind, work)
    Psi = frame.rotation if kind == ARM_TURNS else frame.translation
    for b in range(3):
        s = frame.position[b] if kind == ARM_MOVES else 0.0
        for j in range(m):
            row = data[Psi + b * m + j]
            s += row * x[j]
            if frame.H >= 0:
                h = row_product(model, frame.body, frame.H + (kind + b) * f.stride, j, x)
                row -= h
                s -= 0.5 * h * x[j]
            rows[3 * j + b] = row
        work.flex[frame.x + 3 * kind + b] = s


@shared
def arm_rates(model: Model, v: Array, work: Work) -> None:
    """Find ẋ of all flexible frames; after :func:`place_arms`."""
    for i in range(model.flex_frames.shape[0]):
        frame = model.flex_frames[i]
        f = model.flex[frame.body]
        for kind in (ARM_MOVES, ARM_TURNS):
            rows = arm_rows(model, i, kind, work)
            for b in range(3):
                s = 0.0
                for j in range(f.m):
                    s += rows[3 * j + b] * v[f.v + j]
                work.flex[frame.x + 3 * kind + 3 + b] = s


@shared
def arm_seconds(model: Model, v: Array, a: Array, work: Work) -> None:
    """Find ẍ of all flexible frames; after :func:`place_arms`."""
    for i in range(model.flex_frames.shape[0]):
        frame = model.flex_frames[i]
        f = model.flex[frame.body]
        xd = v[f.v : f.v + f.m]
        for kind in (ARM_MOVES, ARM_TURNS):
            rows = arm_rows(model, i, kind, work)
            for b in range(3):
                s = 0.0
                for j in range(f.m):
                    s += rows[3 * j + b] * a[f.v + j]
                    if frame.H >= 0:
                        s -= xd[j] * row_product(model, frame.body, frame.H + (kind + b) * f.stride, j, xd)
                work.flex[frame.x + 3 * kind + 6 + b] = s


@shared
def arm_directions(model: Model, work: Work) -> None:
    """Directions and axes U X of the elastic coordinates at all flexible frames, in ground."""
    for l in range(model.t_edges.shape[0]):
        if model.t_edges[l].flex >= 0:
            _to_ground(model, model.t_edges[l].flex, ARM_MOVES, work.d[l], work)
    for l in range(model.r_edges.shape[0]):
        if model.r_edges[l].flex >= 0:
            _to_ground(model, model.r_edges[l].flex, ARM_TURNS, work.u[l], work)


@shared
def _to_ground(model: Model, i: int, kind: int, U: Array, work: Work) -> None:
    frame = model.flex_frames[i]
    m, rows = model.flex[frame.body].m, arm_rows(model, i, kind, work)
    start = frame.w + kind * m
    for j in range(m):
        for b in range(3):
            s = 0.0
            for k in range(3):
                s += U[k, b] * rows[3 * j + k]
            work.flex[start + 3 * j + b] = s
