"""The three networks of GTM §3, symbolically and in numbers."""

import itertools

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.errors import GraphError
from flexnet.graph import Tree, f_cutset, incidence
from flexnet.networks import Network
from flexnet.networks.symbolic import symbolic_network
from flexnet.networks.vibrating import vibrating


def electrical(E1: object = 10.0) -> fx.System:
    s = fx.System("gtm_electrical")
    s.voltage_source("E1", "a", s.ground, E1)
    s.resistor("R2", "a", "b", 100.0)
    s.resistor("R3", "b", s.ground, 300.0)
    s.capacitor("C4", "b", s.ground, 1e-3, start=2.0)
    return s


def pipes(k: float = 1.0, drawn: object = 1.0) -> fx.System:
    s = fx.System("gtm_pipes")
    s.tank("q1", "a", 2.0, start=10.0)
    for name, tail, head, G in (("q2", "a", "b", 0.5), ("q3", "a", "c", 0.3), ("q4", "b", "c", 0.2)):
        s.pipe(name, tail, head, conductance=G, exponent=k, laminar=1e-8)
    s.flow_source("q5", "b", s.ground, drawn)
    s.flow_source("q6", s.ground, "c", 1.5)
    return s


def masses() -> fx.System:
    s = fx.System("gtm_vibrating")
    for i in range(4):
        s.line_mass(f"m{i + 1}", str(i + 1), 1.0 + i, start=0.1 * i, rate=0.2 - 0.1 * i)
    s.line_spring("k13", "2", "3", 100.0)
    s.line_spring("k15", "2", "4", 200.0)
    s.line_damper("da", s.ground, "1", 1.0)
    s.line_damper("db", "3", "4", 2.0)
    s.line_damper("dc", s.ground, "4", 3.0)
    return s


def test_matrices_of_the_electrical_network() -> None:
    network = electrical().network
    A = incidence(network.graph)
    assert A.rows == ("a", "b", "ground")
    assert A.values.tolist() == [[1, 1, 0, 0], [0, -1, 1, 1], [-1, 0, -1, -1]]  # (22)
    cut = f_cutset(network.normal).ordered(("E1", "C4", "R3", "R2"))
    assert cut.rows == ("E1", "C4")
    assert cut.values.tolist() == [[1, 0, 0, 1], [0, 1, 1, -1]]  # (30)


def test_three_formulations_of_the_electrical_network_agree_in_every_tree() -> None:
    network = electrical().network
    nodal = symbolic_network(network).nodal
    assert len(nodal.equations) == len(nodal.unknowns) == 10  # (24)-(29)
    graph = network.graph
    count = 0
    for names in itertools.combinations(network.ports, 2):
        try:
            tree = Tree(graph, names)
        except GraphError:
            continue
        count += 1
        own = symbolic_network(network, tree)
        for edge, kind in itertools.product(network.ports, ("across", "through")):
            for f in (own.branch_chord, own.tableau):
                assert sp.simplify(f.value(edge, kind) - nodal.value(edge, kind)) == 0
    assert count == 5


def test_steps_of_the_electrical_network() -> None:
    own = symbolic_network(electrical().network)
    E1, R2, R3, C4, s = sp.symbols("E1 R2 R3 C4 s")
    f = own.branch_chord
    v1, v4, i2, i3 = sp.symbols("alpha_E1 alpha_C4 tau_R2 tau_R3")
    assert set(f.unknowns) == {v1, v4, i2, i3}
    assert (f.through["E1"], f.through["C4"]) == (-i2, i2 - i3)  # (31)
    assert (f.across["R3"], f.across["R2"]) == (v4, v1 - v4)  # (32)
    start = sp.Symbol("C4_0")
    wanted = [v1 - E1, (v1 - v4) - R2 * i2, v4 - R3 * i3, C4 * (s * v4 - start) - (i2 - i3)]  # (33)
    assert all(sp.expand(a - b) == 0 for a, b in zip(f.equations, wanted, strict=True))
    x = sp.Symbol("x_C4")
    rate = own.state_equations["C4"]
    assert sp.simplify(C4 * rate + (1 / R3 + 1 / R2) * x - E1 / R2) == 0  # (36)
    assert sp.simplify(own.transfer("C4", "E1") - R3 / (R2 + R3 + R2 * R3 * C4 * s)) == 0


@pytest.mark.parametrize("tree", [(), ("R2", "R3"), ("E1", "R3"), ("C4", "R2")])
def test_transient_of_the_electrical_network(tree: tuple[str, ...]) -> None:
    s = electrical()
    s.network_tree(*tree)
    run = fx.simulate(s, end=0.3, step=1e-3, method=fx.dop853())
    v = 7.5 - 5.5 * np.exp(-run.t / 0.075)
    np.testing.assert_allclose(run.channel("C4.voltage"), v, rtol=0, atol=1e-9)
    at = round(0.1 / 1e-3)
    i = [float(run.channel(f"{e}.current")[at]) for e in ("E1", "R2", "R3", "C4")]
    np.testing.assert_allclose(i, [-0.0394978426, 0.0394978426, 0.0201673858, 0.0193304568], atol=1e-9)


def test_a_source_in_time_and_the_default_method() -> None:
    s = electrical(fx.harmonic(5.0, 40.0))
    run = fx.simulate(s, end=0.1, step=1e-4)
    t, R2, R3, C = 0.1, 100.0, 300.0, 1e-3
    T = 1.0 / ((1 / R2 + 1 / R3) / C)
    gain = 5.0 * 40.0 / (R2 * C) / (1 / T**2 + 1600.0)
    exact = (2.0 + gain) * np.exp(-t / T) + 5.0 / (R2 * C) / (1 / T**2 + 1600.0) * (
        np.sin(40 * t) / T - 40 * np.cos(40 * t)
    )
    assert exact == pytest.approx(1.2752891943, abs=1e-9)
    assert run.channel("C4.voltage")[-1] == pytest.approx(exact, abs=1e-5)


def test_matrices_of_the_pipes() -> None:
    network = pipes().network
    A = incidence(network.graph)
    rows = [A.values[A.rows.index(n)].tolist() for n in "abc"]
    assert rows == [[1, 1, 1, 0, 0, 0], [0, -1, 0, 1, 1, 0], [0, 0, -1, -1, 0, -1]]  # (37)
    f = symbolic_network(network).tableau
    q1, q2, q3, q4, q5, q6, s = sp.symbols("q1 q2 q3 q4 q5 q6 s")
    assert [x.name for x in f.unknowns] == ["n_a", "n_b", "n_c", "tau_q1"]
    wanted = sp.Matrix(
        [[q2 + q3, -q2, -q3, 1], [-q2, q2 + q4, -q4, 0], [-q3, -q4, q3 + q4, 0], [q1 * s, 0, 0, -1]]
    )
    assert sp.simplify(f.matrix - wanted) == sp.zeros(4, 4)  # (48), conductances named as the pipes
    assert sp.simplify(f.right - sp.Matrix([0, -q5, q6, q1 * sp.Symbol("q1_0")])) == sp.zeros(4, 1)
    assert sp.simplify(f.matrix.det() + q1 * s * (q2 * q3 + q2 * q4 + q3 * q4)) == 0


def test_pipes_at_the_start_and_their_tank() -> None:
    s = pipes()
    point = fx.operating_point(s, hold=True)
    flows = [point[f"q{i}.flow"] for i in (1, 2, 3, 4)]
    np.testing.assert_allclose(flows, [0.5, 0.32258065, -0.82258065, -0.67741935], atol=1e-8)
    run = fx.simulate(s, end=4.0, step=0.1)
    assert run.channel("q1.pressure")[-1] == pytest.approx(11.0, abs=1e-12)
    run = fx.simulate(pipes(drawn=1 + sp.sin(sp.Symbol("t")) / 2), end=4.0, step=0.01, method=fx.dop853())
    assert run.channel("q1.pressure")[-1] == pytest.approx(10.5865890948, abs=1e-9)


def test_matrices_of_the_vibrating_system_in_the_tree_of_the_seed() -> None:
    network = masses().network
    f = vibrating(network, Tree(network.graph, ("m1", "m3", "k13", "k15")))
    assert f.A["m"].tolist() == [[1, 0, 0, 0], [0, 1, 1, 1], [0, -1, 0, -1], [0, 0, 0, 1]]  # (61)
    assert f.A["d"].tolist() == [[1, 0, 0], [0, 0, 1], [0, -1, -1], [0, 1, 1]]  # (62)
    m1, m2, m3, m4, da, db, dc, k13, k15 = sp.symbols("m1 m2 m3 m4 da db dc k13 k15")
    M = [[m1, 0, 0, 0], [0, m2 + m3 + m4, -(m2 + m4), m4], [0, -(m2 + m4), m2 + m4, -m4], [0, m4, -m4, m4]]
    assert sp.expand(f.symbolic("m") - sp.Matrix(M)) == sp.zeros(4, 4)
    D = [[da, 0, 0, 0], [0, dc, -dc, dc], [0, -dc, db + dc, -(db + dc)], [0, dc, -(db + dc), db + dc]]
    assert sp.expand(f.symbolic("d") - sp.Matrix(D)) == sp.zeros(4, 4)
    assert f.symbolic("k") == sp.diag(0, 0, k13, k15)


def test_coordinates_of_two_trees_are_related_by_whole_numbers_and_so_are_the_matrices() -> None:
    network = masses().network
    first = vibrating(network)
    count = 0
    for names in itertools.combinations(network.ports, 4):
        try:
            tree = Tree(network.graph, names)
        except GraphError:
            continue
        count += 1
        own, cut = vibrating(network, tree), f_cutset(tree)
        T = np.array([cut.values[:, cut.columns.index(e)] for e in first.branches])  # x_b = T x_b'
        assert abs(round(np.linalg.det(T))) == 1
        for kind in "mdk":
            assert np.array_equal(own.matrix(kind), T.T @ first.matrix(kind) @ T)
    assert count == 48


def test_the_vibrating_system_moves_as_bodies_on_prismatic_joints_do() -> None:
    s = fx.System("bodies")
    for i in range(4):
        body = s.rigid_body(f"b{i + 1}", mass=1.0 + i, inertia=[1.0, 1.0, 1.0])
        s.prismatic(f"p{i + 1}", s.ground, body, axis="x")
        s.start(f"p{i + 1}", displacement=0.1 * i, rate=0.2 - 0.1 * i)
    b = [s.ground, *s.bodies.values()]
    s.spring("k13", b[2], b[3], stiffness=100.0, axis="x")
    s.spring("k15", b[2], b[4], stiffness=200.0, axis="x")
    s.spring("da", b[0], b[1], damping=1.0, axis="x")
    s.spring("db", b[3], b[4], damping=2.0, axis="x")
    s.spring("dc", b[0], b[4], damping=3.0, axis="x")
    s.channel("x4", fx.joint_coordinate("p4", "displacement"))
    bodies = fx.simulate(s, end=1.0, step=1e-3, method=fx.dop853())
    for tree in ((), ("m1", "m3", "k13", "k15")):
        line = masses()
        line.network_tree(*tree)
        run = fx.simulate(line, end=1.0, step=1e-3, method=fx.dop853())
        np.testing.assert_allclose(run.channel("m4.displacement"), bodies.channel("x4"), rtol=0, atol=1e-10)
    f = vibrating(masses().network)  # the states are places and rates of the masses, as drops
    M, D, K = (f.matrix(kind) for kind in "mdk")
    wanted = np.block([[-np.linalg.solve(M, D), -np.linalg.solve(M, K)], [np.eye(4), np.zeros((4, 4))]])
    np.testing.assert_allclose(_state_matrix(masses().network), wanted, rtol=0, atol=1e-12)


def _state_matrix(network: Network) -> np.ndarray:
    """A of ẋ = A x."""
    solved = network.solved
    n = len(solved.system.states)
    A = np.zeros((n, n))
    for i, w in solved.system.rates.items():
        for (kind, j), value in solved.values["w", w].items():
            assert kind == "x"
            A[i, j] = value
    return A
