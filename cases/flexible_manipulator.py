r"""A flexible manipulator: two links, of which the outer one bends, under PID control and computed torque.

                   _____■ load     upper arm 0.5 m, rigid, 2 kg
    shoulder  ____/                lower arm 0.6 m, aluminium 4 mm × 20 mm, flexible
        o=====o  elbow             load 0.1 kg at the tip

The arm moves in a horizontal plane from rest to rest in half a second, by a polynomial of degree five in each
joint. A motor in each joint does what the *rigid* arm would need (computed torque, known beforehand), and a
PID controller of the joint's angle adds what the bending link takes besides. The joints stray by 0.13° and
0.26°, the tip bends by 6.6 mm on the way and by 0.24 mm once the joints stand; nothing measures it. Without
the torques (``feed_forward=False``) they stray by 4.7° and 3.2°, and the tip swings by 13.5 mm. Recorded are
the torques of the motors, the errors of the joints and the deflection of the tip. The arm is ours.
"""

import flexnet as fx

END = 1.0
STEP = 2e-4
MOVE = 0.5


def build(
    shoulder: float = 0.8,
    elbow: float = -1.2,
    load: float = 0.1,
    thickness: float = 0.004,
    modes: int = 2,
    feed_forward: bool = True,
) -> fx.System:
    """Build the arm with its controllers.

    Parameters
    ----------
    shoulder, elbow : angles at the end of the move, rad.
    load : mass at the tip, kg.
    thickness : of the lower arm, m.
    modes : eigenmodes of the lower arm, 1.
    feed_forward : whether the motors know the torques of the rigid arm, 1.
    """
    s = _links(load, thickness, modes)
    move = {name: fx.smooth_step(0.0, to, MOVE) for name, to in (("shoulder", shoulder), ("elbow", elbow))}
    torques = fx.computed_torque(_links(load, thickness, 0), move, MOVE, MOVE / 100)
    for joint, gain in (("shoulder", 40.0), ("elbow", 10.0)):
        wanted = fx.known(move[joint], "rad")
        error, rate = wanted - fx.joint_coordinate(joint), wanted.rate - fx.joint_rate(joint)
        control = fx.pid(error, gain, 2 * gain, gain / 8, rate=rate, unit="N*m", name=f"{joint}_control")
        s.actuator(f"{joint}_motor", joint, control + torques[joint] if feed_forward else control)
        s.channel(f"{joint}_torque", fx.torque(f"{joint}_motor", "z"), "N*m", "of the motor")
        s.channel(f"{joint}_error", error, "deg", "of the angle")
    s.channel(
        "tip", fx.deflection(s.bodies["lower"], "end", "y"), "mm", "deflection from the undeformed link"
    )
    return s


def _links(load: float, thickness: float, modes: int) -> fx.System:
    """The arm without motors."""
    s = fx.System("flexible_manipulator", planar=True)
    upper = s.rigid_body("upper", 2.0, 0.04, {"O": [-0.25, 0], "A": [0.25, 0]}, position=[0.25, 0])
    aluminium, strip = fx.Material(E=7e10, nu=0.33, rho=2700.0), fx.rectangle(thickness, 0.02)
    lower = s.flexible_body(
        "lower", fx.beam_body(0.6, 6, aluminium, strip), support=fx.Clamped("start"), modes=modes,
        position=[0.5, 0, 0],
    )  # fmt: skip
    tip = s.rigid_body("load", load, 1e-5, position=[1.1, 0, 0])
    s.revolute("shoulder", s.ground, upper["O"])
    s.revolute("elbow", upper["A"], lower["start"])
    s.weld("grip", lower["end"], tip)
    return s
