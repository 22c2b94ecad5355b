"""Body torques and body forces of the printed rows of Léger's tables.

The thesis prints time, operations and numbers of equations of each row; torques (chord + branch) and forces
(in rotational + in translational equations) are recounted from the f-cutsets by an independent program, and
agree with those it works out by hand (§4.1.2, §4.1.3). Misprints are put right as in
tests/formulation/test_counts.py; the row of A.7 that is no tree and A.9, whose labels are assumed,
are left out.
"""

import pytest

from flexnet.graph import count_trees, select
from tests.catalogue import build
from tests.formulation.test_counts import TABLES, edges

# case, R-tree, T-tree ("" = the same), body torques, body forces
A12 = "leger_a12_parallel_manipulator"
ROWS = [
    ("leger_a01_four_bar", "h11-h13", "h11 h12 h14", "6+0", "8+0"),
    ("leger_a01_four_bar", "h11-h13", "", "6+0", "14+0"),
    ("leger_a01_four_bar", "h11 h12 h14", "h11-h13", "4+0", "12+0"),
    ("leger_a01_four_bar", "h11 h12 h14", "", "4+0", "6+0"),
    ("leger_a01_four_bar", "h11 h13 h14", "h11 h12 h14", "4+0", "6+0"),
    ("leger_a01_four_bar", "h11 h13 h14", "", "4+0", "6+0"),
    ("leger_a02_five_bar", "h14-h17", "h15-h18", "10+0", "50+0"),
    ("leger_a02_five_bar", "h14-h17", "", "10+0", "30+0"),
    ("leger_a02_five_bar", "h14-h16 h18", "h14 h16-h18", "7+0", "17+0"),
    ("leger_a02_five_bar", "h14-h16 h18", "", "7+0", "15+0"),
    ("leger_a02_five_bar", "h14 h15 h17 h18", "", "6+0", "10+0"),
    ("leger_a02_five_bar", "h14 h15 h17 h18", "m2 h14 h17 h18", "6+0", "6+0"),
    ("leger_a03_three_bodies", "m1-m3", "", "0+9", "0+0"),
    ("leger_a03_three_bodies", "m1-m3", "m2 h10 h11", "0+9", "12+6"),
    ("leger_a03_three_bodies", "m1 h10 h11", "", "9+3", "23+6"),
    ("leger_a03_three_bodies", "m2 h10 h11", "", "8+3", "14+6"),
    ("leger_a03_three_bodies", "m1 m2 h11", "", "4+6", "7+3"),
    ("leger_a04_slider_crank", "h8 h9 s11", "h8-h10", "3+0", "11+0"),
    ("leger_a04_slider_crank", "h8 h9 s11", "", "3+0", "5+1"),
    ("leger_a04_slider_crank", "h8-h10", "", "6+0", "11+0"),
    ("leger_a04_slider_crank", "h8-h10", "h8 h10 s11", "6+0", "3+2"),
    ("leger_a04_slider_crank", "h8 h10 s11", "h8-h10", "2+0", "8+0"),
    ("leger_a04_slider_crank", "h8 h10 s11", "", "2+0", "2+2"),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "h9 b10 u11", "3+0", "11+0"),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "m2 h9 u11", "3+0", "3+3"),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "", "3+0", "3+2"),
    ("leger_a06_spatial_slider_crank", "h9 u11 s12", "m2 h9 s12", "3+0", "1+1"),
    ("leger_a06_spatial_slider_crank", "h9 b10 u11", "", "11+0", "17+0"),
    ("leger_a06_spatial_slider_crank", "h9 b10 u11", "h9 u11 s12", "11+0", "5+2"),
    ("leger_a06_spatial_slider_crank", "h9 b10 s12", "h9 b10 u11", "5+0", "17+0"),
    ("leger_a06_spatial_slider_crank", "h9 b10 s12", "h9 u11 s12", "5+0", "5+2"),
    ("leger_a07_3rrr", "h25-h29 h31 h32", "", "12+0", "24+0"),
    ("leger_a07_3rrr", "h25-h29 h31 h32", "h25-h28 h30 h31 h33", "12+0", "44+0"),
    ("leger_a07_3rrr", "h25-h28 h30 h31 h33", "h25-h29 h31 h32", "16+0", "28+0"),
    ("leger_a07_3rrr", "h25 h26 h28-h32", "h25-h29 h31 h32", "12+0", "24+0"),
    ("leger_a07_3rrr", "vp34-vp40", "h25-h29 h31 h32", "7+0", "17+0"),
    ("leger_a07_3rrr", "h25 h27 h28 h30 h31 h33 vp40", "h25-h28 h30 h31 h33", "10+0", "34+0"),
    ("leger_a07_3rrr", "h25 h27 h28 h30 h31 h33 vp40", "", "10+0", "12+8"),
    ("leger_a07_3rrr", "h25 h26 h28 h29 h31 h32 vp40", "h25-h29 h31 h32", "10+0", "22+0"),
    ("leger_a07_3rrr", "h25 h26 h28 h29 h31 h32 vp40", "", "10+0", "15+2"),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "h26-h28 h32-h34 vp38", "7+0", "9+8"),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "h26-h28 s29 h32-h34", "7+0", "25+4"),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "h26-h28 s29-s31 h32", "7+0", "17+4"),
    ("leger_a08_3rpr", "h26-h28 s29-s31 vp38", "", "7+0", "12+5"),
    ("leger_a08_3rpr", "s29-s31 h32-h34 vp38", "h26-h28 s29 h32-h34", "13+0", "45+4"),
    ("leger_a10_serial", "h12-h14 m4", "h12-h14 b15", "6+3", "29+0"),
    ("leger_a10_serial", "h12-h14 m4", "", "6+3", "14+0"),
    ("leger_a10_serial", "h12 h13 m4 vp16", "h12-h14 b15", "5+3", "26+0"),
    ("leger_a10_serial", "h12 h13 m4 vp16", "h12-h14 m4", "5+3", "13+0"),
    ("leger_a10_serial", "h12-h14 b15", "", "12+0", "32+0"),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 b1-b6 platform", "24+3", "42+18"),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 thigh1-thigh6 platform", "24+3", "12+0"),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 b1-b6 s1", "24+3", "109+7"),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "u1-u6 b1 s1-s6", "24+3", "59+7"),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "", "24+3", "48+6"),
    ("leger_a11_stewart", "u1-u6 s1-s6 platform", "s1-s6 thigh1-thigh6 platform", "24+3", "24+24"),
    (A12, "s25 s28 s31 b26 b29 b32 m7", "s25 b26 b29 b32 h27 h30 h33", "9+3", "78+7"),
    (A12, "s25 s28 s31 b26 b29 b32 m7", "s25 s28 s31 b26 b29 b32 h27", "9+3", "18+7"),
    (A12, "s25 s28 s31 b26 b29 b32 m7", "", "9+3", "9+6"),
    (A12, "s25 s28 s31 b26 b29 b32 m7", "s25 b29 b32 h27 h30 h33 m7", "9+3", "36+16"),
    (A12, "b26 b29 b32 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 m7", "33+3", "75+6"),
    (A12, "s25 s28 s31 b26 b29 b32 h27", "s25 s28 s31 b26 b29 b32 m7", "13+0", "9+6"),
    (A12, "s25 s28 s31 h27 h30 h33 m7", "s25 b26 b29 b32 h27 h30 h33", "12+3", "95+7"),
    (A12, "s25 s28 s31 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 h27", "12+3", "23+7"),
    (A12, "s25 s28 s31 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 m7", "12+3", "12+6"),
    (A12, "s25 s28 s31 h27 h30 h33 m7", "", "12+3", "21+12"),
    (A12, "s25 s28 s31 h27 m2 m4 m6", "s25 s28 s31 m2 m4 m6 h27", "4+9", "7+6"),
    (A12, "s25 s28 s31 m2 m4 m6 m7", "s25 s28 s31 b26 b29 b32 h27", "0+12", "18+7"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "R", "T", "torques", "forces"), ROWS)
def test_body_torques_and_forces(case, R, T, torques, forces):
    graph = build(case).graph
    made = select(graph, translation=edges(T or R), rotation=edges(R))
    count = count_trees(made.T, made.R, graph)
    assert f"{count.chord_torques}+{count.branch_torques}" == torques
    assert f"{count.rotation_forces}+{count.translation_forces}" == forces


@pytest.mark.parametrize(("case", "R", "T", "n", "m"), TABLES)
def test_coordinates_counted_on_the_graph_are_those_of_the_equations(case, R, T, n, m):
    graph = build(case).graph
    made = select(graph, translation=edges(T or R), rotation=edges(R))
    assert count_trees(made.T, made.R, graph).n == n
