"""States beside a mechanism: how large they are does not decide how well its loads are known."""

import numpy as np
import pytest

import flexnet as fx


def chain(volts: float | None) -> fx.System:
    """Three links that fall, beside a circuit that has nothing to do with them."""
    s = fx.System("chain")
    s.gravity([0, 0, -9.81])
    end = s.ground
    for k in range(3):
        ends = {"a": [-0.2, 0, 0], "b": [0.2, 0, 0]}
        link = s.rigid_body(f"link {k}", 0.1, [1e-3] * 3, ends, [0.2 + 0.4 * k, 0, 0])
        s.revolute(f"pin {k}", end, link["a"], axis="y")
        end = link["b"]
    s.channel("load", fx.force("pin 0"), "N")
    if volts is not None:
        s.voltage_source("source", "a", s.ground, fx.harmonic(volts, 20.0))
        s.resistor("R", "a", "b", 10.0)
        s.capacitor("C", "b", s.ground, 1e-4)
    return s


@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8)], ids=["hht", "rho"])
def test_a_circuit_of_any_voltage_leaves_the_loads_of_a_mechanism_alone(method) -> None:
    """The corrector saw v̇, λ and ż in one norm: 1 kV left 2 % of a load, 1 GV a third, without a word."""
    how = {"step": 2e-4, "method": method, "tree": "absolute", "interval": 1e-3}
    alone = fx.simulate(chain(None), 0.1, newton=1e-14, **how).channel("load")
    for volts in (1e-3, 1e3, 1e9):
        found = fx.simulate(chain(volts), 0.1, **how).channel("load")
        assert np.abs(found - alone).max() < 1e-5 * np.abs(alone).max()


def test_what_a_circuit_does_hides_nothing_of_loads_that_steps_do_not_follow() -> None:
    """Loads that change from step to step are looked at beside loads, not beside volts a second."""
    said = []
    for volts in (None, 1e9):
        s = chain(volts)
        s.spring("stiff", s.ground.frame("wall", [1.0, 0, 1.0]), s.bodies["link 2"], 1e6, free_length=0.999)
        run = fx.simulate(s, 0.02, step=2e-4, tree="absolute")
        said.append([text for text in run.warnings if "accelerations and loads" in text])
    assert said[0] == said[1]
    assert len(said[0]) == 1
