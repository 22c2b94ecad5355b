"""The workspace of the kernels: arrays that every call overwrites."""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.kinds import know_lengths
from flexnet.kernels.model import EVENTS_OF_MOTION, ROW_END, W_END, W_VECTORS, Model
from flexnet.typing import Array, IntArray


class Work(NamedTuple):
    """Workspace of one evaluation, overwritten by every call."""

    f: Array  # (functions, 3) value and two derivatives
    R: Array  # (rotation nodes, 3, 3) orientation in ground
    omega: Array  # (rotation nodes, 3) angular velocity in ground axes
    omega_dot: Array  # (rotation nodes, 3)
    p: Array  # (nodes, 3) position in ground
    v: Array  # (nodes, 3)
    a: Array  # (nodes, 3)
    u: Array  # (R-branches, 3, 3) rows: axes of the rotational coordinates in ground
    r: Array  # (T-branches, 3) branch vectors in ground
    d: Array  # (T-branches, 3, 3) rows: free directions in ground
    e: Array  # (T-branches, 3, 3) rows: driven directions in ground
    force: Array  # (nodes, 3) forces on nodes, then cutset sums
    torque: Array  # (rotation nodes, 3) torques on bodies, then cutset sums
    row: Array  # (rows, ROW_END) what a family says of its row, laid out by ROW_VALUE, …
    row_turn: Array  # (rows, 2) counted angles its formula asks for, rad
    bias: Array  # (1,) scratch: second derivative of a row
    dv: Array  # (nodes, 3) velocities of one column
    dw: Array  # (rotation nodes, 3) angular velocities of one column
    flex: Array  # state-dependent tensors of flexible bodies and their frames
    elastic: Array  # (n_v,) generalised forces on elastic coordinates
    tmp: Array  # (8, 3, 3) scratch
    clock: Array  # (1,) time
    loads: Array  # (elements, 12) force and torque of every element on its head, then on its tail
    tangents: Array  # (stiff elements, 288) derivative (12, 24) of their loads by x, θ, v, ω of tail and head
    watch: Array  # (angles, 4) counted angles: value, largest turn in a step, last swing, largest foreseen
    z: Array  # (n_z,) first-order states
    places: Array  # (n_q,) q of the last residual, where signals are followed
    rates: Array  # (n_v,) v of the last residual, where signals are followed
    theta: Array  # (angles,) counted angles, where signals are followed
    signals: Array  # values of the signals that forces follow, then rates of the states
    gains: Array  # derivatives of all of these by the states, where they are not zero
    slopes: Array  # their changes when one coordinate moves on
    answers: Array  # (signals that forces follow, n_v) generalised forces for a unit of each
    unit: Array  # (n_v,) scratch: the coordinate that moves
    turned: Array  # (12,) scratch: load of an element
    lam: Array  # (m,) multipliers, where signals follow loads of joints
    accelerations: Array  # (n_v,) v̇ of the last residual, where signals follow it
    energies: Array  # (3,) kinetic, potential and strain energy, where signals follow them
    before: Array  # scratch: signals before the loads they rest on were found anew
    cut_force: Array  # (nodes, 3) cutset sums of the last residual, where signals follow loads of joints
    cut_torque: Array  # (rotation nodes, 3)
    carried: Array  # (nodes, 3) cutset sums of the last residual, where they stiffen the matrix
    M: Array  # scratch, where events follow loads of joints: mass, with states
    G: Array  # constraint Jacobian
    saddle: Array  # [M Gᵀ; G 0] without units
    units: Array  # (n_v + m,) the weights that make it so
    pivots: IntArray  # of it
    answer: Array  # (4, n_v + m) v̇ and λ, what they leave over of the equations, and of Φ̇ and Φ̈


know_lengths(
    Work, f=(3,), R=(3, 3), omega=(3,), omega_dot=(3,), p=(3,), v=(3,), a=(3,), u=(3, 3), r=(3,), d=(3, 3),
    e=(3, 3), force=(3,), torque=(3,), row=(ROW_END,), row_turn=(2,), dv=(3,), dw=(3,), tmp=(3, 3),
    loads=(12,), tangents=(288,), watch=(4,), cut_force=(3,), cut_torque=(3,), carried=(3,),
)  # fmt: skip


def flex_work_size(model: "Model") -> int:
    """Length of the workspace of all flexible bodies and frames."""
    bodies = sum(W_VECTORS + W_END * int(f["m"]) for f in model.flex)
    frames = sum(12 * int(model.flex[f["body"]]["m"]) + 18 for f in model.flex_frames)
    return max(bodies + frames, 1)


def make_work(model: Model, nodes: int, rotations: int) -> Work:
    """Allocate the workspace of a model with so many nodes and rotation nodes."""
    n_r, n_t, m = len(model.r_edges), len(model.t_edges), len(model.rows)
    z, n_s = np.zeros, len(model.feedback) // 2
    R = np.tile(np.eye(3), (rotations, 1, 1))
    n = (len(model.columns) + len(model.states)) * int(model.sensed[EVENTS_OF_MOTION])
    size = n + m * int(model.sensed[EVENTS_OF_MOTION])
    return Work(
        f=z((len(model.functions), 3)),
        R=R,
        omega=z((rotations, 3)),
        omega_dot=z((rotations, 3)),
        p=z((nodes, 3)),
        v=z((nodes, 3)),
        a=z((nodes, 3)),
        u=z((n_r, 3, 3)),
        r=z((n_t, 3)),
        d=z((n_t, 3, 3)),
        e=z((n_t, 3, 3)),
        force=z((nodes, 3)),
        torque=z((rotations, 3)),
        row=z((m, ROW_END)),
        row_turn=z((m, 2)),
        bias=z(1),
        dv=z((nodes, 3)),
        dw=z((rotations, 3)),
        flex=z(flex_work_size(model)),
        elastic=z(len(model.columns)),
        tmp=z((8, 3, 3)),
        clock=z(1),
        loads=z((len(model.elements), 12)),
        tangents=z((int((model.elements["tangent"] >= 0).sum()), 288)),
        watch=z((len(model.angles), 4)),
        z=model.states[:, 2].copy(),
        places=z(_places(model)),
        rates=z(len(model.columns)),
        theta=z(len(model.angles)),
        signals=z(n_s + len(model.states)),
        gains=z(len(model.gains)),
        slopes=z(n_s + len(model.states)),
        answers=z((n_s, len(model.columns))),
        unit=z(len(model.columns)),
        turned=z(12),
        lam=z(m),
        accelerations=z(len(model.columns)),
        energies=z(3),
        before=z(n_s),
        cut_force=z((nodes, 3)),
        cut_torque=z((rotations, 3)),
        carried=z((nodes, 3)),
        M=z((n, n)),
        G=z((size - n, n)),
        saddle=z((size, size)),
        units=z(size),
        pivots=z(size, dtype=np.int64),
        answer=z((4, size)),
    )


def _places(model: Model) -> int:
    """Length of q."""
    return len(model.scalars) + 4 * len(model.quaternions) + len(model.counted)
