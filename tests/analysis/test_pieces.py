"""``pieces="auto"``: a slender beam is cut until cutting it again changes nothing."""

import logging

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.case import load_case
from flexnet.cli.main import build_app
from flexnet.errors import ModelError
from flexnet.results import Results
from tests.catalogue import load

CASE = '''
import flexnet as fx
END, STEP = 0.2, 2e-3

def build(pieces: int = 1, force: float = 10.0) -> fx.System:
    """A strip of 1 m that a force on its tip bends."""
    s = fx.System("strip", planar=True)
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    body = fx.beam_body(1.0 / pieces, 1, steel, fx.rectangle(0.004, 0.02), damping=fx.Rayleigh(alpha=20.0))
    last = s.ground.origin
    for i in range(pieces):
        place = [i / pieces, 0, 0]
        piece = s.flexible_body(f"p{i}", body, fx.Clamped("start"), 0, "craig_bampton", position=place)
        s.weld(f"w{i}", last, piece["start"])
        last = piece["end"]
    s.force("tip", last, [0.0, force])
    s.channel("x", fx.position(last, "x"), "m")
    s.channel("y", fx.position(last, "y"), "mm")
    return s
'''


@pytest.fixture
def case(tmp_path):
    path = tmp_path / "strip.py"
    path.write_text(CASE)
    return path


@pytest.mark.slow
def test_a_stronger_force_takes_more_pieces_and_the_choice_is_as_good_as_it_says(case, caplog):
    build, how = load_case(case).build, {"end": 0.2, "step": 2e-3, "method": fx.generalised_alpha(0.6)}
    with caplog.at_level(logging.INFO, "flexnet"):
        weak, strong = (fx.choose_pieces(build, **how, force=f) for f in (1.0, 30.0))
    assert weak.is_met
    assert strong.is_met
    assert weak.pieces < strong.pieces
    assert strong.why in caplog.text
    fine = fx.simulate(build(pieces=32, force=30.0), how["end"], how["step"], how["method"])
    found = fx.simulate(strong.system, how["end"], how["step"], how["method"])
    for name in ("x", "y"):
        exact = fine.channel(name)
        assert np.abs(found.channel(name) - exact).max() < 0.01 * np.abs(exact).max()


@pytest.mark.slow
def test_the_command_line_says_what_it_chose_and_the_file_keeps_it(case, tmp_path):
    out = tmp_path / "strip.h5"
    words = ["run", str(case), "--set", "pieces=auto", "--set", "force=2.0", "--out", str(out)]
    result = CliRunner().invoke(build_app(), words)
    assert result.exit_code == 0, result.output
    kept = Results.open(out).mechanism().parameters
    assert kept["pieces"] in (2, 4, 8)
    assert kept["pieces_because"] in result.output.replace("\n", " ")


def test_what_cannot_be_cut_or_told_is_refused(case):
    build = load_case(case).build
    with pytest.raises(ModelError, match="build has no parameter 'pieces'"):
        fx.choose_pieces(lambda: build(), 0.1, 1e-3)
    with pytest.raises(ModelError, match="no channel tells the motion"):
        fx.choose_pieces(build, 0.01, 1e-3, channels=[])
    with pytest.raises(ModelError, match="most is 1 pieces"):
        fx.choose_pieces(build, 0.01, 1e-3, most=1)


def test_pieces_that_do_not_suffice_are_said(case, caplog):
    build = load_case(case).build
    with caplog.at_level(logging.WARNING, "flexnet"):
        found = fx.choose_pieces(build, 0.2, 2e-3, method=fx.generalised_alpha(0.6), most=2, force=30.0)
    assert not found.is_met
    assert "no more than 2 pieces" in caplog.text


@pytest.mark.slow
def test_the_links_of_the_spatial_slider_crank_are_cut_to_the_exact_solution():
    """Beside geometrically exact beams of another program, which one body misses by 5 %: within 2 %."""
    from tests.flexible.reference import distance, reference

    build = load("spatial_slider_crank").build
    how = {"end": 0.0837, "step": 2e-5, "method": fx.generalised_alpha(0.9), "tree": "joint"}
    found = fx.choose_pieces(build, **how, modes=0, channels=["v", "w"])
    assert found.is_met
    run = fx.simulate(found.system, **how)
    curve = reference("spatial_slider_crank_nonlinear")
    for name in ("v", "w"):
        assert distance(run.t, run.channel(name), curve, f"{name}_mid_m").largest < 0.02
