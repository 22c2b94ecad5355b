"""Loads that redundant joints leave open are recorded as not determined, the same ones in every tree."""

from contextlib import suppress

import h5py
import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import Motion, undetermined
from flexnet.graph import RULES
from tests.analysis.test_watched_rows import four_bar, pinned_beam
from tests.catalogue import PLANAR, build

TREES = ("joint", "absolute", "absolute_angular", "default")
OUT_OF_PLANE = ("force z", "torque x", "torque y")


@pytest.mark.parametrize("tree", TREES)
def test_loads_out_of_the_plane_of_spatial_pins_are_nan_and_no_others(tree, tmp_path):
    s = four_bar(push=[1.0, -2.0, 3.0])
    s.channel("pull", fx.force("A", "x"), "N")
    path = tmp_path / "run.h5"
    run = fx.simulate(s, 0.02, 1e-3, tree=tree, out=path)
    for name in "ABCD":
        force, torque = (np.isnan(run[f"joints/{name}/{key}"]) for key in ("force", "torque"))
        assert (force == [False, False, True]).all()
        assert (torque == [True, True, False]).all()
    assert np.isfinite(run.channel("pull")).all()
    assert not any("NaN" in text for text in run.warnings)
    assert np.isfinite(run["state/lambda"]).all()
    with h5py.File(path) as file:
        assert file["joints/A/force"].attrs["nan"] == b"not determined"


@pytest.mark.parametrize("tree", TREES)
def test_the_report_names_them(tree):
    made = fx.report(fx.formulate(four_bar(), tree))
    assert made.undetermined == dict.fromkeys("ABCD", OUT_OF_PLANE)
    assert "A: force z, torque x, torque y" in str(made)
    axial = fx.report(fx.formulate(pinned_beam([1, 2]), tree))
    assert axial.undetermined == {"A": ("force x",), "B": ("force x",)}


def test_a_mechanism_without_redundant_constraints_has_none():
    made = fx.report(fx.formulate(build("squeezer"), "joint"))
    assert made.redundant == ()
    assert "not determined" not in str(made)


def test_a_channel_that_asks_for_one_is_nan_and_said(tmp_path):
    s = four_bar()
    s.channel("side", fx.force("B", "z"), "N")
    s.channel("size", fx.force("B"), "N")
    with pytest.warns(UserWarning, match="the force of 'B' is not determined"):
        run = fx.simulate(s, 0.02, 1e-3, out=tmp_path / "run.h5")
    for name in ("side", "size"):
        assert np.isnan(run.channel(name)).all()
    assert "channel 'side' is NaN" in fx.Results.open(tmp_path / "run.h5").status.message


@pytest.mark.parametrize("tree", TREES)
def test_what_is_determined_is_the_same_in_every_tree(tree):
    a, b = (fx.simulate(four_bar([1.0, 2.0, 3.0]), 0.02, 1e-3, tree=t) for t in ("absolute", tree))
    for name in "ABCD":
        for key in ("force", "torque"):
            x, y = a[f"joints/{name}/{key}"], b[f"joints/{name}/{key}"]
            np.testing.assert_allclose(x, y, atol=1e-4)  # equal_nan; the error of the steps


@pytest.mark.parametrize("tree", TREES)
def test_reactions_statics_and_inverse_dynamics_leave_the_same_components_open(tree):
    equations = fx.formulate(four_bar(), tree)
    at = equations.initial
    found = [fx.reactions(equations, at), fx.equilibrium(four_bar(), tree).loads]
    motion = equations.motion(at)
    row = (np.array([at.t]), at.q[None], at.v[None], motion.a[None])
    for name in equations.coordinates.v_names:
        with suppress(fx.ModelError):  # coordinates out of the plane determine nothing
            made = fx.inverse_dynamics(equations, *row, actuated=[name])
            found.append({k: fx.Load(x.force[0], x.torque[0]) for k, x in made.joints.items()})
    assert len(found) > 2
    for loads in found:
        for joint in "ABCD":
            assert (np.isnan(loads[joint].force) == [False, False, True]).all()
            assert (np.isnan(loads[joint].torque) == [True, True, False]).all()
    shared = fx.reactions(equations, at, shared=True)
    assert all(np.isfinite(x.force).all() and np.isfinite(x.torque).all() for x in shared.values())


def check_every_tree(name, trees):
    """In a planar case of spatial joints some loads out of the plane are open, and none in it."""
    s = build(name)
    assert s.is_planar
    s.is_planar = False
    made = [fx.formulate(s, tree) for tree in trees]
    found = [undetermined(equations, equations.initial) for equations in made]
    assert all(other == found[0] for other in found)
    assert set().union(*found[0].values()) <= set(OUT_OF_PLANE)


@pytest.mark.parametrize("name", ["squeezer", "slider_crank_gtm"])
def test_the_same_loads_are_open_in_two_trees(name):
    check_every_tree(name, ("joint", "absolute"))


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANAR)
def test_the_same_loads_are_open_in_every_case_and_tree(name):
    check_every_tree(name, RULES)


def test_a_run_records_shared_loads_on_request_the_same_in_every_tree(tmp_path):
    found = []
    for tree in ("joint", "absolute"):
        s = four_bar(push=[1.0, -2.0, 3.0])
        s.channel("side", fx.force("B", "z"), "N")
        run = fx.simulate(s, 0.02, 1e-3, tree=tree, share=True, out=tmp_path / f"{tree}.h5")
        last = fx.State(run.t[-1], run["state/q"][-1], run["state/v"][-1])
        motion = Motion(run["state/a"][-1], run["state/lambda"][-1])
        load = fx.reactions(run.equations, last, motion, shared=True)["B"]
        np.testing.assert_allclose(run["joints/B/force"][-1], load.force, atol=1e-9)
        np.testing.assert_array_equal(run.channel("side"), run["joints/B/force"][:, 2])
        assert not any("NaN" in text for text in run.warnings)
        found.append(
            np.concatenate([run[f"joints/{name}/{key}"] for name in "ABCD" for key in ("force", "torque")])
        )
    np.testing.assert_allclose(*found, atol=2e-4 * np.abs(found[0]).max())
    with pytest.raises(fx.ResultError, match="share"):
        fx.simulate(
            four_bar(push=[1.0, -2.0, 3.0]), 0.04, 1e-3, tree="joint", out=tmp_path / "joint.h5", resume=True
        )
