r"""Cutset and circuit equations exactly as the seeds print them, on their graphs and edge names."""

import pytest

import flexnet as fx
from flexnet.graph import Edge, Kind, LinearGraph, Tree


def edge(text: str) -> Edge:
    """``kind name: tail head``; kinds arm, body, dvw, anything else a joint."""
    head, ends = text.split(": ")
    kind, _, name = head.rpartition(" ")
    kinds = {"arm": Kind.ARM, "body": Kind.BODY, "dvw": Kind.DEPENDENT, "driver": Kind.DRIVER}
    return Edge(name, *ends.split(), kinds.get(kind, Kind.JOINT), is_rigid=kind == "arm")


def graph(datum: str, *lines: str) -> LinearGraph:
    edges = tuple(edge(line) for line in lines)
    nodes = dict.fromkeys([datum, *(n for e in edges for n in (e.tail, e.head))])
    return LinearGraph(tuple(nodes), edges, datum)


def terms(equation: str) -> set[str]:
    """Signed terms of an equation, in any order."""
    left = equation.removesuffix(" = 0").replace(" ", "").replace("-", "+-")
    return {term for term in left.split("+") if term}


def same(found: str, printed: str) -> bool:
    """Equal up to the order of terms; an equation times -1 is the same equation."""
    opposite = {t.removeprefix("-") if t.startswith("-") else f"-{t}" for t in terms(printed)}
    return terms(found) in (terms(printed), opposite)


#  DynaFlex figure 2: slider-crank, J3 in two edges; tree e61 e21 e22 e62 e23 e24 e64
#
#         A ◀─e21─ C1 ─e22─▶ B ─e62─▶ C ◀─e23─ C2 ─e24─▶ D
#      e61▲        ▲e11                        ▲e12      │e63
#         O────────┴───────────────────────────┴─  S ◀───┘       e64: O ▶ S
#
#  e71 … e74: dependent virtual work, datum to A, B, C, D; e75: to S; T: torque on the crank
DYNAFLEX = graph(
    "O",
    "e61: O A", "arm e21: C1 A", "arm e22: C1 B", "e62: B C", "arm e23: C2 C", "arm e24: C2 D", "e64: O S",
    "T: O A", "dvw e71: O A", "body e11: O C1", "dvw e72: O B", "dvw e73: O C", "body e12: O C2",
    "dvw e74: O D", "e63: D S", "dvw e75: O S",
)  # fmt: skip
DYNAFLEX_TREE = Tree(DYNAFLEX, ("e61", "e21", "e22", "e62", "e23", "e24", "e64"))


def test_dynaflex_4():
    printed = "δW(e62) + δW(e73) + δW(e12) + δW(e74) - δW(e63) = 0"
    assert terms(fx.cutset_equation(DYNAFLEX_TREE, "e62")) == terms(printed)


def test_dynaflex_2_is_the_vertex_equation_of_the_distal_point():
    """δW22 + δW72 - δW62 = 0 at node B; incidence with +1 where an edge enters."""
    row = fx.incidence(DYNAFLEX, convention="flexnet")
    values = row.values[row.rows.index("B")]
    found = {f"{'-' if x < 0 else ''}{n}" for n, x in zip(row.columns, values, strict=True) if x}
    assert found == {"e22", "e72", "-e62"}


def test_dynaflex_5():
    """The walk is printed in the paper's order, term by term."""
    printed = "r(e12) + r(e23) - r(e62) - r(e22) + r(e21) - r(e61) = 0"
    assert fx.circuit_equation(DYNAFLEX_TREE, "e12") == printed


def test_dynaflex_6():
    printed = "[R(e12)][R(e23)][R(e62)]ᵀ[R(e22)]ᵀ[R(e21)][R(e61)]ᵀ = [1]"
    assert fx.rotation_circuit_equation(DYNAFLEX_TREE, "e12") == printed


def test_dynaflex_38():
    printed = "δW(T) + δW(e71) + δW(e61) + δW(e11) + δW(e72) + δW(e73) + δW(e12) + δW(e74) - δW(e63) = 0"
    assert terms(fx.cutset_equation(DYNAFLEX_TREE, "e61")) == terms(printed)


def test_dynaflex_34():
    printed = "r(e61) + r(e22) - r(e21) + r(e62) + r(e24) - r(e23) - r(e64) + r(e63) = 0"
    assert same(fx.circuit_equation(DYNAFLEX_TREE, "e63"), printed)  # r63 = 0 is left out in the paper


#  GTM figure 11: slider-crank; R4 to the slider's axis, F13 on the slider
#
#      P5 ◀─r5─ C1 ─r6─▶ P6 ─h10─▶ P7 ◀─r7─ C2 ─r8─▶ P8 ◀─h11─ C3
#   h9 ▲        ▲m1                         ▲m2                ▲m3 F13
#      g────────┴───────────────────────────┴──────────────────┴── R4 ▶ Q ─ s12
GTM_SLIDER = graph(
    "g",
    "body m1: g C1", "body m2: g C2", "body m3: g C3", "driver R4: g Q",
    "arm r5: C1 P5", "arm r6: C1 P6", "arm r7: C2 P7", "arm r8: C2 P8",
    "h9: g P5", "h10: P6 P7", "h11: C3 P8", "s12: C3 Q", "F13: g C3",
)  # fmt: skip


def test_gtm_79_and_82():
    """All bodies and arms in the tree: Newton's law of body 2, and the loop of pin h10."""
    tree = Tree(GTM_SLIDER, ("m1", "m2", "m3", "R4", "r5", "r6", "r7", "r8"))
    assert same(fx.cutset_equation(tree, "m2", "F"), "F(m2) + F(h10) + F(h11) = 0")
    printed = "r(h10) - r(r7) - r(m2) + r(m1) + r(r6) = 0"
    assert fx.circuit_equation(tree, "h10") == printed


def test_gtm_124():
    tree = Tree(GTM_SLIDER, ("R4", "r5", "r6", "r7", "r8", "h9", "h10", "h11"))
    printed = "r(s12) - r(R4) + r(h9) - r(r5) + r(r6) + r(h10) - r(r7) + r(r8) - r(h11) = 0"
    assert fx.circuit_equation(tree, "s12") == printed


#  GTM figure 15: R-graph of the double pendulum       g ─h7─▶ b1 ─h8─▶ b2,   m1: g ▶ b1, m2: g ▶ b2
def test_gtm_92_and_93():
    pendulum = graph("g", "body m1: g b1", "body m2: g b2", "h7: g b1", "h8: b1 b2")
    tree = Tree(pendulum, ("m1", "m2"))
    assert fx.cutset_equation(tree, "m1", "T") == "T(m1) + T(h7) - T(h8) = 0"
    assert fx.cutset_equation(tree, "m2", "T") == "T(m2) + T(h8) = 0"


#  GTM figure 12: R-graph of the slider-crank, tree m1 m2 s12
#
#      g ─h9─▶ b1 ─h10─▶ b2 ◀─h11─ b3,   m1, m2, m3: g ▶ b1, b2, b3,   s12: b3 ▶ g
def test_gtm_120_and_121():
    crank = graph(
        "g", "body m1: g b1", "body m2: g b2", "body m3: g b3", "h9: g b1", "h10: b1 b2", "h11: b3 b2",
        "s12: b3 g",
    )  # fmt: skip
    tree = Tree(crank, ("m1", "m2", "s12"))
    assert fx.cutset_equation(tree, "m1", "T") == "T(m1) + T(h9) - T(h10) = 0"
    assert fx.cutset_equation(tree, "m2", "T") == "T(m2) + T(h10) + T(h11) = 0"


#  GTM figure 14: T-graph of the double pendulum, tree r3 … r6 h7 h8
#
#      g ─h7─▶ a ◀─r3─ C1 ─r4─▶ b ─h8─▶ c ◀─r5─ C2 ─r6─▶ tip     W9, W10: weights
def test_gtm_96_to_99_are_minus_the_cutsets():
    pendulum = graph(
        "g", "arm r3: C1 a", "arm r4: C1 b", "arm r5: C2 c", "arm r6: C2 tip", "h7: g a", "h8: b c",
        "body m1: g C1", "body m2: g C2", "W9: g C1", "W10: g C2",
    )  # fmt: skip
    tree = Tree(pendulum, ("r3", "r4", "r5", "r6", "h7", "h8"))
    assert same(fx.cutset_equation(tree, "r3", "F"), "F(r3) - F(m1) - F(W9) - F(m2) - F(W10) = 0")
    assert same(fx.cutset_equation(tree, "r4", "F"), "F(r4) + F(m2) + F(W10) = 0")
    assert same(fx.cutset_equation(tree, "r5", "F"), "F(r5) - F(m2) - F(W10) = 0")
    assert fx.cutset_equation(tree, "r6", "F") == "F(r6) = 0"
    # (103), (104) before their stray "= 0"
    assert same(fx.circuit_equation(tree, "m1", "a"), "a(m1) + a(r3) - a(h7) = 0")
    assert same(fx.circuit_equation(tree, "m2", "a"), "a(m2) + a(r5) - a(h8) - a(r4) + a(r3) - a(h7) = 0")


#  GTM figure 17: T-graph of the quick-return, tree R1 R2 r3 … r8 h14 … h18
#
#      rocker  A3 ◀─r3─ C9 ─r4─▶ D4        h16: R2 ▶ A3
#      link    D6 ◀─r6─ C12 ─r5─▶ E5       h15: D6 ▶ D4   h14: E5 ▶ C13
#      crank   B7 ◀─r7─ C11 ─r8─▶ K8       h18: g ▶ B7    h17: K8 ▶ C10
#      s19: C10 ▶ C9,  s20: C13 ▶ Q1,  R1: g ▶ Q1,  R2: g ▶ Q2
QUICK_RETURN = graph(
    "g",
    "driver R1: g Q1", "driver R2: g Q2",
    "arm r3: C9 A3", "arm r4: C9 D4", "arm r5: C12 E5", "arm r6: C12 D6", "arm r7: C11 B7", "arm r8: C11 K8",
    "h14: E5 C13", "h15: D6 D4", "h16: Q2 A3", "h17: K8 C10", "h18: g B7", "s19: C10 C9", "s20: C13 Q1",
    "body m9: g C9", "body m10: g C10", "body m11: g C11", "body m12: g C12", "body m13: g C13",
)  # fmt: skip


def test_gtm_111_and_112():
    arms = ("r3", "r4", "r5", "r6", "r7", "r8")
    tree = Tree(QUICK_RETURN, ("R1", "R2", *arms, "h14", "h15", "h16", "h17", "h18"))
    printed = "r(s19) + r(r3) - r(h16) - r(R2) + r(h18) - r(r7) + r(r8) + r(h17) = 0"
    assert fx.circuit_equation(tree, "s19") == printed
    printed = "r(s20) - r(R1) + r(R2) + r(h16) - r(r3) + r(r4) - r(h15) - r(r6) + r(r5) + r(h14) = 0"
    assert fx.circuit_equation(tree, "s20") == printed


#  FlexNet figure 2: four-bar; tree e21 e31 e11 e12 e32 e13 e14 e34
#
#      P ─e31▶ O1 ◀e11─ C1 ─e12▶ A1 ─e32▶ A2 = base of the coupler, e13 ▶ its tip B1
#      base C of the follower, e34: P2 ▶ C;  e14: C ▶ B2;   e33: B1 ▶ B2
#      e21: ground pivot to ground pivot (position driver)
FOUR_BAR = graph(
    "g",
    "driver e21: g P", "e31: g O1", "arm e11: C1 O1", "arm e12: C1 A1", "e32: A1 A2", "arm e13: B1 A2",
    "e34: P C3", "arm e14: C3 B2", "e33: B1 B2",
    "body e51: g C1", "body e52: g B1", "body e53: g C3", "e61: g C1",
    "dvw e71: g O1", "dvw e72: g A1", "dvw e73: g A2", "dvw e74: g B1", "dvw e75: g B2", "dvw e76: g C3",
    "dvw e77: g P",
)  # fmt: skip


def test_flexnet_9_and_10():
    tree = Tree(FOUR_BAR, ("e21", "e31", "e11", "e12", "e32", "e13", "e34", "e14"))
    printed = "δW(e33) + δW(e75) + δW(e76) + δW(e53) + δW(e34) = 0"
    assert terms(fx.cutset_equation(tree, "e34")) == terms(printed)
    printed = "r(e33) - r(e14) - r(e34) - r(e21) + r(e31) - r(e11) + r(e12) + r(e32) - r(e13) = 0"
    assert fx.circuit_equation(tree, "e33") == printed


#  Léger figure 2.2: slider-crank    g ─h8▶ a ◀r4─ C1 ─r5▶ b ─h9▶ c ◀r6─ C2 ─r7▶ d ◀h10─ C3,  s11: g ▶ C3
def test_leger_2_1_2_2_and_2_7():
    crank = graph(
        "g", "arm r4: C1 a", "arm r5: C1 b", "arm r6: C2 c", "arm r7: C2 d", "h8: g a", "h9: b c",
        "h10: C3 d", "s11: g C3", "body m1: g C1", "body m2: g C2", "body m3: g C3",
    )  # fmt: skip
    tree = Tree(crank, ("r4", "r5", "r6", "r7", "h8", "h9", "h10"))
    assert fx.circuit_equation(tree, "m1") == "r(m1) + r(r4) - r(h8) = 0"
    assert fx.rotation_circuit_equation(tree, "m1") == "[R(m1)][R(r4)][R(h8)]ᵀ = [1]"
    printed = "r(r4) - r(r5) + r(r6) - r(r7) - r(h8) - r(h9) + r(h10) + r(s11) = 0"
    assert same(fx.circuit_equation(tree, "s11"), printed)  # (2.7) leaves out r11, which is normal to j


def test_asking_a_chord_for_a_cutset_or_a_branch_for_a_circuit_is_an_error():
    with pytest.raises(fx.GraphError, match="'e12' is not a branch, so it has no f-cutset"):
        fx.cutset_equation(DYNAFLEX_TREE, "e12")
    with pytest.raises(fx.GraphError, match="'e61' is a branch, so it has no f-circuit"):
        fx.circuit_equation(DYNAFLEX_TREE, "e61")
    with pytest.raises(fx.GraphError, match="no edge is called 'e99'"):
        fx.circuit_equation(DYNAFLEX_TREE, "e99")
