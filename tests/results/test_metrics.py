"""Known shifts, scales, frequencies and noise are given back within one per cent."""

import numpy as np
import pytest

from flexnet.errors import ResultError
from flexnet.results import Channel, Series
from flexnet.results.comparison import compare_series
from flexnet.results.metrics import dominant_frequency, ratio, time_lag
from flexnet.results.rotation import exponential, product
from flexnet.results.tolerance import Tolerance, parse_tolerance

TIME = np.linspace(0.0, 4.0, 801)


def ringing(t: np.ndarray) -> np.ndarray:
    """Oscillate at 3.1 Hz, decaying, on a slow wave."""
    return np.exp(-0.2 * t) * np.sin(2 * np.pi * 3.1 * t) + 0.2 * np.cos(2.0 * t)


def pulse(t: np.ndarray) -> np.ndarray:
    return np.exp(-(((t - 1.7) / 0.2) ** 2))


def series(values: np.ndarray, unit: str | None = "m", time: np.ndarray = TIME) -> Series:
    return Series(Channel("x", unit), time, values)


@pytest.mark.parametrize("curve", [ringing, pulse])
@pytest.mark.parametrize("shift", [-0.08, -0.003, 0.0007, 0.011, 0.1])
def test_a_shift_is_given_back(curve, shift):
    found = compare_series(series(curve(TIME - shift)), series(curve(TIME)))
    assert found.character.lag == pytest.approx(shift, rel=0.01)


@pytest.mark.parametrize("scale", [0.5, 0.98, 1.07, 3.0])
def test_a_scale_is_given_back(scale):
    found = compare_series(series(scale * ringing(TIME)), series(ringing(TIME)))
    assert found.character.peak_ratio == pytest.approx(scale, rel=0.01)
    assert found.errors.measure("peak") == pytest.approx(abs(scale - 1.0), rel=0.01)
    assert found.errors.maximum == pytest.approx(abs(scale - 1.0) * np.abs(ringing(TIME)).max(), rel=0.01)


def test_noise_is_given_back():
    time = np.linspace(0.0, 4.0, 40001)
    noise = 0.03 * np.random.default_rng(3).normal(size=len(time))
    found = compare_series(series(ringing(time) + noise, time=time), series(ringing(time), time=time))
    assert found.errors.rms == pytest.approx(0.03, rel=0.01)
    assert abs(found.character.lag) < 1e-3
    assert found.errors.maximum == pytest.approx(np.abs(noise).max())


@pytest.mark.parametrize("shift", [-0.3, 0.02, 0.1])
def test_a_frequency_shift_is_given_back(shift):
    time = np.linspace(0.0, 8.0, 3001)
    one, other = np.sin(2 * np.pi * (5.0 + shift) * time), np.sin(2 * np.pi * 5.0 * time)
    found = compare_series(series(one, time=time), series(other, time=time))
    assert found.character.frequency == pytest.approx(5.0, rel=1e-4)
    assert found.character.frequency_shift == pytest.approx(shift, rel=0.01)


def test_a_shift_and_a_scale_with_noise_are_given_back_together():
    noise = 0.01 * np.random.default_rng(5).normal(size=len(TIME))
    found = compare_series(series(1.2 * ringing(TIME - 0.02) + noise), series(ringing(TIME)))
    assert found.character.lag == pytest.approx(0.02, rel=0.01)


def test_a_curve_does_not_differ_from_itself():
    found = compare_series(series(ringing(TIME)), series(ringing(TIME)))
    assert found.errors.maximum == found.errors.rms == found.character.lag == 0.0
    assert found.character.frequency_shift == 0.0
    assert found.character.peak_ratio == 1.0


def test_constant_curves_have_neither_delay_nor_frequency():
    flat = lambda t: np.full(len(t), 2.0)  # noqa: E731  # a curve in one line
    assert time_lag(flat, ringing, 0.0, 4.0) is None
    assert dominant_frequency(flat, 0.0, 4.0) is None
    assert dominant_frequency(lambda t: 3.0 * t - 1.0, 0.0, 4.0) is None
    found = compare_series(series(np.zeros(801)), series(np.zeros(801)))
    assert found.errors.measure("peak") == 0.0
    assert found.character.peak_ratio is None


def test_units_are_converted_to_those_of_the_reference():
    found = compare_series(series(ringing(TIME), "inch"), series(25.4 * ringing(TIME), "mm"))
    assert found.unit == "mm"
    assert found.errors.maximum < 1e-13
    assert not found.is_unit_assumed
    assert compare_series(series(TIME, "deg"), series(TIME, None)).unit == "deg"
    assert compare_series(series(TIME, None), series(TIME, "mm")).is_unit_assumed
    with pytest.raises(ResultError, match="'x' and 'x': unit 'm' cannot be converted to 'rad'"):
        compare_series(series(TIME), series(TIME, "rad"))


def test_the_result_is_interpolated_on_the_times_of_the_reference():
    coarse = np.linspace(0.5, 3.5, 57)
    rates = np.cos(TIME)
    found = compare_series(
        Series(Channel("x"), TIME, np.sin(TIME), rates), series(np.sin(coarse), None, coarse)
    )
    assert len(found.time) == 57
    assert found.errors.maximum < 1e-11


def test_orientations_differ_by_an_angle():
    axis = np.array([0.0, 0.6, 0.8])
    one = exponential(TIME[:, None] * axis)
    other = product(one, exponential(np.tile([0.01, 0.0, 0.0], (len(TIME), 1))))
    channel = Channel("A", "1", "orientation")
    found = compare_series(Series(channel, TIME, one), Series(channel, TIME, -other))
    np.testing.assert_allclose(found.difference, 0.01, rtol=1e-9)
    assert found.unit == "rad"
    assert found.errors.measure("peak") == pytest.approx(0.01 / np.pi, rel=0.01)
    with pytest.raises(ResultError, match="orientation and scalar cannot be compared"):
        compare_series(Series(channel, TIME, one), series(TIME))


def test_what_cannot_be_compared_is_said():
    with pytest.raises(ResultError, match=r"covers 0 to 4 s, the result only 0 to 3 s; .*--from and --to"):
        compare_series(series(TIME[:601], time=TIME[:601]), series(TIME))
    with pytest.raises(ResultError, match="no rows in the interval"):
        compare_series(series(TIME), series(TIME).between(5.0, 6.0))
    broken = TIME.copy()
    broken[200] = np.nan
    with pytest.raises(ResultError, match="'x' is not finite at t = 1 s"):
        compare_series(series(broken), series(TIME))


def test_times_printed_with_few_digits_are_still_covered():
    printed = TIME * (1.0 + 2e-7)
    assert compare_series(series(TIME), series(printed, time=printed)).errors.maximum < 1e-6


def test_tolerances_limit_the_measure_they_name():
    found = compare_series(series(1.02 * ringing(TIME)), series(ringing(TIME)), Tolerance(0.03))
    assert found.is_within is True
    assert (
        compare_series(series(1.02 * ringing(TIME)), series(ringing(TIME)), Tolerance(0.01)).is_within
        is False
    )
    assert compare_series(series(TIME), series(TIME)).is_within is None
    assert parse_tolerance("2%") == ("", Tolerance(0.02, "peak"))
    assert parse_tolerance("a=b=0.5:rms") == ("a=b", Tolerance(0.5, "rms"))
    assert parse_tolerance("x=1e-6:max") == ("x", Tolerance(1e-6, "max"))
    for text in ("", "x", "x=", "1:median", "-1", "nan"):
        with pytest.raises(ResultError, match="tolerance"):
            parse_tolerance(text)


def test_nothing_of_nothing_is_nothing():
    assert ratio(0.0, 0.0) == 0.0
    assert ratio(1.0, 0.0) == np.inf
