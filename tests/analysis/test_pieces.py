"""``pieces`` of a beam: one body to its author, as many welded ones to a run as its motion asks for."""

import logging

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.analysis.pieces import choose_pieces
from flexnet.cli.case import load_case
from flexnet.cli.main import build_app
from flexnet.errors import ModelError
from flexnet.fem.cut import cut_beam
from flexnet.results import Results
from flexnet.system import in_pieces
from tests.catalogue import load

STEEL = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
HOW = {"end": 0.2, "step": 2e-3, "method": fx.generalised_alpha(0.6)}
CASE = '''
import flexnet as fx
END, STEP = 0.2, 2e-3

def build(pieces: int | str = 1, force: float = 10.0) -> fx.System:
    """A strip of 1 m that a force on its tip bends."""
    s = fx.System("strip", planar=True)
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    body = fx.beam_body(1.0, 32, steel, fx.rectangle(0.004, 0.02))
    strip = s.flexible_body("strip", body, fx.Clamped("start"), 2, "craig_bampton", pieces=pieces)
    s.weld("clamp", s.ground, strip["start"])
    s.force("tip", strip["end"], [0.0, force])
    s.channel("x", fx.position(strip["end"], "x"), "m")
    s.channel("y", fx.position(strip["end"], "y"), "mm")
    s.channel("moment", fx.stress(strip, "start", "Mz"), "N*m")
    return s
'''


@pytest.fixture
def case(tmp_path):
    path = tmp_path / "strip.py"
    path.write_text(CASE)
    return path


def rows(build, pieces, force):
    return fx.simulate(build(pieces, force), **HOW)


@pytest.mark.slow
def test_a_stronger_force_takes_more_pieces_and_the_choice_is_as_good_as_it_says(case, caplog):
    build = load_case(case).build
    with caplog.at_level(logging.INFO, "flexnet"):
        weak, strong = (rows(build, "auto", f) for f in (1.0, 30.0))
    told = [run.equations.system.parameters for run in (weak, strong)]
    assert told[0]["pieces"] < told[1]["pieces"]
    assert told[1]["pieces_because"] in caplog.text
    fine = rows(build, 32, 30.0)
    for name in ("x", "y", "moment"):
        exact = fine.channel(name)
        assert np.abs(strong.channel(name) - exact).max() < 0.01 * np.abs(exact).max()


@pytest.mark.slow
def test_the_command_line_says_what_it_chose_and_the_file_keeps_it_for_stresses_and_for_going_on(
    case, tmp_path
):
    out = tmp_path / "strip.h5"
    words = ["run", str(case), "--set", "pieces=auto", "--set", "force=2.0", "--out", str(out)]
    result = CliRunner().invoke(build_app(), [*words, "--end", "0.05"])
    assert result.exit_code == 0, result.output
    kept = Results.open(out).mechanism().parameters
    assert kept["pieces"] in (2, 4, 8)
    assert kept["pieces_because"] in result.output.replace("\n", " ")
    again = CliRunner().invoke(build_app(), [*words, "--end", "0.05", "--resume"])
    assert again.exit_code == 0, again.output
    peaks = CliRunner().invoke(build_app(), ["stress", str(out), "--case", str(case)])
    assert peaks.exit_code == 0, peaks.output
    assert "strip_1" in peaks.output


def test_elements_that_do_not_suffice_are_said_by_the_run():
    s = fx.System("strip", planar=True)
    body = fx.beam_body(1.0, 2, STEEL, fx.rectangle(0.004, 0.02))
    strip = s.flexible_body("strip", body, fx.Clamped("start"), 0, "craig_bampton", pieces="auto")
    s.weld("clamp", s.ground, strip["start"])
    s.force("tip", strip["end"], [0.0, 30.0])
    s.channel("y", fx.position(strip["end"], "y"), "mm")
    run = fx.simulate(s, **HOW)
    assert run.equations.system.parameters["pieces"] == 2
    assert any("no beam has more elements" in text for text in run.warnings)
    assert list(s.bodies) == ["strip"]  # the author's own stays one


def controlled(pieces):
    """A tapered boom with a mass, a load within, a motion that is fed back with a state, and an event."""
    s = fx.System("boom")
    body = fx.beam_body(
        1.0, 8, STEEL, lambda x: fx.rectangle(0.02, 0.03 - 0.01 * x),
        frames={"root": 0, "hook": 4, "gauge": 5, "tip": "end"}, masses=[fx.PointMass("end", 1.0)],
    )  # fmt: skip
    boom = s.flexible_body(
        "boom", body, fx.Clamped(0), method="full", rotation=fx.rotation("z", 0.3), position=[0.1, 0, 0],
        angular_velocity=[0.0, 0.0, 2.0], pieces=pieces,
    )  # fmt: skip
    s.ground.frame("pivot", [0.1, 0.0, 0.0])
    s.revolute("pivot", s.ground["pivot"], boom["root"])
    s.start("pivot", rate=2.0)
    speed = fx.velocity(boom["tip"], "y")
    s.force("brake", boom["hook"], [0.0, -3.0 * fx.lag(speed, 0.05).measured_in("N"), 0.0])
    s.event("over", fx.position(boom["tip"], "y") - 0.35, fx.record())
    s.channel("tip", fx.position(boom["tip"], "y"), "m")
    s.channel("bow", fx.deflection(boom, 3, "y", ("root", "tip")), "m")
    s.channel("moment", fx.stress(boom, "gauge", "Mz"), "N*m")
    return s


def test_a_beam_in_pieces_moves_as_the_whole_with_its_frames_masses_feedback_and_events():
    """Where deflections are small: 8 elements whole and in 4 pieces, all freedoms and Craig–Bampton's."""
    whole, cut = (fx.simulate(controlled(n), 0.1, 5e-4) for n in (1, 4))
    assert [*cut.equations.system.bodies] == ["boom_1", "boom_2", "boom_3", "boom_4"]
    for name, limit in (("tip", 1e-4), ("bow", 0.02), ("moment", 0.03)):
        exact = whole.channel(name)
        assert np.abs(cut.channel(name) - exact).max() < limit * np.abs(exact).max(), name
    times = [next(e.t for e in run.events if e.name == "over") for run in (whole, cut)]
    assert times[0] == pytest.approx(times[1], abs=1e-4)


def test_cut_beams_have_the_mass_and_the_places_of_the_whole():
    body = fx.beam_body(2.0, 10, STEEL, fx.rectangle(0.02, 0.03), frames={"mid": 5}, direction=(0, 1, 0))
    pieces = cut_beam(body, 4, "beam")
    assert [len(p.body.mesh.lines) for p in pieces] == [2, 3, 3, 2]
    np.testing.assert_allclose(pieces[2].origin, [0, 1.0, 0])
    assert [sorted(p.body.frames) for p in pieces] == [
        ["cut_1"], ["cut_1", "cut_2", "mid"], ["cut_2", "cut_3"], ["cut_3"],
    ]  # fmt: skip


def test_what_cannot_be_cut_or_told_is_refused(case):
    build = load_case(case).build
    with pytest.raises(ModelError, match=r"pieces is 2\.5"):
        build(pieces=2.5)
    with pytest.raises(ModelError, match="expected 1 to 32, the number of its elements"):
        build(pieces=33)
    with pytest.raises(ModelError, match="give a number here"):
        fx.equilibrium(build(pieces="auto"))
    s = build(pieces="auto")
    s.asked = []
    with pytest.raises(ModelError, match="no channel tells the motion"):
        choose_pieces(s, lambda one: fx.simulate(one, 0.01, 1e-3))
    s = build(pieces=4)
    s.channel("own", fx.deflection(s.bodies["strip"], "end"), "m")
    with pytest.raises(ModelError, match="give a chord"):
        in_pieces(s)
    s = build(pieces=4)
    s.force("load", s.bodies["strip"], [1.0, 0.0])
    with pytest.raises(ModelError, match="'load' is at 'strip', the frame of a beam as a whole"):
        in_pieces(s)
    panel = fx.panel_body((1.0, 1.0), (2, 2), fx.ShellSection.uniform(0.01, STEEL))
    with pytest.raises(ModelError, match="expected a body of beam elements alone"):
        fx.System("panel").flexible_body("panel", panel, pieces=2)


@pytest.mark.parametrize(
    ("damping", "by"), [(fx.Rayleigh(alpha=5.0), "its mass"), (fx.ModalDamping(0.02), "ratios")]
)
def test_damping_of_the_whole_is_refused_in_pieces_and_that_of_strains_is_the_same(damping, by):
    """Two pieces had 0.0013, four 7e-5 of critical damping, for 0.024 of the whole."""

    def first(damping, pieces):
        s = fx.System("bar")
        bar = fx.beam_body(1.0, 8, STEEL, fx.rectangle(0.02, 0.02), damping=damping)
        how = {"modes": 4, "method": "craig_bampton", "pieces": pieces}
        s.weld("clamp", s.ground, s.flexible_body("bar", bar, fx.Clamped("start"), **how)["start"])
        return next(x.damping_ratio for x in fx.linearise(fx.formulate(s, "joint")).modes if x.frequency > 1)

    with pytest.raises(ModelError, match=f"damping by {by} is that of the whole; damp strains"):
        first(damping, 2)
    strains = fx.Rayleigh(beta=1e-4)
    assert first(strains, 4) == pytest.approx(first(strains, 1), rel=1e-3)


@pytest.mark.slow
def test_the_rod_of_the_spatial_slider_crank_is_cut_to_the_exact_solution():
    """Beside geometrically exact beams of another program, which one body misses by 5 %: within 2 %."""
    from tests.flexible.reference import distance, reference

    s = load("spatial_slider_crank").build(pieces="auto", modes="auto")
    run = fx.simulate(s, 0.0837, 2e-5, fx.generalised_alpha(0.9), "joint")
    assert not run.equations.system.uncut
    curve = reference("spatial_slider_crank_nonlinear")
    for name in ("v", "w"):
        assert distance(run.t, run.channel(name), curve, f"{name}_mid_m").largest < 0.02


def bent(pieces):
    """A rod bent in space on a pin that its rough pose does not fit, turning."""
    t = np.linspace(0.0, 1.0, 9)
    mesh = fx.polyline_mesh(np.column_stack([t, 0.1 * t**2, 0.05 * np.sin(2.0 * t)]), 1)
    region = fx.BeamRegion("beam", STEEL, fx.rectangle(0.03, 0.02))
    body = fx.mesh_body(mesh, [region], frames={"a": 0, "b": 8})
    s = fx.System("bent")
    s.gravity([0.0, -9.81, 0.0])
    rod = s.flexible_body(
        "rod", body, fx.Clamped(0), rotation=fx.rotation("y", 0.4), position=[0.1, 0, 0], pieces=pieces
    )
    s.revolute("pin", s.ground, rod["a"])
    s.start("pin", rate=1.5)
    for axis in "xyz":
        s.channel(f"tip_{axis}", fx.position(rod["b"], axis), "m")
        s.channel(f"bow_{axis}", fx.deflection(rod, 3, axis, ("a", "b")), "m")
    s.channel("bow", fx.deflection(rod, 3, None, ("a", "b")), "m")
    return s


def test_pieces_begin_where_the_whole_does_and_deflect_from_its_undeformed_shape():
    """A rough pose that the pin does not allow; of one body, or of any number, the same is made of it."""
    whole, *cut = (fx.simulate(bent(n), 2e-3, 5e-4, tree="joint") for n in (1, 2, 4))
    for run in cut:
        for axis in "xyz":
            assert np.abs(run.channel(f"tip_{axis}") - whole.channel(f"tip_{axis}")).max() < 1e-6
        # undeformed at the start, and bent as the whole is; of the order of 10 µm
        bow = [r.channel("bow") for r in (whole, run)]
        assert bow[1][0] < 1e-12
        assert np.abs(bow[0] - bow[1]).max() < 0.02 * bow[0].max()


def pulled(pieces, is_reversed):
    """A tapered cantilever that a force within pulls and bends, its nodes numbered from either end."""
    number = np.arange(9)[::-1] if is_reversed else np.arange(9)
    x = np.linspace(0.0, 1.0, 9)[number]
    mesh = fx.Mesh(
        nodes=np.column_stack([x, 0 * x, 0 * x]), lines=np.column_stack([number[:-1], number[1:]]),
        line_groups={f"part {i}": np.array([i]) for i in range(8)},
    )  # fmt: skip
    sections = [fx.rectangle(0.03 - 0.002 * i, 0.02) for i in range(8)]
    regions = [fx.BeamRegion(f"part {i}", STEEL, one) for i, one in enumerate(sections)]
    frames = {"root": int(number[0]), "mid": int(number[4]), "tip": int(number[8])}
    body = fx.mesh_body(mesh, regions, frames=frames)
    s = fx.System("pulled")
    beam = s.flexible_body("beam", body, fx.Clamped(frames["root"]), 4, "craig_bampton", pieces=pieces)
    s.weld("wall", s.ground, beam["root"])
    s.force("pull", beam["mid"], [1000.0, -50.0, 0.0])
    for name in ("N", "Vy", "sigma"):
        s.channel(name, fx.stress(beam, "mid", name))
    s.channel("strain", fx.strain(beam, frames["mid"], "e"))
    return s


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("pieces", [2, 4, 8])
def test_stress_on_a_cut_is_the_larger_of_both_sides_however_nodes_are_numbered(pieces, is_reversed):
    """A force on the cut is carried by the side of the wall alone; the other has another section, no load."""

    def recorded(n, numbered):
        rest = fx.equilibrium(pulled(n, numbered), "joint")
        run = fx.simulate(rest.equations, 1e-6, 1e-6, start=rest.equations.poses(rest.state))
        return {name: run.channel(name)[0] for name in ("N", "Vy", "sigma", "strain")}

    whole, cut = recorded(1, False), recorded(pieces, is_reversed)
    assert cut["N"] == pytest.approx(1000.0, rel=1e-3)
    for name, value in whole.items():
        assert cut[name] == pytest.approx(value, rel=2e-3), name
