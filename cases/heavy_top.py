"""Heavy top: the standard test of integrators on the rotation group.

A symmetric top on a ball joint at the origin, its centre of mass at X on the body, spinning fast.
Reference: x(1) = (0.17334396, 0.64008859, -0.74849079) m.
"""

import numpy as np

import flexnet as fx

END = 2.0


def build(
    m: float = 15.0,
    X: tuple[float, float, float] = (0.0, 1.0, 0.0),
    J: tuple[float, float, float] = (0.234375, 0.46875, 0.234375),
    omega: tuple[float, float, float] = (0.0, 150.0, -4.61538),
    g: float = 9.81,
) -> fx.System:
    """Build the top.

    Parameters
    ----------
    m : mass, kg.
    X : centre of mass from the fixed point, in the body frame, m.
    J : principal moments of inertia about the centre of mass, kg m².
    omega : initial angular velocity in the body frame, rad/s.
    g : gravity along -z, m/s².
    """
    s = fx.System("heavy_top")
    s.gravity([0.0, 0.0, -g])
    top = s.rigid_body(
        "top", m, J, {"foot": np.negative(X)}, position=X,
        velocity=np.cross(omega, X), angular_velocity=omega,
    )  # fmt: skip
    s.spherical("foot", s.ground, top["foot"])
    for axis in "xyz":
        s.channel(f"x_{axis}", fx.position(top, axis), "m", "centre of mass")
        s.channel(f"omega_{axis}", fx.angular_velocity(top, axis), "rad/s")
        s.channel(f"reaction_{axis}", fx.force("foot", axis), "N")
    return s
