"""The engine of a run: auto decides by counts, says why, and changes nothing but the time."""

import logging

import numpy as np
import pytest

import flexnet as fx
from flexnet.analysis import engine
from flexnet.formulation.symbolic import compiled, symbolic_dae
from flexnet.results import Results
from tests.mechanisms import double_pendulum, slider_crank

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """Nothing kept by earlier tests."""
    for kind in ("straight_line", "formulas"):
        (tmp_path / kind).mkdir(mode=0o700)
    (tmp_path).chmod(0o700)
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path))


@pytest.fixture
def said(caplog):
    """What the logger of the equations is told."""
    caplog.set_level(logging.INFO, "flexnet.equations")
    return caplog


def both_ends(run):
    return np.concatenate([run["state/q"][-1], run["state/v"][-1]])


def test_a_short_run_stays_with_families(said):
    auto, numeric = (fx.simulate(double_pendulum(), 0.01, 1e-3, engine=e) for e in ("auto", "numeric"))
    assert "a run of 10 steps is too short" in said.text
    assert np.array_equal(both_ends(auto), both_ends(numeric))


@pytest.mark.parametrize(("interval", "counted"), [(2e-3, "5 rows"), (None, "10 times its first step")])
def test_an_adaptive_run_is_not_said_to_take_as_many_steps_as_it_has_rows(interval, counted, said):
    fx.simulate(double_pendulum(), 0.01, 1e-3, tolerance=1e-6, interval=interval)
    assert f"an adaptive run of {counted}, whose steps are not known before, is too short" in said.text


def test_a_long_run_has_code_of_its_own_and_its_file_says_so(said, tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "STEPS", 10)
    run = fx.simulate(double_pendulum(), 0.01, 1e-3, out=tmp_path / "a.h5")
    assert "straight-line code" in said.text
    assert Results.open(run.path).settings["engine"] == "symbolic"
    symbolic = fx.simulate(double_pendulum(), 0.01, 1e-3, engine="symbolic")
    assert np.array_equal(run["state/q"], symbolic["state/q"])


def test_a_resumed_run_keeps_the_engine_of_its_file(tmp_path, monkeypatch):
    """A later end would choose another engine, and other bits than those of a run never stopped."""
    whole = fx.simulate(double_pendulum(), 0.02, 1e-3, engine="numeric")
    fx.simulate(double_pendulum(), 0.01, 1e-3, out=tmp_path / "a.h5")
    monkeypatch.setattr(engine, "STEPS", 15)
    gone_on = fx.simulate(double_pendulum(), 0.02, 1e-3, out=tmp_path / "a.h5", resume=True)
    assert "engine" not in Results.open(gone_on.path).settings
    assert np.array_equal(gone_on["state/q"][-1], whole["state/q"][-1])


@pytest.mark.parametrize(("limit", "words"), [("ENTRIES", "too many to write out"), ("LINES", "more than 3")])
def test_a_large_mechanism_stays_with_families_and_says_why(limit, words, said, monkeypatch):
    monkeypatch.setattr(engine, "STEPS", 10)
    monkeypatch.setattr(engine, limit, 3)
    run = fx.simulate(slider_crank(), 0.01, 1e-3)
    assert words in said.text
    assert "symbolic" not in said.text
    assert np.array_equal(
        both_ends(run), both_ends(fx.simulate(slider_crank(), 0.01, 1e-3, engine="numeric"))
    )


def test_code_is_found_by_the_model_without_writing_it_again(monkeypatch):
    equations = fx.formulate(slider_crank())
    first = fx.simulate(equations, 0.01, 1e-3, engine="symbolic")

    def written(_):
        raise AssertionError("the equations were written again")

    monkeypatch.setattr(compiled, "generate", written)
    again = fx.simulate(fx.formulate(slider_crank()), 0.01, 1e-3, engine="symbolic")
    assert np.array_equal(first["state/q"], again["state/q"])
    assert np.array_equal(first["state/lambda"], again["state/lambda"])
    other = double_pendulum()
    with pytest.raises(AssertionError, match="written again"):
        symbolic_dae(fx.formulate(other))


def test_any_other_number_is_another_model(monkeypatch):
    """The last bit of one parameter decides."""

    def pendulum(mass):
        s = fx.System("pendulum", planar=True)
        s.gravity([0, -9.81, 0])
        s.revolute("O", s.ground, s.rigid_body("bob", mass=mass, inertia=0.1, frames={"A": [-1.0, 0]})["A"])
        return fx.formulate(s)

    one, two = symbolic_dae(pendulum(1.0)), symbolic_dae(pendulum(np.nextafter(1.0, 2.0)))
    r = [np.zeros(1), np.zeros(1)]
    for dae, out in zip((one, two), r, strict=True):
        dae.residual(dae.model, 0.0, dae.q, dae.v, np.ones(1), np.zeros(0), dae.work, out, np.zeros(0))
    assert r[0] != r[1]


def test_an_unknown_engine_is_named():
    with pytest.raises(fx.FlexnetError, match="no engine 'fast'; there are auto, numeric, symbolic"):
        fx.simulate(double_pendulum(), 0.01, 1e-3, engine="fast")
