"""Result files as their reader sees them."""

import sys

import numpy as np
import pytest
from sample import LENGTH, MECHANISM, OMEGA, rows, write_sample

from flexnet.errors import FileFormatError, ModelError, ResultError
from flexnet.results import ENERGIES, BodyRecord, EdgeRecord, Results
from flexnet.results.mechanism import mechanism_from_tree


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results.open(write_sample(tmp_path_factory.mktemp("results") / "a.h5"))


def test_frames_joints_and_states_come_as_arrays(results):
    n = results.rows
    assert n == 201
    assert results.frame("tip").position.shape == (n, 3)
    np.testing.assert_allclose(np.linalg.norm(results.frame("tip").position, axis=1), LENGTH)
    np.testing.assert_array_equal(results.joint("O").force, rows(results.time)["joints/O/force"])
    assert results.names("state/lambda") == ("O.x", "O.y")
    assert results.state("q").shape == (n, 1)
    assert results.elastic("bar").shape == (n, 1)
    assert set(results.group("energy")) == set(ENERGIES)
    assert results.group("solver")["iterations"].dtype == np.int64


def test_channels_carry_units_and_descriptions(results):
    by_name = {c.name: c for c in results.channels()}
    assert by_name["tip_x"].unit == "m"
    assert by_name["tip_x"].description == "place of the tip"
    every = results.channel_set()
    assert every.names()[:2] == ("tip_vx", "tip_x")
    assert every.channel("frames/tip/position/y").unit == "m"
    assert every.channel("state/q/theta").unit == "rad"
    assert every.channel("state/a/theta").unit is None
    assert every.channel("frames/tip/quaternion").kind == "orientation"
    np.testing.assert_array_equal(every.read("joints/O/force/y").values, results.joint("O").force[:, 1])
    assert not any(name.startswith("solver/memory") for name in every.names())


def test_every_channel_that_is_listed_can_be_read(results):
    every = results.channel_set()
    for name in every.names():
        assert len(every.read(name).values) == results.rows


def test_an_unknown_name_is_answered_with_the_nearest(results):
    with pytest.raises(ResultError, match=r"no channel 'tip_xx'.*did you mean 'tip_x'"):
        results.channel("tip_xx")
    with pytest.raises(ResultError, match="no dataset 'frames/B/position'"):
        results.frame("B")
    with pytest.raises(ResultError, match="no row 201 among 201"):
        results.row(201)


def test_pandas_frames_are_indexed_by_time(results):
    frame = results.to_pandas()
    assert list(frame.columns) == ["tip_vx", "tip_x"]
    assert frame.index.name == "time"
    np.testing.assert_array_equal(frame["tip_x"].to_numpy(), results.channel("tip_x").values)
    named = results.to_pandas(["energy/total", "frames/A/quaternion"])
    assert list(named.columns) == ["energy/total", *(f"frames/A/quaternion/{k}" for k in "wxyz")]


def test_without_pandas_the_error_says_what_to_install(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ResultError, match=r"pip install 'flexnet\[pandas\]'"):
        results.to_pandas()


def test_between_output_times_the_stored_rates_are_used(results):
    at = np.linspace(0.0, 2.0, 777)
    exact = rows(at)
    for path in ("frames/tip/position", "frames/tip/quaternion", "channels/tip_x", "state/q"):
        np.testing.assert_allclose(results.at(path, at), exact[path], atol=5e-9, err_msg=path)
    np.testing.assert_allclose(
        results.channel("frames/tip/position/y").at(at), LENGTH * np.sin(OMEGA * at), atol=5e-9
    )


def test_the_mechanism_is_read_back_as_it_was(results):
    found = results.mechanism()
    assert found.fingerprint() == MECHANISM.fingerprint()
    assert found.edges == MECHANISM.edges
    assert found.trees == MECHANISM.trees
    np.testing.assert_array_equal(found.bodies[1].modes, MECHANISM.bodies[1].modes)


def test_a_file_without_a_model_says_so(tmp_path):
    from sample import LAYOUT

    from flexnet.results import ResultWriter

    with ResultWriter.create(tmp_path / "a.h5", LAYOUT):
        pass
    with pytest.raises(ResultError, match="holds no model"):
        Results.open(tmp_path / "a.h5").mechanism()


def test_a_model_that_is_not_one_is_a_format_error():
    for text in ("", "[]", "{}", '{"name": 1, "nodes": [], "edges": [{}]}'):
        with pytest.raises(FileFormatError, match="/model is not a mechanism"):
            mechanism_from_tree({"description": text})


def test_shapes_that_do_not_fit_are_refused():
    points = np.zeros((2, 3))
    with pytest.raises(ModelError, match="names point 2 of 2"):
        BodyRecord("b", "A", points=points, lines=np.array([[0, 2]]))
    with pytest.raises(ModelError, match="modes has shape"):
        BodyRecord("b", "A", points=points, modes=np.zeros((3, 3, 1)))
    with pytest.raises(ModelError, match="points has shape"):
        BodyRecord("b", "A", points=np.zeros((2, 2)))
    with pytest.raises(ModelError, match="1 frames but 2 places"):
        BodyRecord("g", "ground", ("ground",), is_ground=True, points=points)
    with pytest.raises(ModelError, match="role 'x'"):
        EdgeRecord("e", "x", "", "a", "b")
