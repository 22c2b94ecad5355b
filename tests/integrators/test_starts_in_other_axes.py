"""How an α-method begins does not depend on axes and trees: sizes of accelerations are those of the mass."""

from dataclasses import replace

import numpy as np
import pytest

import flexnet as fx
from flexnet.integrators.start import initial_acceleration, size_of_change

TURN = fx.rotation((0.3, -1.0, 0.5), 1.3)


def arms(turn: np.ndarray, damping: float = 0.0) -> fx.System:
    """Two bodies on a ball joint and a universal one, at rest; their axes turned."""
    s = fx.System("arms")
    s.gravity([1.0, 2.0, -9.81])
    J, back = turn @ np.diag([0.1, 0.3, 0.35]) @ turn.T, turn.T
    ends = {key: (turn @ np.array([x, 0.0, 0.0]), turn) for key, x in (("a", -0.5), ("b", 0.5))}
    one = s.rigid_body("one", 1.0, J, ends, position=[0.5, 0, 0], rotation=back)
    two = s.rigid_body("two", 2.0, J, ends, position=[1.5, 0, 0], rotation=back)
    s.spherical("A", s.ground, one["a"])
    s.universal("B", one["b"], two["a"])
    s.spring("damper", s.ground.frame("D", [2.0, 0.4, 0.3]), two["b"], damping=damping)
    s.force("push", two["b"], [3.0, -20.0, 4.0], follows=False)
    s.channel("tip", fx.position(two["b"], "z"), "m")
    s.channel("load", fx.force("A", "z"), "N")
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular"])
def test_the_size_of_an_acceleration_is_that_of_its_mass_in_every_tree_and_axes(tree):
    """√(v̇ᵀM v̇) over √m L: of bodies at rest, where v̇ is one field of accelerations."""
    found = []
    for turn, name in ((np.eye(3), "joint"), (TURN, tree)):
        equations = fx.formulate(arms(turn), name)
        dae = equations.dae()
        vdot = initial_acceleration(dae, 0.0, dae.q, dae.v)[0]
        M = equations.mass_and_jacobian(dae.q, 0.0)[0]
        scale = dae.scale
        size = size_of_change(dae, vdot)
        assert size == pytest.approx(np.sqrt(vdot @ M @ vdot / scale.mass) / scale.length, rel=1e-10)
        found.append(size * np.sqrt(scale.mass) * scale.length)
    assert found[1] == pytest.approx(found[0], rel=1e-9)


def test_states_count_by_their_own_size():
    s = arms(np.eye(3))
    z = fx.integral(fx.position(s.bodies["two"], "x"), 2.0, "way")
    s.channel("way", z)
    dae = fx.formulate(s, "joint").dae()
    x = np.zeros(dae.n_v)
    x[-1] = 3.0
    assert size_of_change(dae, x) == pytest.approx(3.0 / dae.sizes[-1])
    assert size_of_change(replace(dae, energy=None), x) == pytest.approx(3.0 / dae.sizes[-1])


@pytest.mark.parametrize("damping", [3e2, 2.6e3, 2.9e3, 3.25e3, 3.6e3, 1e4])
def test_a_damper_that_ends_a_motion_within_the_step_is_met_alike_in_every_axes(damping):
    """Decided by the largest component, the load differed by 0.6 to 0.8 % from 2.6e3 to 3.6e3 N s/m."""
    runs = []
    for turn in (np.eye(3), TURN):
        runs.append(fx.simulate(arms(turn, damping), 5e-3, 1e-3, tree="absolute"))
    for name in ("tip", "load"):
        a, b = (run.channel(name) for run in runs)
        assert np.abs(a - b).max() <= 1e-6 * np.abs(a).max()
