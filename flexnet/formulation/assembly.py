"""Assembly: from a rough guess to a configuration, a velocity and a description that are consistent.

Positions are found by Gauss-Newton on the poses of all bodies, with every joint and driver as a
constraint and the wanted start values as further ones; velocities by one least-squares step. Both move
as little as they must from the guess.
"""

from math import pi

import numpy as np

from flexnet.components import Component, TimeFunction, polynomial
from flexnet.errors import AssemblyError
from flexnet.formulation.equations import Equations
from flexnet.formulation.rows import Row, angle_row, direction_label
from flexnet.formulation.state import Poses, State
from flexnet.graph import Kind, Tree, select_trees
from flexnet.kernels.model import ANGLE, TRANSLATION
from flexnet.system import Start, System
from flexnet.typing import Array, BoolArray

#: constraint violation that counts as closed, m or rad
CLOSED = 1e-12
_ITERATIONS = 60


def assemble(system: System, t: float = 0.0) -> Poses:
    """Find consistent poses and rates of all bodies at time t.

    Raises
    ------
    AssemblyError
        Naming the loop that cannot close and its gap, or the start value that cannot be met.
    """
    T, R = select_trees(system.graph, "absolute")
    starts = [_start_row(system, start) for start in system.starts]
    equations = Equations(system, T, R, extra=starts)
    joints = equations.m - len(starts)
    has_value = np.array([True] * joints + [s.value is not None for s in system.starts])
    has_rate = np.array([True] * joints + [s.rate is not None for s in system.starts])
    guess = equations.state(_guess(system, equations, t))
    q = _close(equations, guess.q, t, has_value, joints)
    v = _settle(equations, q, guess.v, t, has_rate, joints)
    return equations.poses(State(t, q, v))


def _guess(system: System, equations: Equations, t: float) -> Poses:
    bodies = [system.ground, *(system.bodies[name] for name in list(equations.packer.rotation_node)[1:])]
    return Poses(
        t,
        np.array([b.rotation for b in bodies]),
        np.array([b.position for b in bodies]),
        np.array([b.angular_velocity for b in bodies]),
        np.array([b.velocity for b in bodies]),
    )


def _start_row(system: System, start: Start) -> Row:
    """A wanted initial value as a constraint row."""
    part = system.components[start.joint]
    target = polynomial(start.value or 0.0, start.rate or 0.0)
    t, r = part.terminal.translation, part.terminal.rotation
    for direction in t.free if t is not None else ():
        if direction.name == start.coordinate:
            label = f"start {direction_label(direction.vector)}"
            return Row(part, label, TRANSLATION, direction.vector, function=target)
    assert r is not None
    if r.kind == "universal":
        return _universal_start(part, start, r.axes, target)
    axis = r.axes[0] if r.axes else np.array([0.0, 0.0, 1.0])
    row = angle_row(part, axis, target)
    return Row(part, "start angle", ANGLE, row.n, row.m, row.a, target)


def _universal_start(part: Component, start: Start, axes: tuple[Array, ...], target: TimeFunction) -> Row:
    a1, a2 = axes
    n = np.cross(a1, a2)
    if start.coordinate == "alpha":
        return Row(part, "start alpha", ANGLE, a2, n, a2, target)
    # beta is the angle of a1, fixed in the tail, as seen from the head
    return Row(part, "start beta", ANGLE, a1, n, a1, target, is_reversed=True)


def _close(equations: Equations, q: Array, t: float, wanted: BoolArray, joints: int) -> Array:
    closed, phi = _gauss_newton(equations, q, t, wanted)
    if _gap(phi) < 1e-9:
        return closed
    _, alone = _gauss_newton(equations, q, t, wanted & (np.arange(len(wanted)) < joints))
    if _gap(alone) < 1e-9:
        raise AssemblyError(
            f"{_starts(equations, wanted, joints, 'value')} cannot be met: the loops do not allow it"
        )
    raise AssemblyError(_why_open(equations, alone[:joints]))


def _gauss_newton(equations: Equations, q: Array, t: float, wanted: BoolArray) -> tuple[Array, Array]:
    """Configuration nearest q that satisfies the wanted rows, and what is left of them."""
    for _ in range(_ITERATIONS):
        phi = equations.constraints(q, t)[wanted]
        if _gap(phi) < CLOSED:
            break
        _, G = equations.mass_and_jacobian(q, t)
        step = -np.linalg.lstsq(G[wanted], phi, rcond=1e-9)[0]
        largest = max(float(np.abs(step).max()), 1e-300)
        q = equations.compose(q, step * min(1.0, 0.5 * pi / largest))
    phi = equations.constraints(q, t)
    phi[~wanted] = 0.0
    return q, phi


def _gap(phi: Array) -> float:
    return float(np.abs(phi).max(initial=0.0))


def _settle(equations: Equations, q: Array, v: Array, t: float, wanted: BoolArray, joints: int) -> Array:
    settled, rates = _least_change(equations, q, v, t, wanted)
    scale = max(1.0, float(np.abs(settled).max(initial=0.0)))
    if _gap(rates) < 1e-7 * scale:
        return settled
    _, alone = _least_change(equations, q, v, t, wanted & (np.arange(len(wanted)) < joints))
    if _gap(alone) < 1e-7 * scale:
        raise AssemblyError(
            f"{_starts(equations, wanted, joints, 'rate')} cannot be met: the loops do not allow it"
        )
    worst = int(np.argmax(np.abs(alone)))
    raise AssemblyError(
        f"initial velocities cannot be met: {equations.rows[worst].name!r} is off by {alone[worst]:.3g}"
    )


def _least_change(
    equations: Equations, q: Array, v: Array, t: float, wanted: BoolArray
) -> tuple[Array, Array]:
    """Velocity nearest v that satisfies the wanted rows, and what is left of their rates."""
    _, G = equations.mass_and_jacobian(q, t)
    for _ in range(2):
        rates = equations.constraint_rates(State(t, q, v))[wanted]
        v = v - np.linalg.lstsq(G[wanted], rates, rcond=1e-10)[0]
    rates = equations.constraint_rates(State(t, q, v))
    rates[~wanted] = 0.0
    return v, rates


def _starts(equations: Equations, wanted: BoolArray, joints: int, what: str) -> str:
    """Name the wanted start values, such as ``the start values of 'O' and 'A' together``."""
    names = [
        repr(r.component.name) for r, w in zip(equations.rows[joints:], wanted[joints:], strict=True) if w
    ]
    if len(names) == 1:
        return f"the start {what} of joint {names[0]}"
    return f"the start {what}s of joints {', '.join(names[:-1])} and {names[-1]} together"


def _why_open(equations: Equations, phi: Array) -> str:
    worst = int(np.argmax(np.abs(phi)))
    row, gap = equations.rows[worst], float(np.abs(phi[worst]))
    unit = "m" if row.kind == TRANSLATION else "rad"
    T, _ = select_trees(equations.system.graph, "joint")
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
