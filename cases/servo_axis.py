r"""One axis of a robot: reference motion, controller, current loop of op-amps, motor, friction, elastic gear.

    q_ref ─ P-PI ─ i_ref ─▷─▷─▷─ V ── R ── L ── emf      (three op-amps: difference, integrator, amplifier)
                     ▲ i          └─ motor: rotor o~~spring, damper~~[210:1]── load
                                     bearing friction: sticks and slips

The load is turned by 120° with bounded speed and acceleration. Near the end the motor creeps: its bearing
sticks twice, once after it has reversed. Controller, electronics, motor, friction and gear are those of
``Modelica.Mechanics.MultiBody.Examples.Systems.RobotR3.OneAxis`` (Modelica Standard Library, BSD-3-Clause).
Its published results hold to 8·10⁻⁷ of their range.
"""

import numpy as np

import flexnet as fx

END = 1.4976
STEP = 2e-4
RATIO = 210.0
ANGLE, SPEED, ACCELERATION = np.radians(120.0), 3.0, 10.0


def build(load: float = 19.5, friction: float = 0.5, stiffness: float = 8.0) -> fx.System:
    """Build the drive.

    Parameters
    ----------
    load : inertia behind the gear, kg m².
    friction : torque at which the rotor slips, and slides against besides a viscous part, N m.
    stiffness : of the gear at its fast side, N m/rad.
    """
    s = fx.System("servo_axis", planar=True)
    s.revolute("shaft", s.ground, s.rigid_body("rotor", 1.0, 0.0013))
    arm = s.rigid_body("load", 1.0, load)
    arm.shape("box", [1.0, 0.16, 0.05], [0.55, 0.0, 0.0])  # from the rotor outwards
    s.revolute("axis", s.ground, arm)
    s.joint_friction("bearing", "shaft", friction, damping=0.1 / 130.0, sticks=True)
    rotor, turned = fx.joint_coordinate("shaft"), fx.joint_coordinate("axis")
    rotor_rate, turned_rate = fx.joint_rate("shaft"), fx.joint_rate("axis")
    twist, twist_rate = RATIO * turned - rotor, RATIO * turned_rate - rotor_rate
    torque = fx.quantity(stiffness, "N*m/rad") * twist + fx.quantity(0.01, "N*m*s/rad") * twist_rate
    s.actuator("gear_fast", "shaft", torque)
    s.actuator("gear_slow", "axis", -RATIO * torque)

    wanted, wanted_rate = _reference(s)
    error = fx.quantity(5.0, "1/s") * (RATIO * wanted - rotor) + RATIO * wanted_rate - rotor_rate
    x = fx.integral(20.0 * error * fx.quantity(1.0, "1/s"), name="x")
    _electronics(s, fx.quantity(0.5, "V*s") * (x + error))

    for name, signal, unit, what in (
        ("x", x, "rad/s", "state of the controller"),
        ("twist", twist, "rad", "of the gear at its fast side"),
        ("twist_rate", twist_rate, "rad/s", "of the gear at its fast side"),
        ("angle", turned, "rad", "of the load"),
        ("speed", turned_rate, "rad/s", "of the load"),
        ("error", wanted - turned, "rad", "of the load behind the reference"),
        ("capacitor", fx.voltage("C"), "V", "of the integrator"),
        ("current", fx.current("motor.L"), "A", "of the armature"),
    ):
        s.channel(name, signal, unit, what)
    return s


def _reference(s: fx.System) -> tuple[fx.Signal, fx.Signal]:
    """Angle and speed of the reference: up to speed, on, and down again; its corners are events."""
    up, slow = SPEED / ACCELERATION, ANGLE / SPEED
    for name, at in (("cruises", up), ("slows", slow), ("arrives", slow + up)):
        s.event(name, fx.time() - at, fx.record())
    first, second, third = (
        fx.limit(fx.time() - begin, 0.0, long) for begin, long in ((0.0, up), (up, slow - up), (slow, up))
    )
    v, half = fx.quantity(SPEED, "rad/s"), fx.quantity(0.5 * ACCELERATION, "rad/s^2")
    angle = half * first * first + v * second + v * third - half * third * third
    return angle, 2.0 * half * (first - third)


def _electronics(s: fx.System, reference: fx.Signal) -> None:
    """Current loop: V = 5 (-v_C), C dv_C/dt = (i - i_ref) 1 Ω/R_i; and the motor."""
    s.voltage_source("measured", "i", s.ground, fx.quantity(1.0, "V/A") * fx.current("motor.L"))
    s.voltage_source("wanted", "r", s.ground, reference)
    for name, ends in (
        ("Rd1", ("r", "d-")), ("Rd2", ("d-", "d")), ("Rd3", ("i", "d+")), ("Rd4", ("d+", s.ground)),
    ):  # fmt: skip
        s.resistor(name, *ends, 100.0)
    s.op_amp("difference", "d+", "d-", "d")
    s.resistor("Ri", "d", "c-", 10.0)
    s.capacitor("C", "c-", "c", 4.363636364e-7, start=0.0)
    s.op_amp("integrator", s.ground, "c-", "c")
    s.resistor("Rp1", "p-", s.ground, 50.0)
    s.resistor("Rp2", "p", "p-", 200.0)
    s.op_amp("amplifier", "c", "p-", "p")
    s.dc_machine("motor", "p", s.ground, "shaft", 1.1616, 250.0, 0.03787878788)
