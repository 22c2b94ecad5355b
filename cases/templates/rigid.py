r"""A crank and a rod that push a piston: rigid bodies, pins, a slide, a motor and a spring.

              A
            /   \___
          /         \___  rod
    crank            ___\____
        O           |   B    |---  x

SI units: m, kg, s, N, rad.
"""

import flexnet as fx

END = 2.0  # s; how long `flexnet run` goes on if it is not told
STEP = 2e-4  # s; without it steps are chosen for an error of 1e-6, which are many


def build(torque: float = 2.0, crank_length: float = 0.1, rod_length: float = 0.3) -> fx.System:
    """Build the mechanism; `flexnet run FILE --set torque=4` sets a parameter.

    Parameters
    ----------
    torque : of the motor on the crank, N m.
    crank_length, rod_length : m.
    """
    s = fx.System("rigid", planar=True)
    s.gravity([0.0, -9.81])

    # a body: mass [kg], inertia about its centre of mass [kg m²], the points where it meets others, seen from
    # its centre of mass, and a rough idea of where it starts: joints are closed for you
    a, b = crank_length / 2, rod_length / 2
    crank = s.rigid_body("crank", 1.0, 1e-3, {"O": [-a, 0], "A": [a, 0]}, position=[a, 0])
    rod = s.rigid_body("rod", 0.5, 4e-3, {"A": [-b, 0], "B": [b, 0]}, position=[2 * a + b, 0])
    piston = s.rigid_body("piston", 2.0, 1e-3, position=[2 * (a + b), 0])

    # joints between frames; a body stands for its centre of mass
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], piston)
    s.prismatic("guide", s.ground, piston, axis="x")

    # what drives it, what it works against, where it starts
    s.torque("motor", joint="O", torque=torque)
    s.spring("gas", s.ground.frame("head", [0.6, 0]), piston, stiffness=50.0, damping=20.0, free_length=0.2)
    s.start("O", angle=0.5)

    # what is recorded beside every frame and every joint load
    s.channel("crank_speed", fx.joint_rate("O"), "rad/s", "speed of the crank")
    s.channel("piston_x", fx.position(piston, "x"), "m", "place of the piston")
    s.channel("pin_force", fx.force("A"), "N", "between crank and rod")
    return s
