"""A report says what the formulation has made of the mechanism, in numbers of the papers."""

import pytest

import flexnet as fx
from flexnet.formulation.report import tree_table
from flexnet.graph import RULES, Kind


def test_the_squeezer_has_the_graphs_and_the_equations_of_the_paper(build) -> None:
    """GTM §4.6.4: T-graph of 26 nodes and 36 elements, R-graph of 8 and 18; table 5: 41, 13, 13."""
    reports = fx.compare_trees(build["squeezer"](), ("absolute", "joint", "absolute_angular"))
    assert [r.total for r in reports.values()] == [41, 13, 13]
    for r in reports.values():
        assert r.t_size == (26, 36)
        assert r.r_size == (8, 18)
        assert r.freedoms == 1


def test_redundant_constraints_are_named_by_joint_and_direction(build) -> None:
    r = fx.report(fx.formulate(build["four_bar"](), "joint"))
    assert set(r.redundant) == {("B", "force z"), ("B", "torque x"), ("B", "torque y")}
    assert "B: force z" in str(r)
    assert r.suggests_planar
    assert "planar=True" in str(r)


def test_a_planar_four_bar_has_nothing_redundant_and_no_suggestion(build) -> None:
    r = fx.report(fx.formulate(build["four_bar"](planar=True), "joint"))
    assert r.redundant == ()
    assert not r.suggests_planar
    assert "suggestion" not in str(r)


def test_counts_agree_with_the_equations(mechanism: fx.System) -> None:
    for tree in RULES:
        equations = fx.formulate(mechanism, tree)
        r = fx.report(equations)
        assert (r.n, r.m) == (equations.n_v, equations.m)
        assert sum(map(len, r.frames.values())) == len(mechanism.graph.nodes)
        assert sum(map(len, r.edges.values())) == len(mechanism.graph.edges)
        assert len(r.r_tree) == len(mechanism.bodies)


def test_freedoms_do_not_depend_on_the_tree(mechanism: fx.System) -> None:
    assert len({r.freedoms for r in fx.compare_trees(mechanism).values()}) == 1


def test_the_text_names_everything(mechanism: fx.System) -> None:
    r = fx.report(fx.formulate(mechanism))
    text = str(r)
    for names in (*r.frames.values(), r.coordinates, r.constraints, r.t_tree, r.r_tree):
        for name in names:
            assert name.split(": ")[0] in text
    assert f"{r.n} dynamic + {r.m} constraint = {r.total} equation" in text
    assert max(map(len, text.splitlines())) <= 110


def test_the_table_has_a_line_for_every_tree(build) -> None:
    reports = fx.compare_trees(build["slider_crank"]())
    table = tree_table(reports)
    assert [row[0] for row in table[1:]] == list(RULES)
    found = {row[0]: int(row[6]) for row in table[1:]}
    expected = {"joint": 5, "absolute": 17, "absolute_angular": 7, "gtm": 3, "default": 3}
    assert expected.items() <= found.items()
    assert "3 body" in fx.format_tree_table(reports)


@pytest.mark.parametrize(("kind", "count"), [(Kind.JOINT, 10), (Kind.BODY, 7), (Kind.FORCE, 2)])
def test_edges_are_sorted_by_kind(build, kind: Kind, count: int) -> None:
    assert len(fx.report(fx.formulate(build["squeezer"]())).edges[kind]) == count
