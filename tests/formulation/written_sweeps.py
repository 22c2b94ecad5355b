"""The sweeps along the trees as they were written by hand, in plain NumPy: what families are held against.

Rigid bodies only. Names are those of the workspace of the kernels.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.components import RigidBody, Weight
from flexnet.formulation import Equations, State


@dataclass
class Swept:
    """Frames and their rates (nodes first), branch vectors, axes and directions; generalised forces."""

    R: np.ndarray
    p: np.ndarray
    omega: np.ndarray
    v: np.ndarray
    omega_dot: np.ndarray
    a: np.ndarray
    r: np.ndarray
    u: list
    d: list
    force: np.ndarray
    torque: np.ndarray
    out: np.ndarray
    kinetic: float


def about(n, angle):
    """Rotation about a unit vector (Rodrigues)."""
    skew = np.cross(n, np.eye(3)).T
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def of_quaternion(q):
    w, x, y, z = q
    s = 2.0 / (q @ q)
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    )


def sweep(equations: Equations, state: State, acc: np.ndarray) -> Swept:
    """Frames of a state, and generalised forces of weights and inertia for v̇ = acc."""
    packer, f = equations.packer, equations.work.f
    n_r, n_t = len(packer.rotation_node), len(packer.node)
    s = Swept(
        np.tile(np.eye(3), (n_r, 1, 1)), *(np.zeros((n, 3)) for n in (n_t, n_r, n_t, n_r, n_t)),
        np.zeros((len(packer.T.branches), 3)), [], [], np.zeros((n_t, 3)), np.zeros((n_r, 3)),
        np.zeros(equations.n_v), 0.0,
    )  # fmt: skip
    for i, branch in enumerate(packer.R.branches):
        _turn(equations, s, branch, state, acc, f[equations.model.r_edges[i]["function"]] if len(f) else None)
    for i, branch in enumerate(packer.T.branches):
        first = equations.model.t_edges[i]["function"]
        _move(equations, s, i, branch, state, acc, f[first:])
    _bodies(equations, s)
    _inward(equations, s)
    return s


def _turn(equations, s, branch, state, acc, f):
    packer, sign = equations.packer, branch.sign
    part = packer.by_name[branch.edge.name]
    rotation, place = equations.terminals[part.name].rotation, equations.coordinates.rotation[part.name]
    q, v, a = state.q[place.q :], state.v[place.v :], acc[place.v :]
    parent, child = packer.rotation_node[branch.parent], packer.rotation_node[branch.child]
    kind, axes = rotation.kind, rotation.axes
    first = np.eye(3)
    if kind == "axis":
        R_e = about(axes[0], q[0])
    elif kind == "driven":
        R_e, v, a = about(axes[0], f[0]), f[1:], f[2:]
    elif kind == "universal":
        first = about(axes[0], q[0])
        R_e = first @ about(axes[1], q[1])
    else:
        R_e = of_quaternion(q[:4]) if kind == "free" else np.eye(3)
    C_A, C_B = part.tail.rotation, part.head.rotation
    if sign > 0:
        R_A = s.R[parent] @ C_A
        s.R[child] = R_A @ R_e @ C_B.T
    else:
        R_A = s.R[parent] @ C_B @ R_e.T
        s.R[child] = R_A @ C_A.T
    u = {
        "axis": lambda: [R_A @ axes[0]], "driven": lambda: [R_A @ axes[0]], "fixed": lambda: [],
        "universal": lambda: [R_A @ axes[0], R_A @ first @ axes[1]], "free": lambda: list((R_A @ R_e).T),
    }[kind]()  # fmt: skip
    w_rel = sum((x * n for x, n in zip(v, u, strict=False)), np.zeros(3))
    a_rel = sum((x * n for x, n in zip(a, u, strict=False)), np.zeros(3))
    s.omega[child] = s.omega[parent] + sign * w_rel
    a_rel = a_rel + np.cross(s.omega[parent if sign > 0 else child], w_rel)
    if kind == "universal":
        a_rel = a_rel + v[0] * v[1] * np.cross(u[0], u[1])
    s.omega_dot[child] = s.omega_dot[parent] + sign * a_rel
    s.u.append(u)


def _move(equations, s, i, branch, state, acc, f):
    packer, sign = equations.packer, branch.sign
    part = packer.by_name[branch.edge.name]
    translation, place = (
        equations.terminals[part.name].translation,
        equations.coordinates.translation[part.name],
    )
    q, v, a = state.q[place.q :], state.v[place.v :], acc[place.v :]
    carrier = packer.body_index(part.tail)
    frame = s.R[carrier] @ part.tail.rotation
    d = [frame @ x.vector for x in translation.free]
    e = [frame @ x.vector for x, _ in translation.driven]
    r = np.zeros(3) if translation.offset is None else frame @ translation.offset
    rate, second = np.zeros(3), np.zeros(3)
    for k, x in enumerate(d):
        r, rate, second = r + q[k] * x, rate + v[k] * x, second + a[k] * x
    for k, x in enumerate(e):
        r, rate, second = r + f[k, 0] * x, rate + f[k, 1] * x, second + f[k, 2] * x
    w, wd = s.omega[carrier], s.omega_dot[carrier]
    parent, child = packer.node[branch.parent], packer.node[branch.child]
    s.p[child] = s.p[parent] + sign * r
    s.v[child] = s.v[parent] + sign * (np.cross(w, r) + rate)
    inner = np.cross(w, r) + 2 * rate
    s.a[child] = s.a[parent] + sign * (np.cross(wd, r) + np.cross(w, inner) + second)
    s.r[i] = r
    s.d.append(d)


def _bodies(equations, s):
    packer = equations.packer
    for part in equations.parts:
        if isinstance(part, Weight):
            s.force[packer.node[part.head.name]] += part.force
        if isinstance(part, RigidBody):
            node, turn = packer.node[part.name], packer.rotation_node[part.name]
            J = s.R[turn] @ part.inertia @ s.R[turn].T
            w = s.omega[turn]
            s.force[node] -= part.mass * s.a[node]
            s.torque[turn] -= J @ s.omega_dot[turn] + np.cross(w, J @ w)
            s.kinetic += 0.5 * (part.mass * s.v[node] @ s.v[node] + w @ J @ w)


def _inward(equations, s):
    packer = equations.packer
    for i, branch in reversed(list(enumerate(packer.T.branches))):
        part, F = packer.by_name[branch.edge.name], s.force[packer.node[branch.child]]
        s.force[packer.node[branch.parent]] += F
        s.torque[packer.body_index(part.tail)] += branch.sign * np.cross(s.r[i], F)
        for k, d in enumerate(s.d[i]):
            s.out[equations.coordinates.translation[part.name].v + k] = branch.sign * d @ F
    for i, branch in reversed(list(enumerate(packer.R.branches))):
        part, tau = packer.by_name[branch.edge.name], s.torque[packer.rotation_node[branch.child]]
        s.torque[packer.rotation_node[branch.parent]] += tau
        for k in range(equations.terminals[part.name].rotation.unknowns):
            s.out[equations.coordinates.rotation[part.name].v + k] = branch.sign * s.u[i][k] @ tau
