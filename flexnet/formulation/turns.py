"""Angle between two frames that turn about one axis only: the sum of the angles between them."""

from math import atan2
from typing import NamedTuple

import numpy as np

from flexnet.components import Frame
from flexnet.components.frame import normals
from flexnet.graph import Tree
from flexnet.kernels import model as km
from flexnet.typing import AnyArray, Array


class Turns(NamedTuple):
    """θ = offset + Σ sense · angle of branch, which counts whole turns.

    Attributes
    ----------
    branches : index in the R-tree and sense (+1, -1) of every branch that turns, from tail to head.
    offset : angle of the head when those of all branches are zero, rad.
    """

    branches: list[tuple[int, float]]
    offset: float


def turns_between(R: Tree, r_edges: AnyArray, tail: Frame, head: Frame, axis: Array) -> Turns | None:
    """Branches of the R-tree that turn ``head`` about ``axis`` of ``tail``; None if one turns otherwise.

    Where all axes on the way are parallel with every angle at zero, they stay so: nothing turns about
    another.
    """
    index = {branch.child: i for i, branch in enumerate(R.branches)}
    up, down = R.path(head.rotation_node), R.path(tail.rotation_node)
    while up and down and up[-1] == down[-1]:
        up.pop()
        down.pop()
    u = tail.rotation @ axis
    so_far, branches = np.eye(3), list[tuple[int, float]]()
    for branch, is_outward in [*((b, False) for b in down), *((b, True) for b in reversed(up))]:
        i = index[branch.child]
        edge = r_edges[i]
        is_along = (branch.sign == 1) == is_outward
        enter, leave = (edge["C_A"], edge["C_B"]) if is_along else (edge["C_B"], edge["C_A"])
        if edge["kind"] in (km.R_AXIS, km.R_DRIVEN):
            direction = so_far @ enter @ edge["axis_1"]
            if np.linalg.norm(np.cross(direction, u)) > 1e-9:
                return None
            branches.append((i, float(np.sign(direction @ u)) * (1.0 if is_along else -1.0)))
        elif edge["kind"] != km.R_FIXED:
            return None
        so_far = so_far @ enter @ leave.T
    n, m = normals(axis)
    a = tail.rotation.T @ so_far @ head.rotation @ n
    offset = atan2(m @ a, n @ a)
    return Turns(branches, 0.0 if abs(offset) < 1e-12 else offset)
