"""Poses of the bodies and branch coordinates, each from the other: every tree describes the same state."""

from dataclasses import replace
from math import atan2, pi
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexnet.algebra import exponential, turn_rate
from flexnet.components import FlexibleArm, FlexibleBody, Frame
from flexnet.components.frame import normals
from flexnet.components.terminal import Rotation
from flexnet.errors import ModelError
from flexnet.formulation.pack import Packer
from flexnet.formulation.state import Poses, State
from flexnet.formulation.turns import angles_of, with_turns
from flexnet.kernels import entry
from flexnet.kernels import model as km
from flexnet.kernels.vector import matrix_to_quaternion
from flexnet.kernels.work import Work
from flexnet.signals import clocks, first_samples
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations
    from flexnet.system.pieces import Whole

#: gap of a joint over its size that a start may have
_OPEN = 1e-5


def flexible_of(packer: Packer) -> dict[str, FlexibleBody]:
    """Flexible bodies by name, in the order poses have them."""
    return {part.name: part for part in packer.parts if isinstance(part, FlexibleBody)}


def in_order(equations: "Equations", poses: Poses) -> Poses:
    """Poses with the bodies in the order of a mechanism, whichever they were made in.

    Raises
    ------
    ModelError
        If they are of other bodies, or of other shapes.
    """
    _check_shapes(equations, poses)
    wanted = tuple(equations.packer.bodies)
    shapes = {name: part.table.m for name, part in flexible_of(equations.packer).items()}
    given, theirs = poses.bodies or wanted, poses.shapes if poses.bodies else shapes
    counts = len(poses.p) - 1, len(poses.elastic)
    if {*given} != {*wanted} or theirs != shapes or counts != (len(wanted) - 1, sum(shapes.values())):
        odd = sorted({*given} ^ {*wanted} or {x for x in shapes if theirs.get(x) != shapes[x]})
        raise ModelError(
            f"the start is of {counts[0]} bodies with {counts[1]} elastic coordinates;"
            f" {equations.system.name!r} has {len(wanted) - 1} with {sum(shapes.values())}"
            + (f"; look at {', '.join(map(repr, odd[:4]))}" if odd else "")
        )
    k = [given.index(name) for name in wanted]
    first = dict(zip(theirs, np.cumsum([0, *theirs.values()]), strict=False))
    e = [int(first[name]) + j for name, m in shapes.items() for j in range(m)]
    return replace(
        poses, R=poses.R[k], p=poses.p[k], omega=poses.omega[k], v=poses.v[k], elastic=poses.elastic[e],
        elastic_rate=poses.elastic_rate[e], bodies=wanted, shapes=shapes,
    )  # fmt: skip


def _check_shapes(equations: "Equations", poses: Poses) -> None:
    """Refuse elastic coordinates that deflect a body otherwise than where they come from."""
    own, first = flexible_of(equations.packer), 0
    for name, m in poses.shapes.items():
        e, first = slice(first, first + m), first + m
        if name not in poses.flexible or name not in own or own[name].table.m != m:
            continue
        theirs, mine = poses.flexible[name].table.frames, own[name].table.frames
        places = {frame: k for k, frame in enumerate(mine.names)}
        for i, frame in enumerate(theirs.names):
            if theirs is mine or frame not in places:
                continue
            other = mine.translation[places[frame]] - theirs.translation[i]
            gap = np.abs(other @ poses.elastic[e]).max(initial=0.0) / equations.scale.length
            if gap > _OPEN:
                raise ModelError(
                    f"the start is of other shapes of {name!r} of {equations.system.name!r}: its elastic"
                    f" coordinates move {frame!r} otherwise, by {gap:.2g} of the size; give the body the"
                    " support, modes and method that the start has"
                )


def checked_start(equations: "Equations", poses: Poses) -> State:
    """State of poses that close every joint.

    Raises
    ------
    ModelError
        If they are of other bodies, or leave a joint open.
    """
    poses = in_order(equations, poses)
    out = equations.state(poses)
    gap = np.abs(equations.constraints(out.q, poses.t)) / equations.row_sizes
    if gap.max(initial=0.0) > _OPEN:
        row = equations.rows[int(np.argmax(gap))].name
        raise ModelError(
            f"the start leaves {row!r} of {equations.system.name!r} open by {gap.max():.2g} of its size"
        )
    _check_places(equations, poses, out)
    for name, angle in angles_of(equations, out).items():
        if abs(angle - poses.angles.get(name, angle)) > pi:
            raise ModelError(
                f"the start has {name!r} of {equations.system.name!r} at {poses.angles[name]:.4g} rad, which"
                f" these trees count as {angle:.4g} rad; formulate it with poses=… of that start"
            )
    return out


def _check_places(equations: "Equations", poses: Poses, state: State) -> None:
    """Refuse poses that the joints in the trees do not allow: coordinates would say another place."""
    found = equations.poses(state)
    gaps = np.abs(found.p - poses.p).max(axis=1) / equations.scale.length
    gaps = np.maximum(gaps, np.abs(found.R - poses.R).max(axis=(1, 2)))
    worst = int(np.argmax(gaps))
    if gaps[worst] > _OPEN:
        raise ModelError(
            f"the start has body {equations.packer.bodies[worst]!r} of {equations.system.name!r} where its"
            f" joints do not allow it, off by {gaps[worst]:.2g} of its size"
        )


def poses_of(equations: "Equations", state: State) -> Poses:
    """Poses and rates of all bodies, whose frames are in the workspace."""
    packer, w = equations.packer, equations.work
    nodes = [packer.node[name] for name in packer.bodies]
    q, v = packer.elastic_indices()
    flexible = flexible_of(packer)
    return Poses(
        state.t,
        w.R[: len(nodes)].copy(),
        w.p[nodes].copy(),
        w.omega[: len(nodes)].copy(),
        w.v[nodes].copy(),
        np.asarray(state.q)[q],
        np.asarray(state.v)[v],
        angles_of(equations, state),
        dict(zip(equations.states.names, map(float, state.z), strict=False)),
        tuple(packer.bodies),
        {name: part.table.m for name, part in flexible.items()},
        flexible,
    )


def first_states(equations: "Equations", poses: Poses) -> Array:
    """First-order states that poses have, or that they begin with, (n_z,)."""
    own = equations.states
    pairs = zip(own.names, own.start.tolist(), strict=True)
    out = np.array([poses.states.get(name, value) for name, value in pairs], dtype=float)
    places = {part: own.places[part.block, part.index] for part in clocks(equations.system.events)}
    known = {part: poses.states[own.names[i]] for part, i in places.items() if own.names[i] in poses.states}
    for part, number in first_samples(equations.system.events, poses.t, known).items():
        out[places[part]] = number
    return out


def poses_to_state(equations: "Equations", poses: Poses) -> State:
    """Read the coordinates of every branch off the poses of the bodies at its two ends.

    Angles come out with the turns of the poses, between -π and π where these count none.
    """
    packer, model = equations.packer, equations.model
    entry.known_functions(equations.handle, float(poses.t))
    q, v = np.zeros(equations.n_q), np.zeros(equations.n_v)
    q_elastic, v_elastic = packer.elastic_indices()
    q[q_elastic], v[v_elastic] = poses.elastic, poses.elastic_rate
    for i, branch in enumerate(packer.R.branches):
        if model.r_edges["n"][i] == 0:
            continue
        part = packer.by_name[branch.edge.name]
        R_e = _orientation(packer, poses, part.tail).T @ _orientation(packer, poses, part.head)
        rotation = packer.terminals[part.name].rotation
        assert rotation is not None
        _read_rotation(rotation, R_e, q[model.r_edges[i]["q"] :])
    for i, branch in enumerate(packer.T.branches):
        edge = model.t_edges[i]
        if edge["n"] == 0:
            continue
        part = packer.by_name[branch.edge.name]
        r = _position(packer, poses, part.head) - _position(packer, poses, part.tail)
        r = _orientation(packer, poses, part.tail).T @ r
        translation = packer.terminals[part.name].translation
        assert translation is not None
        offset = np.zeros(3) if translation.offset is None else translation.offset
        for k, direction in enumerate(translation.free):
            q[edge["q"] + k] = direction.vector @ (r - offset)
    equations.constraints(q, poses.t)
    if any(np.any(rates) for rates in (poses.v, poses.omega, poses.elastic_rate)):
        _read_rates(packer, model, equations.work, poses, v)
    return with_turns(equations, State(poses.t, q, v), poses.angles)


def _read_rotation(rotation: Rotation, R_e: Array, q: Array) -> None:
    """Coordinates of a rotation as seen from its tail, into the front of q."""
    if rotation.is_free:
        matrix_to_quaternion(np.ascontiguousarray(R_e), q[:4])
    elif rotation.unknowns == 1:
        n1, n2 = normals(rotation.steps[0])
        q[0] = atan2(n2 @ R_e @ n1, n1 @ R_e @ n1)
    elif rotation.unknowns == 2:
        a1, a2 = rotation.steps
        n = np.cross(a1, a2)
        q[0] = atan2(n @ R_e @ a2, a2 @ R_e @ a2)
        q[1] = atan2(a1 @ R_e @ n, a1 @ R_e @ a1)


def _read_rates(packer: Packer, model: km.Model, work: Work, poses: Poses, v: Array) -> None:
    for i, branch in enumerate(packer.R.branches):
        edge = model.r_edges[i]
        part = packer.by_name[branch.edge.name]
        rate = _angular_velocity(packer, poses, part.head) - _angular_velocity(packer, poses, part.tail)
        for k in range(edge["n"]):
            v[edge["v"] + k] = work.u[i, k] @ rate
    for i, branch in enumerate(packer.T.branches):
        edge = model.t_edges[i]
        part = packer.by_name[branch.edge.name]
        rate = _velocity(packer, poses, part.head) - _velocity(packer, poses, part.tail)
        rate = rate - np.cross(_angular_velocity(packer, poses, part.tail), work.r[i])
        for k in range(edge["n"]):
            v[edge["v"] + k] = work.d[i, k] @ rate


def _orientation(packer: Packer, poses: Poses, frame: Frame) -> Array:
    R: Array = poses.R[packer.rotation_node[frame.body]] @ frame.rotation
    if frame.is_flexible:
        x, y, z = _deformation(packer, poses, frame).turn
        turn = np.array(exponential((x, y, z)), dtype=float)
        R = poses.R[packer.rotation_node[frame.body]] @ turn @ frame.rotation
    return R


def _position(packer: Packer, poses: Poses, frame: Frame) -> Array:
    i = packer.rotation_node[frame.body]
    p: Array = poses.p[i] + poses.R[i] @ _deformation(packer, poses, frame).place
    return p


def _velocity(packer: Packer, poses: Poses, frame: Frame) -> Array:
    i = packer.rotation_node[frame.body]
    local = _deformation(packer, poses, frame)
    v: Array = poses.v[i] + np.cross(poses.omega[i], poses.R[i] @ local.place) + poses.R[i] @ local.place_rate
    return v


def _angular_velocity(packer: Packer, poses: Poses, frame: Frame) -> Array:
    i = packer.rotation_node[frame.body]
    w: Array = poses.omega[i] + poses.R[i] @ _deformation(packer, poses, frame).turn_rate
    return w


class _Deformation(NamedTuple):
    """Place, rotation vector and their rates of a frame in its body."""

    place: Array
    turn: Array
    place_rate: Array
    turn_rate: Array


def _deformation(packer: Packer, poses: Poses, frame: Frame) -> _Deformation:
    zero = np.zeros(3)
    if not frame.is_flexible:
        return _Deformation(frame.position, zero, zero, zero)
    start = 0
    for part in packer.parts:
        if isinstance(part, FlexibleBody):
            if part.name == frame.body:
                return _flexible_place(packer, poses, frame, part, start)
            start += part.table.m
    raise AssertionError(f"frame {frame.name!r} belongs to no flexible body")


def _flexible_place(
    packer: Packer, poses: Poses, frame: Frame, body: FlexibleBody, start: int
) -> _Deformation:
    arm = packer.by_name[frame.name]
    assert isinstance(arm, FlexibleArm)
    rows, m = body.table.frames, body.table.m
    x, rate = poses.elastic[start : start + m], poses.elastic_rate[start : start + m]
    Psi, Psi_r = rows.translation[arm.index], rows.rotation[arm.index]
    bent = body.table.second_order[arm.index] @ x if body.is_stiffened else np.zeros((6, m))  # H q
    theta = Psi_r @ x - 0.5 * bent[3:] @ x
    turns = np.array(turn_rate(tuple(theta), tuple(Psi_r @ rate - bent[3:] @ rate)), dtype=float)
    moved, move_rate = Psi @ x - 0.5 * bent[:3] @ x, Psi @ rate - bent[:3] @ rate
    return _Deformation(frame.position + moved, theta, move_rate, turns)


def cut_poses(whole: "Whole", equations: "Equations", found: Poses) -> Poses:
    """Poses and rates of undeformed pieces in those of the beams they were cut from."""
    names = equations.packer.bodies
    of = [whole.pieces.get(name, (name, np.zeros(3))) for name in names]
    k = [found.bodies.index(name) for name, _ in of]
    R, omega = found.R[k], found.omega[k]
    away = np.einsum("bij,bj->bi", R, np.array([origin for _, origin in of]))
    v = found.v[k] + np.cross(omega, away)
    still = np.zeros(len(equations.packer.elastic_indices()[0]))
    return Poses(found.t, R, found.p[k] + away, omega, v, still, still.copy())
