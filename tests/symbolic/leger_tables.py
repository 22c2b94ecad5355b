"""Léger's tables A.1-A.12: operation counts of the equations for pairs of trees.

Each row has the branches of the R-tree and of the T-tree and the count printed ("Comp"). Misprints are put
right as the count of coordinates requires: the last edge of rows 11 and 12 of A.12, and the columns of the
second row of A.9, whose labelling is assumed. Row 2 of the table with virtual joints of A.7 is no tree.
"""

import re

#: case, parameters of build(), rows (R, T, printed count)
Table = tuple[str, dict, list[tuple[str, str, int]]]

TABLES: dict[str, Table] = {
    "A.1": ("leger_a01_four_bar", {}, [
        ("h11 h12 h13", "h11 h12 h14", 726), ("h11 h12 h13", "=", 887), ("h11 h12 h14", "h11 h12 h13", 639),
        ("h11 h12 h14", "=", 531), ("h11 h13 h14", "h11 h12 h14", 635), ("h11 h13 h14", "=", 526),
    ]),
    "A.2": ("leger_a02_five_bar", {}, [
        ("h14 h15 h16 h17", "h15 h16 h17 h18", 1598), ("h14 h15 h16 h17", "=", 1598),
        ("h14 h15 h16 h18", "h14 h16 h17 h18", 1094), ("h14 h15 h16 h18", "=", 921),
        ("h14 h15 h17 h18", "=", 706), ("h14 h15 h17 h18", "m2 h14 h17 h18", 1106),
    ]),
    "A.3": ("leger_a03_three_bodies", {}, [
        ("m1 m2 m3", "=", 8371), ("m1 m2 m3", "m2 h10 h11", 10814), ("m1 h10 h11", "=", 8975),
        ("m2 h10 h11", "=", 4827), ("m1 m2 h11", "=", 6359),
    ]),
    "A.4": ("leger_a04_slider_crank", {}, [
        ("h8 h9 s11", "h8 h9 h10", 253), ("h8 h9 s11", "=", 475), ("h8 h9 h10", "=", 545),
        ("h8 h9 h10", "h8 h10 s11", 1016), ("h8 h10 s11", "h8 h9 h10", 197), ("h8 h10 s11", "=", 353),
    ]),
    "A.6": ("leger_a06_spatial_slider_crank", {}, [
        ("h9 u11 s12", "h9 b10 u11", 926), ("h9 u11 s12", "m2 h9 u11", 2070), ("h9 u11 s12", "=", 710),
        ("h9 u11 s12", "m2 h9 s12", 1927), ("h9 b10 u11", "=", 7521), ("h9 b10 u11", "h9 u11 s12", 8592),
        ("h9 b10 s12", "h9 b10 u11", 3390), ("h9 b10 s12", "h9 u11 s12", 3846),
    ]),
    "A.7": ("leger_a07_3rrr", {}, [
        ("h25-29 h31 h32", "=", 2718), ("h25-29 h31 h32", "h25-28 h30 h31 h33", 11948),
        ("h25-28 h30 h31 h33", "h25-29 h31 h32", 7610), ("h25 h26 h28-32", "h25-29 h31 h32", 7798),
    ]),
    "A.8": ("leger_a08_3rpr", {}, [
        ("h26-28 s29-31 vp38", "h26-28 h32-34 vp38", 2538), ("h26-28 s29-31 vp38", "h26-28 s29 h32-34", 2147),
        ("h26-28 s29-31 vp38", "h26-28 s29-31 h32", 1939), ("h26-28 s29-31 vp38", "=", 1827),
        ("s29-31 h32-34 vp38", "h26-28 s29 h32-34", 2731),
    ]),
    "A.9": ("leger_a09_peaucellier", {}, [
        ("h23-26 h28 h31 h32", "=", 3308), ("h23-26 h31 h32 vp34", "h23-26 h28 h31 h32", 3228),
        ("h23-26 h31 h32 vp34", "=", 3715), ("h25-29 h31 h32", "=", 9692),
    ]),
    "A.10": ("leger_a10_serial", {}, [
        ("h12-14 m4", "h12-14 b15", 1835), ("h12-14 m4", "=", 1479), ("h12 h13 m4 vp16", "h12-14 b15", 1539),
        ("h12 h13 m4 vp16", "h12-14 m4", 1179), ("h12-14 b15", "=", 5737),
    ]),
    "A.11": ("leger_a11_stewart", {}, [
        ("u1-6 s1-6 platform", "u1-6 b1-6 platform", 59428),
        ("u1-6 s1-6 platform", "u1-6 thigh1-6 platform", 24678),
        ("u1-6 s1-6 platform", "u1-6 b1-6 s1", 55202), ("u1-6 s1-6 platform", "u1-6 b1 s1-6", 25010),
        ("u1-6 s1-6 platform", "=", 21303), ("u1-6 s1-6 platform", "s1-6 thigh1-6 platform", 64147),
    ]),
    "A.12": ("leger_a12_parallel_manipulator", {}, [
        ("s25 s28 s31 b26 b29 b32 m7", "s25 b26 b29 b32 h27 h30 h33", 48178),
        ("s25 s28 s31 b26 b29 b32 m7", "s25 s28 s31 b26 b29 b32 h27", 30013),
        ("s25 s28 s31 b26 b29 b32 m7", "=", 31213),
        ("s25 s28 s31 b26 b29 b32 m7", "s25 b29 b32 h27 h30 h33 m7", 51346),
        ("s25 s28 s31 b26 b29 b32 h27", "s25 s28 s31 b26 b29 b32 m7", 41233),
        ("s25 s28 s31 h27 h30 h33 m7", "s25 b26 b29 b32 h27 h30 h33", 66060),
        ("s25 s28 s31 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 h27", 43203),
        ("s25 s28 s31 h27 h30 h33 m7", "s25 s28 s31 b26 b29 b32 m7", 43356),
        ("s25 s28 s31 h27 h30 h33 m7", "=", 68210),
        ("s25 s28 s31 h27 m2 m4 m6", "s25 s28 s31 m2 m4 m6 h27", 50181),
        ("s25 s28 s31 m2 m4 m6 m7", "s25 s28 s31 b26 b29 b32 h27", 26595),
    ]),
}  # fmt: skip

#: pairs of printed counts, smaller first, that come out the other way round; docs/theory/symbolic.md says why
EXCEPTIONS: dict[str, list[tuple[int, int]]] = {
    "A.12": [
        (48178, 66060), (48178, 68210), (30013, 66060), (30013, 43203), (30013, 43356), (30013, 68210),
        (31213, 66060), (31213, 43203), (31213, 43356), (31213, 68210), (51346, 68210), (41233, 66060),
        (41233, 68210), (50181, 66060), (50181, 68210), (26595, 43203), (26595, 43356),
        (26595, 68210),
    ],
}  # fmt: skip


def names(text: str) -> list[str]:
    """Branches of a tree: ``h25-27 s31`` is h25, h26, h27, s31."""
    out: list[str] = []
    for word in text.split():
        found = re.fullmatch(r"([a-z]+)(\d+)-(\d+)", word)
        if found:
            out += [f"{found[1]}{i}" for i in range(int(found[2]), int(found[3]) + 1)]
        else:
            out.append(word)
    return out


def trees(row: tuple[str, str, int]) -> tuple[list[str], list[str]]:
    """Branches of the R-tree and of the T-tree of a row."""
    rotation = names(row[0])
    return rotation, rotation if row[1] == "=" else names(row[1])


#: printed times of the rows of TABLES, s (Léger 2006, appendix A)
TIMES = {
    "A.1": (0.73, 0.75, 0.50, 0.48, 0.69, 0.51),
    "A.2": (1.04, 0.97, 0.69, 0.58, 0.47, 0.72),
    "A.3": (5.62, 7.07, 4.82, 2.88, 4.08),
    "A.4": (0.69, 1.19, 1.25, 2.19, 0.68, 1.00),
    "A.6": (1.87, 3.33, 1.53, 2.88, 17.81, 21.58, 7.89, 8.66),
    "A.7": (1.74, 8.47, 5.88, 5.74),
    "A.8": (1.57, 1.32, 1.36, 1.14, 1.09),
    "A.9": (1.18, 1.17, 1.32, 3.53),
    "A.10": (1.01, 1.00, 0.92, 0.78, 4.09),
    "A.11": (6.72, 2.86, 7.16, 3.24, 2.52, 7.93),
    "A.12": (3.98, 2.55, 2.54, 4.32, 3.73, 6.14, 4.11, 4.11, 6.02, 4.35, 2.34),
}
