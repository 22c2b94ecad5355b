"""Trees by measurement: a fair contest, remembered, told, taken over by a resume. No test asserts a time."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.analysis import Budget, tree_contest
from flexnet.analysis.measured import measured
from flexnet.analysis.reference import check
from flexnet.formulation import condition
from flexnet.graph import Kind
from flexnet.graph.selection.shortlist import neighbours, rule_trees, same
from flexnet.system import offer_indirect_joints
from tests.catalogue import build

SMALL = Budget(steps=40, most=9)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tree_contest, "BURST", 1e-3)
    monkeypatch.setattr(tree_contest, "LAST", tree_contest.FIRST)


def test_neighbours_differ_by_one_branch_of_one_tree():
    graph = build("leger_a06_spatial_slider_crank").graph
    pair = rule_trees(graph)["default"]
    found = neighbours(graph, pair)
    assert found
    for _, other in found:
        changed = [len(set(a.names) - set(b.names)) for a, b in zip(pair, other, strict=True)]
        assert sorted(changed) == [0, 1]
    assert not any(same(pair, other) for _, other in found)


def test_a_contest_holds_every_rule_and_takes_one_that_keeps_the_error():
    made = fx.measure_trees(build("leger_a10_serial"), 1e-3, budget=SMALL)
    assert {"default", "joint", "absolute"} <= set(made.timings)
    assert len(made.timings) == SMALL.most
    chosen, default = made.timings[made.chosen], made.timings["default"]
    assert chosen.error <= 2 * default.error + 1e-9
    assert chosen.seconds <= default.seconds
    assert all(0 < each.seconds < np.inf for each in made.timings.values())  # also of those too far off
    assert "candidates in" in str(made)


@pytest.mark.slow
def test_the_candidates_do_not_depend_on_the_clock():
    names = [set(fx.measure_trees(build("leger_a04_slider_crank"), 1e-4, budget=SMALL).timings) for _ in "12"]
    rules = {"default", "joint", "absolute", "absolute_angular", "formulation_based"}
    assert rules <= names[0] & names[1]


def test_the_choice_is_remembered_written_and_resumed(tmp_path):
    system, out = build("double_pendulum"), tmp_path / "a.h5"
    run = fx.simulate(system, 0.02, 1e-3, tree="measured", out=out, block=5)
    said = str(fx.Results.open(out).mechanism().parameters["trees"])
    assert said.startswith("trees measured: ")
    again = measured(system, 1e-3)
    assert again.chosen == f"{said} (remembered)"
    assert set(again.R.names) == set(run.equations.R.names)
    longer = fx.simulate(system, 0.04, 1e-3, tree="measured", out=out, resume=True, block=5)
    assert set(longer.equations.T.names) == set(run.equations.T.names)
    assert longer.t[-1] == pytest.approx(0.04)


def test_every_candidate_has_what_is_required():
    """The slide s12 of A.6 and the ball b10 together: most rules would leave one of them out."""
    system = build("leger_a06_spatial_slider_crank")
    made = fx.measure_trees(system, 1e-3, budget=SMALL, require=["b10", "s12"])
    assert len(made.timings) > 3
    for name, timing in made.timings.items():
        assert {"b10", "s12"} <= set(timing.equations.T.names) & set(timing.equations.R.names), name


@pytest.mark.slow
def test_what_is_required_is_part_of_what_is_remembered():
    system = build("leger_a04_slider_crank")
    plain, asked = measured(system, 1e-3), measured(system, 1e-3, require=["m3"])
    assert "m3" in asked.T.names
    assert "m3" in asked.R.names
    assert "remembered" not in asked.chosen
    assert set(measured(system, 1e-3).T.names) == set(plain.T.names)
    again = measured(system, 1e-3, require=["m3"])
    assert "remembered" in again.chosen
    assert set(again.T.names) == set(asked.T.names)


@pytest.mark.slow
def test_every_place_that_names_a_tree_takes_every_option():
    """A.4 with the pin h9 required, which neither rule of the thesis takes in both trees."""
    options = {"require": ["h9", "s11"], "counts": "in_plane", "virtual": True}
    system = build("leger_a04_slider_crank")
    made = fx.formulate(system, "formulation_based", **options)
    assert {"h9", "s11"} <= set(made.T.names) & set(made.R.names)
    assert any(e.kind is Kind.VIRTUAL for e in made.graph.edges)
    run = fx.simulate(system, 2e-3, 1e-3, tree="formulation_based", **options)
    assert (run.equations.T.names, run.equations.R.names) == (made.T.names, made.R.names)
    table = fx.compare_trees(system, ["formulation_based"], **options)
    assert set(table["formulation_based"].r_tree) == set(made.R.names)
    fastest = fx.simulate(system, 2e-3, 1e-3, tree="measured", **options)
    assert {"h9", "s11"} <= set(fastest.equations.T.names) & set(fastest.equations.R.names)
    assert any(e.kind is Kind.VIRTUAL for e in fastest.equations.graph.edges)


def test_a_reference_may_ask_for_trees(tmp_path):
    reference = fx.Reference(
        source="at rest", tolerances=("x=1",), end=2e-3, step=1e-3, tree="joint",
        require=("m3",), counts="in_plane", virtual=True,
        curve=lambda t: {"slider": 0 * t},
    )  # fmt: skip
    asked = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("flexnet.analysis.reference.simulate", lambda *a, **k: asked.update(k) or 1 / 0)
        with pytest.raises(ZeroDivisionError):
            check(lambda: build("leger_a04_slider_crank"), reference, tmp_path, tmp_path / "a.h5")
    assert (asked["require"], asked["counts"], asked["virtual"]) == (("m3",), "in_plane", True)


@pytest.mark.slow
def test_a_choice_with_virtual_joints_is_remembered_apart():
    system = build("leger_a04_slider_crank")
    measured(system, 1e-3)
    offered = offer_indirect_joints(system)
    assert "remembered" not in measured(offered, 1e-3).chosen
    assert "remembered" in measured(offered, 1e-3).chosen


def test_trees_are_not_asked_for_where_equations_are_given():
    equations = fx.formulate(build("leger_a04_slider_crank"), "joint")
    for options in ({"tree": "absolute"}, {"require": ["h8"]}, {"virtual": True}, {"counts": "in_plane"}):
        with pytest.raises(fx.ModelError, match="have their trees"):
            fx.simulate(equations, 1e-3, 1e-3, **options)
        with pytest.raises(fx.ModelError, match="have their trees"):
            fx.equilibrium(equations, **options)


def test_a_budget_that_measures_nothing_is_refused():
    with pytest.raises(fx.FlexnetError, match="got steps=1"):
        Budget(steps=1)


def test_measured_refuses_what_cannot_be_required():
    with pytest.raises(fx.GraphError, match="required edge 'q9' is not in the graph"):
        measured(build("leger_a04_slider_crank"), 1e-3, require=["q9"])
    with pytest.raises(fx.GraphError, match="counts are spatial or in_plane, not 'flat'"):
        measured(build("leger_a04_slider_crank"), 1e-3, counts="flat")


def test_a_required_edge_that_closes_a_loop_is_told(caplog):
    system = build("leger_a04_slider_crank")
    fx.measure_trees(system, 1e-3, budget=SMALL, require=["h8", "h9", "h10", "s11"])
    assert "is no branch of the T-tree: it closes a loop with" in caplog.text


def test_formulate_says_where_measured_belongs():
    with pytest.raises(fx.GraphError, match="name it in simulate, or use measure_trees"):
        fx.formulate(build("double_pendulum"), "measured")


def test_the_condition_is_known_along_a_run():
    """Absolute coordinates of the slider-crank: never singular, at the start as asked for there."""
    run = fx.simulate(build("leger_a04_slider_crank"), 0.05, 1e-3, tree="absolute")
    assert run.condition.shape == run.t.shape
    assert run.condition[0] == pytest.approx(condition(run.equations, run.equations.initial))
    assert np.all(run.condition >= 1.0)


def test_condition_does_not_depend_on_units_and_tells_a_dead_centre():
    system = build("leger_a04_slider_crank")
    equations = fx.formulate(system, "joint")
    assert 1.0 <= condition(equations, equations.initial) < 100.0
    free = fx.formulate(build("double_pendulum"), "joint")
    assert condition(free, free.initial) == 1.0
    assert np.isfinite(condition(equations, equations.initial))
