"""Drivers at the start: motions that begin without a jump, and that can be met together."""

import numpy as np

from flexnet.components import RotationDriver, TranslationDriver
from flexnet.errors import AssemblyError
from flexnet.formulation.equations import Equations
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.scale import largest, least_change
from flexnet.formulation.state import State
from flexnet.graph import Kind
from flexnet.typing import Array, BoolArray

#: what is left of an acceleration over those that are asked for
SMALL_RATE = 1e-7
#: times after the start at which a motion is looked at, in the time of the model: powers of two
LATER, SOON = 2.0**-14, 2.0**-20
#: jump of a rate over what moves the model in its time, and over the rate itself, that is none
SMOOTH, ROUND_OFF = 1e-4, 1e-6


def _are_drivers(equations: Equations, joints: int) -> BoolArray:
    """Which of the rows of joints and drivers are those of drivers."""
    return np.array([row.component.kind is Kind.DRIVER for row in equations.rows[:joints]], dtype=bool)


def check_jumps(equations: Equations, q: Array, t: float, joints: int) -> None:
    """Refuse a motion whose rate or acceleration at the start is not the one just after it.

    With q and v held, Φ and Φ̇ change by the motions alone: (Φ(δ) - Φ(0))/δ → Φ_t and (Φ̇(δ) - Φ̇(0))/δ → Φ_tt
    as δ → 0, unless there is a jump; the difference of a smooth motion falls with δ. Differences of a Python
    function are too coarse for its accelerations.
    """
    is_driver = _are_drivers(equations, joints)
    if not is_driver.any():
        return
    rows = [equations.rows[i] for i in np.flatnonzero(is_driver)]
    time, still = equations.scale.time, np.zeros(equations.n_v)

    def motions(t: float) -> list[Array]:
        """Φ, Φ̇ and Φ̈ of the drivers with everything held."""
        found = (equations.constraints(q, t), *equations.constraint_motion(State(t, q, still), still))
        return [x[:joints][is_driver] for x in found]

    start, later, soon = (motions(t + d * time) for d in (0.0, LATER, SOON))
    sizes = equations.row_sizes[:joints][is_driver]
    for k, what in ((0, "rate"), (1, "acceleration")):
        far, near = ((x[k] - start[k]) / (d * time) for x, d in ((later, LATER), (soon, SOON)))
        unit = sizes / time ** (k + 1)
        jump = np.abs(near - start[k + 1])
        least = SMOOTH * unit + ROUND_OFF * (np.abs(near) + np.abs(start[k]) / time)
        is_jump = (jump > least) & (jump > 0.5 * np.abs(far - start[k + 1]))
        for i in np.flatnonzero(is_jump | ~np.isfinite(jump)):
            if k == 1 and _is_python(rows[i]):
                continue
            raise AssemblyError(
                f"the {what} of driver {rows[i].component.name!r} jumps at the start: it is"
                f" {_number(-start[k + 1][i])} there and {_number(-near[i])} just after; begin the motion"
                " smoothly, or write it so that its value at the start is that just after it"
            )


def _number(x: float) -> str:
    return f"{x + 0.0:.4g}"


def _is_python(row: ConstraintRow) -> bool:
    """Whether the motion of a row is a Python function whose second derivative was not given."""
    f = row.function
    return f is not None and f.kind == "callable" and len(f.call) < 3


def named_together(rows: list[ConstraintRow], start: str, motion: str) -> str:
    """Name rows that stand in the way, such as ``the start values of joints 'O' and 'A' together``."""
    names = list(dict.fromkeys(repr(row.component.name) for row in rows))
    is_driver = rows[0].component.kind is Kind.DRIVER
    what, whose = (motion, "driver") if is_driver else (f"start {start}", "joint")
    if len(names) == 1:
        return f"the {what} of {whose} {names[0]}"
    return f"the {what}s of {whose}s {', '.join(names[:-1])} and {names[-1]} together"


def unmet(equations: Equations, rows: list[ConstraintRow], start: str, motion: str) -> str:
    """Say that rows cannot be met; of start values, which motion drives the same of their joint."""
    what = named_together(rows, start, motion)
    asked = {(row.component.name, row.row.unit) for row in rows}
    motions = dict.fromkeys(
        repr(row.component.name)
        for row in equations.rows
        if isinstance(row.component, RotationDriver | TranslationDriver)
        and (row.component.joint, row.row.unit) in asked
    )
    if not motions:
        return f"{what} cannot be met: the loops do not allow it; ask for another, or leave it out"
    told = " and ".join(motions)
    return f"{what} cannot be met: the joint starts as the motion {told} says; leave the start out"


def check_accelerations(equations: Equations, state: State, joints: int) -> None:
    """Refuse drivers that agree in position and rate but not in acceleration: no force could follow both."""
    is_driver = _are_drivers(equations, joints)
    if is_driver.sum() < 2:
        return
    G = equations.jacobian(state.q, state.t)
    bias = equations.constraint_bias(state)
    sizes = equations.row_sizes[:joints]

    def left(wanted: BoolArray) -> Array:
        """Part of Φ̈ that no acceleration takes away, (joints,)."""
        out = np.zeros(joints)
        A, b = G[:joints][wanted], bias[:joints][wanted]
        out[wanted] = b + A @ least_change(A, b, equations.sizes, sizes[wanted])
        return out

    small = SMALL_RATE * largest(bias[:joints], sizes)
    gap = left(np.ones(joints, dtype=bool))
    if largest(gap, sizes) > small and largest(left(~is_driver), sizes) <= small:
        named = is_driver & (np.abs(gap / sizes) > 1e-3 * largest(gap, sizes))
        rows = [row for row, is_named in zip(equations.rows[:joints], named, strict=True) if is_named]
        if len(rows) > 1:
            asked = named_together(rows, "acceleration", "acceleration")
            raise AssemblyError(
                f"{asked} cannot be met: they differ at the start by {2 * float(np.abs(gap).max()):.3g}"
            )
