r"""Incidence, cutset and circuit matrices exactly as the seeds print them."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.graph import Edge, LinearGraph, Tree


def graph(nodes, datum, **edges):
    """Edges as name = "tail head"."""
    return LinearGraph(tuple(nodes), tuple(Edge(n, *ends.split()) for n, ends in edges.items()), datum)


#  GTM figure 1: voltage source E1, resistors R2 … R5, current source I6; tree E1 R2 R3
#
#      a ──R3──▶ b           E1: a ▶ g        R5: g ▶ b
#      │ ╲       │           R2: b ▶ c        I6: c ▶ a
#      E1  I6    R2          R4: g ▶ c
#      ▼     ╲   ▼
#      g ──R4──▶ c
NETWORK = graph("abcg", "g", E1="a g", R2="b c", R3="a b", R4="g c", R5="g b", I6="c a")
TREE = Tree(NETWORK, ("E1", "R2", "R3"))


def test_gtm_2_incidence():
    I = fx.incidence(NETWORK)
    assert I.rows == ("a", "b", "c", "g")
    assert I.columns == ("E1", "R2", "R3", "R4", "R5", "I6")
    assert I.values.tolist() == [
        [1, 0, 1, 0, 0, -1],
        [0, 1, -1, 0, -1, 0],
        [0, -1, 0, -1, 0, 1],
        [-1, 0, 0, 1, 1, 0],
    ]


def test_gtm_7_cutsets():
    assert fx.f_cutset(TREE).values.tolist() == [
        [1, 0, 0, -1, -1, 0],
        [0, 1, 0, 1, 0, -1],
        [0, 0, 1, 1, 1, -1],
    ]


def test_gtm_10_circuits():
    assert fx.f_circuit(TREE).values.tolist() == [
        [1, -1, -1, 1, 0, 0],
        [1, 0, -1, 0, 1, 0],
        [0, 1, 1, 0, 0, 1],
    ]


def test_gtm_figure_1_cutset_3_4_5_6_divides_the_graph():
    """GTM §2.1: removing edges 3, 4, 5 and 6 leaves edge 1 on one side and edge 2 on the other."""
    row = fx.f_cutset(TREE).values[2]
    assert {n for n, x in zip(fx.f_cutset(TREE).columns, row, strict=True) if x} == {"R3", "R4", "R5", "I6"}


#  GTM figure 4: E1, R2, R3, C4; tree E1 C4
#
#      a ──R2──▶ b           E1: a ▶ g
#      E1        R3, C4      R3, C4: b ▶ g
#      ▼         ▼
#      g ════════g
def test_gtm_22_and_30():
    network = graph("abg", "g", E1="a g", R2="a b", R3="b g", C4="b g")
    assert fx.incidence(network).values.tolist() == [[1, 1, 0, 0], [0, -1, 1, 1], [-1, 0, -1, -1]]
    A_f = fx.f_cutset(Tree(network, ("E1", "C4"))).ordered(("E1", "C4", "R3", "R2"))
    assert A_f.values.tolist() == [[1, 0, 0, 1], [0, 1, 1, -1]]


#  GTM figure 5: water network, reduced incidence (37)
#
#      a ──2──▶ b       1: a ▶ g   5: b ▶ g
#      3 ╲      4       6: g ▶ c
#         ╲──▶ c ◀┘
def test_gtm_37():
    water = graph("abcg", "g", q1="a g", q2="a b", q3="a c", q4="b c", q5="b g", q6="g c")
    assert fx.incidence(water).values[:3].tolist() == [
        [1, 1, 1, 0, 0, 0],
        [0, -1, 0, 1, 1, 0],
        [0, 0, -1, -1, 0, -1],
    ]


#  FlexNet figure 1: a body on two springs and a dashpot
#
#             1 (c.g.)             e1: 6 ▶ 1   e2: 1 ▶ 2   e3: 1 ▶ 3
#        e2 ╱   ╲ e3               e4: 6 ▶ 4   e5: 6 ▶ 5
#         2       3                e6: 4 ▶ 3   e7: 5 ▶ 2   e8: 5 ▶ 3
#      e7 ╲   e8╱ │ e6
#           5     4                datum 6
FLEXNET = graph("123456", "6", e1="6 1", e2="1 2", e3="1 3", e4="6 4", e5="6 5", e6="4 3", e7="5 2", e8="5 3")
FLEXNET_TREE = Tree(FLEXNET, ("e1", "e2", "e3", "e4", "e5"))


def test_flexnet_1_incidence():
    assert fx.incidence(FLEXNET, convention="flexnet").values.tolist() == [
        [1, -1, -1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0, 1, 0],
        [0, 0, 1, 0, 0, 1, 0, 1],
        [0, 0, 0, 1, 0, -1, 0, 0],
        [0, 0, 0, 0, 1, 0, -1, -1],
        [-1, 0, 0, -1, -1, 0, 0, 0],
    ]


def test_flexnet_2_cutsets_are_row_operations_on_the_incidence_matrix():
    """FlexNet adds rows 2 and 3 of (1) to row 1; the matrix itself is lost in print."""
    rows = fx.incidence(FLEXNET, convention="flexnet").values[:5].copy()
    rows[0] += rows[1] + rows[2]
    assert fx.f_cutset(FLEXNET_TREE).values.tolist() == rows.tolist()


def test_flexnet_3_negative_transpose():
    D = fx.f_cutset(FLEXNET_TREE).values[:, 5:]
    E = fx.f_circuit(FLEXNET_TREE).values[:, :5]
    assert np.array_equal(E, -D.T)


def test_flexnet_4_circuits():
    assert fx.f_circuit(FLEXNET_TREE).values.tolist() == [
        [-1, 0, -1, 1, 0, 1, 0, 0],
        [-1, -1, 0, 0, 1, 0, 1, 0],
        [-1, 0, -1, 0, 1, 0, 0, 1],
    ]


def test_flexnet_6_and_8():
    assert fx.cutset_equation(FLEXNET_TREE, "e1", "F") == "F(e1) + F(e6) + F(e7) + F(e8) = 0"
    walk = fx.circuit_equation(FLEXNET_TREE, "e8")
    assert terms(walk) == terms("-r(e1) - r(e3) + r(e5) + r(e8) = 0")


def test_both_conventions_differ_by_sign_and_nothing_else():
    gtm, flexnet = fx.incidence(FLEXNET), fx.incidence(FLEXNET, convention="flexnet")
    assert np.array_equal(gtm.values, -flexnet.values)
    with pytest.raises(fx.FlexnetError, match="'gtm' or 'flexnet'"):
        fx.incidence(FLEXNET, convention="other")


def test_matrices_print_with_their_names():
    text = str(fx.f_cutset(TREE))
    assert text.splitlines()[0].split() == ["E1", "R2", "R3", "R4", "R5", "I6"]
    assert text.splitlines()[1].split() == ["E1", "1", "0", "0", "-1", "-1", "0"]
    with pytest.raises(fx.GraphError, match="every edge once"):
        fx.f_cutset(TREE).ordered(("E1",))


def terms(equation: str) -> set[str]:
    """Signed terms of an equation, in any order."""
    left = equation.removesuffix(" = 0").replace(" ", "").replace("-", "+-")
    return {term for term in left.split("+") if term}
