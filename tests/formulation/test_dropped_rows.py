"""The rows that are dropped as redundant are the same in any unit of length."""

import pytest

import flexnet as fx
from tests.analysis import rods
from tests.catalogue import FLEXIBLE, NAMES, TREES, build
from tests.images import Units, image

FACTORS = (2.0**-20, 1e-6, 2.0**12)


def check_drops(system, tree):
    own = fx.formulate(system, tree).redundant
    for factor in FACTORS:
        assert fx.formulate(image(system, Units(length=factor)), tree).redundant == own, factor


@pytest.mark.sweep(6)
@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular"])
@pytest.mark.parametrize(
    "name", ["squeezer", "leger_a11_stewart", "four_bar", "swing", "spatial_slider_crank"]
)
def test_the_same_rows_are_dropped_in_any_unit(name, tree):
    check_drops(build(name), tree)


@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular"])
@pytest.mark.parametrize("name", ["leger_a01_four_bar", "leger_a07_3rrr", "squeezer"])
def test_the_same_rows_of_spatial_pins_are_dropped_in_any_unit(name, tree):
    """Three rows too many a loop, out of the plane."""
    s = build(name)
    s.is_planar = False
    assert fx.formulate(s, tree).redundant
    check_drops(s, tree)


@pytest.mark.slow
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE])
def test_the_same_rows_are_dropped_in_any_unit_in_every_case_and_tree(name, tree):
    check_drops(build(name), tree)


@pytest.mark.sweep(10)
@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular", "default"])
@pytest.mark.parametrize("factor", FACTORS)
def test_a_clamp_of_a_small_chain_is_kept(factor, tree, planar):
    """Built in the unit, its shapes too: a cantilever in pieces has no row too many."""
    s, _ = rods.cantilever(rods.Rod(units=rods.Units(length=factor)))
    s.is_planar = planar
    made = fx.formulate(s, tree)
    assert made.redundant == ()
    elastic = sum(len(made.system.components[name].table.K) for name in made.coordinates.elastic)
    assert made.n_v - made.m == elastic
