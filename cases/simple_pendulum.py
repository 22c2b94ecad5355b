"""Simple pendulum: IFToMM benchmark A01.

A point mass on a massless bar, released from the horizontal.

    (-1, 0) o────────┼  pivot at the origin
            m    L   │
                     ▼ g

Reference: period 4 K(sin 45°)/√(g/L) = 2.367841947576 s for the default parameters.
"""

import flexnet as fx

END = 10.0


def build(m: float = 1.0, L: float = 1.0, g: float = 9.81) -> fx.System:
    """Build the pendulum.

    Parameters
    ----------
    m : mass, kg.
    L : length of the bar, m.
    g : gravity, m/s².
    """
    s = fx.System("simple_pendulum", planar=True)
    s.gravity([0.0, -g])
    bob = s.rigid_body("bob", mass=m, inertia=0.0, frames={"pivot": [L, 0.0]}, position=[-L, 0.0])
    s.revolute("pivot", s.ground, bob["pivot"])
    s.start("pivot", angle=0.0, rate=0.0)
    s.channel("x", fx.position(bob, "x"), "m")
    s.channel("y", fx.position(bob, "y"), "m")
    s.channel("angle", fx.joint_coordinate("pivot"), "rad", "from the horizontal")
    s.channel("bar_force", fx.force("pivot"), "N")
    return s
