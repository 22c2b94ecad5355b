"""The packed mechanism: what the compiled engine knows, as flat record arrays.

Nodes (frames) are numbered with the datum 0; rotation nodes (bodies, and later the ends of flexible
arms) likewise. A branch of the R-tree carries ``R_B = R_A R_e``, A and B the frames its edge leaves
and enters; a branch of the T-tree carries ``p_B = p_A + r``, r fixed in the frame of A up to its
coordinates. ``sign`` is -1 where the edge points towards the datum.
"""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.compile import is_interpreted
from flexnet.kernels.kinds import know_lengths
from flexnet.typing import AnyArray, Array, IntArray

_V = (np.float64, (3,))
_M = (np.float64, (3, 3))
_i = np.int64
_f = np.float64

#: coordinates of a flexible arm: the first of its six rows that is its place, and its rotation vector
ARM_MOVES, ARM_TURNS = 0, 3
#: where x, ẋ and ẍ of either begin from ``FLEX_FRAME.x``
MOVED, MOVED_RATE, MOVED_SECOND, BENT, BENT_RATE, BENT_SECOND = range(0, 18, 3)

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
        ("Q", _i),                   # (6, m) and (3,) Q̂ and ν of the line of the body, with G only
        ("stride", _i), ("ptr", _i), # entries of one (m, m), and their places in ``flex_index``; -1: all
        ("w", _i),                   # its place in Work.flex, laid out by FLEX_WORK
    ],
    align=True,
)  # fmt: skip

#: frame of a flexible body; offsets point into ``Model.flex_data`` and ``Work.flex``
FLEX_FRAME = np.dtype(
    [
        ("body", _i), ("position", *_V),
        ("translation", _i), ("rotation", _i),  # (3, m) each
        ("H", _i),                   # (6, m, m) motion of second order; -1 for none
        ("w", _i),                   # (m, 3) directions and (m, 3) axes in ground, then X of either
        ("x", _i),                   # x, ẋ and ẍ: place in the body, then rotation vector
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

FUNCTION = np.dtype(
    [("kind", _i), ("start", _i), ("count", _i), ("family", _i), ("refs", _i, (3,))], align=True
)

#: kinds of velocity coordinates
C_TRANSLATION, C_ROTATION, C_ELASTIC = range(3)

#: one velocity coordinate: the branch (or flexible body) it belongs to, and its number there
COLUMN = np.dtype([("kind", _i), ("edge", _i), ("axis", _i)], align=True)

#: whether forces, and events, follow accelerations or loads of joints; whether there are networks, signals
#: of energies, and functions that could not be traced
OF_MOTION, EVENTS_OF_MOTION, OF_NETWORKS, OF_ENERGY, OF_CALLS, SENSED = range(6)
#: what a signal rests on
ON_NODE, ON_ROTATION, ON_COORDINATE = range(3)


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
    quaternions: IntArray  # (rotations, 2): first q, first v of each 3-D rotation
    scalars: IntArray  # (coordinates, 2): q, v of each scalar coordinate
    counted: IntArray  # q of each counted angle that no coordinate is
    gravity: Array  # (3,) acceleration of gravity, felt by flexible bodies, m/s²
    flex: AnyArray  # FLEX
    flex_frames: AnyArray  # FLEX_FRAME
    flex_data: Array  # tensors of all flexible bodies
    flex_index: IntArray  # patterns of unreduced ones: m + 1 places where rows begin, then columns
    ports: IntArray  # handle of the mechanism that sees unreduced bodies by their ports; nothing without them
    flex_code: AnyArray  # (1,) address of the function of flexible bodies, 0 where there are none
    feedback: IntArray  # place of the programs of signals, then function and element that follow each, if any
    sensed: IntArray  # (SENSED,) what signals follow, and whether there are networks
    numbers: Array  # of all signals, such as gains
    states: Array  # (n_z, 3) mass and weight of the row of every state, and its value at the start
    gains: IntArray  # (entries, 2) signal or row, and state, of every derivative by a state that is not zero
    rests: IntArray  # (entries, 3) kind and number of what a signal or row rests on, and which that is
    fed: IntArray  # (entries, 2) row and column of Newton's matrix where signals and states may be felt
    columns: AnyArray  # COLUMN, one a velocity coordinate; the lists of column k are [ptr[k, 0], ptr[k, 1])
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
    col_signals: IntArray  # signals and rows of states that the coordinate changes
    col_signals_ptr: IntArray
    col_rows: IntArray  # constraint rows the coordinate enters
    col_rows_ptr: IntArray


know_lengths(
    Model, weights=(3,), quaternions=(2,), scalars=(2,), states=(3,), gains=(2,), rests=(3,), fed=(2,),
    **{name: (2,) for name in Model._fields if name.endswith("_ptr")},
)  # fmt: skip


def with_attributes(model: Model) -> Model:
    """Let plain Python read the fields of records as compiled code does, where kernels are interpreted."""
    if not is_interpreted():
        return model
    arrays: list[AnyArray] = [a.view(np.recarray) if a.dtype.names else a for a in model]
    return Model._make(arrays)


#: places in the workspace of a flexible body with m coordinates: offset = constant + factor · m
#: c (3), J (3, 3), J̇ (3, 3) and the inverse of J about the centre of mass (3, 3), then the same four of first
#: order only, y, ẏ and g or ġ (6 each) of flexible_line; per coordinate: E = (∂c/∂q, C) (6), Y (9), W (9),
#: G q (12), G q̇ (12), X (6), E₁ (6), X₁ (6)
W_C, W_J, W_J_DOT, W_INVERSE, W_FIRST, W_LINE, W_VECTORS = 0, 3, 12, 21, 30, 60, 78
W_B, W_CROSS, W_Y, W_W, W_G, W_G_DOT, W_X, W_E1, W_X1, W_END = 0, 3, 6, 15, 24, 36, 48, 54, 60, 66


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
        quaternions=pairs,
        scalars=pairs,
        counted=none,
        gravity=np.zeros(3),
        flex=np.zeros(0, FLEX),
        flex_frames=np.zeros(0, FLEX_FRAME),
        flex_data=np.zeros(0),
        flex_index=none,
        ports=none,
        flex_code=np.zeros(1, dtype=np.int64),
        feedback=none,
        sensed=np.zeros(SENSED, dtype=np.int64),
        numbers=np.zeros(0),
        states=np.zeros((0, 3)),
        gains=pairs,
        rests=np.zeros((0, 3), dtype=np.int64),
        fed=pairs,
        columns=np.zeros(0, COLUMN),
        **{
            name: pairs if name.endswith("_ptr") else none
            for name in Model._fields
            if name.startswith("col_")
        },
    )
