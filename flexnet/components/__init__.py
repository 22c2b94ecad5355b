"""Components: one page each, declaring its edge, its motion and reaction spaces and its terminal equation.

Every page of this room is read when the room is; it enters itself in :data:`COMPONENTS`, and its builder in
:data:`BUILDERS`. A class is found here under its name.
"""

import pkgutil
from importlib import import_module
from typing import Any

from flexnet.components.component import Component, check_ends
from flexnet.components.flexible_body import FlexibleArm, FlexibleBody
from flexnet.components.force_element import Action, ForceElement, Motion
from flexnet.components.frame import Frame, as_axis, as_rotation, as_vector, euler, rotation
from flexnet.components.joint import Joint
from flexnet.components.loads import Force, Torque, Weight
from flexnet.components.motion_driver import RotationDriver, TranslationDriver
from flexnet.components.registry import (
    BUILDERS,
    COMPONENTS,
    builder,
    comes_with_flexnet,
    component,
    of_kind,
    spoken,
)
from flexnet.components.rigid_arm import RigidArm
from flexnet.components.rigid_body import RigidBody, as_inertia, check_mass
from flexnet.components.row import Relative, Row
from flexnet.components.spring_damper import Bushing, TorsionalSpring, TranslationalSpring
from flexnet.components.terminal import Direction, Rotation, Terminal, Translation
from flexnet.components.time_function import (
    TimeFunction,
    TimeLike,
    accelerogram,
    as_time_function,
    constant,
    cycloidal,
    expression,
    from_callable,
    harmonic,
    polynomial,
    ramp,
    smooth_step,
    table,
)

for _page in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_page.name}")


def __getattr__(name: str) -> Any:
    """A component by the name of its class."""
    if name not in COMPONENTS:
        raise AttributeError(f"there is no component {name!r}")
    return COMPONENTS[name]


__all__ = [
    "accelerogram",
    "BUILDERS", "COMPONENTS", "Action", "Bushing", "Component", "Direction", "FlexibleArm", "FlexibleBody",
    "Force", "ForceElement", "Frame", "Joint", "Motion", "Relative", "RigidArm", "RigidBody",
    "Rotation", "RotationDriver", "Row", "Terminal", "TimeFunction", "TimeLike", "Torque", "TorsionalSpring",
    "Translation", "TranslationDriver", "TranslationalSpring", "Weight", "as_axis", "as_inertia",
    "as_rotation", "as_time_function", "as_vector", "builder", "check_ends", "check_mass",
    "comes_with_flexnet", "component", "constant", "cycloidal", "euler", "expression", "from_callable",
    "harmonic", "of_kind", "polynomial", "ramp", "rotation", "smooth_step", "spoken", "table",
]  # fmt: skip
