"""What a channel can say about a flexible body, and what a result file keeps of it."""

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import flexnet as fx
from flexnet.results import Results

ALUMINIUM = fx.Material(E=7.0e10, nu=0.3, rho=2700.0)


def arm(**channels):
    """A heavy cantilever under its weight."""
    s = fx.System("arm", planar=True)
    s.gravity([0.0, -9.81, 0.0])
    frames = {"start": "start", "mid": 2, "end": "end"}
    beam = fx.beam_body(2.0, 4, ALUMINIUM, fx.rectangle(0.03, 0.03), frames=frames)
    body = s.flexible_body("beam", beam, support=fx.Clamped("start"), modes=3, rotation=fx.rotation("z", 0.3))
    s.revolute("O", s.ground, body["start"])
    s.motion("hold", joint="O", angle=0.3)
    for name, measure in channels.items():
        s.channel(name, measure(body), "m")
    return s


def test_a_node_and_the_frame_on_it_move_together():
    run = fx.simulate(
        arm(
            frame=lambda b: fx.position(b["mid"], "y"),
            node=lambda b: fx.node_position(b, 2, "y"),
            other=lambda b: fx.node_position(b, 3, "y"),
        ),
        0.2, 1e-3,
    )  # fmt: skip
    moved = np.ptp(run.channel("frame"))
    assert moved > 1e-4
    # the frame also shortens, to second order
    assert np.abs(run.channel("frame") - run.channel("node")).max() < 2e-3 * moved
    assert np.ptp(run.channel("other")) > np.ptp(run.channel("node"))


def test_a_deflection_is_seen_from_the_body_or_from_a_chord():
    run = fx.simulate(
        arm(
            tip=lambda b: fx.deflection(b, "end", "y"),
            middle=lambda b: fx.deflection(b, 2, "y"),
            sag=lambda b: fx.deflection(b, "mid", "y", ("start", "end")),
            size=lambda b: fx.deflection(b, "end", None),
        ),
        0.2, 1e-3,
    )  # fmt: skip
    tip, middle, sag = (run.channel(c) for c in ("tip", "middle", "sag"))
    # weight across the beam, twice the static deflection q L⁴ / 8 EI at most
    static = 2700 * 9e-4 * 9.81 * np.cos(0.3) * 2.0**4 / (8 * 7e10 * 0.03**4 / 12)
    assert tip.min() == pytest.approx(-2 * static, rel=0.05)
    assert sag == pytest.approx(middle - tip / 2, abs=2e-3 * static)
    assert np.all(run.channel("size") >= np.abs(tip) - 1e-15)


@pytest.mark.parametrize(("tree", "engine"), [("default", "numeric"), ("absolute", "symbolic")])
def test_points_of_a_flexible_body_are_fed_back_as_they_are_recorded(tree, engine):
    points = {
        "node": lambda b: fx.node_position(b, 3, "y"),
        "middle": lambda b: fx.deflection(b, 2, "y"),
        "size": lambda b: fx.deflection(b, 3, None, ("start", "end")),
        "sag": lambda b: fx.deflection(b, "mid", "y", ("start", "end")),
        "along": lambda b: fx.deflection(b, 1, "x", ("start", "end")),
    }
    s = arm(**points)
    beam = s.bodies["beam"]
    for name, measure in points.items():
        s.channel(f"{name} summed", fx.integral(measure(beam), name=name))
    # a force that follows a node makes the arm stiffer
    s.force("push", beam["end"], [0, fx.quantity(-300.0, "N/m") * fx.deflection(beam, 2, "y"), 0])
    run = fx.simulate(s, 0.1, 5e-4, fx.dop853(), tree, tolerance=1e-9, engine=engine)
    for name in points:
        value = run.channel(name)
        summed = cumulative_simpson(value, x=run.t, initial=0.0)
        assert np.ptp(value) > 0.0
        assert run.channel(f"{name} summed") == pytest.approx(summed, abs=1e-4 * np.ptp(summed) + 1e-12), name


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda b: fx.node_position(b, 17), "not one of the 5 output nodes"),
        (lambda b: fx.deflection(b, "nose"), "no frame 'nose'"),
    ],
)
def test_a_point_the_body_does_not_have_is_refused(measure, message):
    with pytest.raises(fx.ModelError, match=message):
        arm(wrong=measure)


def test_a_rigid_body_has_no_deflection():
    s = fx.System("rigid", planar=True)
    body = s.rigid_body("bar", 1.0, 1.0, {"a": [1, 0]})
    s.revolute("O", s.ground, body["a"])
    with pytest.raises(fx.ModelError, match="not a flexible body"):
        s.channel("wrong", fx.deflection(body, "a"))


def test_a_result_file_keeps_elastic_coordinates_mesh_and_modes(tmp_path):
    run = fx.simulate(arm(), 0.01, 1e-3, out=tmp_path / "arm.h5")
    results = Results.open(run.path)
    elastic = np.asarray(results.read("bodies/beam/elastic"))
    assert elastic.shape == (11, 3)
    assert np.abs(elastic[-1]).max() > 0
    record = next(b for b in results.mechanism().bodies if b.name == "beam")
    assert record.points.shape == (5, 3)
    assert record.lines.shape == (4, 2)
    table = run.equations.system.components["beam"].table
    assert np.array_equal(record.modes, table.output.translation)


def test_a_shell_hinged_at_one_node_brings_a_warning():
    panel = fx.panel_body(
        (1.0, 1.0), (2, 2), fx.ShellSection.uniform(0.01, ALUMINIUM), frames={"bare": 3, "held": 5},
        links=[fx.RigidLink(5, [2, 8])],
    )  # fmt: skip
    s = fx.System("door")
    body = s.flexible_body("door", panel, support=fx.Clamped(5), modes=3)
    s.revolute("held", s.ground, body["held"], axis="y")
    s.spherical("ball", s.ground, body["bare"])
    with pytest.warns(UserWarning, match="single node of a shell"):
        s.revolute("bare", s.ground, body["bare"], axis="y")


def test_a_force_may_have_corners():
    """Its expression is compiled without the derivatives it does not have."""
    import sympy as sp

    s = arm()
    t = sp.Symbol("t")
    s.force("pulse", s.bodies["beam"]["end"], [0, fx.expression(sp.Max(0, sp.Min(t, 1 - t))), 0])
    assert np.all(np.isfinite(fx.formulate(s, "joint").motion(fx.formulate(s, "joint").initial).a))


@pytest.mark.parametrize("pieces", [1, 2])
def test_a_chord_along_any_axis_of_its_body_tells_the_same_deflection(pieces):
    """Of a chord along y the axes were not a number, or changed their sign with the deflection."""

    def column(direction):
        s = fx.System("column", planar=True)
        steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
        beam = fx.beam_body(1.0, 4, steel, fx.rectangle(0.02, 0.02), direction=direction)
        body = s.flexible_body("beam", beam, fx.Clamped(0), 2, "craig_bampton", pieces=pieces)
        s.weld("foot", s.ground, body["start"])
        x, y, _ = direction
        s.force("push", body["end"], [fx.harmonic(-50.0 * y, 300.0), fx.harmonic(50.0 * x, 300.0)])
        bow = fx.deflection(body, 2, "y", ("start", "end"))
        s.channel("bow", bow, "m")
        s.channel("felt", 1.0 * bow, "m")  # as signals see it
        run = fx.simulate(s, 0.1, 2e-3, tree="joint")
        np.testing.assert_allclose(run.channel("felt"), run.channel("bow"), atol=1e-15)
        return run.channel("bow")

    flat = column((1.0, 0.0, 0.0))
    assert flat.min() < -1e-6 < 1e-6 < flat.max()
    for direction in ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.6, 0.8, 0.0)):
        assert np.abs(column(direction) - flat).max() < 1e-4 * np.abs(flat).max()
