"""A boom lifted by a hydraulic cylinder: a force between two bodies, and a length that is controlled.

                    ___--- load
            ___---A
     O ----     /           cylinder from the ground at C to the boom at A:
            C /             F = k (wanted - length) - d rate

SI units: m, kg, s, N, rad.
"""

import flexnet as fx

END = 4.0  # s
STEP = 1e-3  # s


def build(load: float = 200.0, gain: float = 4e5, damping: float = 2e4, lift: float = 0.35) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    load : mass at the tip, kg.
    gain : of the cylinder's controller, N/m.
    damping : of the cylinder, N s/m.
    lift : by how much the cylinder gets longer, m.
    """
    s = fx.System("actuator", planar=True)
    s.gravity([0.0, -9.81])

    boom = s.rigid_body(
        "boom", 150.0, 80.0, {"O": [-1.25, 0], "A": [-0.25, 0], "tip": [1.25, 0]}, position=[1.25, 0]
    )
    weight = s.rigid_body("weight", load, 5.0, position=[2.5, 0])
    s.revolute("O", s.ground, boom["O"])
    s.weld("hook", boom["tip"], weight)

    # the controller wants a length: a spring of stiffness `gain` whose rest moves, and k·wanted is a force
    foot, rest = s.ground.frame("C", [0.6, -0.6]), (0.4**2 + 0.6**2) ** 0.5
    pushed = fx.smooth_step(0.0, gain * lift, duration=2.0, begin=0.5)
    s.spring("cylinder", foot, boom["A"], gain, damping, free_length=rest, force=pushed)

    s.channel("boom_angle", fx.joint_coordinate("O"), "rad")
    s.channel("tip_height", fx.position(weight, "y"), "m")
    s.channel("pin_force", fx.force("O"), "N", "in the bearing of the boom")
    return s
