"""Round-off of positions over h² in accelerations and loads: said where it is seen, and only there."""

import numpy as np
import pytest

import flexnet as fx


def crane(gravity: float = -9.81) -> fx.System:
    """A jib of 1000 m and a light hook of 10 kg on a ball joint at its end."""
    s = fx.System("crane")
    s.gravity([0.0, 0.0, gravity])
    jib = s.rigid_body(
        "jib", 1000.0, [1e7, 1e8, 1e8], {"O": [-500.0, 0, 0], "A": [500.0, 0, 0]}, [500.0, 0, 0]
    )
    hook = s.rigid_body("hook", 10.0, [1e4, 2e4, 2e4], {"A": [-50.0, 0, 0]}, [1050.0, 0, 0])
    s.revolute("O", s.ground, jib["O"], axis="y" if gravity else "z")
    s.spherical("A", jib["A"], hook["A"])
    s.start("O", angle=-0.4)
    return s


def told(run: fx.Run) -> bool:
    return any("carry round-off" in text for text in run.warnings)


@pytest.mark.parametrize(
    "method", [fx.hht(), fx.generalised_alpha(0.8), fx.acceleration_level(), fx.dop853()]
)
def test_loads_that_are_round_off_are_told(method):
    """Joint coordinates have no constraints: what absolute ones differ by is round-off over h²."""
    seen = []
    for step in (1e-3, 1e-4, 1e-6):
        force = []
        for tree in ("joint", "absolute"):
            run = fx.simulate(crane(), 40 * step, step, method=method, tree=tree)
            force.append(run["joints/A/force"])
        far = np.abs(force[1] - force[0]).max() / np.abs(force[0]).max()
        assert told(run) or far < 0.02, (step, far)
        assert not told(run) or far > 1e-3, (step, far)
        seen.append(told(run))
    is_of_positions = method.name in ("hht", "generalised_alpha")
    assert seen == [False, False, is_of_positions]


def test_where_there_are_no_loads_round_off_is_none():
    """A disc that spins about an axis of its own, askew in space; a crane that floats at rest."""
    s = fx.System("disc")
    tilt = fx.rotation((1.0, 2.0, -0.5), 1.0)
    disc = s.rigid_body("disc", 3.0, [1.0, 1.0, 2.0], position=[400.0, -300.0, 7.0], rotation=tilt)
    s.revolute("axle", s.ground.frame("hub", [400.0, -300.0, 7.0], tilt), disc)
    s.start("axle", rate=5.0)
    for still in (s, crane(gravity=0.0)):
        for step in (1e-3, 1e-6):
            assert not fx.simulate(still, 40 * step, step, tree="absolute").warnings
