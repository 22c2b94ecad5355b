"""One graph for every domain: graphs of domains, normal trees, and what no tree can mend."""

import itertools

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import GraphError, ModelError
from flexnet.graph import Tree, f_cutset, incidence
from flexnet.networks import Network

#   a --R3-- b --R2-- c
#   |        |        |
#   E1       R5       R4        I6 from c to a
#   +-------- g ------+
FIGURE_1 = {"E1": 10.0, "R2": 2.0, "R3": 3.0, "R4": 4.0, "R5": 5.0, "I6": 1.0}


def figure_1() -> fx.System:
    s = fx.System("figure_1")
    g = s.ground
    s.voltage_source("E1", "a", g, FIGURE_1["E1"])
    s.resistor("R2", "b", "c", FIGURE_1["R2"])
    s.resistor("R3", "a", "b", FIGURE_1["R3"])
    s.resistor("R4", g, "c", FIGURE_1["R4"])
    s.resistor("R5", g, "b", FIGURE_1["R5"])
    s.current_source("I6", "c", "a", FIGURE_1["I6"])
    return s


def trees(network: Network) -> list[tuple[str, ...]]:
    """Every spanning tree."""
    graph = network.graph
    found = []
    for names in itertools.combinations(network.ports, len(graph.nodes) - 1):
        try:
            Tree(graph, names)
        except GraphError:
            continue
        found.append(names)
    return found


def test_figure_1_has_sixteen_trees_not_the_fifteen_of_the_seed_and_all_agree() -> None:
    network = figure_1().network
    A = incidence(network.graph).values[:-1]
    assert round(np.linalg.det(A @ A.T)) == 16
    found = trees(network)
    assert len(found) == 16
    i = (-1.0634920635, 1.3015873016, 2.0634920635, -0.3015873016, -0.7619047619, 1.0)
    v = (10.0, 2.6031746032, 6.1904761905, -1.2063492063, -3.8095238095, -8.7936507937)
    for names in found:
        solved = Network(network.elements, names).solved
        through = [solved.form(solved.system.through[e])["1", 0] for e in network.ports]
        across = [solved.form(solved.system.across[e])["1", 0] for e in network.ports]
        np.testing.assert_allclose(through, i, rtol=0, atol=1e-10)
        np.testing.assert_allclose(across, v, rtol=0, atol=1e-10)
        assert abs(np.dot(through, across)) < 1e-12  # Tellegen


def test_the_graph_of_a_system_holds_all_domains_and_gives_each() -> None:
    s = fx.System("all", planar=True)
    bob = s.rigid_body("bob", mass=1.0, inertia=0.1)
    s.revolute("pin", s.ground, bob)
    s.resistor("R", "a", s.ground, 1.0)
    s.capacitor("C", "a", s.ground, 1.0)
    s.tank("tank", "p", 1.0)
    graph = s.graph
    assert {e.name for e in graph.of("electrical").edges} == {"R", "C"}
    assert graph.of("hydraulic").nodes == ("ground", "p")
    assert graph.of("mechanism").nodes == s.mechanism.nodes
    assert graph.translational.nodes == s.mechanism.translational.nodes
    assert {e.name for e in graph.of("network").edges} == {"R", "C", "tank"}
    B = f_cutset(s.network.tree)
    assert np.all(B.values[:, : len(B.rows)] == np.eye(len(B.rows)))


def test_the_normal_tree_takes_sources_and_capacitors_and_leaves_inductors() -> None:
    s = fx.System("rlc")
    s.inductor("L", "a", "b", 1.0)
    s.resistor("R", "b", "c", 1.0)
    s.capacitor("C", "c", s.ground, 1.0)
    s.voltage_source("E", "a", s.ground, 1.0)
    assert set(s.network.normal.names) == {"E", "C", "R"}


def test_a_loop_of_sources_is_refused_by_name() -> None:
    s = fx.System("loop")
    s.voltage_source("E1", "a", s.ground, 1.0)
    s.voltage_source("E2", "a", "b", 1.0)
    s.voltage_source("E3", "b", s.ground, 1.0)
    with pytest.raises(ModelError, match=r"'E3', .* form a loop of sources"):
        _ = s.network.normal


def test_a_cutset_of_current_sources_is_refused_by_name() -> None:
    s = fx.System("cut")
    s.current_source("I1", "a", s.ground, 1.0)
    s.current_source("I2", "a", "b", 1.0)
    s.resistor("R", "b", s.ground, 1.0)
    with pytest.raises(ModelError, match=r"'I1', 'I2' cut the network in two"):
        _ = s.network.normal


def test_a_network_without_a_way_to_the_ground_is_refused_by_name() -> None:
    s = fx.System("afloat")
    s.resistor("R1", "a", s.ground, 1.0)
    s.transformer("T", ("a", s.ground), ("b", "c"), 2.0)
    s.resistor("R2", "b", "c", 1.0)
    with pytest.raises(ModelError, match=r"electrical network of 'T\.2', 'R2' floats.*connect one to it"):
        _ = s.network.graph


def test_a_node_belongs_to_one_domain() -> None:
    s = fx.System("mixed")
    s.resistor("R", "a", s.ground, 1.0)
    s.tank("T", "a", 1.0)
    with pytest.raises(ModelError, match=r"'T' is hydraulic and ends at node 'a', which is electrical"):
        _ = s.network.graph


def test_a_frame_and_a_node_have_different_names() -> None:
    s = fx.System("same", planar=True)
    bob = s.rigid_body("bob", mass=1.0, inertia=0.1)
    s.revolute("pin", s.ground, bob)
    s.resistor("R", "bob", s.ground, 1.0)
    with pytest.raises(ModelError, match=r"'bob' is a frame and a node"):
        _ = s.graph
