"""The packed mechanism: what the compiled engine knows, as flat record arrays.

Nodes (frames) are numbered with the datum 0; rotation nodes (bodies, and later the ends of flexible
arms) likewise. A branch of the R-tree carries ``R_B = R_A R_e``, A and B the frames its edge leaves
and enters; a branch of the T-tree carries ``p_B = p_A + r``, r fixed in the frame of A up to its
coordinates. ``sign`` is -1 where the edge points towards the datum.
"""

from typing import NamedTuple

import numpy as np

from flexnet.kernels.time_function import STACK
from flexnet.typing import AnyArray, Array, IntArray

_V = (np.float64, (3,))
_M = (np.float64, (3, 3))
_i = np.int64
_f = np.float64

#: kinds of rotational branches
R_FIXED, R_AXIS, R_UNIVERSAL, R_FREE, R_DRIVEN = range(5)

R_EDGE = np.dtype(
    [
        ("parent", _i), ("child", _i), ("kind", _i),
        ("q", _i), ("v", _i),        # first configuration and velocity coordinate
        ("function", _i),            # of a driven rotation
        ("sign", _f),
        ("C_A", *_M), ("C_B", *_M),  # orientation of the frames A and B on their bodies
        ("axis_1", *_V), ("axis_2", *_V),
    ],
    align=True,
)  # fmt: skip

T_EDGE = np.dtype(
    [
        ("parent", _i), ("child", _i),
        ("carrier", _i),             # rotation node of frame A
        ("q", _i), ("v", _i), ("n", _i),  # coordinates: first indices and number
        ("n_driven", _i), ("function", _i, (3,)),
        ("sign", _f),
        ("offset", *_V),             # constant part of r in the carrier's frame, m
        ("free", *_M),               # rows: free directions in the carrier's frame
        ("driven", *_M),             # rows: driven directions in the carrier's frame
    ],
    align=True,
)  # fmt: skip

BODY = np.dtype([("node", _i), ("rotation", _i), ("mass", _f), ("inertia", *_M)], align=True)

#: kinds of constraint rows
TRANSLATION, PERPENDICULAR, ANGLE, ORIENTATION, COORDINATE = range(5)

ROW = np.dtype(
    [
        ("kind", _i),
        ("tail", _i), ("head", _i), ("tail_r", _i), ("head_r", _i),
        ("function", _i),            # known value of time, -1 for none
        ("q", _i), ("v", _i),        # COORDINATE: the coordinate itself
        ("component", _i),           # ORIENTATION: component of the rotation
        ("n", *_V), ("m", *_V),      # vectors in the body of the tail frame
        ("a", *_V),                  # vector in the body of the head frame
        ("C_A", *_M), ("C_B", *_M),  # ORIENTATION: frames on their bodies
    ],
    align=True,
)  # fmt: skip

#: kinds of force elements
FORCE, TORQUE, SPRING_LINE, SPRING_AXIS, SPRING_TORSION, BUSHING = range(6)
#: kinds of laws
LAW_LINEAR, LAW_EXPRESSION, LAW_CALLABLE = range(3)

ELEMENT = np.dtype(
    [
        ("kind", _i),
        ("tail", _i), ("head", _i), ("tail_r", _i), ("head_r", _i),
        ("function", _i, (3,)),
        ("follows", _i),
        ("law", _i), ("refs", _i, (2,)),
        ("q", _i), ("v", _i),        # SPRING_TORSION on a branch joint: its coordinate, else -1
        ("sense", _f),
        ("stiffness", _f), ("damping", _f), ("rest", _f),
        ("n", *_V), ("m", *_V), ("a", *_V),
        ("C_A", *_M), ("C_B", *_M),
        ("matrix", _i),              # BUSHING: index of its matrices
    ],
    align=True,
)  # fmt: skip

FUNCTION = np.dtype([("kind", _i), ("start", _i), ("count", _i), ("refs", _i, (6,))], align=True)

#: one velocity coordinate: the branch it belongs to
COLUMN = np.dtype([("is_rotation", _i), ("edge", _i), ("axis", _i)], align=True)


class Model(NamedTuple):
    """Packed mechanism. Lists ``col_*`` are in compressed rows: column k owns ``[ptr[k], ptr[k+1])``."""

    r_edges: AnyArray  # R_EDGE, datum outwards
    t_edges: AnyArray  # T_EDGE, datum outwards
    bodies: AnyArray  # BODY
    rows: AnyArray  # ROW
    elements: AnyArray  # ELEMENT
    weights: Array  # (bodies, 3) N
    functions: AnyArray  # FUNCTION
    data: Array  # numbers of all functions and laws
    program: IntArray  # postfix programs of all expressions
    bushings: Array  # (bushings, 2, 6, 6) stiffness and damping
    quaternions: IntArray  # (rotations, 2): first q, first v of each 3-D rotation
    scalars: IntArray  # (coordinates, 2): q, v of each scalar coordinate
    columns: AnyArray  # COLUMN, one a velocity coordinate
    col_out: IntArray  # T-branches whose head moves with the coordinate, outwards
    col_turns: IntArray  # 1 where the carrier of that branch turns with the coordinate
    col_out_ptr: IntArray
    col_bodies: IntArray  # bodies that move with the coordinate
    col_bodies_turn: IntArray  # 1 where the body turns
    col_bodies_ptr: IntArray
    col_in_t: IntArray  # T-branches that carry the inertia forces back, inwards
    col_in_t_ptr: IntArray
    col_in_r: IntArray  # R-branches that carry the torques back, inwards
    col_in_r_ptr: IntArray
    col_rows: IntArray  # constraint rows the coordinate enters
    col_rows_turn: IntArray  # bit 0: head turns, bit 1: tail turns
    col_rows_ptr: IntArray


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
    row_force: Array  # (rows, 3) unit force of a constraint on its head; the opposite on its tail
    row_tail: Array  # (rows, 3) unit torque on the tail
    row_head: Array  # (rows, 3) unit torque on the head
    dv: Array  # (nodes, 3) velocities of one column
    tmp: Array  # (8, 3, 3) scratch
    law: Array  # (elements,) force of every law, for diagnosis
    stack: Array  # scratch of expressions


def make_work(model: Model, nodes: int, rotations: int) -> Work:
    """Allocate the workspace of a model with so many nodes and rotation nodes."""
    n_r, n_t, m = len(model.r_edges), len(model.t_edges), len(model.rows)
    z = np.zeros
    R = np.tile(np.eye(3), (rotations, 1, 1))
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
        row_force=z((m, 3)),
        row_tail=z((m, 3)),
        row_head=z((m, 3)),
        dv=z((nodes, 3)),
        tmp=z((8, 3, 3)),
        law=z(len(model.elements)),
        stack=z(STACK),
    )


def empty_model() -> Model:
    """A model of nothing: every array has its type and no elements."""
    none = np.zeros(0, dtype=np.int64)
    pairs = np.zeros((0, 2), dtype=np.int64)
    return Model(
        r_edges=np.zeros(0, R_EDGE),
        t_edges=np.zeros(0, T_EDGE),
        bodies=np.zeros(0, BODY),
        rows=np.zeros(0, ROW),
        elements=np.zeros(0, ELEMENT),
        weights=np.zeros((0, 3)),
        functions=np.zeros(0, FUNCTION),
        data=np.zeros(0),
        program=none,
        bushings=np.zeros((0, 2, 6, 6)),
        quaternions=pairs,
        scalars=pairs,
        columns=np.zeros(0, COLUMN),
        **{name: none for name in Model._fields if name.startswith("col_")},
    )
