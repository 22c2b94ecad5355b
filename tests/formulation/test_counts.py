"""Numbers of equations: GTM table 5 and every row of Léger's tables A.1-A.12.

n is the number of coordinates (dynamic equations), m the number of kinematic equations. Misprints of
the thesis that these rows correct:

* A.7 (table A.18), row 2 prints a set that closes a loop and misses m6; h32 for h30 makes it a tree.
* A.9 (table A.26): "vp38" is vp34, and the two columns of row 2 are swapped (with vp34 in the T-tree
  n would be 9).
* A.12 (table A.39), rows 11 and 12 print m7 for the last T-branch; their n needs a hip pin.
"""

import pytest

import flexnet as fx
from tests.catalogue import build


def edges(text: str) -> list[str]:
    """Expand ``h12-h14 m4`` to the names it stands for."""
    out = []
    for word in text.split():
        first, _, last = word.partition("-")
        if last:
            letters = first.rstrip("0123456789")
            low, high = int(first[len(letters) :]), int(last[len(letters) :])
            out += [f"{letters}{k}" for k in range(low, high + 1)]
        else:
            out.append(word)
    return out


# case, R-tree, T-tree ("" = the same), n, m
TABLES = [
    ("leger_a01_four_bar", "h11-h13", "h11 h12 h14", 3, 2),
    ("leger_a01_four_bar", "h11-h13", "", 3, 2),
    ("leger_a01_four_bar", "h11 h12 h14", "h11-h13", 3, 2),
    ("leger_a01_four_bar", "h11 h12 h14", "", 3, 2),
    ("leger_a01_four_bar", "h11 h13 h14", "h11 h12 h14", 3, 2),
    ("leger_a01_four_bar", "h11 h13 h14", "", 3, 2),
    ("leger_a02_five_bar", "h14-h17", "h15-h18", 4, 2),
    ("leger_a02_five_bar", "h14-h17", "", 4, 2),
    ("leger_a02_five_bar", "h14-h16 h18", "h14 h16-h18", 4, 2),
    ("leger_a02_five_bar", "h14-h16 h18", "", 4, 2),
    ("leger_a02_five_bar", "h14 h15 h17 h18", "", 4, 2),
    ("leger_a02_five_bar", "h14 h15 h17 h18", "m2 h14 h17 h18", 6, 4),
    ("leger_a03_three_bodies", "m1-m3", "", 18, 10),
    ("leger_a03_three_bodies", "m1-m3", "m2 h10 h11", 12, 4),
    ("leger_a03_three_bodies", "m1 h10 h11", "", 8, 0),
    ("leger_a03_three_bodies", "m2 h10 h11", "", 8, 0),
    ("leger_a03_three_bodies", "m1 m2 h11", "", 13, 5),
    ("leger_a04_slider_crank", "h8 h9 s11", "h8-h10", 2, 1),
    ("leger_a04_slider_crank", "h8 h9 s11", "", 3, 2),
    ("leger_a04_slider_crank", "h8-h10", "", 3, 2),
    ("leger_a04_slider_crank", "h8-h10", "h8 h10 s11", 4, 3),
    ("leger_a04_slider_crank", "h8 h10 s11", "h8-h10", 2, 1),
    ("leger_a04_slider_crank", "h8 h10 s11", "", 3, 2),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "h9 b10 u11", 3, 2),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "m2 h9 u11", 6, 5),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "", 4, 3),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "m2 h9 s12", 7, 6),
    ("leger_a06_spatial_slider_crank", "h9 b10 u11", "", 6, 5),
    ("leger_a06_spatial_slider_crank", "h9 b10 u11", "h9 u11 s12", 7, 6),
    ("leger_a06_spatial_slider_crank", "h9 b10 s12", "h9 b10 u11", 4, 3),
    ("leger_a06_spatial_slider_crank", "h9 b10 s12", "h9 u11 s12", 5, 4),
    ("leger_a07_3rrr", "h25-h29 h31 h32", "", 7, 4),
    ("leger_a07_3rrr", "h25-h29 h31 h32", "h25-h28 h30 h31 h33", 7, 4),
    ("leger_a07_3rrr", "h25-h28 h30 h31 h33", "h25-h29 h31 h32", 7, 4),
    ("leger_a07_3rrr", "h25 h26 h28-h32", "h25-h29 h31 h32", 7, 4),
    ("leger_a07_3rrr", "vp34-vp40", "h25-h29 h31 h32", 7, 4),
    ("leger_a07_3rrr", "vp34-vp40", "h25 h26 h28 h29 h31 h32 vp40", 9, 6),
    ("leger_a07_3rrr", "h25 h27 h28 h30 h31 h33 vp40", "h25-h28 h30 h31 h33", 7, 4),
    ("leger_a07_3rrr", "h25 h27 h28 h30 h31 h33 vp40", "", 9, 6),
    ("leger_a07_3rrr", "h25 h26 h28 h29 h31 h32 vp40", "h25-h29 h31 h32", 7, 4),
    ("leger_a07_3rrr", "h25 h26 h28 h29 h31 h32 vp40", "", 9, 6),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "h26-h28 h32-h34 vp38", 6, 3),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "h26-h28 s29 h32-h34", 5, 2),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "h26-h28 s29-s31 h32", 7, 4),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "", 9, 6),
    ("leger_a08_3rpr", "s29-s31 h32-h34 vp38", "h26-h28 s29 h32-h34", 5, 2),
    ("leger_a09_peaucellier", "h23-h26 h28 h31 h32", "", 7, 6),
    ("leger_a09_peaucellier", "h23-h26 h31 h32 vp34", "h23-h26 h28 h31 h32", 7, 6),
    ("leger_a09_peaucellier", "h23-h26 h31 h32 vp34", "", 9, 8),
    ("leger_a09_peaucellier", "h25-h29 h31 h32", "", 7, 6),
    ("leger_a10_serial", "h12-h14 m4", "h12-h14 b15", 6, 0),
    ("leger_a10_serial", "h12-h14 m4", "", 9, 3),
    ("leger_a10_serial", "h12 h13 m4 vp16", "h12-h14 b15", 6, 0),
    ("leger_a10_serial", "h12 h13 m4 vp16", "h12-h14 m4", 9, 3),
    ("leger_a10_serial", "h12-h14 b15", "", 6, 0),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 b1-b6 platform", 18, 12),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 thigh1-thigh6 platform", 36, 30),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 b1-b6 s3", 16, 10),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 b2 s1-s6", 21, 15),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "", 24, 18),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "s1-s6 thigh1-thigh6 platform", 42, 36),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 b26 b29 b32 m7", "s25 b26 b29 b32 h27 h30 h33", 13, 10),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 b26 b29 b32 m7", "s25 s28 s31 b26 b29 b32 h27", 15, 12),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 b26 b29 b32 m7", "", 18, 15),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 b26 b29 b32 m7", "s25 b29 b32 h27 h30 h33 m7", 16, 13),
    ("leger_a12_parallel_manipulator", "b26 b29 b32 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 m7", 21, 18),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 b26 b29 b32 h27", "s25 s28 s31 b26 b29 b32 m7", 16, 13),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 h27 h30 h33 m7", "s25 b26 b29 b32 h27 h30 h33", 7, 4),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 h27", 9, 6),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 m7", 12, 9),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 h27 h30 h33 m7", "", 12, 9),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 h27 m2 m4 m6", "s25 s28 s31 m2 m4 m6 h27", 22, 19),
    ("leger_a12_parallel_manipulator", "s25 s28 s31 m2 m4 m6 m7", "s25 s28 s31 b26 b29 b32 h27", 15, 12),
]


@pytest.mark.sweep(12)
@pytest.mark.parametrize(("case", "R", "T", "n", "m"), TABLES)
def test_leger_counts(case, R, T, n, m):
    equations = fx.formulate(build(case), translation=edges(T or R), rotation=edges(R))
    assert (equations.n_v, equations.m) == (n, m)


@pytest.mark.parametrize(
    ("R", "T", "n", "m"),
    [
        ("md7 h8 s10", "h7 h8 h9", 4, 1),
        ("md7 h8 s10", "h7 h8 s10", 5, 2),
        ("md7 h8 h9", "h7 h8 h9", 5, 2),
        ("md7 h8 h9", "h7 h9 s10", 6, 3),
        ("md7 h9 s10", "h7 h8 h9", 4, 1),
        ("md7 h9 s10", "h7 h9 s10", 5, 2),
    ],
)
def test_leger_counts_of_the_flexible_slider_crank(R, T, n, m):
    """Table A.9: md7 of the T-tree is the pin h7 it drives; three elastic coordinates."""
    system = build("leger_a05_flexible_slider_crank")
    equations = fx.formulate(system, translation=edges(T), rotation=edges(R))
    assert (equations.n_v, equations.m) == (n, m)


def test_leger_tables_have_all_their_rows():
    rows = {case[6:9]: 0 for case, *_ in TABLES}
    for case, *_ in TABLES:
        rows[case[6:9]] += 1
    expected = {"a01": 6, "a02": 6, "a03": 5, "a04": 6, "a06": 8, "a07": 10, "a08": 5, "a09": 4}
    assert rows == expected | {"a10": 5, "a11": 6, "a12": 12}


@pytest.mark.parametrize(
    ("case", "T", "why"),
    [
        ("leger_a07_3rrr", "h25 h26 h28 h29 h30 h31 vp40", "closes a loop"),
        ("leger_a09_peaucellier", "h23-h26 h31 h32 vp38", "no edge is called 'vp38'"),
    ],
)
def test_leger_rows_that_are_not_trees_as_printed(case, T, why):
    with pytest.raises(fx.GraphError, match=why):
        fx.formulate(build(case), translation=edges(T))


@pytest.mark.parametrize(
    ("R", "n_printed", "n"),
    [("s25 s28 s31 h27 m2 m4 m6", 22, 25), ("s25 s28 s31 m2 m4 m6 m7", 15, 18)],
)
def test_leger_rows_11_and_12_of_the_parallel_manipulator_do_not_count_up_as_printed(R, n_printed, n):
    T = {22: "s25 s28 s31 m2 m4 m6 m7", 15: "s25 s28 s31 b26 b29 b32 m7"}[n_printed]
    system = build("leger_a12_parallel_manipulator")
    assert fx.formulate(system, translation=edges(T), rotation=edges(R)).n_v == n


@pytest.mark.parametrize(
    ("tree", "equations"), [("absolute", 41), ("joint", 13), ("absolute_angular", 13), ("default", 13)]
)
def test_gtm_table_5_numbers_of_equations_of_the_squeezer(tree, equations):
    formed = fx.formulate(build("squeezer"), tree)
    assert formed.n_v + formed.m == equations


def test_gtm_squeezer_graphs_have_the_printed_numbers_of_elements_and_nodes():
    """GTM §4.6.4: T-graph 36 elements, 26 nodes; R-graph 18 elements, 8 nodes."""
    graph = build("squeezer").graph.without(fx.Kind.DEPENDENT)
    T, R = graph.translational, graph.rotational
    assert (len(T.edges), len(T.nodes)) == (36, 26)
    assert (len(R.edges), len(R.nodes)) == (18, 8)


@pytest.mark.parametrize(
    ("tree", "n", "m"),
    [
        ("absolute", 15, 15),  # 14 equations of joints and the driver's
        ("joint", 5, 5),  # 4 of loop closure and the driver's
        ("default", 2, 2),  # θ9 and θ12 alone
    ],
)
def test_gtm_numbers_of_equations_of_the_quick_return(tree, n, m):
    """GTM §4.6.2."""
    equations = fx.formulate(build("quick_return"), tree)
    assert (equations.n_v, equations.m) == (n, m)


@pytest.mark.parametrize(("tree", "n", "m"), [("absolute", 9, 8), ("joint", 3, 2), ("default", 2, 1)])
def test_gtm_numbers_of_equations_of_the_slider_crank(tree, n, m):
    """GTM §4.6.3: 17, 5 and 3 equations."""
    equations = fx.formulate(build("slider_crank_gtm"), tree)
    assert (equations.n_v, equations.m) == (n, m)


def test_default_trees_are_those_of_gtm():
    """GTM §4.4: the preference orders give the trees of its three examples."""
    for case, T, R in [
        ("double_pendulum", "h7 h8", "m1 m2"),
        ("slider_crank_gtm", "h9-h11", "m1 m2 s12"),
        ("quick_return", "h14-h18", "m9 m12 s19 s20 w21"),
    ]:
        graph = build(case).graph
        T_tree, R_tree = fx.select_trees(graph)
        arms = {e.name for e in graph.edges if e.kind is fx.Kind.ARM}
        assert set(T_tree.names) - arms == set(edges(T)), case
        assert set(R_tree.names) == set(edges(R)), case


def test_leger_pendulum_with_an_arm_cut_costs_what_the_thesis_says():
    """Léger §3.1.1: all arms in the trees give 1 equation; an arm in the cotree is refused here."""
    s = fx.System("pendulum")
    bob = s.rigid_body("m", 1.0, [1.0, 1.0, 1.0], {"r": [0, 1, 0], "tip": [0, -1, 0]})
    s.revolute("h", s.ground, bob["r"], axis="z")
    equations = fx.formulate(s, translation=["h"], rotation=["h"])
    assert (equations.n_v, equations.m) == (1, 0)
    with pytest.raises(fx.GraphError, match=r"missing arm 'm\.r'"):
        fx.Tree(s.graph.translational, ("m", "h", "m.tip"))
