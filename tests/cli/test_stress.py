"""``flexnet stress``: peaks of a result file, by the case it was made with."""

import shutil
from csv import DictReader
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.errors import ModelError, ResultError
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


def test_cycles_are_those_of_the_signed_stress_where_it_is_largest(made, tmp_path):
    """At the moment of the peak the history has its magnitude; the file has its cycles, body by body."""
    run("stress", made.path, "--case", CASE, "--out", tmp_path / "a.png", "--cycles", tmp_path / "cycles.csv")
    with (tmp_path / "cycles.csv").open(newline="") as file:
        rows = list(DictReader(file))
    for peak in (p for p in made.stress_peaks() if p.quantity == "sigma"):
        history = made.stress_history(peak)
        assert abs(history[np.argmin(np.abs(made.t - peak.time))]) == pytest.approx(peak.value, rel=1e-9)
        assert np.all(np.abs(history) <= peak.history * (1 + 1e-9))
        found = fx.rainflow(history)
        told = [float(r["range [Pa]"]) for r in rows if r["body"] == peak.body]
        assert told == pytest.approx(found.range, rel=1e-5)
    force = next(p for p in made.stress_peaks() if p.quantity == "N")
    with pytest.raises(ModelError, match="N is no stress"):
        made.stress_history(force)


def test_the_case_of_a_model_that_was_run_here_is_remembered(tmp_path, monkeypatch):
    """Wherever its file is moved; a case that is gone asks for ``--case``."""
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    shutil.copy(CASE, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    run("run", "four_bar.py", "--end", "2e-4", "--out", "../made.h5")
    assert "sigma" in run("stress", "../made.h5", "--out", "a.png")
    run("view", "../made.h5", "--stress", "--out", "a.html")
    (tmp_path / "there").mkdir()
    (tmp_path / "made.h5").rename(tmp_path / "there" / "made.h5")
    assert "sigma" in run("stress", "../there/made.h5", "--out", "b.png")
    Path("four_bar.py").unlink()
    with pytest.raises(ModelError, match="no longer there: --case"):
        run("stress", "../there/made.h5")


def test_a_result_file_has_no_say_in_which_program_runs(made, tmp_path, monkeypatch):
    """A file from elsewhere may name what it likes."""
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    (tmp_path / "foreign.py").write_text("raise SystemExit('ran')")
    foreign = tmp_path / "foreign.h5"
    shutil.copy(made.path, foreign)
    with h5py.File(foreign, "r+") as file:
        file.attrs["case_file"] = np.bytes_("foreign.py")
    for command in (("stress", foreign), ("view", foreign, "--stress")):
        with pytest.raises(ModelError, match="was not run here; its case is needed: --case"):
            run(*command)
