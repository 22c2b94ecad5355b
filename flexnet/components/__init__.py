"""Components: one page each, declaring its edge, its motion and reaction spaces and its terminal equation."""

from flexnet.components.component import Component, check_ends
from flexnet.components.cylindrical import Cylindrical
from flexnet.components.flexible_body import FlexibleArm, FlexibleBody
from flexnet.components.force_element import ForceElement, Load, Motion, is_applied
from flexnet.components.frame import Frame, as_axis, as_rotation, as_vector
from flexnet.components.free import Free
from flexnet.components.loads import Force, Torque, Weight
from flexnet.components.motion_driver import RotationDriver, TranslationDriver, complement
from flexnet.components.orientation import euler, rotation
from flexnet.components.pin_in_slot import PinInSlot
from flexnet.components.planar import Planar
from flexnet.components.prismatic import Prismatic
from flexnet.components.revolute import Revolute
from flexnet.components.rigid_arm import RigidArm
from flexnet.components.rigid_body import RigidBody, as_inertia, check_mass
from flexnet.components.spherical import Spherical
from flexnet.components.spring_damper import Bushing, TorsionalSpring, TranslationalSpring
from flexnet.components.terminal import Direction, Rotation, Terminal, Translation
from flexnet.components.time_function import (
    TimeFunction,
    TimeLike,
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
from flexnet.components.translational import Translational
from flexnet.components.universal import Universal
from flexnet.components.virtual_joint import VirtualJoint
from flexnet.components.weld import Weld

#: every joint, for tests and documentation
JOINTS = (
    Revolute, Prismatic, Cylindrical, Spherical, Universal, Planar, Weld, Free, Translational, PinInSlot,
)  # fmt: skip
#: every force element
FORCES = (Force, Torque, Weight, TranslationalSpring, TorsionalSpring, Bushing)
#: every component
COMPONENTS = (
    RigidBody, RigidArm, FlexibleBody, FlexibleArm, *JOINTS, VirtualJoint, RotationDriver, TranslationDriver,
    *FORCES,
)  # fmt: skip

__all__ = [
    "Bushing",
    "COMPONENTS",
    "Component",
    "Cylindrical",
    "Direction",
    "FORCES",
    "FlexibleArm",
    "FlexibleBody",
    "Force",
    "ForceElement",
    "Frame",
    "Free",
    "JOINTS",
    "Load",
    "Motion",
    "PinInSlot",
    "Planar",
    "Prismatic",
    "Revolute",
    "RigidArm",
    "RigidBody",
    "Rotation",
    "RotationDriver",
    "Spherical",
    "Terminal",
    "TimeFunction",
    "TimeLike",
    "Torque",
    "TorsionalSpring",
    "Translation",
    "TranslationDriver",
    "Translational",
    "TranslationalSpring",
    "Universal",
    "VirtualJoint",
    "Weight",
    "Weld",
    "as_axis",
    "as_inertia",
    "as_rotation",
    "as_time_function",
    "as_vector",
    "check_ends",
    "check_mass",
    "complement",
    "constant",
    "cycloidal",
    "euler",
    "expression",
    "from_callable",
    "harmonic",
    "is_applied",
    "polynomial",
    "ramp",
    "rotation",
    "smooth_step",
    "table",
]
