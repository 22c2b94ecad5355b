"""Trees of random graphs, valid and invalid trees, and the graph of a System."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexnet as fx
from flexnet.graph import RULES, Edge, Kind, LinearGraph, Tree, select_trees
from flexnet.system.warned import groups_afloat
from tests.catalogue import NAMES, build
from tests.sampling import random_pair, random_tree


@st.composite
def graphs(draw):
    """Connected graphs with some parallel edges and some arms."""
    n = draw(st.integers(2, 12))
    nodes = tuple(f"n{i}" for i in range(n))
    edges = []
    for i in range(1, n):  # a random tree first, so that the graph is connected
        ends = [nodes[i], nodes[draw(st.integers(0, i - 1))]]
        kind = draw(st.sampled_from([Kind.ARM, Kind.JOINT, Kind.BODY]))
        edges.append(Edge(f"t{i}", *(ends if draw(st.booleans()) else ends[::-1]), kind))
    for k in range(draw(st.integers(0, 12))):
        i = draw(st.integers(0, n - 1))
        j = (i + draw(st.integers(1, n - 1))) % n
        edges.append(Edge(f"c{k}", nodes[i], nodes[j], Kind.JOINT))
    order = draw(st.permutations(edges))
    return LinearGraph(nodes, tuple(order), nodes[draw(st.integers(0, n - 1))])


@settings(max_examples=150, deadline=None)
@given(graphs(), st.integers(0, 2**32 - 1))
def test_cutsets_and_circuits_are_orthogonal(graph, seed):
    tree = random_tree(graph, np.random.default_rng(seed))
    A, B = fx.f_cutset(tree), fx.f_circuit(tree)
    assert A.columns == B.columns
    assert not (A.values @ B.values.T).any()
    b = len(tree.names)
    assert b == len(graph.nodes) - 1
    assert np.array_equal(A.values[:, :b], np.eye(b))
    assert np.array_equal(B.values[:, b:], np.eye(len(graph.edges) - b))
    assert A.values.dtype == B.values.dtype == np.int64


@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(0, 2**32 - 1))
def test_incidence_times_circuits_is_zero_and_cutsets_span_the_same_rows(graph, seed):
    tree = random_tree(graph, np.random.default_rng(seed))
    B = fx.f_circuit(tree)
    I = fx.incidence(graph).ordered(B.columns).values
    assert not (I @ B.values.T).any()
    A = fx.f_cutset(tree).values
    assert np.linalg.matrix_rank(np.vstack([I, A])) == np.linalg.matrix_rank(I) == len(A)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(0, 2**32 - 1))
def test_branches_reach_every_node_from_its_parent(graph, seed):
    tree = random_tree(graph, np.random.default_rng(seed))
    seen = {graph.datum}
    for branch in tree.branches:
        assert branch.parent in seen
        assert branch.child not in seen
        ends = (branch.edge.tail, branch.edge.head)
        assert ends == ((branch.parent, branch.child) if branch.sign > 0 else (branch.child, branch.parent))
        seen.add(branch.child)
    assert seen == set(graph.nodes)


#   g ──a──▶ 1 ──r──▶ 2          r is an arm, d a dependent virtual work edge g ▶ 2
#   └──────b─────────▲
SMALL = LinearGraph(
    ("g", "1", "2"),
    (Edge("a", "g", "1"), Edge("b", "g", "2"), Edge("r", "1", "2", Kind.ARM),
     Edge("d", "g", "2", Kind.DEPENDENT)),
    "g",
)  # fmt: skip


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a", "b", "r"), "tree closes a loop: r, a, b|tree closes a loop: r, b, a"),
        (("a", "b"), "missing arm 'r'"),
        (("r",), "does not reach node '1'"),
        (("r", "d"), "dependent virtual work edge 'd' cannot be a branch"),
        (("r", "x"), "no edge is called 'x'"),
        (("r", "a", "a"), "names branch 'a' twice"),
    ],
)
def test_trees_that_are_none(names, message):
    with pytest.raises(fx.GraphError, match=message):
        Tree(SMALL, names)


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ("gg", [], "node 'g' appears twice"),
        ("g1", [("a", "g", "1"), ("a", "g", "1")], "edge 'a' appears twice"),
        ("g1", [("a", "g", "2")], "edge 'a' ends at unknown node '2'"),
        ("g1", [("a", "1", "1")], "edge 'a' begins and ends at node '1'"),
        ("g12", [("a", "g", "1")], "node '2' is not connected to the datum 'g'"),
        ("12", [("a", "1", "2")], "datum 'g' is not a node"),
    ],
)
def test_graphs_that_are_none(nodes, edges, message):
    with pytest.raises(fx.GraphError, match=message):
        LinearGraph(tuple(nodes), tuple(Edge(*e) for e in edges), "g")


def test_an_unknown_choice_of_trees_is_refused():
    with pytest.raises(fx.GraphError, match="joint, absolute, absolute_angular, gtm"):
        select_trees(SMALL, "minimal")


@pytest.mark.sweep(80)
@pytest.mark.parametrize("choice", RULES)
@pytest.mark.parametrize("name", NAMES)
def test_ready_made_trees_are_valid_and_hold_every_arm(name, choice):
    graph = build(name).graph
    T, R = select_trees(graph, choice)
    arms = {e.name for e in graph.edges if e.kind is Kind.ARM}
    assert arms <= set(T.names)
    assert arms.isdisjoint(R.names)
    for tree in (T, R):
        assert len(tree.names) == len(tree.graph.nodes) - 1
        assert not (fx.f_cutset(tree).values @ fx.f_circuit(tree).values.T).any()
        assert all(tree.graph.edge(n).kind not in (Kind.DEPENDENT, Kind.FORCE) for n in tree.names)


def test_absolute_trees_are_bodies_and_joint_trees_hold_no_body_that_a_joint_reaches():
    for name in NAMES:
        system = build(name)
        graph = system.graph
        bodies = {e.name for e in graph.edges if e.kind is Kind.BODY}
        T, R = select_trees(graph, "absolute")
        assert {n for n in T.names if graph.edge(n).kind is not Kind.ARM} == bodies
        assert set(R.names) == bodies
        T, R = select_trees(graph, "joint")
        holding = [p for p in system.components.values() if p.kind in (Kind.JOINT, Kind.DRIVER)]
        floating = groups_afloat(system.bodies, holding, ())
        assert len(bodies & set(T.names)) == len(bodies & set(R.names)) == len(floating)


@pytest.mark.parametrize("name", NAMES)
def test_random_pairs_are_accepted_as_explicit_lists(name):
    system = build(name)
    T, R = random_pair(system, np.random.default_rng(0))
    arms = {e.name for e in system.graph.edges if e.kind is Kind.ARM}
    without_arms = [n for n in T if n not in arms]
    chosen_T, chosen_R = select_trees(system.graph, translation=without_arms, rotation=R)
    assert set(chosen_T.names) == set(T)
    assert set(chosen_R.names) == set(R)


def test_dependent_virtual_work_edges_go_from_the_datum_to_every_moving_end():
    """DynaFlex §2.1: a joint or spring between two bodies brings two, one on the ground brings one."""
    graph = build("squeezer").graph
    dependent = {e.name: e for e in graph.edges if e.kind is Kind.DEPENDENT}
    assert all(e.tail == "ground" for e in dependent.values())
    assert {e.head for n, e in dependent.items() if n.startswith("F@")} == {"K1.F", "K2.F"}
    assert {e.head for n, e in dependent.items() if n.startswith("O@")} == {"K1.O"}
    assert {e.head for n, e in dependent.items() if n.startswith("spring@")} == {"K3.D"}
    assert not any(n.startswith("motor@") for n in dependent)  # a torque from the datum is its own
    pins_between, pins_on_ground = 6, 4
    assert len(dependent) == 2 * pins_between + pins_on_ground + 1


def test_the_rotational_graph_is_derived():
    """GTM §4.1: arms contracted, purely translational edges dropped, purely rotational ones added."""
    graph = build("squeezer").graph.without(Kind.DEPENDENT)
    R, T = graph.rotational, graph.translational
    assert set(R.nodes) == {"ground", *(f"K{i}" for i in range(1, 8))}
    assert "spring" in {e.name for e in T.edges} - {e.name for e in R.edges}
    assert "motor" in {e.name for e in R.edges} - {e.name for e in T.edges}
    assert not any(e.kind is Kind.ARM for e in R.edges)
