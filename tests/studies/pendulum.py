"""A pendulum with a spring and a damper in its pivot, small enough to read; variants of it are studied."""

import os
import signal
from pathlib import Path

import flexnet as fx

END, STEP = 0.2, 0.01
#: a file whose presence lets a worker live; see `deadly`
MARKER = "FLEXNET_TEST_MARKER"


def build(length: float = 1.0, mass: float = 2.0, damping: float = 0.1, named: str = "angle") -> fx.System:
    """Build it.

    Parameters
    ----------
    length : of the rod, m.
    mass : of the bob, kg.
    damping : in the pivot, N m s/rad. Zero is allowed.
    named : name of its channel.
    """
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81, 0])
    bob = s.rigid_body("bob", mass, 0.1 * mass, frames={"pivot": [0, length]}, position=[0, -length])
    s.revolute("O", s.ground, bob["pivot"])
    s.torsional_spring("pivot_spring", joint="O", stiffness=3.0, damping=damping)
    s.start("O", angle=0.5)
    s.channel(named, fx.joint_coordinate("O"), "deg")
    return s


def deadly(length: float = 1.0) -> fx.System:
    """Build it; the first process that builds the length 1.25 dies of it."""
    marker = Path(os.environ[MARKER])
    if length == 1.25 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return build(length)


def always_deadly(length: float = 1.0) -> fx.System:
    """Build it; every process that builds the length 1.25 dies of it."""
    if length == 1.25:
        os.kill(os.getpid(), signal.SIGKILL)
    return build(length)
