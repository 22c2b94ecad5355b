"""System: what the user builds, checked as it is built; and the linear graph derived from it."""

from flexnet.system.body import Body
from flexnet.system.graph import derive_graph
from flexnet.system.system import Channel, Start, System

__all__ = ["Body", "Channel", "Start", "System", "derive_graph"]
