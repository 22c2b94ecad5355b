"""What events throw bodies back from is drawn; elements on one line do not cover each other."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import flexnet as fx
from flexnet.analysis.recording import planes_of, plate, ring
from flexnet.results import Results
from flexnet.results.mechanism import mechanism_from_tree
from flexnet.signals import Event
from flexnet.view.figure import new_figure
from flexnet.view.mechanism_drawing import Projection, draw_pose
from flexnet.view.numbers import Numbers
from flexnet.view.page_data import told_page
from flexnet.view.scene import scene_of
from tests.catalogue import build


def system():
    s = fx.System("ramp", planar=True)
    ball = s.rigid_body("ball", 1.0, 1.0, position=[0.0, 1.0])
    s.floats(ball)
    return s, ball


def test_a_signal_that_is_a_distance_from_a_plane_is_one():
    _, ball = system()
    x, y = fx.position(ball, "x"), fx.position(ball, "y")
    (found,) = planes_of([Event("ramp", 2.0 * (3.0 * x + 4.0 * y - 1.0) / 5.0, fx.impact(1.0))])
    assert found.frame == "ball"
    assert found.normal == pytest.approx((0.6, 0.8, 0.0))
    assert found.offset == pytest.approx(0.2)
    others = (
        x * y,
        x**2,
        fx.velocity(ball, "y"),
        np.sin(y / fx.quantity(1.0, "m")),
        y - fx.time() * fx.quantity(1.0, "m/s"),
    )
    assert not list(planes_of(Event("e", other, fx.impact(1.0)) for other in others))
    assert not list(planes_of([Event("e", y, fx.stop())]))


def test_the_floor_lies_where_the_ball_touches_it(tmp_path):
    run = fx.simulate(build("bouncing_ball"), 0.5, 0.01, out=tmp_path / "a.h5")
    results = Results.open(run.path)
    (plane,) = results.mechanism().planes
    assert (plane.name, plane.normal, plane.offset) == ("floor", (0.0, 1.0, 0.0), 0.0)
    assert mechanism_from_tree(results.mechanism().to_tree()).planes == (plane,)
    (part,) = (p for p in told_page([results], Numbers())["parts"] if p["name"] == "floor")
    assert part["tail"]["place"][1] == pytest.approx(-0.03, abs=1e-3)  # the radius, of a ball of triangles
    (drawn,) = scene_of(results, np.array([0.0, 0.5])).touched
    assert np.allclose(drawn.points[..., 1], part["tail"]["place"][1])


def test_elements_that_would_cover_each_other_stand_side_by_side(tmp_path):
    """Spring and damper of FlexNet's figure 1 pull at the same place, along the same line."""
    run = fx.simulate(build("flexnet_figure_1"), 0.02, 0.01, out=tmp_path / "a.h5")
    results = Results.open(run.path)
    lanes = {p["name"]: p["lane"] for p in told_page([results], Numbers())["parts"]}
    assert (lanes["k6"], lanes["k7"] + lanes["d8"], abs(lanes["k7"])) == (0.0, 0.0, 0.5)
    ends = {p.name: p.ends[0] for p in scene_of(results, np.array([0.0])).parts}
    assert abs(ends["k7"][0, 1] - ends["d8"][0, 1]) > 0.01  # m
    assert ends["k7"][0, 1] == pytest.approx(ends["k7"][1, 1])


@pytest.mark.parametrize("thickness", [0.0, 1.5e-6])
def test_a_condenser_is_two_plates_opposite_each_other(thickness, tmp_path):
    """The electrode is flat: what faces a point of a flexible plate lies under it, not where its frame is."""
    system = build("mems_mirror", thickness=thickness, elements=2)
    run = fx.simulate(system, 1e-4, 1e-5, out=tmp_path / "a.h5")
    results = Results.open(run.path)
    told = {p["name"]: p for p in told_page([results], Numbers())["parts"]}
    drawn = {p.name: p for p in scene_of(results, run.time).parts if p.look == "condenser"}
    assert set(drawn) == {name for name in told if name.startswith("field")}
    axes = new_figure(3.0, 3.0).add_subplot()
    draw_pose(axes, scene_of(results, run.time), 0, Projection())
    ends = (np.asarray(x.get_ydata(), dtype=float) for x in axes.lines if np.ptp(x.get_xdata()) > 0.0)
    assert sum(len(y) == 2 and np.ptp(y) == 0.0 and y[0] in (0.0, 2e-6) for y in ends) == 2 * len(drawn)
    for name, part in drawn.items():
        assert told[name]["look"] == "condenser"
        across = part.ends[:, 1] - part.ends[:, 0]
        assert np.allclose(across[:, 0], 0.0, atol=1e-15)
        assert np.allclose(part.ends[:, 0, 1], 0.0, atol=1e-15)
        assert across[:, 1] == pytest.approx(2e-6, rel=0.01)  # the gap


def test_the_corners_of_a_flat_body_are_those_of_its_convex_hull():
    rng = np.random.default_rng(0)
    for n in (3, 4, 7, 40):
        points = rng.standard_normal((n, 2))
        assert set(ring(points)) == set(ConvexHull(points).vertices)
        a, b, c = np.moveaxis(np.column_stack([points, points @ [0.3, -0.7]])[plate_of(points)], 1, 0)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
        assert area == pytest.approx(ConvexHull(points).volume * np.sqrt(1.58), rel=1e-12)
    grid = np.stack(np.meshgrid(range(3), range(4)), axis=-1).reshape(-1, 2).astype(float)
    assert len(ring(grid)) == 4


def plate_of(points):
    """Triangles of the body whose frames stand above these points in a slanted plane."""
    return plate(np.column_stack([points, points @ [0.3, -0.7]]))


def test_pictures_follow_what_travels_far_at_one_scale(tmp_path):
    s = fx.System("falling", planar=True)
    s.gravity([0, -9.81])
    s.floats(s.rigid_body("rod", 1.0, 0.1, {"a": [-0.5, 0], "b": [0.5, 0]}))
    run = fx.simulate(s, 4.0, 1e-2, interval=0.1, out=tmp_path / "f.h5")
    scene = scene_of(Results.open(run.path), np.linspace(0.0, 4.0, 3))
    axes = new_figure(3.0, 3.0).add_subplot()
    widths = []
    for k in range(3):
        draw_pose(axes, scene, k, Projection())
        (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
        points = scene.shapes[0].points[k]
        assert (x0 < points[:, 0]).all()
        assert (points[:, 0] < x1).all()
        assert (y0 < points[:, 1]).all()
        assert (points[:, 1] < y1).all()
        widths.append(x1 - x0)
    assert max(widths) < 3.0
    assert np.ptp(widths) < 1e-9


def test_a_run_and_its_file_are_read_by_the_same_names(tmp_path):
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81])
    rod = s.rigid_body("rod", 1.0, 0.1, {"O": [0, 0.5]})
    s.revolute("O", s.ground, rod["O"])
    memory = fx.simulate(s, 0.1, 1e-2)
    file = Results.open(fx.simulate(s, 0.1, 1e-2, out=tmp_path / "p.h5").path)
    assert memory.rows == file.rows == 11
    for one, other in ((memory.frame("rod.O"), file.frame("rod.O")), (memory.joint("O"), file.joint("O"))):
        for key in type(one).__slots__:
            assert np.array_equal(getattr(one, key), getattr(other, key)), key
    assert np.array_equal(memory.read("energy/total"), file.read("energy/total"))
    assert "p.h5, finished, 11 rows" in repr(file)
