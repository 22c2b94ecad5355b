"""Recognise a spatial mechanism that moves in a plane."""

import numpy as np

from flexnet.components import FlexibleBody, RotationDriver, Terminal
from flexnet.formulation.state import Poses
from flexnet.graph import Kind
from flexnet.system import System
from flexnet.typing import Array

_Z = np.array([0.0, 0.0, 1.0])


def is_planar_motion(system: System, poses: Poses) -> bool:
    """Whether every joint keeps the motion in the plane of x and y.

    True when all bodies are rigid, every joint turns about one axis parallel to z or not at all, and slides
    along directions normal to it only.
    """
    if any(isinstance(part, FlexibleBody) for part in system.components.values()):
        return False
    index = {name: i for i, name in enumerate(["ground", *system.bodies])}
    turns = 0
    for part in system.components.values():
        if part.kind is not Kind.JOINT and not isinstance(part, RotationDriver):
            continue
        R = poses.R[index[part.tail.body]] @ part.tail.rotation
        axes = _turning(part.terminal)
        slides = [] if part.terminal.translation is None else part.terminal.translation.free
        if axes is None or part.terminal.rows:
            return False
        if any(np.linalg.norm(np.cross(_Z, R @ axis)) > 1e-6 for axis in axes):
            return False
        if any(abs(_Z @ R @ d.vector) > 1e-6 for d in slides):
            return False
        turns += len(axes)
    return turns > 0


def _turning(terminal: Terminal) -> tuple[Array, ...] | None:
    """Axes an edge turns about; None where it turns about more than one."""
    r = terminal.rotation
    if r is None or r.is_fixed:
        return ()
    return r.axes if len(r.axes) == 1 else None
