"""Cycles by rainflow: the example of ASTM E1049-85, and what holds of every history."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexnet as fx
from flexnet.errors import ResultError
from flexnet.results.rainflow import rainflow

#: figure 6 of the standard, A to I
ASTM = [-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0]
HISTORIES = st.lists(st.integers(-50, 50), min_size=1, max_size=60)


def test_the_example_of_the_standard_has_its_seven_cycles():
    found = fx.rainflow(np.array(ASTM))
    rows = sorted(zip(found.range, found.mean, found.count, strict=True))
    assert rows == [
        (3.0, -0.5, 0.5),
        (4.0, -1.0, 0.5),
        (4.0, 1.0, 1.0),
        (6.0, 1.0, 0.5),
        (8.0, 0.0, 0.5),
        (8.0, 1.0, 0.5),
        (9.0, 0.5, 0.5),
    ]


@given(HISTORIES)
@settings(deadline=None)
def test_cycles_do_not_see_the_way_between_reversals_and_follow_scale_and_shift(history):
    values = np.array(history, dtype=float)
    found = fx.rainflow(values)
    rows = np.interp(np.linspace(0.0, len(values) - 1.0, 3 * len(values) - 2), np.arange(len(values)), values)
    for other, scale, shift in ((fx.rainflow(rows), 1.0, 0.0), (fx.rainflow(7.0 - 2.0 * values), -2.0, 7.0)):
        assert np.allclose(other.range, abs(scale) * found.range)
        assert np.allclose(other.mean, shift + scale * found.mean)
        assert np.array_equal(other.count, found.count)


@given(HISTORIES)
@settings(deadline=None)
def test_every_way_is_counted_once_and_the_largest_range_is_that_of_the_history(history):
    """A cycle goes its range there and back, so twice the sum of ranges is the way of the history."""
    values = np.array(history, dtype=float)
    found = fx.rainflow(values)
    assert 2.0 * found.count @ found.range == pytest.approx(np.abs(np.diff(values)).sum())
    assert found.range.max(initial=0.0) == np.ptp(values)


def test_equal_cycles_of_the_equivalent_range_do_the_same_damage():
    found = fx.rainflow(np.array(ASTM))
    damage = found.count @ found.range**3.0
    assert found.count.sum() * found.equivalent_range(3.0) ** 3 == pytest.approx(damage)
    assert len(fx.rainflow(np.zeros(0)).range) == 0
    assert fx.rainflow(np.zeros(5)).equivalent_range(3.0) == 0.0


@pytest.mark.parametrize(
    ("history", "words"), [(np.zeros((2, 2)), "one history"), (np.array([0.0, np.nan]), "row 1")]
)
def test_what_is_no_history_is_refused(history, words):
    with pytest.raises(ResultError, match=words):
        rainflow(history)
    with pytest.raises(ResultError, match="slope"):
        fx.rainflow(np.array(ASTM)).equivalent_range(0.0)
