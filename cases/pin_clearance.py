r"""Slider-crank with clearance in a pin.

        o──___
       / crank ──__  rod
      o            ──_(·)▭        hole of the rod (R) about the pin of the slider (r), c = R - r
                      ═══════

Crank 50 mm, rod 120 mm, at 500 revolutions a minute. The pin between rod and slider (r = 10 mm) is loose in
its hole by c = 0.5 mm: a hollow cylinder of the rod touches a ball of the slider, by penalty with the damping
of Hunt and Crossley and regularised friction; nothing else joins them. The pin rests on one side of the hole,
flies across where the load turns round, and hits the other side; the slider's acceleration shows the blows,
its place differs from that with the ideal pin by little more than the clearance.
"""

import numpy as np

import flexnet as fx

END = 0.24
STEP = 1e-5

CRANK, ROD, PIN = 0.05, 0.12, 0.010


def build(
    clearance: float = 5e-4,
    speed: float = 52.36,
    stiffness: float = 1e7,
    damping: float = 1.0,
    friction: float = 0.03,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    clearance : of the pin in its hole, m; 0 is the ideal pin.
    speed : of the crank, rad/s.
    stiffness : of the contact, N/m.
    damping : of the contact, s/m.
    friction : coefficient between pin and hole.
    """
    s = fx.System("pin_clearance", planar=True)
    crank, rod = (
        s.rigid_body(name, mass, J, {near: [-half, 0], far: [half, 0]}, position=[x, 0])
        for name, mass, J, near, far, half, x in (
            ("crank", 0.3, 1e-4, "O", "A", CRANK / 2, CRANK / 2),
            ("rod", 0.21, 2.5e-4, "A", "B", ROD / 2, CRANK + ROD / 2),
        )
    )
    slider = s.rigid_body("slider", 0.14, 1e-4, position=[CRANK + ROD + clearance, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.prismatic("guide", s.ground, slider, axis="x")
    s.motion("drive", joint="O", angle=fx.ramp(rate=speed))
    if clearance:
        s.cylinder_contact(
            "B", rod["B"], slider, stiffness, size=PIN + clearance, radius=PIN, hollow=True, damping=damping,
            friction=friction, slip_speed=1e-2,
        )  # fmt: skip
        s.start("guide", displacement=CRANK + ROD + clearance, rate=0.0)
        s.start("A", angle=0.0, rate=-speed * (1 + CRANK / ROD))
    else:
        s.revolute("B", rod["B"], slider)
    s.channel("slider", fx.joint_coordinate("guide", "displacement"), "m")
    s.channel("slider_speed", fx.joint_rate("guide", "displacement"), "m/s")
    s.channel("slider_acceleration", fx.acceleration(slider, "x"), "m/s²")
    s.channel("hole_x", fx.position(rod["B"], "x"), "m", "centre of the hole")
    s.channel("hole_y", fx.position(rod["B"], "y"), "m", "centre of the hole")
    s.channel("torque", fx.torque("drive"), "N m", "of the drive")
    return s


def ideal(t: np.ndarray, speed: float = 52.36) -> np.ndarray:
    """Place [m] of the slider without clearance."""
    phi = speed * np.asarray(t)
    return CRANK * np.cos(phi) + np.sqrt(ROD**2 - (CRANK * np.sin(phi)) ** 2)
