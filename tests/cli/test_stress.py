"""``flexnet stress``: peaks of a result file, by the case it was made with."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.errors import ResultError
from tests.catalogue import build

CASE = Path(__file__).parents[2] / "cases" / "four_bar.py"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("stress") / "four_bar.h5"
    system = build("four_bar", speed=200.0)
    system.parameters["speed"] = 200.0
    return fx.simulate(system, 5e-4, 1e-5, out=path)


def run(*arguments):
    outcome = CliRunner().invoke(build_app(), [str(a) for a in arguments])
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_peaks_are_told_with_place_and_moment_and_drawn_in_paraview(made, tmp_path):
    wanted = ("--out", tmp_path / "a.png", "--paraview", tmp_path / "a.pvd", "--pictures", 3)
    said = run("stress", made.path, "--case", CASE, *wanted)
    for peak in made.stress_peaks():
        assert f"{peak.value:.6g}" in said
    assert (tmp_path / "a.png").stat().st_size > 5000
    last = ElementTree.parse(tmp_path / "a" / "00002.vtu").getroot()
    arrays = {a.get("Name"): a.text.split() for a in last.iter("DataArray")}
    values = np.array(arrays["stress"], dtype=float)
    assert len(values) == len(arrays["body"])
    drawn = np.nanmax(values)
    at_end = [made.stress(name, [made.t[-1]])["beam"].outer_stress() for name in ("coupler", "follower")]
    assert drawn == pytest.approx(np.max(at_end), rel=1e-6)


def test_another_model_is_refused(made):
    with pytest.raises(ResultError, match="another model"):
        run("stress", made.path, "--case", CASE, "--set", "E=1e11")
