"""How bodies were placed, and what became of it where no loop asks for it.

Closing a loop has to turn joints. In a chain nothing has to: a joint that is open there is a slip of the pen,
and what closes it with the least motion also turns joints that were placed as they were meant.
"""

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.formulation.state import Poses
from flexnet.graph import Kind, select_trees
from flexnet.typing import Array

#: angle of a joint that was changed, rad, and gap over the length of the model, that are said
TURNED, OPEN = 0.01, 1e-6


def turned_by_gaps(equations: Equations, placed: Poses, closed: Poses) -> str:
    """A sentence about the joint that was most open and the one turned most; empty if there is none."""
    system = equations.system
    if system.starts or any(part.kind is Kind.DRIVER for part in equations.parts):
        return ""
    body = {name: k for k, name in enumerate(equations.packer.bodies)}
    gaps, turns = {"": 0.0}, {"": 0.0}
    for part in equations.parts:
        translation, rotation = part.terminal.translation, part.terminal.rotation
        if part.kind is not Kind.JOINT or translation is None or rotation is None:
            continue
        a, b = body[part.tail.body], body[part.head.body]
        if not translation.free:
            gap = _place(placed, b, part.head.position) - _place(placed, a, part.tail.position)
            gaps[part.name] = float(np.linalg.norm(gap))
        if not rotation.is_fixed:
            before, after = (poses.R[a].T @ poses.R[b] for poses in (placed, closed))
            turns[part.name] = float(np.arccos(np.clip(0.5 * (np.trace(before.T @ after) - 1.0), -1.0, 1.0)))
    worst, turned = max(gaps, key=gaps.__getitem__), max(turns, key=turns.__getitem__)
    if gaps[worst] < OPEN * equations.scale.length or turns[turned] < TURNED:
        return ""
    chords = [edge for tree in select_trees(system.mechanism, "joint") for edge in tree.chords]
    if any(edge.kind is Kind.JOINT for edge in chords):
        return ""
    angle = np.degrees(turns[turned])
    return (
        f"joint {worst!r} is open by {gaps[worst]:.3g} m as its bodies were placed, and closing it turned"
        f" joint {turned!r} by {angle:.3g}°: place them so that they meet, or say where joints start"
    )


def _place(poses: Poses, body: int, point: Array) -> Array:
    """Point of a body in ground axes, m."""
    return np.asarray(poses.p[body] + poses.R[body] @ point)
