"""Independent velocities of the embedding form: others where the rest no longer follows from them."""

from importlib import import_module

import numpy as np
import pytest

import flexnet as fx
from flexnet.independent import DEGRADED, better_independent, choose_independent, dependence
from flexnet.results import Results
from tests.catalogue import build


def test_velocities_are_chosen_by_pivoting_and_kept_while_they_serve():
    G = np.array([[1.0, 0.0, 1e-6], [0.0, 1.0, 1.0]])
    assert choose_independent(G).tolist() in ([1], [2])
    assert dependence(G, np.array([2])) == pytest.approx(np.sqrt(2.0))
    # one row says as much as many: y of a pendulum does not tell x where it hangs
    assert dependence(np.array([[1e-3, 1.0]]), np.array([1])) == pytest.approx(1e3)
    assert better_independent(G, np.array([2])) is None
    # with the first as independent one row is left with 1e-6 of the others
    assert dependence(G, np.array([0])) > 1e6
    assert better_independent(G, np.array([0])).tolist() in ([1], [2])


def test_a_singular_position_keeps_the_choice_at_hand():
    G = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1e-9]])
    assert dependence(G, np.array([0])) > DEGRADED
    assert better_independent(G, np.array([0])) is None
    assert better_independent(G * np.nan, np.array([0])) is None
    assert dependence(np.zeros((0, 2)), np.array([0, 1])) == 1.0


def triple_rocker(rate: float = 3.0) -> fx.System:
    r"""A four-bar of which no link turns fully (2 + 4 > 3 + 2.4): each stands still where it turns back.

      B
     / \           ground 4, left 2, coupler 3, right 2.4
    A   \
     /     \
    O───────D
    """
    a, b, c, d = 2.0, 3.0, 2.4, 4.0
    A, D = np.array([a * np.cos(1.2), a * np.sin(1.2), 0.0]), np.array([d, 0.0, 0.0])
    far = np.linalg.norm(D - A)
    u = (D - A) / far
    along = (b * b - c * c + far * far) / (2 * far)
    B = A + along * u + np.sqrt(b * b - along * along) * np.array([-u[1], u[0], 0.0])
    s = fx.System("triple_rocker", planar=True)
    s.ground.frame("D", [d, 0.0])

    def bar(name, start, end):
        w = end - start
        l = float(np.linalg.norm(w))
        ends = {"p": [-l / 2, 0], "q": [l / 2, 0]}
        turn = fx.rotation("z", float(np.arctan2(w[1], w[0])))
        return s.rigid_body(name, l, l**3 / 12, ends, (start + end) / 2, turn)

    left, coupler, right = bar("left", 0 * A, A), bar("coupler", A, B), bar("right", D, B)
    s.revolute("O", s.ground, left["p"])
    s.revolute("A", left["q"], coupler["p"])
    s.revolute("B", coupler["q"], right["q"])
    s.revolute("D", s.ground["D"], right["p"])
    s.start("O", rate=rate)
    return s


def worst(run: fx.Run) -> float:
    """Largest κ_d the run tells of."""
    return float(run.status.told.split("up to ")[1].split(" ")[0])


def test_the_reference_route_passes_dead_centres_and_tells_of_it(tmp_path):
    """Every angle has its dead centre, so that no one choice serves; the motion is that of any tree."""
    path = tmp_path / "run.h5"
    how = {"end": 3.0, "step": 1e-3, "method": fx.reference(1e-11), "interval": 0.02}
    run = fx.simulate(triple_rocker(), tree="absolute_angular", out=path, **how)
    other = fx.simulate(triple_rocker(), tree="absolute", **how)
    for found in (run, other):
        assert int(found.status.told.split("chosen ")[1].split(" ")[0]) >= 2
        assert worst(found) < 100.0
    assert run.status.told in run.validity
    assert run.validity in Results.open(path).status.message
    for body in ("left", "right"):
        here, there = (x[f"frames/{body}/position"] for x in (run, other))
        assert np.ptp(here[:, 0]) > 1.0
        assert np.abs(here - there).max() < 1e-8
    assert run.energy_error < 1e-8 * run["energy/kinetic"].max()


def test_without_another_choice_the_condition_grows_without_bound(monkeypatch):
    page = import_module("flexnet.integrators.reference")
    monkeypatch.setattr(page, "better_independent", lambda G, i: None)
    run = fx.simulate(
        triple_rocker(), 3.0, 1e-3, fx.reference(1e-8), tree="absolute_angular", interval=0.5, throw=False
    )
    assert not run.status.is_done or worst(run) > 1e3


def test_the_largest_condition_a_run_tells_of_is_that_of_its_rows():
    run = fx.simulate(triple_rocker(), 0.4, 1e-3, tree="absolute", interval=0.01)
    assert f"condition of the constraints up to {run.condition.max():.3g}" in run.validity
    free = fx.simulate(build("double_pendulum"), 0.01, 1e-3, tree="joint")
    assert "condition of the constraints" not in free.validity


def test_a_stopped_reference_run_tells_the_same_as_a_whole_one(tmp_path):
    how = {"method": fx.reference(1e-9), "tree": "absolute_angular", "interval": 4e-3}
    whole = fx.simulate(triple_rocker(), 2.0, 1e-3, out=tmp_path / "a.h5", **how)

    def stop(status, done, total, balance):
        if done > 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fx.simulate(triple_rocker(), 2.0, 1e-3, out=tmp_path / "b.h5", progress=stop, **how)
    resumed = fx.simulate(triple_rocker(), 2.0, 1e-3, out=tmp_path / "b.h5", resume=True, **how)
    assert resumed.status.told == whole.status.told
    assert resumed.validity == whole.validity
