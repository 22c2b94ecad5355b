"""Recognise a spatial mechanism that moves in a plane."""

import numpy as np

from flexnet.components import (
    Component,
    FlexibleBody,
    PinInSlot,
    Planar,
    Prismatic,
    Revolute,
    RotationDriver,
    Weld,
)
from flexnet.formulation.state import Poses
from flexnet.graph import Kind
from flexnet.system import System
from flexnet.typing import Array


def is_planar_motion(system: System, poses: Poses) -> bool:
    """Whether every joint keeps the motion in the plane of x and y.

    True when all bodies are rigid, all joints are pins, sliders, slots, planar joints or welds, the axes of
    turning are parallel to z and the directions of sliding normal to it.
    """
    if any(isinstance(part, FlexibleBody) for part in system.components.values()):
        return False
    index = {name: i for i, name in enumerate(["ground", *system.bodies])}
    axes, slides = list[Array](), list[Array]()
    for part in system.components.values():
        if part.kind is not Kind.JOINT and not isinstance(part, RotationDriver):
            continue
        if not isinstance(part, Revolute | Prismatic | PinInSlot | Planar | Weld | RotationDriver):
            return False
        R = poses.R[index[part.tail.body]] @ part.tail.rotation
        axes += [R @ axis for axis in _turning(part)]
        slides += [R @ axis for axis in _sliding(part)]
    if not axes:
        return False
    normal = np.array([0.0, 0.0, 1.0])
    parallel = all(np.linalg.norm(np.cross(normal, axis)) < 1e-6 for axis in axes)
    return parallel and all(abs(normal @ axis) < 1e-6 for axis in slides)


def _turning(part: Component) -> tuple[Array, ...]:
    return (part.axis,) if isinstance(part, Revolute | PinInSlot | Planar | RotationDriver) else ()


def _sliding(part: Component) -> tuple[Array, ...]:
    if isinstance(part, Prismatic):
        return (part.axis,)
    return (part.slot,) if isinstance(part, PinInSlot) else ()
