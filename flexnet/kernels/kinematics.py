"""Step 1, branch kinematics: two sweeps from the datum outwards.

Rotations go along the R-tree, then translations along the T-tree, because every T-branch vector is
fixed in a frame whose rotation is then known. What a branch does is said by its family
(:mod:`flexnet.formulation.branch`), called by its address; the coordinates of a flexible arm follow from the
elastic ones of its body (:mod:`flexnet.kernels.arm`).
"""

from flexnet.kernels.callback import at, run
from flexnet.kernels.compile import inner, shared
from flexnet.kernels.elastic import arm_directions, arm_rates, flexible_rates, flexible_shapes
from flexnet.kernels.model import (
    BENT,
    BENT_RATE,
    BENT_SECOND,
    MOTION,
    MOVED,
    MOVED_RATE,
    MOVED_SECOND,
    PLACE,
    RATE,
    Model,
)
from flexnet.kernels.time_function import SIGNAL, evaluate
from flexnet.kernels.vector import compose_quaternion
from flexnet.kernels.work import Work
from flexnet.typing import Array


@inner
def known_functions(model: Model, t: float, work: Work) -> None:
    """Evaluate every known function of time."""
    work.clock[0] = t
    for i in range(model.functions.shape[0]):
        f = model.functions[i]
        if f.kind == SIGNAL:  # follows from the motion, see feedback
            continue
        evaluate(
            f.kind, f.start, f.count, f.family, f.refs, model.data, model.families, t, work.f[i]
        )  # fmt: skip


@inner
def positions(model: Model, t: float, q: Array, work: Work) -> None:
    """Orientation of every rotation node, position of every node, axes of every coordinate."""
    known_functions(model, t, work)
    flexible_shapes(model, q, work)
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        x = at(work.flex, model.flex_frames[e.flex].x + BENT) if e.flex >= 0 else at(q, e.q)
        run(
            model.families[e.family + PLACE],
            (
                at(model.sweep_data, e.p), x, at(work.f, e.function), at(work.R, e.parent),
                at(work.R, e.child), at(work.u, i),
            ),
        )  # fmt: skip
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        x = at(work.flex, model.flex_frames[e.flex].x + MOVED) if e.flex >= 0 else at(q, e.q)
        run(
            model.families[e.family + PLACE],
            (
                at(model.sweep_data, e.p), x, at(work.f, e.function), at(work.R, e.carrier),
                at(work.p, e.parent),
                at(work.p, e.child), at(work.r, i), at(work.d, i), at(work.e, i),
            ),
        )  # fmt: skip
    arm_directions(model, work)


@inner
def node_velocities(model: Model, v: Array, work: Work) -> None:
    """Angular velocity of every rotation node, velocity of every node; after :func:`positions`."""
    arm_rates(model, v, work)
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        xd = at(work.flex, model.flex_frames[e.flex].x + BENT_RATE) if e.flex >= 0 else at(v, e.v)
        run(
            model.families[e.family + RATE],
            (at(work.u, i), at(work.f, e.function), xd, at(work.omega, e.parent), at(work.omega, e.child)),
        )
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        xd = at(work.flex, model.flex_frames[e.flex].x + MOVED_RATE) if e.flex >= 0 else at(v, e.v)
        run(
            model.families[e.family + RATE],
            (
                at(work.r, i), at(work.d, i), at(work.e, i), at(work.f, e.function), xd,
                at(work.omega, e.carrier), at(work.v, e.parent), at(work.v, e.child),
            ),
        )  # fmt: skip


@inner
def motion(model: Model, t: float, q: Array, v: Array, a: Array, work: Work) -> None:
    """Positions, velocities and accelerations of all nodes for given v̇ = a, in one sweep of either tree.

    With a = 0 the accelerations are the bias terms, everything but J v̇.
    """
    known_functions(model, t, work)
    flexible_shapes(model, q, work)
    flexible_rates(model, v, a, work)
    for i in range(model.r_edges.shape[0]):
        e = model.r_edges[i]
        x = at(work.flex, model.flex_frames[e.flex].x + BENT) if e.flex >= 0 else at(q, e.q)
        xd = at(work.flex, model.flex_frames[e.flex].x + BENT_RATE) if e.flex >= 0 else at(v, e.v)
        xdd = at(work.flex, model.flex_frames[e.flex].x + BENT_SECOND) if e.flex >= 0 else at(a, e.v)
        run(
            model.families[e.family + MOTION],
            (
                at(model.sweep_data, e.p), x, at(work.f, e.function), at(work.R, e.parent),
                xd, xdd, at(work.omega, e.parent), at(work.omega_dot, e.parent),
                at(work.R, e.child), at(work.u, i), at(work.omega, e.child), at(work.omega_dot, e.child),
            ),
        )  # fmt: skip
    for i in range(model.t_edges.shape[0]):
        e = model.t_edges[i]
        x = at(work.flex, model.flex_frames[e.flex].x + MOVED) if e.flex >= 0 else at(q, e.q)
        xd = at(work.flex, model.flex_frames[e.flex].x + MOVED_RATE) if e.flex >= 0 else at(v, e.v)
        xdd = at(work.flex, model.flex_frames[e.flex].x + MOVED_SECOND) if e.flex >= 0 else at(a, e.v)
        run(
            model.families[e.family + MOTION],
            (
                at(model.sweep_data, e.p), x, at(work.f, e.function), at(work.R, e.carrier),
                xd, xdd, at(work.omega, e.carrier), at(work.omega_dot, e.carrier),
                at(work.p, e.parent), at(work.v, e.parent), at(work.a, e.parent),
                at(work.p, e.child), at(work.r, i), at(work.d, i), at(work.e, i),
                at(work.v, e.child), at(work.a, e.child),
            ),
        )  # fmt: skip
    arm_directions(model, work)


@shared
def compose(model: Model, q: Array, dq: Array, out: Array) -> None:
    """Move a configuration along a velocity: ``out = q ⊕ dq``, exact on the rotation group.

    Counted angles stay those of the last step.
    """
    for k in range(model.scalars.shape[0]):
        out[model.scalars[k, 0]] = q[model.scalars[k, 0]] + dq[model.scalars[k, 1]]
    for i in model.counted:
        out[i] = q[i]
    for k in range(model.quaternions.shape[0]):
        i, j = model.quaternions[k, 0], model.quaternions[k, 1]
        compose_quaternion(q[i : i + 4], dq[j : j + 3], out[i : i + 4])
