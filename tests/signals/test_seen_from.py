"""Motions as seen from a frame that moves: channels and feedback alike, both engines, any tree."""

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import flexnet as fx
from flexnet.errors import ModelError

PLAIN = str.maketrans("[], ", "____")
KINDS = (fx.position, fx.velocity, fx.acceleration, fx.angular_velocity, fx.angular_acceleration)
RATES = (
    ("velocity", "position"),
    ("acceleration", "velocity"),
    ("angular_acceleration", "angular_velocity"),
)


def arm() -> fx.System:
    """Two links in space; the tip, seen from the first, is measured, and summed as a state."""
    s = fx.System("arm")
    s.gravity([0, 0, -9.81])
    one = s.rigid_body("one", 1.0, [0.01, 0.1, 0.1], {"O": [-0.5, 0, 0], "A": [0.5, 0, 0]}, [0.5, 0, 0])
    one.frame("eye", [0.1, 0.2, -0.1], fx.rotation("x", 0.7) @ fx.rotation("z", 0.3))
    two = s.rigid_body("two", 0.5, [0.01, 0.05, 0.05], {"A": [-0.4, 0, 0], "tip": [0.4, 0, 0]}, [1.4, 0, 0])
    s.revolute("O", s.ground, one["O"], axis="y")
    s.revolute("A", one["A"], two["A"], axis=[0, 1, 1])
    s.start("O", rate=1.0)
    s.start("A", rate=-2.0)
    for kind in KINDS:
        for axis in ("x", "y", "z", None):
            seen = kind(two["tip"], axis, seen_from=one["eye"])
            name = f"{kind.__name__} {axis}"
            s.channel(name, seen)
            s.channel(f"{name} summed", fx.integral(seen, name=name.replace(" ", "_")))
    for axis in ("x", "y", [0, 1, 1]):
        seen = fx.angle(two["tip"], axis, seen_from=one["eye"])
        s.channel(f"angle {axis}", seen, "rad")
        s.channel(f"angle {axis} summed", fx.integral(seen, name=f"angle_{axis}".translate(PLAIN)))
    return s


@pytest.mark.parametrize(("tree", "engine"), [("joint", "numeric"), ("absolute", "symbolic")])
def test_what_is_seen_from_a_moving_frame_is_what_its_axes_show(tree, engine):
    run = fx.simulate(arm(), 0.3, 1e-3, fx.dop853(), tree, engine=engine)
    R = np.array([_matrix(q) for q in run["frames/one.eye/quaternion"]])
    d = run["frames/two.tip/position"] - run["frames/one.eye/position"]
    w_A, w_B = run["frames/one.eye/angular_velocity"], run["frames/two.tip/angular_velocity"]
    u = run["frames/two.tip/velocity"] - run["frames/one.eye/velocity"] - np.cross(w_A, d)
    for name, vector in (("position", d), ("velocity", u), ("angular_velocity", w_B - w_A)):
        seen = np.einsum("rji,rj->ri", R, vector)
        for k, axis in enumerate("xyz"):
            assert run.channel(f"{name} {axis}") == pytest.approx(seen[:, k], abs=1e-12)
        assert run.channel(f"{name} None") == pytest.approx(np.linalg.norm(seen, axis=1), abs=1e-12)
    turned = np.einsum("rji,rjk->rik", R, [_matrix(q) for q in run["frames/two.tip/quaternion"]])
    for axis, n in (("x", [0, 1, 0]), ("y", [1, 0, 0]), ([0, 1, 1], [1, 0, 0])):
        seen, across = turned @ n, np.cross(axis_of(axis), n)
        angle = np.arctan2(seen @ across, seen @ n)
        assert run.channel(f"angle {axis}") == pytest.approx(angle, abs=1e-12)
        summed = cumulative_simpson(angle, x=run.t, initial=0.0)
        assert run.channel(f"angle {axis} summed") == pytest.approx(summed, abs=1e-8)
    for axis in "xyz":  # each is a rate in the axes that see it, as the engine integrates it
        for rate, of in RATES:
            value = run.channel(f"{of} {axis}")
            assert run.channel(f"{rate} {axis} summed") == pytest.approx(value - value[0], abs=1e-7)
            # and as channels show it, by differences between rows
            slope = np.gradient(value, run.t, edge_order=2)[1:-1]
            close = 2e-3 * np.ptp(slope) + 1e-3
            assert run.channel(f"{rate} {axis}")[1:-1] == pytest.approx(slope, abs=close)


def axis_of(axis):
    return np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.array(axis) / np.linalg.norm(axis)


def test_the_angle_of_a_body_in_the_plane_has_the_rate_of_its_angular_velocity():
    s = fx.System("plane", planar=True)
    one = s.rigid_body("one", 1.0, 0.1, angular_velocity=0.4)
    two = s.rigid_body("two", 1.0, 0.1, position=[1.0, 0.0], angular_velocity=-1.0)
    two.frame("nose", [0.1, 0.0], fx.rotation("z", 0.5))
    s.floats(one)
    s.floats(two)
    s.channel("turn", fx.angle(two["nose"]), "deg")
    s.channel("between", fx.angle(two["nose"], seen_from=one))
    s.event("aligned", fx.angle(two["nose"], seen_from=one), fx.stop())
    run = fx.simulate(s, 2.0, 1e-2)
    assert run.events[0].t == pytest.approx(0.5 / 1.4, abs=1e-10)
    assert run.channel("turn") == pytest.approx(np.degrees(0.5 - run.t), abs=1e-9)
    assert run.channel("between") == pytest.approx(0.5 - 1.4 * run.t, abs=1e-11)


def _matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_a_frame_of_another_system_sees_nothing():
    s, other = arm(), fx.System("other")
    body = other.rigid_body("else", 1.0, [1, 1, 1])
    with pytest.raises(ModelError, match="channel 'c' looks from 'else', which is not in the system"):
        s.channel("c", fx.position(s.bodies["two"], "x", seen_from=body))
