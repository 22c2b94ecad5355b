r"""Cam and roller follower: contact that lifts off at speed.

         ┆ spring
       ──┴──
         │ m        follower in its guide, along y
         ○ r        roller
       ╭───╮
      │  ·──●       disc of radius R, turned at constant speed about ●, e off its centre
       ╰───╯

An eccentric disc (R = 30 mm, e = 10 mm) lifts a follower of 0.5 kg with a roller of r = 8 mm; a spring of
4 kN/m, pressed together by 10 mm at the lowest place, holds it down, with gravity. While they touch, the
centres are L = R + r apart and the follower is at y = e sin φ + √(L² - e² cos² φ). At the top,
y'' = -e (1 + e/L): roller and cam part there first, at the speed

    ω² = (k (10 mm + 2 e) + m g) / (m e (1 + e/L)),

140.6 rad/s. The default speed is above it; the roller flies, comes down and hits the cam again.
"""

import numpy as np

import flexnet as fx

END = 0.3
STEP = 2e-5

R, r, e = 0.030, 0.008, 0.010
m, g, k, preload = 0.5, 9.81, 4000.0, 0.010
L = R + r
#: speed at which the roller leaves the cam, rad/s
LIFT_OFF = float(np.sqrt((k * (preload + 2 * e) + m * g) / (m * e * (1 + e / L))))


def build(
    speed: float = 180.0, stiffness: float = 5e6, damping: float = 0.5, friction: float = 0.05
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    speed : of the cam, rad/s.
    stiffness : of the contact, N/m.
    damping : of the contact by Hunt and Crossley, s/m.
    friction : coefficient between roller and cam; the roller does not turn.
    """
    s = fx.System("cam_follower", planar=True)
    s.gravity([0.0, -g])
    lowest = L - e
    start = float(np.sqrt(L**2 - e**2))  # at φ = 0
    cam = s.rigid_body("cam", 1.0, 4.5e-4, {"O": [-e, 0.0]}, position=[e, 0.0])
    follower = s.rigid_body("follower", m, 1e-4, position=[0.0, start])
    s.revolute("O", s.ground, cam["O"])
    s.prismatic("guide", s.ground, follower, axis="y")
    s.start("guide", displacement=start, rate=e * speed)
    s.motion("drive", joint="O", angle=fx.ramp(rate=speed))
    s.spring("spring", s.ground, follower, k, free_length=lowest - preload, axis="y")
    s.cylinder_contact(
        "roller", cam, follower, stiffness, size=R, radius=r, damping=damping, friction=friction,
        slip_speed=1e-3,
    )  # fmt: skip
    s.channel("lift", fx.joint_coordinate("guide", "displacement"), "m", "height of the roller")
    s.channel("speed", fx.joint_rate("guide", "displacement"), "m/s")
    s.channel("cam_x", fx.position(cam, "x"), "m", "centre of the disc")
    s.channel("cam_y", fx.position(cam, "y"), "m", "centre of the disc")
    s.channel("torque", fx.torque("drive"), "N m", "of the drive")
    s.channel("side_force", fx.force("guide", "x"), "N")
    return s
