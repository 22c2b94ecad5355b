"""Flexible bodies through the table: one function, compiled when a mechanism first has one.

What the sweeps need of flexible bodies (:mod:`flexnet.kernels.flexible`) takes as long to compile as all the
rest of the residual. Rigid mechanisms never call it, so it is reached by an address, as families are: each
function here asks ``flexible_bodies`` for one thing.
"""

from functools import cache
from typing import Any

import numpy as np

from flexnet.kernels import arm
from flexnet.kernels import flexible as own
from flexnet.kernels import flexible_energy as energy
from flexnet.kernels import flexible_shapes as shapes
from flexnet.kernels.callback import array_at, matrix_at, run
from flexnet.kernels.compile import address_of, inner, is_interpreted, shared, typeof
from flexnet.kernels.kinds import INT, PLACE, Packed, Tuple
from flexnet.kernels.model import Model, empty_model
from flexnet.kernels.work import Work, make_work
from flexnet.typing import AnyArray, Array

(
    SHAPES, RATES, ARM_RATES, DIRECTIONS, INERTIA, COLUMN, KINETIC, BODY_KINETIC, POTENTIAL, DAMPING, MOMENTA,
) = range(11)  # fmt: skip


def flexible_bodies(
    model: Model, work: Work, what: int, i: int, width: int, x: Any, y: Any, z: Any, out: Any
) -> None:  # fmt: skip
    """Do one of the things above; x, y, z are places in q, v, v̇ and out one to write to."""
    if what <= INERTIA:
        _outwards(model, work, what, i, array_at(x), array_at(y), array_at(z))
    elif what == COLUMN:
        own.column_forces(model, i, work, matrix_at(out, width))
    else:
        _energies(model, work, what, i, array_at(x), array_at(out))


@shared
def _outwards(model: Model, work: Work, what: int, i: int, q: Array, v: Array, a: Array) -> None:
    if what == SHAPES:
        shapes.flexible_shapes(model, q, work)
        arm.place_arms(model, q, work)
    elif what == RATES:
        own.flexible_rates(model, v, work)
        arm.arm_rates(model, v, work)
        arm.arm_seconds(model, v, a, work)
    elif what == ARM_RATES:
        arm.arm_rates(model, v, work)
    elif what == DIRECTIONS:
        arm.arm_directions(model, work)
    else:
        own.apply_flexible_inertia(model, q, v, a, work)


@shared
def _energies(model: Model, work: Work, what: int, i: int, x: Array, out: Array) -> None:
    if what == KINETIC:
        out[0] = energy.flexible_kinetic(model, x, work)
    elif what == BODY_KINETIC:
        out[0] = energy.body_kinetic(model, i, x, work)
    elif what == POTENTIAL:
        energy.flexible_potential(model, x, work, out)
    elif what == DAMPING:
        out[0] = energy.flexible_damping(model, x)
    else:
        energy.body_momenta(model, i, x, work, out[0:3], out[3:6])


@cache
def _address() -> Any:
    """Address of ``flexible_bodies``; compiled, or found in the cache, when first asked for."""
    if is_interpreted():
        return flexible_bodies
    nothing = empty_model()
    kinds = (typeof(nothing), typeof(make_work(nothing, 1, 1)))
    packed = [Packed(kind) for kind in kinds if isinstance(kind, Tuple)]
    return address_of(flexible_bodies, (*packed, *[INT] * 3, *[PLACE] * 4))


def flexible_code(is_needed: bool) -> AnyArray:
    """(1,) address for a model; 0 where it has no flexible bodies."""
    found = _address() if is_needed else 0
    return np.array([found], dtype=object if is_interpreted() else np.int64)


# -- what the sweeps call ----------------------------------------------------------------------


@inner
def _ask(model: Model, work: Work, what: int, i: int, x: Array, y: Array, z: Array, out: Array) -> None:
    run(model.flex_code[0], (model, work, what, i, 0, x, y, z, out))


@inner
def flexible_shapes(model: Model, q: Array, work: Work) -> None:
    """c, B, J, C and Y of all flexible bodies, and x of their arms, for the elastic coordinates in q."""
    if model.flex.shape[0] > 0:
        _ask(model, work, SHAPES, 0, q, q, q, work.clock)


@inner
def flexible_rates(model: Model, v: Array, a: Array, work: Work) -> None:
    """W, J̇ and G q̇ of all flexible bodies, ẋ and ẍ of their arms; after :func:`flexible_shapes`."""
    if model.flex.shape[0] > 0:
        _ask(model, work, RATES, 0, v, v, a, work.clock)


@inner
def arm_rates(model: Model, v: Array, work: Work) -> None:
    """ẋ of the arms of all flexible bodies; after :func:`flexible_shapes`."""
    if model.flex.shape[0] > 0:
        _ask(model, work, ARM_RATES, 0, v, v, v, work.clock)


@inner
def arm_directions(model: Model, work: Work) -> None:
    """Directions and axes of the elastic coordinates at all arms, once these have their place."""
    if model.flex.shape[0] > 0:
        _ask(model, work, DIRECTIONS, 0, work.clock, work.clock, work.clock, work.clock)


@inner
def apply_flexible_inertia(model: Model, q: Array, v: Array, a: Array, work: Work) -> None:
    """Add inertia, elastic and damping forces of all flexible bodies; after motion."""
    if model.flex.shape[0] > 0:
        _ask(model, work, INERTIA, 0, q, v, a, work.clock)


@inner
def column_forces(model: Model, k: int, work: Work, M: Array) -> None:
    """Inertia forces and torques of the flexible bodies coordinate k moves, and their part of column k."""
    t = work.clock
    if model.col_flex_ptr[k, 0] < model.col_flex_ptr[k, 1]:
        run(model.flex_code[0], (model, work, COLUMN, k, M.shape[1], t, t, t, M))


@inner
def flexible_kinetic(model: Model, v: Array, work: Work) -> float:
    """Kinetic energy of all flexible bodies, J."""
    out = work.tmp[7, 0]
    out[0] = 0.0
    if model.flex.shape[0] > 0:
        _ask(model, work, KINETIC, 0, v, v, v, out)
    return float(out[0])


@inner
def body_kinetic(model: Model, k: int, v: Array, work: Work) -> float:
    """Kinetic energy of one flexible body, J."""
    out = work.tmp[7, 0]
    _ask(model, work, BODY_KINETIC, k, v, v, v, out)
    return float(out[0])


@inner
def flexible_potential(model: Model, q: Array, work: Work, out: Array) -> None:
    """Gravity potential (out[0]) and strain energy (out[1]) of all flexible bodies, J."""
    out[0] = out[1] = 0.0
    if model.flex.shape[0] > 0:
        _ask(model, work, POTENTIAL, 0, q, q, q, out)


@inner
def flexible_damping(model: Model, v: Array, work: Work) -> float:
    """Power of the damping of all flexible bodies, W."""
    out = work.tmp[7, 0]
    out[0] = 0.0
    if model.flex.shape[0] > 0:
        _ask(model, work, DAMPING, 0, v, v, v, out)
    return float(out[0])


@inner
def body_momenta(model: Model, k: int, v: Array, work: Work, out: Array) -> None:
    """Momentum and angular momentum (6,) about its frame of one flexible body, in body axes."""
    _ask(model, work, MOMENTA, k, v, v, v, out)
