"""System: what the user builds, checked as it is built; and the linear graph derived from it."""

from flexnet.signals import Measure
from flexnet.system.body import Body
from flexnet.system.channel import Channel
from flexnet.system.exact_beam import ExactBeam
from flexnet.system.graph import derive_graph, terminals_of
from flexnet.system.indirect import offer_indirect_joints, with_indirect_joints
from flexnet.system.measure import (
    acceleration,
    angle,
    angular_acceleration,
    angular_velocity,
    deflection,
    energy,
    force,
    joint_coordinate,
    joint_rate,
    node_position,
    position,
    strain,
    stress,
    torque,
    velocity,
)
from flexnet.system.pieces import in_pieces
from flexnet.system.start import Start
from flexnet.system.system import System

__all__ = [
    "Body",
    "Channel",
    "ExactBeam",
    "Measure",
    "Start",
    "System",
    "acceleration",
    "angle",
    "angular_acceleration",
    "angular_velocity",
    "deflection",
    "derive_graph",
    "energy",
    "force",
    "in_pieces",
    "joint_coordinate",
    "joint_rate",
    "node_position",
    "position",
    "strain",
    "stress",
    "terminals_of",
    "torque",
    "velocity",
    "offer_indirect_joints",
    "with_indirect_joints",
]
