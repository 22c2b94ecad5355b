r"""A direct-current motor with gear and speed controller drives the flexible four-bar of Richard (2012).

         B
        o
       /  \    AB coupler, CB follower: flexible
    A o     \  OA crank: turned by motor and gear from the ground at O
     /        \
    o O ------- o C         u ──R──L──(k n ω)── ground

The mechanism is that of ``four_bar``, with a flywheel on the crank. The motor, u = R i + L di/dt + k n ω with
the torque n k i, stands on the ground and takes its reaction there. A PI controller of the crank's speed,
held to the supply voltage, starts it from rest. Mechanism: Richard (2012) §5.1; the drive is ours.
"""

import numpy as np

import flexnet as fx

END = 0.6
STEP = 1e-4


def build(
    speed: float = 20.0,
    supply: float = 24.0,
    k: float = 0.05,
    R: float = 0.5,
    L: float = 2e-3,
    gear: float = 8.0,
    flywheel: float = 0.2,
    modes: int = 2,
) -> fx.System:
    """Build motor and mechanism.

    Parameters
    ----------
    speed : wanted of the crank, rad/s.
    supply : largest voltage, V.
    k : constant of the motor, N m/A.
    R, L : resistance and inductance of its armature, ohm and H.
    gear : turns of the motor to one of the crank, 1.
    flywheel : inertia of crank, gear and rotor about O, kg m².
    modes : eigenmodes per link, 1.
    """
    s = fx.System("motor_four_bar", planar=True)
    crank, coupler, follower, ground = 0.3, 0.6, 0.5, 0.6
    A, C = np.array([crank, 0.0, 0.0]), np.array([ground, 0.0, 0.0])
    d = ground - crank
    x = (coupler**2 - follower**2 + d**2) / (2 * d)
    B = A + np.array([x, np.sqrt(coupler**2 - x**2), 0.0])
    s.ground.frame("C", C)
    arm = s.rigid_body("crank", 1.0, flywheel, {"A": [crank, 0]})
    steel = fx.Material(E=2.0e11, nu=0.3, rho=7800.0)
    tube = fx.BeamSection(A=1.767e-4, Iy=3.112e-8, Iz=3.112e-8, ky=0.5, kz=0.5)
    links = {}
    for name, start in (("coupler", A), ("follower", C)):
        way = B - start
        beam = fx.beam_body(float(np.linalg.norm(way)), 8, steel, tube)
        links[name] = s.flexible_body(
            name, beam, support=fx.Pinned("start", "end"), modes=modes, position=start,
            rotation=fx.rotation("z", np.arctan2(way[1], way[0])),
        )  # fmt: skip
        s.channel(f"{name}_deflection", fx.deflection(links[name], 4, "y"), "mm", f"midpoint of the {name}")
    s.revolute("O", s.ground, arm)
    s.revolute("A", arm["A"], links["coupler"]["start"])
    s.revolute("B", links["coupler"]["end"], links["follower"]["end"])
    s.revolute("C", s.ground["C"], links["follower"]["start"])
    wanted = fx.known(fx.smooth_step(0.0, speed, duration=0.2), "rad/s")
    voltage = fx.pid(
        wanted - fx.joint_rate("O"), 2.0, 20.0, unit="V", low=-supply, high=supply, name="speed control"
    )
    s.motor("motor", "O", voltage, constant=k, resistance=R, inductance=L, gear=gear)
    s.channel("speed", fx.joint_rate("O"), "rad/s", "of the crank")
    s.channel("current", fx.current("motor.R"), "A", "of the armature")
    s.channel("torque", fx.torque("motor", "z"), "N*m", "of motor and gear on the crank")
    return s
