"""Bouncing ball: rigid impacts by event, and the time at which they accumulate.

A ball is let go at rest at the height h, and the floor throws it back with e times its speed. With the time
T = √(2h/g) of the first fall it hits the floor at

    tₙ = T (2 (1 - eⁿ)/(1 - e) - 1),       t_∞ = T (1 + e)/(1 - e)

The run ends short of t_∞, which its status names.
"""

import numpy as np

import flexnet as fx

END = 2.5
STEP = 0.01


def build(height: float = 1.0, restitution: float = 0.7, g: float = 9.81) -> fx.System:
    """Build the ball.

    Parameters
    ----------
    height : of the ball above the floor at the start, m.
    restitution : part of its speed that a blow leaves.
    g : gravity, m/s².
    """
    s = fx.System("bouncing_ball", planar=True)
    s.gravity([0.0, -g])
    ball = s.rigid_body("ball", 0.5, 2e-4, position=[0.0, height])
    ball.shape("sphere", 0.03)
    s.floats(ball)
    s.event("floor", fx.position(ball, "y"), fx.impact(restitution), "falling")
    s.channel("height", fx.position(ball, "y"), "m")
    s.channel("speed", fx.velocity(ball, "y"), "m/s")
    return s


def impacts(
    n: int, height: float = 1.0, restitution: float = 0.7, g: float = 9.81
) -> tuple[np.ndarray, float]:
    """Times [s] of the first n impacts, and where they accumulate."""
    fall, e = np.sqrt(2 * height / g), restitution
    return fall * (2 * (1 - e ** np.arange(1, n + 1)) / (1 - e) - 1), fall * (1 + e) / (1 - e)
