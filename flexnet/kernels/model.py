"""The packed mechanism: what the compiled engine knows, as flat record arrays.

Nodes (frames) are numbered with the datum 0; rotation nodes (bodies, and later the ends of flexible
arms) likewise. A branch of the R-tree carries ``R_B = R_A R_e``, A and B the frames its edge leaves
and enters; a branch of the T-tree carries ``p_B = p_A + r``, r fixed in the frame of A up to its
coordinates. ``sign`` is -1 where the edge points towards the datum.
"""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.time_function import STACK
from flexnet.typing import AnyArray, Array, IntArray

_V = (np.float64, (3,))
_M = (np.float64, (3, 3))
_i = np.int64
_f = np.float64

#: functions of the family of a branch: where its child is, how it moves, its velocity once it is known where
#: it is, what it carries back; and of the family of a rigid body
PLACE, MOTION, RATE, INWARD = range(4)
INERTIA, COLUMN_INERTIA, KINETIC, MOMENTA = range(4)

R_EDGE = np.dtype(
    [
        ("parent", _i), ("child", _i),
        ("family", _i), ("p", _i),   # place of its functions, and of its numbers in ``sweep_data``
        ("q", _i), ("v", _i), ("n", _i),  # coordinates: first indices and number of velocities
        ("function", _i),            # of a driven rotation, else -1
        ("flex", _i),                # flexible arm: index of its frame, else -1
        ("is_free", _i),             # any rotation, axes of the head
        ("sign", _f),
    ],
    align=True,
)  # fmt: skip

T_EDGE = np.dtype(
    [
        ("parent", _i), ("child", _i),
        ("carrier", _i),             # rotation node of frame A
        ("family", _i), ("p", _i),   # place of its functions, and of its numbers in ``sweep_data``
        ("q", _i), ("v", _i), ("n", _i),  # coordinates: first indices and number
        ("n_driven", _i), ("function", _i),  # driven directions: number and first function
        ("flex", _i),                # flexible arm: index of its frame, else -1
        ("sign", _f),
    ],
    align=True,
)  # fmt: skip

BODY = np.dtype([("node", _i), ("rotation", _i), ("family", _i), ("p", _i)], align=True)

#: a flexible body; offsets point into ``Model.flex_data`` and ``Work.flex``
FLEX = np.dtype(
    [
        ("node", _i), ("rotation", _i), ("q", _i), ("v", _i), ("m", _i),
        ("mass", _f), ("s1", *_V), ("s2", *_M),  # ∫ρ, ∫ρ s, ∫ρ s sᵀ
        ("N1", _i),                  # (3, m) ∫ρ N
        ("sN", _i),                  # (3, 3, m) ∫ρ s_a N_b
        ("NN", _i),                  # (3, 3, m, m) ∫ρ N_aᵀ N_b
        ("M", _i), ("K", _i), ("C", _i),  # (m, m) mass, stiffness, damping
        ("G", _i),                   # (12, m, m) geometric stiffness of a₀, ω̇, ωω; -1 for none
        ("w", _i),                   # its place in Work.flex, laid out by FLEX_WORK
    ],
    align=True,
)  # fmt: skip

#: frame of a flexible body; offsets point into ``Model.flex_data`` and ``Work.flex``
FLEX_FRAME = np.dtype(
    [
        ("body", _i), ("position", *_V),
        ("C_A", *_M), ("C_B", *_M),  # orientation of the arm's frames on the body and on its end
        ("translation", _i), ("rotation", _i),  # (3, m) each
        ("H", _i),                   # (3, m, m) foreshortening; -1 for none
        ("w", _i),                   # (3, m) directions and (3, m) axes in ground, then (3,) θ
    ],
    align=True,
)  # fmt: skip

#: places in ``Work.row``: Φ, ∂Φ/∂f, unit force on the head (the opposite on the tail), unit torques on tail
#: and head; then force and torques on the second pair of frames
ROW_VALUE, ROW_TIME, ROW_FORCE, ROW_TAIL, ROW_HEAD, ROW_OTHER, ROW_END = 0, 1, 2, 5, 8, 11, 20

#: a constraint row: a family's formula, or the coordinate that a driver rides on
ROW = np.dtype(
    [
        ("family", _i), ("p", _i),   # place of its functions, and of its numbers in ``row_data``
        ("tail", _i), ("head", _i), ("tail_r", _i), ("head_r", _i),
        ("has_other", _i),           # whether there is a second pair of frames
        ("other_tail", _i), ("other_head", _i), ("other_tail_r", _i), ("other_head_r", _i),
        ("function", _i),            # known value of time, -1 for none
        ("angle", _i), ("other_angle", _i),  # counted angles it asks for, -1 for none
        ("q", _i), ("v", _i),        # the coordinate that is the row, -1 for none
    ],
    align=True,
)  # fmt: skip

ELEMENT = np.dtype(
    [
        ("tail", _i), ("head", _i), ("tail_r", _i), ("head_r", _i),
        ("has", _i, (4,)),           # force and torque on the head, force and torque on the tail: which exist
        ("family", _i),              # where the functions of its law begin
        ("p", _i), ("f", _i), ("law", _i),  # where its parameters, known functions, untraced formulas begin
        ("angle", _i),               # its counted angle, -1 for none
        ("tangent", _i),             # place of its tangent in the workspace where it is stiff, else -1
    ],
    align=True,
)  # fmt: skip

#: an angle of the head about an axis as seen from the tail, whole turns included
ANGLE_COUNTED = np.dtype(
    [
        ("tail_r", _i), ("head_r", _i),
        ("tail", *_M), ("head", *_M),  # rows: n, m and the axis in the bodies of the two frames
        ("has_axis", _i),            # 0: a rotation without an axis, watched only
        ("place", _i),               # where q holds it, -1 if it is the sum of its turns
        ("branches", _i, (2,)),      # its part of the turns
        ("offset", _f),              # angle when those of all branches are zero, rad
    ],
    align=True,
)  # fmt: skip

#: a branch that turns the head of a counted angle as seen from its tail, forwards or backwards
TURN = np.dtype([("edge", _i), ("sense", _f)], align=True)

FUNCTION = np.dtype([("kind", _i), ("start", _i), ("count", _i), ("refs", _i, (6,))], align=True)

#: kinds of velocity coordinates
C_TRANSLATION, C_ROTATION, C_ELASTIC = range(3)

#: one velocity coordinate: the branch (or flexible body) it belongs to, and its number there
COLUMN = np.dtype([("kind", _i), ("edge", _i), ("axis", _i)], align=True)


class Model(NamedTuple):
    """Packed mechanism. Lists ``col_*`` are in compressed rows: column k owns ``[ptr[k], ptr[k+1])``."""

    r_edges: AnyArray  # R_EDGE, datum outwards
    t_edges: AnyArray  # T_EDGE, datum outwards
    bodies: AnyArray  # BODY
    sweep_data: Array  # numbers of all branches and rigid bodies
    rows: AnyArray  # ROW
    row_data: Array  # numbers of all rows
    families: AnyArray  # addresses of the functions of all families, Python functions if interpreted
    elements: AnyArray  # ELEMENT
    parameters: Array  # of all elements
    laws: AnyArray  # addresses of users' formulas that could not be traced, functions if interpreted
    angles: AnyArray  # ANGLE_COUNTED
    turns: AnyArray  # TURN
    weights: Array  # (bodies, 3) N
    functions: AnyArray  # FUNCTION
    data: Array  # numbers of all functions
    program: IntArray  # postfix programs of all expressions
    quaternions: IntArray  # (rotations, 2): first q, first v of each 3-D rotation
    scalars: IntArray  # (coordinates, 2): q, v of each scalar coordinate
    counted: IntArray  # q of each counted angle that no coordinate is
    gravity: Array  # (3,) acceleration of gravity, felt by flexible bodies, m/s²
    flex: AnyArray  # FLEX
    flex_frames: AnyArray  # FLEX_FRAME
    flex_data: Array  # tensors of all flexible bodies
    flex_code: AnyArray  # (1,) address of the function of flexible bodies, 0 where there are none
    feedback: IntArray  # place of the programs of signals, then function and element that follow each, if any
    sensed: IntArray  # (3,) whether forces, and events, follow accelerations or loads of joints; has networks
    states: Array  # (n_z, 3) mass and weight of the row of every state, and its value at the start
    gains: IntArray  # (entries, 2) signal or row, and state, of every derivative by a state that is not zero
    columns: AnyArray  # COLUMN, one a velocity coordinate
    col_turn: IntArray  # R-branches whose child turns with the coordinate, outwards
    col_turn_ptr: IntArray
    col_out: IntArray  # T-branches whose child moves with the coordinate, outwards
    col_out_ptr: IntArray
    col_bodies: IntArray  # rigid bodies that move with the coordinate
    col_bodies_ptr: IntArray
    col_flex: IntArray  # flexible bodies that move with the coordinate
    col_flex_ptr: IntArray
    col_stiff: IntArray  # stiff elements an end of which moves with the coordinate
    col_stiff_ptr: IntArray
    col_in_t: IntArray  # T-branches that carry the inertia and stiff forces back, inwards
    col_in_t_ptr: IntArray
    col_in_r: IntArray  # R-branches that carry the torques back, inwards
    col_in_r_ptr: IntArray
    col_rows: IntArray  # constraint rows the coordinate enters
    col_rows_ptr: IntArray


def with_attributes(model: Model) -> Model:
    """Let plain Python read the fields of records as compiled code does, where kernels are interpreted."""
    if not is_interpreted():
        return model
    arrays: list[AnyArray] = [a.view(np.recarray) if a.dtype.names else a for a in model]
    return Model._make(arrays)


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
    stack: Array  # scratch of expressions
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
    before: Array  # scratch: signals before the loads they rest on were found anew
    cut_force: Array  # (nodes, 3) cutset sums of the last residual, where signals follow loads of joints
    cut_torque: Array  # (rotation nodes, 3)
    M: Array  # scratch, where events follow loads of joints: mass, with states
    G: Array  # constraint Jacobian
    saddle: Array  # [M Gᵀ; G 0]
    pivots: IntArray  # of it
    answer: Array  # (4, n_v + m) v̇ and λ, what they leave over of the equations, and of Φ̇ and Φ̈


#: places in the workspace of a flexible body with m coordinates: offset = constant + factor · m
#: c (3), J (3, 3), J̇ (3, 3) and the inverse of J about the centre of mass (3, 3), then the same four of first
#: order only; per coordinate: E = (∂c/∂q, C) (6), Y (9), W (9), G q (12), G q̇ (12), X (6), E₁ (6), X₁ (6)
W_C, W_J, W_J_DOT, W_INVERSE, W_FIRST, W_VECTORS = 0, 3, 12, 21, 30, 60
W_B, W_CROSS, W_Y, W_W, W_G, W_G_DOT, W_X, W_E1, W_X1, W_END = 0, 3, 6, 15, 24, 36, 48, 54, 60, 66


def flex_work_size(model: "Model") -> int:
    """Length of the workspace of all flexible bodies and frames."""
    bodies = sum(W_VECTORS + W_END * int(f["m"]) for f in model.flex)
    frames = sum(6 * int(model.flex[f["body"]]["m"]) + 3 for f in model.flex_frames)
    return max(bodies + frames, 1)


def make_work(model: Model, nodes: int, rotations: int) -> Work:
    """Allocate the workspace of a model with so many nodes and rotation nodes."""
    n_r, n_t, m = len(model.r_edges), len(model.t_edges), len(model.rows)
    z, n_s = np.zeros, len(model.feedback) // 2
    R = np.tile(np.eye(3), (rotations, 1, 1))
    n = (len(model.columns) + len(model.states)) * int(model.sensed[1])
    size = n + m * int(model.sensed[1])
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
        stack=z(STACK),
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
        before=z(n_s),
        cut_force=z((nodes, 3)),
        cut_torque=z((rotations, 3)),
        M=z((n, n)),
        G=z((size - n, n)),
        saddle=z((size, size)),
        pivots=z(size, dtype=np.int64),
        answer=z((4, size)),
    )


def _places(model: Model) -> int:
    """Length of q."""
    return len(model.scalars) + 4 * len(model.quaternions) + len(model.counted)


def empty_model() -> Model:
    """A model of nothing: every array has its type and no elements."""
    none = np.zeros(0, dtype=np.int64)
    pairs = np.zeros((0, 2), dtype=np.int64)
    return Model(
        r_edges=np.zeros(0, R_EDGE),
        t_edges=np.zeros(0, T_EDGE),
        bodies=np.zeros(0, BODY),
        sweep_data=np.zeros(1),
        rows=np.zeros(0, ROW),
        row_data=np.zeros(1),
        families=none,
        elements=np.zeros(0, ELEMENT),
        parameters=np.zeros(0),
        laws=none,
        angles=np.zeros(0, ANGLE_COUNTED),
        turns=np.zeros(0, TURN),
        weights=np.zeros((0, 3)),
        functions=np.zeros(0, FUNCTION),
        data=np.zeros(0),
        program=none,
        quaternions=pairs,
        scalars=pairs,
        counted=none,
        gravity=np.zeros(3),
        flex=np.zeros(0, FLEX),
        flex_frames=np.zeros(0, FLEX_FRAME),
        flex_data=np.zeros(0),
        flex_code=np.zeros(1, dtype=np.int64),
        feedback=none,
        sensed=np.zeros(3, dtype=np.int64),
        states=np.zeros((0, 3)),
        gains=np.zeros((0, 2), dtype=np.int64),
        columns=np.zeros(0, COLUMN),
        **{name: none for name in Model._fields if name.startswith("col_")},
    )
