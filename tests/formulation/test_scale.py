"""Length, mass and time of a model change as its units do; powers of two to the last bit."""

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation.scale import model_scale
from tests.catalogue import FLEXIBLE, NAMES, TREES, build
from tests.images import Units, image

EXACT = Units(2.0**-20, 2.0**12, 2.0**-6)
FORMULAE = ("leger_a09_peaucellier",)
SMALL = Units(1e-6, 1e-9, 1e-3)


@pytest.mark.sweep(15)
@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE])
def test_scale_of_an_image_is_the_image_of_the_scale(name):
    system = build(name)
    own, exact, small = (model_scale(s) for s in (system, image(system, EXACT), image(system, SMALL)))
    for what in ("length", "mass", "time"):
        assert getattr(own, what) > 0.0
        # a formula of time is differentiated by sympy, in numbers of its own
        slack = 1e-15 if name in FORMULAE else 0.0
        assert getattr(exact, what) == pytest.approx(
            getattr(EXACT, what) * getattr(own, what), rel=slack, abs=0
        )
        assert getattr(small, what) == pytest.approx(getattr(SMALL, what) * getattr(own, what), rel=1e-12)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", ["squeezer", "slider_crank_flexible"])
def test_sizes_of_coordinates_and_rows_follow_the_units(name, tree):
    system = build(name)
    a, b = fx.formulate(system, tree), fx.formulate(image(system, EXACT), tree)
    assert np.array_equal(b.sizes, EXACT.of_coordinates(a)[1] * a.sizes)
    assert np.array_equal(b.row_sizes, EXACT.of_rows(a) * a.row_sizes)


def test_lengths_are_those_of_the_bodies_wherever_the_mechanism_stands():
    def pendulum(at):
        s = fx.System("pendulum", planar=True)
        s.gravity([0, -10.0, 0])
        bob = s.rigid_body("bob", 2.0, 0.0, frames={"pivot": [0, 2.5]}, position=[at, -2.5])
        s.revolute("pivot", s.ground.frame("O", [at, 0.0]), bob["pivot"])
        return s

    near, far = model_scale(pendulum(0.0)), model_scale(pendulum(1e6))
    assert near == far
    assert (near.length, near.mass, near.time) == (2.5, 2.0, 0.5)


@pytest.mark.parametrize("name", ["slider_crank_flexible", "spatial_slider_crank"])
def test_an_elastic_coordinate_of_its_size_moves_a_node_by_the_length_or_turns_one_by_1_rad(name):
    made = fx.formulate(build(name), "joint")
    for name, place in made.coordinates.elastic.items():
        table = made.system.components[name].table
        size = made.sizes[place.v : place.v + table.m]
        moved, turned = (
            np.abs(np.vstack([getattr(rows, key) for rows in (table.output, table.frames)]) * size)
            for key in ("translation", "rotation")
        )
        largest = np.maximum(moved / made.scale.length, turned).max(axis=(0, 1))
        assert largest == pytest.approx(np.ones(table.m))
