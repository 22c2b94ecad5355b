"""Runs, systems and equations show themselves: in words, in notebooks, as pictures, pages and tables."""

from copy import copy
from html.parser import HTMLParser

import numpy as np
import pytest

import flexnet as fx
import flexnet.analysis
import flexnet.view
from flexnet.fem import BeamForces


def pendulum() -> fx.System:
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81])
    rod = s.rigid_body("rod", mass=1.0, inertia=1 / 12, frames={"top": [0, 0.5]})
    s.revolute("pivot", s.ground, rod["top"])
    s.start("pivot", angle=1.0)
    s.channel("angle", fx.joint_coordinate("pivot"), "rad")
    s.channel("height", fx.position(rod, "y"), "m")
    return s


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The same motion in memory and in a file."""
    out = tmp_path_factory.mktemp("looking") / "pendulum.h5"
    return fx.simulate(pendulum(), 0.2, 1e-2), fx.simulate(pendulum(), 0.2, 1e-2, out=out)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)


@pytest.mark.parametrize("k", [0, 1])
def test_a_run_draws_animates_and_shows_itself(k, runs, tmp_path):
    run = runs[k]
    assert len(run.plot("angle", "height").axes) == 2
    assert run.plot(out=tmp_path / "a.png").stat().st_size > 1000
    assert run.animate(tmp_path / "strip.png", poses=2).stat().st_size > 1000
    page = run.view(equations=True)
    assert 'sandbox="allow-scripts"' in page._repr_html_()
    assert "written out" in page.text
    assert run.view(tmp_path / "p.html").read_text().startswith("<!DOCTYPE html>")


def test_a_run_in_memory_and_its_file_have_the_same_names_and_numbers(runs):
    memory, file = runs
    results = fx.Results.open(file.path)
    np.testing.assert_array_equal(memory.time, results.time)
    assert set(memory.paths()) == set(results.paths())
    for run in (memory, file):
        frame = run.to_pandas()
        assert list(frame.columns) == ["angle", "height"]
        np.testing.assert_array_equal(frame["angle"], results.to_pandas()["angle"])


def test_xarray_keeps_units_or_is_missed_in_a_sentence(runs):
    try:
        import xarray  # noqa: F401
    except ImportError:
        with pytest.raises(fx.ResultError, match=r"flexnet\[xarray\]"):
            runs[0].to_xarray()
    else:
        assert runs[0].to_xarray()["angle"].attrs["units"] == "rad"


def test_the_nearest_name_is_suggested(runs):
    for run in runs:
        with pytest.raises(fx.ResultError, match="did you mean 'angle'"):
            run.channel("angel")
    with pytest.raises(fx.ResultError, match=r"^pendulum\.h5: no channel 'angel'.*did you mean 'angle'"):
        runs[0].plot("angel")  # in memory: without the name of a folder that is gone
    with pytest.raises(fx.ResultError, match="did you mean 'energy/total'"):
        runs[0]["energy/totl"]


@pytest.mark.parametrize(
    ("is_file", "name", "said"),
    [
        (True, "plot", r"Results has no 'plot'; use fx\.plot\(results, …\)$"),
        (True, "animate", r"use flexnet\.view\.animate\(results, …\)$"),
        (True, "view", r"use flexnet\.analysis\.view\(results, …\)$"),
        (True, "chanel", "Results has no 'chanel'; did you mean 'channel'\\?$"),
        (False, "chanel", "Run has no 'chanel'; did you mean 'channel'\\?$"),
        (False, "names", r"use run\.channels\(\), or run\.paths\(\)$"),
        (False, "mechanism", r"use fx\.Results\.open\(run\.path\)\.mechanism of a run that"),
        (False, "_repr_json_", "Run has no '_repr_json_'$"),
    ],
)
def test_what_a_run_or_a_file_has_not_says_what_to_call(is_file, name, said, runs):
    of = fx.Results.open(runs[1].path) if is_file else runs[0]
    with pytest.raises(AttributeError, match=said):
        getattr(of, name)


def test_what_is_said_to_be_called_is_there(runs, tmp_path):
    results = fx.Results.open(runs[1].path)
    assert fx.plot(results, out=tmp_path / "a.png").exists()
    assert flexnet.view.animate(results, tmp_path / "b.png").exists()
    assert flexnet.analysis.view(results, out=tmp_path / "c.html").exists()
    for run in runs:
        assert {*run.channels()} == {*results.channels()}
        assert copy(run).status is run.status


def test_an_attribute_that_fails_inside_says_its_own_reason():
    run = fx.Run(None, None, {"time": np.zeros(1)})  # nobody said which equations
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
        _ = run.events


def test_everything_says_what_it_is_in_words(runs):
    run, s = runs[0], pendulum()
    assert "planar system 'pendulum': 1 × body, 1 × joint" in repr(s)
    assert "1 dynamic + 0 constraint" in repr(fx.formulate(s))
    assert "energy balance: closes to" in repr(run)
    assert "0x" not in repr(run)
    assert "balance leaves over" in str(fx.audit(run))
    modes = fx.linearise(fx.formulate(s), fx.State(0.0, np.zeros(1), np.zeros(1))).modes
    assert repr(modes) == "(<0.61052052 Hz, damping 0.0000; rod.angle moves most; does not grow>,)"
    assert str(fx.panel_mesh(2.0, 1.0, 2, 2)).startswith("mesh of ")
    stress = BeamForces(np.array([[0, 1], [1, 2]]), fx.circle(0.01), np.ones((3, 2, 2, 6)), 2e11)
    assert str(stress).startswith("BeamForces of 2 elements at 3 times; largest N 1 N, Vy 1 N, Vz 1 N")
    assert "sigma" in str(stress)


def test_notebooks_get_pictures_tables_and_typeset_equations(runs):
    s = pendulum()
    assert Tags(s._repr_html_()).found[:2] == ["img", "table"]
    assert "math" in Tags(fx.formulate(s)._repr_html_()).found
    assert Tags(runs[0]._repr_html_()).found[0] == "table"
    assert Tags(runs[0].animate(frames=2)._repr_html_()).found == ["img"]
    assert Tags(fx.audit(runs[0])._repr_html_()).found[0] == "table"
    assert Tags(fx.report(fx.formulate(s))._repr_html_()).found == ["pre"]


def test_scripts_plot_compare_export_and_draw(runs, tmp_path):
    memory, file = runs
    assert fx.plot(file.path, "angle", out=tmp_path / "x.png").exists()
    comparison = fx.compare(memory, file.path, "1e-12:max")
    assert comparison.is_within
    heading, *rows, verdict = repr(comparison).splitlines()
    assert heading.split()[:2] == ["channel", "unit"]
    assert [row.split()[0] for row in rows] == [c.channel for c in comparison.channels]
    assert verdict.endswith("channels with a tolerance are within it")
    text = fx.export(memory, tmp_path / "x.csv", "angle").read_text()
    assert len(text.splitlines()) > len(memory.time)
    assert fx.export(memory, tmp_path / "x.glb").read_bytes()[:4] == b"glTF"  # as the file ends
    with pytest.raises(fx.ResultError, match=r"x\.foo: no format ends so; expected \.tab, .*\.glb"):
        fx.export(memory, tmp_path / "x.foo")
    assert not (tmp_path / "x.foo").exists()
    assert len(fx.draw_graph(pendulum(), tree="joint").axes) == 2


def test_networks_are_drawn_beside_a_mechanism_or_alone():
    """The graph of a network alone was drawn as the ground and nothing else."""
    alone = fx.System("divider")
    alone.voltage_source("E", "a", alone.ground, 5.0)
    for name, ends in (("R1", ("a", "b")), ("R2", ("b", alone.ground))):
        alone.resistor(name, *ends, 10.0)
    (axes,) = fx.draw_graph(alone).axes
    assert {"network", "E", "R1", "R2", "a", "b"} <= {t.get_text() for t in axes.texts}
    assert "<img" in alone._repr_html_()
    (axes,) = fx.draw_graph(fx.formulate(alone)).axes
    assert "network, tree in bold" in {t.get_text() for t in axes.texts}
    beside = pendulum()
    beside.voltage_source("E", "a", beside.ground, 5.0)
    beside.resistor("R", "a", beside.ground, 10.0)
    assert len(fx.draw_graph(beside).axes) == 2
    assert len(fx.draw_graph(beside, tree="joint").axes) == 3
