"""A fan on a direct-current motor: a source, a machine on a joint, and a load that grows with the speed.

     + ---- R --- M ====(O)==== fan          air:  T = -c ω |ω|

SI units: m, kg, s, N, rad, V, A.
"""

import flexnet as fx

END = 2.0  # s
STEP = 1e-3  # s


def build(voltage: float = 24.0, inertia: float = 0.02, drag: float = 2e-3) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    voltage : of the source, V.
    inertia : of fan and rotor, kg m².
    drag : c of the air, N m s².
    """
    s = fx.System("motor", planar=True)
    fan = s.rigid_body("fan", 1.0, inertia, {"tip": [0.2, 0]})
    s.revolute("O", s.ground, fan)
    s.motor("machine", "O", voltage, constant=0.3, resistance=1.0)

    speed = fx.joint_rate("O")
    s.torque("air", fan, -fx.quantity(drag, "N*m*s^2") * speed * abs(speed))

    s.channel("speed", speed, "rad/s")
    s.channel("tip", fx.position(fan["tip"], "x"), "m")
    return s
