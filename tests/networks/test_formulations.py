"""What must agree: formulations, trees, the matrix form (68); and a domain of one's own is one page."""

import numpy as np
import pytest
import sympy as sp

import flexnet as fx
from flexnet.errors import ModelError
from flexnet.graph import DOMAINS, Domain, Tree, f_cutset, incidence, scalar_domain
from flexnet.networks import MEASURES, AcrossStorage, Dissipation, ThroughDriver, ThroughStorage
from flexnet.networks.element import drive, port
from flexnet.networks.network import measure, measured
from flexnet.networks.steps import network_report
from flexnet.networks.symbolic import Formulation, symbolic_network
from flexnet.networks.vibrating import vibrating
from tests.networks.test_laws import powers
from tests.networks.test_seed_networks import masses, pipes
from tests.networks.test_topology import FIGURE_1, figure_1, trees


def numbers(f: Formulation, values: dict[sp.Symbol, complex]) -> dict[str, complex]:
    """Unknowns of a formulation in numbers."""
    M, b = (np.array(x.subs(values), dtype=complex) for x in (f.matrix, f.right))
    return {x.name: complex(v) for x, v in zip(f.unknowns, np.linalg.solve(M, b[:, 0]), strict=True)}


def test_three_formulations_agree_in_all_sixteen_trees_of_figure_1() -> None:
    network = figure_1().network
    values = {sp.Symbol(name): x for name, x in FIGURE_1.items()}
    own = symbolic_network(network)
    assert own.parameters == {k: v for k, v in values.items() if k.name.startswith("R")}
    nodal = numbers(own.nodal, values)
    assert nodal["n_b"].real == pytest.approx(3.8095238095, abs=1e-10)
    assert nodal["tau_E1"].real == pytest.approx(-1.0634920635, abs=1e-10)
    for x, v in numbers(own.tableau, values).items():
        assert v == pytest.approx(nodal[x], abs=1e-12)
    for names in trees(network):
        found = numbers(symbolic_network(network, Tree(network.graph, names)).branch_chord, values)
        assert len(found) == 6  # e equations
        for x, v in found.items():
            assert v == pytest.approx(nodal[x], abs=1e-12)


def test_the_cutset_of_the_seed_is_one() -> None:
    network = figure_1().network
    cut = f_cutset(Tree(network.graph, ("E1", "R2", "R3")))
    row = dict(zip(cut.columns, cut.values[cut.rows.index("R3")], strict=True))
    assert {e for e, x in row.items() if x} == {"R3", "R4", "R5", "I6"}


@pytest.mark.parametrize(
    ("k", "P_b", "P_c", "flows"),
    [
        (1.0, 9.35483871, 12.74193548, (0.32258065, -0.82258065, -0.67741935)),
        (1.85, 9.38521920, 17.38942872, (0.38438352, -0.88438352, -0.61561648)),
        (2.0, 9.39783422, 18.76153501, (0.38799671, -0.88799671, -0.61200329)),
    ],
)
def test_pipes_of_every_exponent(k: float, P_b: float, P_c: float, flows: tuple[float, ...]) -> None:
    """(45)-(47), Newton from a poor guess; q₁ = Q_c - Q_b whatever k is."""
    s = pipes(k)
    A = incidence(s.network.graph)
    drops = {e: A.values[:3, j].tolist() for j, e in enumerate(A.columns)}
    assert [drops[f"q{i}"] for i in (1, 2, 3, 4)] == [[1, 0, 0], [1, -1, 0], [1, 0, -1], [0, 1, -1]]  # (43)
    point = fx.operating_point(s, hold=True)
    P_a = point["q1.pressure"]
    assert P_a - point["q2.pressure"] == pytest.approx(P_b, abs=1e-8)
    assert P_a - point["q3.pressure"] == pytest.approx(P_c, abs=1e-8)
    assert [point[f"q{i}.flow"] for i in (2, 3, 4)] == pytest.approx(flows, abs=1e-8)
    assert point["q1.flow"] == pytest.approx(0.5, abs=1e-12)
    run = fx.simulate(s, 4.0, 0.5)  # an implicit DAE solver agrees with Newton and a step of the tank
    assert run.channel("q1.pressure")[-1] == pytest.approx(11.0, abs=1e-9)


def test_the_matrix_form_is_the_branch_chord_form_in_every_tree() -> None:
    """(68) in rates at some s: (A_m m s A_mᵀ + A_d d A_dᵀ + A_k k/s A_kᵀ) ẋ_b = -A_f F, of (50)-(59)."""
    system = masses()
    system.line_force_source("f", "3", 7.0, tail="1")
    network, at = system.network, 0.7 + 1.3j
    eigenvalues = np.sort_complex(vibrating(network).eigenvalues())
    found = trees(network)
    assert len(found) > 48  # those of the seed's graph, and those with the force as a branch
    for names in found[::5]:
        tree = Tree(network.graph, names)
        own, f = symbolic_network(network, tree), vibrating(network, tree)
        values = own.parameters | {sp.Symbol("f"): 7.0, sp.Symbol("s"): at}
        values |= {sp.Symbol(f"{e}_0"): 0.0 for e in network.ports}
        Y = at * f.matrix("m") + f.matrix("d") + f.matrix("k") / at
        rates = np.linalg.solve(Y, -f.A["f"][:, 0] * 7.0)
        if "f" not in names:
            wanted = numbers(own.branch_chord, values)
            for name, x in zip(f.branches, rates, strict=True):
                assert x == pytest.approx(wanted[f"alpha_{name}"], abs=1e-11)
        assert np.abs(np.sort_complex(f.eigenvalues()) - eigenvalues).max() < 1e-7  # a double root: √ε


def test_masses_afloat_vibrate_as_bodies_do() -> None:
    """No element to the datum but masses: one of them in the tree carries the rest."""
    s = fx.System("afloat")
    for i, m in enumerate((1.0, 2.0, 3.0)):
        s.line_mass(f"m{i}", f"n{i}", m)
    s.line_spring("k1", "n0", "n1", 50.0)
    s.line_spring("k2", "n1", "n2", 80.0)
    s.line_damper("d", "n0", "n2", 0.5)
    f = vibrating(s.network, Tree(s.network.graph, ("m1", "k1", "k2")))
    b = fx.System("bodies")
    for i, m in enumerate((1.0, 2.0, 3.0)):
        b.prismatic(f"p{i}", b.ground, b.rigid_body(f"b{i}", m, [1.0, 1.0, 1.0]), axis="x")
    bodies = list(b.bodies.values())
    b.spring("k1", bodies[0], bodies[1], 50.0, axis="x")
    b.spring("k2", bodies[1], bodies[2], 80.0, axis="x")
    b.spring("d", bodies[0], bodies[2], damping=0.5, axis="x")
    wanted = fx.linear_system(b).A
    own, theirs = (np.sort_complex(x[np.abs(x) > 1e-3]) for x in (f.eigenvalues(), np.linalg.eigvals(wanted)))
    np.testing.assert_allclose(own, theirs, rtol=0, atol=1e-10 * np.abs(own).max())


def test_a_motor_with_coupled_coils_and_a_spring_has_its_state_equations_in_symbols() -> None:
    """Coils with several windings, and springs, whose force is a state in symbols."""
    s = fx.System("coils")
    s.voltage_source("E", "a", s.ground, 1.0)
    s.resistor("R", "a", "b", 2.0)
    s.coupled_inductors("M", [("b", s.ground), ("c", s.ground)], [[2.0, 1.0], [1.0, 3.0]])
    s.resistor("Q", "c", s.ground, 5.0)
    found = symbolic_network(s.network).state_equations
    E, R, Q, x, y = sp.symbols("E R Q x_M.1 x_M.2")
    L = sp.Matrix([[2.0, 1.0], [1.0, 3.0]])
    rates = L.LUsolve(sp.Matrix([E - R * x, -Q * y]))
    assert [sp.simplify(found[f"M.{k + 1}"] - rates[k]) for k in range(2)] == [0, 0]
    line = fx.System("line")
    line.line_mass("m", "1", 2.0)
    line.line_spring("k", line.ground, "1", 5.0)
    found = symbolic_network(line.network).state_equations
    m, k, v, F = sp.symbols("m k x_m x_k")
    assert sp.simplify(found["m"] + F / m) == 0 == sp.simplify(found["k"] - k * v)


@pytest.mark.parametrize("noun", ["diode", "spring", "nonlinear resistor"])
def test_what_is_not_linear_is_told_by_name(noun: str) -> None:
    s = fx.System("bent")
    if noun == "spring":
        s.line_mass("m", "a", 1.0)
        s.line_spring("N", s.ground, "a", force=lambda x: -x * x * x)
    else:
        s.voltage_source("E", "a", s.ground, 1.0)
        law = {"diode": lambda: s.diode("N", "a", s.ground)}
        law.get(noun, lambda: s.nonlinear_resistor("N", "a", s.ground, current=lambda v: v * v))()
    with pytest.raises(ModelError, match=f"{noun} 'N' has a law of its own: its network is not linear"):
        symbolic_network(s.network)
    with pytest.raises(ModelError, match="is no mass, linear damper, linear spring or force"):
        vibrating(s.network)


def test_a_domain_of_one_s_own_is_one_page() -> None:
    """Sound in a tube: a horn of stubs and necks; channels, measures, balance and equations follow."""
    sound = scalar_domain(Domain("acoustic", "sound pressure", "volume flow", "Pa", "m^3/s"))
    try:

        @measure
        def sound_pressure(edge: str = "", node: str = "") -> fx.Signal:
            return measured(sound, "across", edge, node)

        s = fx.System("tube")
        s.add(
            ThroughDriver(
                "lips", (port("lips", s.ground, "a", sound),), drive(fx.harmonic(1e-3, 50.0), "m^3/s", "lips")
            )
        )
        s.add(AcrossStorage("stub", (port("stub", "a", s.ground, sound),), 1e-6))
        s.add(ThroughStorage("neck", (port("neck", "a", "b", sound),), ((200.0,),), (None,)))
        s.add(Dissipation("bell", (port("bell", "b", s.ground, sound),), "conductive", 1e-4, noun="bell"))
        s.channel("loud", fx.sound_pressure(node="b"))
        run = fx.simulate(s, 0.2, 1e-4, interval=1e-3)
        total, size = powers(run, s)
        assert np.abs(total).max() < 1e-12 * size.max()
        assert run.channel("loud") == pytest.approx(run.channel("bell.sound_pressure"), abs=1e-12)
        s_, C, L, G = sp.symbols("s stub neck bell")
        wanted = 1 / (C * s_ + 1 / (L * s_ + 1 / G)) / (L * s_ + 1 / G) / G
        assert sp.simplify(symbolic_network(s.network).transfer("bell", "lips") - wanted) == 0
        assert "d x_stub/dt" in network_report(s.network)
    finally:
        DOMAINS.pop("acoustic")
        MEASURES.pop("sound_pressure")


def test_flexnet_s_own_domains_and_measures_are_entered_and_public() -> None:
    assert {"electrical", "hydraulic", "magnetic", "thermal", "translation", "rotation"} <= set(DOMAINS)
    own = {name for name, make in MEASURES.items() if make.__module__.startswith("flexnet.networks")}
    assert len(own) == 14
    assert own <= set(fx.__all__)
