"""From poses of the bodies to branch coordinates: every tree describes the same state."""

from math import atan2, pi

import numpy as np

from flexnet.components import Frame
from flexnet.components.frame import normals
from flexnet.formulation.pack import Packer
from flexnet.formulation.state import Poses, State
from flexnet.kernels import model as km
from flexnet.kernels.kinematics import known_functions, positions
from flexnet.kernels.vector import matrix_to_quaternion
from flexnet.typing import Array


def poses_to_state(packer: Packer, model: km.Model, work: km.Work, poses: Poses, n_q: int, n_v: int) -> State:
    """Read the coordinates of every branch off the poses of the bodies at its two ends.

    Angles come out between -π and π.
    """
    known_functions(model, float(poses.t), work)
    q, v = np.zeros(n_q), np.zeros(n_v)
    for i, branch in enumerate(packer.R.branches):
        edge = model.r_edges[i]
        part = packer._parts[branch.edge.name]
        R_e = _orientation(packer, poses, part.tail).T @ _orientation(packer, poses, part.head)
        _read_rotation(edge, R_e, q)
    for i, branch in enumerate(packer.T.branches):
        edge = model.t_edges[i]
        part = packer._parts[branch.edge.name]
        r = poses.R[edge["carrier"]].T @ (
            _position(packer, poses, part.head) - _position(packer, poses, part.tail)
        )
        for k in range(edge["n"]):
            q[edge["q"] + k] = edge["free"][k] @ (r - edge["offset"])
    positions(model, float(poses.t), q, work)
    _read_rates(packer, model, work, poses, v)
    return State(poses.t, q, v)


def nearest_turn(angle: float, target: float) -> float:
    """The angle plus the whole turns that bring it nearest the target."""
    return angle + 2 * pi * round((target - angle) / (2 * pi))


def _read_rotation(edge: np.void, R_e: Array, q: Array) -> None:
    i = edge["q"]
    if edge["kind"] == km.R_AXIS:
        n1, n2 = normals(edge["axis_1"])
        q[i] = atan2(n2 @ R_e @ n1, n1 @ R_e @ n1)
    elif edge["kind"] == km.R_UNIVERSAL:
        a1, a2 = edge["axis_1"], edge["axis_2"]
        n = np.cross(a1, a2)
        q[i] = atan2(n @ R_e @ a2, a2 @ R_e @ a2)
        q[i + 1] = atan2(a1 @ R_e @ n, a1 @ R_e @ a1)
    elif edge["kind"] == km.R_FREE:
        matrix_to_quaternion(np.ascontiguousarray(R_e), q[i : i + 4])


def _read_rates(packer: Packer, model: km.Model, work: km.Work, poses: Poses, v: Array) -> None:
    counts = {km.R_AXIS: 1, km.R_UNIVERSAL: 2, km.R_FREE: 3}
    for i, branch in enumerate(packer.R.branches):
        edge = model.r_edges[i]
        part = packer._parts[branch.edge.name]
        rate = poses.omega[packer.body_index(part.head)] - poses.omega[packer.body_index(part.tail)]
        for k in range(counts.get(int(edge["kind"]), 0)):
            v[edge["v"] + k] = work.u[i, k] @ rate
    for i, branch in enumerate(packer.T.branches):
        edge = model.t_edges[i]
        part = packer._parts[branch.edge.name]
        rate = _velocity(packer, poses, part.head) - _velocity(packer, poses, part.tail)
        rate = rate - np.cross(poses.omega[edge["carrier"]], work.r[i])
        for k in range(edge["n"]):
            v[edge["v"] + k] = work.d[i, k] @ rate


def _orientation(packer: Packer, poses: Poses, frame: Frame) -> Array:
    R: Array = poses.R[packer.body_index(frame)] @ frame.rotation
    return R


def _position(packer: Packer, poses: Poses, frame: Frame) -> Array:
    i = packer.body_index(frame)
    p: Array = poses.p[i] + poses.R[i] @ frame.position
    return p


def _velocity(packer: Packer, poses: Poses, frame: Frame) -> Array:
    i = packer.body_index(frame)
    v: Array = poses.v[i] + np.cross(poses.omega[i], poses.R[i] @ frame.position)
    return v
