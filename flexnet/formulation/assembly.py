"""Assembly: from a rough guess to a configuration, a velocity and a description that are consistent.

Positions are found by Gauss-Newton on the poses of all bodies, with every joint and driver as a
constraint and the wanted start values as further ones; velocities by one least-squares step. Both move
as little as they must from the guess.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from math import pi

import numpy as np

from flexnet.components import Component, TimeFunction, polynomial
from flexnet.components.row import Row
from flexnet.components.row_formulas import angle_row, counted, direction_label, displacement_row, turned
from flexnet.errors import AssemblyError
from flexnet.formulation.description import Description, describe
from flexnet.formulation.driven import SMALL_RATE, check_accelerations, check_jumps, unmet
from flexnet.formulation.equations import Equations
from flexnet.formulation.foretold import as_placed, foretold
from flexnet.formulation.placed import turned_by_gaps
from flexnet.formulation.poses import cut_poses
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.scale import largest, least_change
from flexnet.formulation.sparse_rows import Jacobian, scaled
from flexnet.formulation.state import Poses, State
from flexnet.formulation.turns import row_angles
from flexnet.graph import Kind, Tree, select_trees
from flexnet.kernels.model import C_ROTATION
from flexnet.system import Start, System
from flexnet.typing import Array, BoolArray

#: constraint violation that counts as closed, over the size of the row
CLOSED = 1e-12
#: the same where it is no longer made smaller
SMALL = 1e-9
#: change of a given velocity, of the largest given, that is said
CHANGED = 1e-3
_ITERATIONS = 60

log = logging.getLogger("flexnet")


def assemble(system: System, t: float = 0.0) -> Poses:
    """Find consistent poses and rates of all bodies at time t.

    Raises
    ------
    AssemblyError
        Naming the loop that cannot close and its gap, or the start value that cannot be met.
    """
    return assembled(describe(system), t)[0]


def assembled(description: Description, t: float = 0.0) -> tuple[Poses, Equations]:
    """The same, and the equations in absolute coordinates, start values among their rows, that gave them."""
    system = description.system
    T, R = select_trees(description.graph, "absolute")
    starts = [_start_row(system, start, t) for start in system.starts]
    equations = Equations(description, T, R, extra=starts)
    joints = equations.m - len(starts)
    has_value = np.array([True] * joints + [s.value is not None for s in system.starts], dtype=bool)
    has_rate = np.array([True] * joints + [s.rate is not None for s in system.starts], dtype=bool)
    rough = _guess(system, equations, t)
    known = as_placed(equations, equations.state(rough), foretold(equations, t))
    asked = row_angles(equations.parts, equations.terminals)
    # what nobody tells begins nearest zero, also where it is a sum of angles that each do
    near = {a.label: 0.0 for a in equations.angles if a.label in asked and f"{a.joint}.angle" not in known}
    guess = equations.state(replace(rough, angles=near | known))
    q = _close(equations, guess.q, t, has_value, joints)
    _check_axes(equations, q, t)
    check_jumps(equations, q, t, joints)
    v = _settle(equations, q, guess.v, t, has_rate, joints)
    if not guess.v.any():
        # a joint placed without a rate stands still, if the others allow it
        v = _calm(equations, State(t, q, v), has_rate, has_value & ~has_rate)
    check_accelerations(equations, State(t, q, v), joints)
    _tell_of_changed_rates(system, equations, guess, State(t, q, v))
    # nothing has turned yet: where angles begin is for the start values to say, but for those rows rest on
    poses = equations.poses(State(t, q, v))
    if said := turned_by_gaps(equations, rough, poses):
        log.warning("%s: %s", system.name, said)
    return replace(poses, angles={name: x for name, x in poses.angles.items() if name in asked}), equations


def _rigid_jacobian(equations: Equations, q: Array, t: float) -> Jacobian:
    """Constraint Jacobian with the elastic coordinates held: bodies are assembled undeformed."""
    is_rigid = np.ones(equations.n_v)
    is_rigid[equations.packer.elastic_indices()[1]] = 0.0
    return scaled(equations.jacobian(q, t), is_rigid, np.ones(equations.m))


def _guess(system: System, equations: Equations, t: float) -> Poses:
    """Rough poses and rates; of beams in pieces where the whole is, whatever the number of pieces."""
    if system.whole is not None:
        try:
            found = assembled(describe(system.whole.system), t)[0]
        except AssemblyError:
            pass  # what cannot be met is told of the pieces
        else:
            return cut_poses(system.whole, equations, found)
    bodies = [system.ground, *(system.bodies[name] for name in equations.packer.bodies[1:])]
    return Poses(
        t,
        np.array([b.rotation for b in bodies]),
        np.array([b.position for b in bodies]),
        np.array([b.angular_velocity for b in bodies]),
        np.array([b.velocity for b in bodies]),
        np.zeros(len(equations.packer.elastic_indices()[0])),
        np.zeros(len(equations.packer.elastic_indices()[0])),
    )


def _start_row(system: System, start: Start, t_0: float) -> ConstraintRow:
    """A wanted value at t₀ as a constraint row."""
    part = system.components[start.joint]
    rate = start.rate or 0.0
    target = polynomial((start.value or 0.0) - rate * t_0, rate)
    t, r = part.terminal.translation, part.terminal.rotation
    for direction in t.free if t is not None else ():
        if direction.name == start.coordinate:
            label = f"start {direction_label(direction.vector)}"
            return ConstraintRow(part, replace(displacement_row(direction.vector, target), label=label))
    assert r is not None
    if t is not None and t.pitch is not None:
        # of a screw the displacement tells the angle, whole turns included
        way = polynomial(*(t.pitch * c for c in target.parameters))
        return ConstraintRow(part, replace(displacement_row(t.free[0].vector, way), label="start angle"))
    if r.kind == "universal":
        return _universal_start(part, start, r.axes, target)
    axis = r.axes[0] if r.axes else np.array([0.0, 0.0, 1.0])
    if _is_geared(system, part):
        return ConstraintRow(part, Row("start angle", counted, "rad", counts=axis, function=target))
    return ConstraintRow(part, replace(angle_row(axis, target), label="start angle"))


def _is_geared(system: System, joint: Component) -> bool:
    """Whether a row of another component rests on the whole turns of a joint."""
    ends = joint.tail.name, joint.head.name
    for part in system.components.values():
        for row in part.terminal.rows:
            others = [] if row.other is None else [(row.other[0].name, row.other[1].name)]
            others += [] if row.counts is None or part is joint else [(part.tail.name, part.head.name)]
            if ends in others:
                return True
    return False


def _universal_start(
    part: Component, start: Start, axes: tuple[Array, ...], target: TimeFunction
) -> ConstraintRow:
    a1, a2 = axes
    n = np.cross(a1, a2)
    if start.coordinate == "alpha":
        return ConstraintRow(part, Row("start alpha", turned, "rad", (a2, n), (a2,), function=target))
    # beta is the angle of a1, fixed in the tail, as seen from the head
    row = Row("start beta", turned, "rad", (a1, n), (a1,), function=target)
    return ConstraintRow(part, row, is_reversed=True)


def _close(equations: Equations, q: Array, t: float, wanted: BoolArray, joints: int) -> Array:
    if not np.isfinite(equations.constraints(q, t)).all():
        equations.law_values.check()  # a motion without a number closes nothing
    # places far from the datum are known to their own round-off
    small = SMALL + 16 * np.finfo(float).eps * largest(q, equations.q_sizes)
    for size in (0.0, 0.2):
        # a guess exactly half a turn off has no way down; a second try starts beside it
        guess = q
        if size:
            beside = np.random.default_rng(0).uniform(-size, size, equations.n_v)
            guess = equations.compose(q, equations.sizes * beside)
        closed, phi = _gauss_newton(equations, guess, t, wanted)
        if largest(phi, equations.row_sizes) < small:
            return closed
    first, alone = _blame(
        equations, wanted, joints, lambda rows: _gauss_newton(equations, q, t, rows)[1], small
    )
    raise AssemblyError(
        unmet(equations, first, "value", "motion") if first else _why_open(equations, alone[:joints])
    )


def _blame(
    equations: Equations, wanted: BoolArray, joints: int, left: Callable[[BoolArray], Array], small: float
) -> tuple[list[ConstraintRow], Array]:
    """Leave out start values, then drivers, until the rest can be met.

    Returns
    -------
    Rows that stand in the way (none if the joints alone cannot be met), and what is left of the joints.
    """
    is_start = np.arange(len(wanted)) >= joints
    is_driver = np.array([r.component.kind is Kind.DRIVER for r in equations.rows], dtype=bool) & ~is_start
    remains = wanted
    for group in (is_start, is_driver):
        remains = remains & ~group
        rest = left(remains)
        if np.any(wanted & group) and largest(rest, equations.row_sizes) <= small:
            return [row for row, out in zip(equations.rows, wanted & group, strict=True) if out], rest
    return [], rest


def _check_axes(equations: Equations, q: Array, t: float) -> None:
    """Refuse a joint that closed with its axis pointing the wrong way: all its rows are met, and wrong."""
    if equations.system.is_planar:
        return
    equations.constraints(q, t)
    for part in equations.parts:
        rotation = part.terminal.rotation
        if part.kind is not Kind.JOINT or rotation is None or rotation.kind != "axis":
            continue
        tail, head = (
            equations.work.R[equations.packer.body_index(end)] @ end.rotation @ rotation.axes[0]
            for end in (part.tail, part.head)
        )
        if tail @ head < 0:
            raise AssemblyError(
                f"joint {part.name!r} came together with its axes opposed: "
                f"turn body {part.head.body!r} by about half a turn in its initial pose"
            )


def _gauss_newton(equations: Equations, q: Array, t: float, wanted: BoolArray) -> tuple[Array, Array]:
    """Configuration nearest q that satisfies the wanted rows, and what is left of them."""
    for _ in range(_ITERATIONS):
        phi = equations.constraints(q, t)[wanted]
        rows = equations.row_sizes[wanted]
        if largest(phi, rows) < CLOSED:
            break
        G = _rigid_jacobian(equations, q, t)[wanted]
        step = least_change(G, phi, equations.sizes, rows, rcond=1e-9)
        # translations enter the constraints linearly: only a turn can be too far
        turn = float(np.abs(step[equations.model.columns["kind"] == C_ROTATION]).max(initial=0.0))
        q = equations.count(equations.compose(q, step * min(1.0, 0.5 * pi / max(turn, 1e-300))), t)
    phi = equations.constraints(q, t)
    phi[~wanted] = 0.0
    return q, phi


def _settle(equations: Equations, q: Array, v: Array, t: float, wanted: BoolArray, joints: int) -> Array:
    settled, rates = _least_rates(equations, q, v, t, wanted)
    asked = equations.constraint_rates(State(t, q, np.zeros(equations.n_v)))
    asked[~wanted] = 0.0
    sizes, rows = equations.sizes, equations.row_sizes
    small = SMALL_RATE * max(largest(settled, sizes), largest(v, sizes), largest(asked, rows))
    if largest(rates, rows) <= small:
        return settled
    first, alone = _blame(
        equations, wanted, joints, lambda chosen: _least_rates(equations, q, v, t, chosen)[1], small
    )
    if first:
        raise AssemblyError(unmet(equations, first, "rate", "rate"))
    worst = int(np.argmax(np.abs(alone / rows)))
    raise AssemblyError(
        f"initial velocities cannot be met: {equations.rows[worst].name!r} is off by {alone[worst]:.3g}"
    )


def _least_rates(
    equations: Equations, q: Array, v: Array, t: float, wanted: BoolArray
) -> tuple[Array, Array]:
    """Velocity nearest v that satisfies the wanted rows, and what is left of their rates."""
    G = _rigid_jacobian(equations, q, t)
    for _ in range(2):
        rates = equations.constraint_rates(State(t, q, v))[wanted]
        if not rates.any():
            break
        v = v + least_change(G[wanted], rates, equations.sizes, equations.row_sizes[wanted])
    rates = equations.constraint_rates(State(t, q, v))
    rates[~wanted] = 0.0
    return v, rates


def _tell_of_changed_rates(system: System, equations: Equations, guess: State, found: State) -> None:
    """Name the body whose given velocity was changed most, if joints, drivers or starts did not allow it."""
    if not guess.v.any():
        return
    asked, given = equations.poses(State(found.t, found.q, guess.v)), equations.poses(found)
    # what was left at zero follows the rest
    bodies = [system.bodies[name] for name in equations.packer.bodies[1:]]
    length = equations.scale.length
    far = np.zeros(len(bodies) + 1)
    for k, body in enumerate(bodies, start=1):
        if np.any(body.velocity):
            far[k] = np.abs(given.v[k] - asked.v[k]).max() / length
        if np.any(body.angular_velocity):
            far[k] = max(far[k], np.abs(given.omega[k] - asked.omega[k]).max())
    worst = int(np.argmax(far))
    if far[worst] > CHANGED * largest(guess.v, equations.sizes):
        rates = (given.v, given.omega, asked.v, asked.omega)
        log.warning(
            "%s: body %r starts with the velocity %s m/s and the angular velocity %s rad/s and not, as given,"
            " with %s and %s: its joints, drivers and starts do not allow them",
            system.name,
            equations.packer.bodies[worst],
            *(np.array2string(x[worst], precision=4, suppress_small=True) for x in rates),
        )


def _calm(equations: Equations, state: State, wanted: BoolArray, calm: BoolArray) -> Array:
    """Velocity that satisfies the wanted rows still, with the least rates of the calm ones."""
    if not calm.any():
        return state.v
    G = _rigid_jacobian(equations, state.q, state.t)
    sizes, rows = equations.sizes, equations.row_sizes
    if not isinstance(G, np.ndarray):
        # of a calm row what the wanted rows before it fix is left as it is
        asked = np.concatenate([np.flatnonzero(wanted), np.flatnonzero(calm)])
        rates = np.where(calm, equations.constraint_rates(state), 0.0)
        return state.v + least_change(G[asked], rates[asked], sizes, rows[asked], rcond=1e-8)
    rigid = np.setdiff1d(np.arange(equations.n_v), equations.packer.elastic_indices()[1])
    sizes = sizes[rigid]
    G = G[:, rigid] * sizes / rows[:, None]
    _, size, V = np.linalg.svd(G[wanted])
    free = V[np.count_nonzero(size > 1e-10 * max(size.max(initial=0.0), 1.0)) :].T
    U, size, V = np.linalg.svd(G[calm] @ free, full_matrices=False)
    # what the wanted rows fix already is left as it is
    inverse = np.divide(1.0, size, out=np.zeros_like(size), where=size > 1e-8 * np.linalg.norm(G[calm]))
    rates = (equations.constraint_rates(state) / rows)[calm]
    out = state.v.copy()
    out[rigid] -= sizes * (free @ (V.T @ (inverse * (U.T @ rates))))
    return out


def _why_open(equations: Equations, phi: Array) -> str:
    worst = int(np.argmax(np.abs(phi / equations.row_sizes[: len(phi)])))
    row, gap = equations.rows[worst], float(np.abs(phi[worst]))
    unit = "m" if row.is_translation else "rad"
    T, _ = select_trees(equations.system.mechanism, "joint")
    loop = _loop_names(T, row.component.name)
    return f"the loop {loop} cannot close: joint {row.component.name!r} is open by {gap:.3g} {unit}"


def _loop_names(T: Tree, joint: str) -> str:
    """Components of the loop a joint closes."""
    graph = T.graph
    candidates = [joint] if joint not in T.names else [c.name for c in T.chords if c.kind is Kind.JOINT]
    for chord in candidates:
        if chord not in T.names and any(e.name == chord for e in graph.edges):
            names = [name for name, _ in T.circuit(graph.edge(chord))]
            if joint in names:
                return " - ".join(n for n in names if graph.edge(n).kind is not Kind.ARM)
    return repr(joint)
