"""Large networks: what they cost grows with their sections; sparse and dense elimination say the same."""

import cProfile
import pstats
from collections.abc import Callable

import numpy as np
import pytest

import flexnet as fx
from flexnet.integrators.elimination import plan_tangent
from tests.benchmarks.ladder import build


def line(n: int) -> fx.System:
    """A transmission line of coils and capacitors that ends in a resistor."""
    s = fx.System("line")
    s.voltage_source("E", "n0", s.ground, fx.harmonic(1.0, 2.0))
    for i in range(n):
        s.inductor(f"L{i}", f"n{i}", f"n{i + 1}", 0.1 + 0.01 * i)
        s.capacitor(f"C{i}", f"n{i + 1}", s.ground, 0.2)
    s.resistor("R", f"n{n}", s.ground, 3.0)
    return s


def driven(n: int) -> fx.System:
    """A ladder that feeds a motor, which turns a pendulum."""
    s = fx.System("driven", planar=True)
    s.gravity([0.0, -9.81])
    s.revolute("O", s.ground, s.rigid_body("arm", 0.5, 0.01, {"O": [-0.2, 0.0]}, position=[0.2, 0.0])["O"])
    s.voltage_source("E", "n0", s.ground, fx.harmonic(10.0, 5.0))
    for i in range(n):
        s.resistor(f"R{i}", f"n{i}", f"n{i + 1}", 1.0 / n)
        s.capacitor(f"C{i}", f"n{i + 1}", s.ground, 1e-3)
    s.dc_machine("m", f"n{n}", s.ground, "O", 0.5, 1.0, 1e-2)
    return s


def _calls(n: int, build: Callable[[int], fx.System]) -> int:
    profile, system = cProfile.Profile(), build(n)
    profile.enable()
    fx.formulate(system)
    profile.disable()
    return int(pstats.Stats(profile).total_calls)


@pytest.mark.parametrize("build", [build, driven], ids=["alone", "beside a mechanism"])
def test_set_up_and_elimination_of_a_ladder_grow_with_its_sections(build) -> None:
    fx.formulate(build(20))
    calls = [_calls(n, build) for n in (20, 40, 80)]
    assert calls[2] - calls[1] < 2.05 * (calls[1] - calls[0])
    fill = []
    for n in (20, 40, 80):
        dae = fx.formulate(build(n)).dae()
        fill.append(len(plan_tangent(dae.sparsity, dae.n_v, dae.m, dae.weights).plan.rows))
    assert fill[2] - fill[1] == 2 * (fill[1] - fill[0])  # of L, that is products of a step


@pytest.mark.parametrize(
    ("make", "names"), [(line, ("L0.current", "C19.voltage")), (driven, ("m.L.current",))]
)
def test_a_line_moves_alike_with_dense_matrices(make, names, monkeypatch: pytest.MonkeyPatch) -> None:
    sparse = fx.simulate(make(20), 5.0, 0.02, interval=0.1)
    dae = sparse.equations.dae()
    assert len(plan_tangent(dae.sparsity, dae.n_v, dae.m, dae.weights).plan.rows)
    monkeypatch.setattr("flexnet.formulation.protocol.sparsity", lambda model: None)
    dense = fx.simulate(make(20), 5.0, 0.02, interval=0.1)
    for name in names:
        x, y = sparse.channel(name), dense.channel(name)
        assert x == pytest.approx(y, abs=1e-11 * np.ptp(x))
        assert np.ptp(x) > 0.01


@pytest.mark.slow
def test_a_ladder_of_a_thousand_sections_diffuses() -> None:
    run = fx.simulate(build(1000), 100.0, 0.1, interval=10.0)
    # charge of a half-infinite line: 2 sqrt(t/(pi R/C)) per volt, less half a section where it begins
    charge = run["state/z"].sum(axis=1)  # C = 1
    assert charge[-1] == pytest.approx(2.0 * np.sqrt(100.0 / np.pi) - 0.5, rel=0.01)
