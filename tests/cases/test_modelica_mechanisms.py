"""Mechanisms of the Modelica Standard Library beside their published results.

Figures: ``modelica/MAP-LIB_ReferenceResults``, branch v4.1.0, commit 6db6c501, two rows of each. ``check`` is
what an independent solution of the same equations, of tolerance 1e-9, is off over the range of a column: the
published results are no better, and twice that is asked. Gravity is 9.80665 m/s² along -y.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexnet as fx

G = 9.80665


def pendulum() -> fx.System:
    s = fx.System("pendulum", planar=True)
    body = s.rigid_body("body", 1.0, 0.001, {"O": [-0.5, 0]}, position=[0.5, 0])
    s.revolute("O", s.ground, body["O"])
    s.torsional_spring("damper", joint="O", damping=0.1)
    _angles(s, "O")
    return s


def double_pendulum() -> fx.System:
    s = fx.System("double_pendulum", planar=True)
    ends = {"a": [-0.25, 0], "b": [0.25, 0]}
    one = s.rigid_body("one", 13.86, 0.292908, ends, position=[0.25, 0])
    two = s.rigid_body("two", 13.86, 0.292908, ends, position=[0.75, 0])
    s.revolute("1", s.ground, one["a"])
    s.revolute("2", one["b"], two["a"])
    s.torsional_spring("damper", joint="1", damping=0.1)
    _angles(s, "1", "2")
    return s


def pendulum_with_spring() -> fx.System:
    s = fx.System("pendulum_with_spring", planar=True)
    s.ground.frame("pivot", [0.3, 0])
    arm = s.massless_body("arm", position=[0.3, 0])
    body = s.rigid_body("body", 1.0, 1.0, position=[0.8, 0])
    s.revolute("turn", s.ground["pivot"], arm)
    s.prismatic("slide", arm, body, axis="x")
    s.spring("spring", s.ground["pivot"], body, 20.0, 1.0, 0.2)
    s.start("slide", displacement=0.5)
    s.channel("s", fx.joint_coordinate("slide", "displacement"))
    s.channel("v", fx.joint_rate("slide", "displacement"))
    _angles(s, "turn")
    return s


def spring_damper_system() -> fx.System:
    s = fx.System("spring_damper_system", planar=True)
    s.ground.frame("one", [0.3, 0])
    w = 0.0349065850399
    body = s.rigid_body(
        "body", 1.0, 0.1, {"a": [0, 0.2]}, position=[0.3, -0.4], velocity=[0.2 * w, 0],
        angular_velocity=[0, 0, w],
    )  # fmt: skip
    s.floats(body)
    s.spring("spring", s.ground["one"], body["a"], 30.0, 2.0, 0.1)
    s.ground.frame("two", [0.9, 0])
    mass = s.rigid_body("mass", 1.0, 0.1, position=[0.9, -0.1])
    s.prismatic("slide", s.ground["two"], mass, axis=[0, -1, 0])
    s.spring("second", s.ground["two"], mass, 30.0, 0.0, 0.1)
    s.channel("x", fx.position(body["a"], "x"))
    s.channel("y", fx.position(body["a"], "y"))
    s.channel("vx", fx.velocity(body["a"], "x"))
    s.channel("vy", fx.velocity(body["a"], "y"))
    s.channel("w", fx.angular_velocity(body, "z"))
    s.channel("s", fx.joint_coordinate("slide", "displacement"))
    s.channel("v", fx.joint_rate("slide", "displacement"))
    return s


def line_with_two_masses() -> fx.System:
    s = fx.System("line_with_two_masses", planar=True)
    O, P, B = np.array([0, 0.3]), np.array([0, -0.9]), np.array([0.7, 0.3])
    s.ground.frame("O", O)
    s.ground.frame("P", P)
    box = s.rigid_body("box", 6.60275, 0.270286322, {"O": [-0.35, 0], "B": [0.35, 0]}, position=[0.35, 0.3])
    s.revolute("O", s.ground["O"], box["O"])
    along = (B - P) / np.linalg.norm(B - P)
    R = fx.rotation("z", np.arctan2(along[1], along[0]))
    foot = s.rigid_body("foot", 1.0, 0.0, {"P": [-0.2, 0]}, position=P + 0.2 * along, rotation=R)
    head = s.rigid_body("head", 1.0, 0.0, {"B": [0.2, 0]}, position=B - 0.2 * along, rotation=R)
    s.revolute("P", s.ground["P"], foot["P"])
    s.prismatic("slide", foot, head, axis="x")
    s.revolute("B", head["B"], box["B"])
    s.spring("damper", s.ground["P"], box["B"], 0.0, 3.0)
    _angles(s, "O")
    return s


def free_body() -> fx.System:
    s = fx.System("free_body")
    R = fx.rotation("x", np.pi / 18) @ fx.rotation("y", np.pi / 18) @ fx.rotation("z", np.pi / 18)
    a = np.array([0.2, -0.5, 0.1])
    frames = {"a": [-0.2, 0, 0], "b": [0.2, 0, 0]}
    body = s.rigid_body("body", 1.0, np.eye(3), frames, position=a + R @ [0.2, 0, 0], rotation=R)
    s.floats(body)
    s.ground.frame("B", [0.8, 0, 0])
    s.spring("A", s.ground, body["a"], 20.0)
    s.spring("B", s.ground["B"], body["b"], 20.0)
    for axis in "xyz":
        s.channel(axis, fx.position(body["a"], axis))
    s.channel("vy", fx.velocity(body["a"], "y"))
    return s


def spatial_four_bar() -> fx.System:
    s = fx.System("spatial_four_bar")
    b1 = s.rigid_body(
        "b1", 7.70916408,
        np.array([[0.168236445, 0, 0], [0, 0.00878708806, -0.0318898714], [0, -0.0318898714, 0.161858471]]),
        {"a": [0, -0.25, -0.05], "b": [0, 0.25, 0.05]}, position=[0, 0.25, 0.05],
    )  # fmt: skip
    b2 = s.rigid_body(
        "b2", 3.02378293, np.diag([0.0105517425, 0.000944932165, 0.0105517425]),
        {"a": [0, -0.1, 0], "b": [0, 0.1, 0]}, position=[1.0, 0.1, 0],
    )  # fmt: skip
    Ixy, Ixz, Iyz = 0.395745568, 0.131915189, -0.0395745568
    I3 = np.array([[0.136870456, Ixy, Ixz], [Ixy, 1.33729868, Iyz], [Ixz, Iyz, 1.44283083]])
    half = np.array([-0.5, 0.15, 0.05])
    b3 = s.rigid_body("b3", 15.8568515, I3, {"a": -half, "b": half}, position=[0.5, 0.35, 0.05])
    s.ground.frame("rail", [1.2, 0, 0])
    s.revolute("j1", s.ground, b1["a"], axis="x")
    s.prismatic("j2", s.ground["rail"], b2["a"], axis="x")
    s.universal("u", b2["b"], b3["a"], "y", "z")
    s.spherical("ball", b1["b"], b3["b"])
    s.start("j1", angle=0.0, rate=5.23598775598)
    _angles(s, "j1")
    return s


def engine() -> fx.System:
    """Planes normal to x: their y is this x, their z this y; gravity along -x."""
    s = fx.System("engine", planar=True)
    m, moment = 1.51189146 + 2 * 0.77 + 0.544280927, 0.1314280927
    d = moment / m
    crank = s.rigid_body(
        "crank", m, 1.0114306736 - m * d * d, {"O": [-d, 0], "pin": [0.1 - d, 0]}, position=[d, 0]
    )
    rod = s.rigid_body("rod", 1.848, 0.0067144, {"low": [-0.1, 0], "high": [0.1, 0]}, position=[0.2, 0])
    piston = s.rigid_body("piston", 6.04756586, 1.0, position=[0.3, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("pin", crank["pin"], rod["low"])
    s.revolute("small", rod["high"], piston)
    s.prismatic("bore", s.ground, piston, axis="x")
    s.start("O", angle=0.0, rate=10.0)
    _angles(s, "O")
    return s


def gyroscope() -> fx.System:
    s = fx.System("gyroscope")
    R = fx.rotation("y", np.pi / 4)
    arm = s.rigid_body(
        "arm", 3.77972866, np.diag([0.00118116521, 0.0202766694, 0.0202766694]),
        {"O": [-0.125, 0, 0]}, position=[0.125, 0, 0],
    )  # fmt: skip
    arm.frame("end", [0.125, 0, 0], rotation=R)
    rotor = s.rigid_body(
        "rotor", 12.0951317, np.diag([0.0151189146, 0.047876563, 0.047876563]), position=[0.25, 0, 0],
        rotation=R, angular_velocity=R @ [10.0, 0, 0],
    )  # fmt: skip
    s.spherical("O", s.ground, arm["O"])
    s.revolute("spin", arm["end"], rotor, axis="x")
    s.start("spin", angle=0.0, rate=10.0)
    _angles(s, "spin")
    return s


def universal() -> fx.System:
    s = fx.System("universal")
    angles = zip("xyz", np.radians([10.0, 55.0, 68.0]), strict=True)
    R = np.linalg.multi_dot([fx.rotation(axis, angle) for axis, angle in angles])
    F = np.array([0.2, -0.3, 0.2])
    s.ground.frame("F", F, rotation=R)
    s.ground.frame("S", [0.8, 0, 0.3])
    frames = {"O": [-0.2, 0, 0], "S": [0.3, 0.15, 0.2]}
    body = s.rigid_body("body", 1.0, np.eye(3), frames, position=F + R @ [0.2, 0, 0], rotation=R)
    s.universal("U", s.ground["F"], body["O"], "z", "x")
    s.spring("spring", s.ground["S"], body["S"], 20.0)
    for name, coordinate in (("a", "alpha"), ("b", "beta")):
        s.channel(f"phi_{name}", fx.joint_coordinate("U", coordinate))
        s.channel(f"w_{name}", fx.joint_rate("U", coordinate))
    return s


def _angles(s: fx.System, *joints: str) -> None:
    for name in joints:
        s.channel(f"phi_{name}", fx.joint_coordinate(name))
        s.channel(f"w_{name}", fx.joint_rate(name))


def in_axes_of(run: fx.Run, body: str) -> np.ndarray:
    """Angular velocity of a body in its own axes, (rows, 3) rad/s."""
    quaternion, w = run[f"frames/{body}/quaternion"], run[f"frames/{body}/angular_velocity"]
    return Rotation.from_quat(quaternion, scalar_first=True).inv().apply(w)


@dataclass(frozen=True)
class Published:
    """A case: its system, what its results are off over their range, and single rows of them by time.

    A column ``arm.x`` is the angular velocity of the arm along its own x.
    """

    build: Callable[[], fx.System]
    end: float
    interval: float
    check: float
    columns: tuple[str, ...]
    ranges: tuple[float, ...]
    rows: dict[float, tuple[float, ...]]


# fmt: off
CASES = [
    Published(pendulum, 5, 0.02, 2e-06,
        ("phi_O", "w_O"), (2.878, 10.79),
        {0.78: (-2.86318734138, -0.73860663511), 4.9: (-1.44016923491, -2.39355979019)}),
    Published(double_pendulum, 3, 0.012, 1e-05,
        ("phi_1", "w_1", "phi_2", "w_2"), (3.212, 13.64, 3.23, 36.34),
        {0.996: (-2.92734249396, 2.89682080639, -0.486169098163, -7.27592715857), 2.436:
         (-2.1064732406, -0.319817028474, -0.409669694956, -12.5939922829)}),
    Published(pendulum_with_spring, 10, 0.04, 1e-05,
        ("s", "v", "phi_turn", "w_turn"), (0.966, 3.69, 2.275, 3.171),
        {1.0: (0.741836760859, 1.91975273754, -1.3569457023, -1.64133971181), 8.8: (0.59076540526,
         -0.279970539244, -1.96556544106, -0.0622632775175)}),
    Published(spring_damper_system, 10, 0.04, 7e-05,
        ("x", "y", "vx", "vy", "w", "s", "v"), (0.005383, 0.353, 0.02621, 1.492, 0.09365, 0.6538,
         3.58),
        {0.6: (0.301978035513, -0.552967091202, 0.00360918852404, 0.062030507758,
         -0.0307240392188, 0.750357130467, -0.258242497247), 9.68: (0.30245498672,
         -0.426896366999, -0.000134991232558, -9.5987090291e-05, 0.0262620937129, 0.729510749895,
         0.676527869921)}),
    Published(line_with_two_masses, 3, 0.012, 4e-06,
        ("phi_O", "w_O"), (2.76, 10.56),
        {0.6: (-2.32847216615, -3.93564384434), 2.784: (-1.38246501596, 3.17950254692)}),
    Published(free_body, 10, 0.04, 0.00013,
        ("x", "y", "z", "vy", "body.y", "body.z"), (0.01802, 0.5063, 0.1982, 2.85, 0.626, 0.6165),
        {1.0: (0.194241666104, -0.451162115257, 0.0664230590821, 0.126807769311, -0.305988236158,
         -0.30133958745), 9.72: (0.198732591271, -0.292434004902, 0.0165434676754, -1.39889197887,
         0.312707483999, 0.30795675442)}),
    Published(spatial_four_bar, 5, 0.02, 0.00034,
        ("phi_j1", "w_j1"), (40.33, 6.753),
        {1.0: (7.80213383069, 9.36158841759), 4.9: (39.2555836119, 9.46961953125)}),
    Published(engine, 5, 0.02, 0.00013,
        ("phi_O", "w_O"), (53.42, 1.66),
        {1.0: (10.767563845, 10.9078435571), 4.88: (52.0475717741, 10.888953911)}),
    Published(gyroscope, 5, 0.02, 4e-06,
        ("rotor.y", "rotor.z", "arm.x", "arm.y", "arm.z", "phi_spin", "w_spin"), (25.82, 25.09,
         28.51, 16.65, 16.65, 50.86, 24.93),
        {0.5: (3.25904888867, -2.02049230325, 1.58361341626, -2.82774946969, 2.07906908124,
         2.95503714445, 10.3503400722), 4.3: (1.20751213052, -10.7103056315, -9.12143100823,
         -2.59545129217, -5.67265399694, 43.6268334444, 12.4386399426)}),
    Published(universal, 10, 0.04, 3e-05,
        ("phi_a", "phi_b", "w_a", "w_b", "body.x", "body.y", "body.z"), (2.049, 1.854, 3.507,
         3.257, 3.257, 1.971, 3.481),
        {1.0: (-1.18957894233, 0.718805108306, -1.56309612299, 0.706743795625, 0.706759935865,
         -1.02926212375, -1.17638188985), 9.52: (-0.320525439557, -0.404621410407,
         0.0395717375372, 0.546113616659, 0.546094366983, -0.0155936900905, 0.0364117057171)}),
]
# fmt: on


def _column(run: fx.Run, name: str) -> np.ndarray:
    body, _, axis = name.partition(".")
    return in_axes_of(run, body)[:, "xyz".index(axis)] if axis else run.channel(name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.build.__name__)
def test_a_mechanism_moves_as_published(case: Published) -> None:
    system = case.build()
    system.gravity([-G, 0, 0] if case.build is engine else [0, -G, 0])
    run = fx.simulate(system, case.end, case.interval, fx.dop853(1e-9))
    for time, row in case.rows.items():
        k = int(np.abs(run.t - time).argmin())
        assert run.t[k] == pytest.approx(time, abs=1e-9)
        for name, size, value in zip(case.columns, case.ranges, row, strict=True):
            assert _column(run, name)[k] == pytest.approx(value, abs=2 * case.check * size), (time, name)
