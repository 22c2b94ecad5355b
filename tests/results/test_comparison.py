"""Whole files beside each other."""

import json

import numpy as np
import pytest
from sample import write_sample

from flexnet.errors import ResultError, StorageError
from flexnet.results import Channel, ChannelSet, Results, Series
from flexnet.results.comparison import CompareOptions, compare
from flexnet.results.export import FORMATS, export_channels
from flexnet.results.matching import match_channels
from flexnet.results.readers import read_channels
from flexnet.results.tolerance import Tolerance


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("comparison") / "turning_bar.h5")


def channel_set(tmp_path, **curves):
    time = np.linspace(0.0, 1.0, 101)
    series = {name: Series(Channel(name, "m"), time, curve(time)) for name, curve in curves.items()}
    return ChannelSet(
        tmp_path / "x", "made up", tuple(s.channel for s in series.values()), series.__getitem__
    )


@pytest.mark.parametrize("format_name", ["adams-tab", "csv"])
def test_a_round_trip_through_another_format_changes_nothing(path, tmp_path, format_name):
    result = Results.open(path).channel_set()
    out = export_channels(result, format_name, tmp_path / f"a{FORMATS[format_name][0]}", result.names())
    comparison = compare(result, read_channels(out), CompareOptions(tolerances={"": Tolerance(0.0)}))
    assert {c.channel for c in comparison.channels} == set(result.names())
    assert all(c.errors.maximum == 0.0 for c in comparison.channels)
    assert comparison.is_within is True


def test_json_holds_names_units_and_every_digit(path, tmp_path):
    result = Results.open(path).channel_set()
    names = ["tip_x", "frames/tip/quaternion"]
    document = json.loads(export_channels(result, "json", tmp_path / "a.json", names).read_text())
    assert [c["name"] for c in document["channels"]] == [
        "tip_x",
        *(f"frames/tip/quaternion/{k}" for k in "wxyz"),
    ]
    assert document["channels"][0]["unit"] == "m"
    np.testing.assert_array_equal(document["channels"][0]["values"], result.read("tip_x").values)


def test_an_export_goes_beside_its_result(path, tmp_path):
    assert export_channels(read_channels(path), "csv") == path.with_suffix(".csv")


def test_an_export_that_cannot_be_is_refused(path, tmp_path):
    result = Results.open(path).channel_set()
    with pytest.raises(ResultError, match=f"format 'xls' is not one of {', '.join(FORMATS)}"):
        export_channels(result, "xls")
    with pytest.raises(StorageError, match=r"none/a\.csv: cannot be written"):
        export_channels(result, "csv", tmp_path / "none" / "a.csv")
    with pytest.raises(ResultError, match="no channel 'x'"):
        export_channels(result, "csv", tmp_path / "a.csv", ["x"])
    gap = channel_set(tmp_path, x=lambda t: np.where(t > 0.5, np.nan, t))
    with pytest.raises(ResultError, match="'x' is not finite everywhere"):
        export_channels(gap, "json", tmp_path / "a.json")
    alike = channel_set(tmp_path, **{"a-b": np.sin, "a_b": np.sin})
    with pytest.raises(ResultError, match="one name in Adams"):
        export_channels(alike, "adams-tab", tmp_path / "a.tab")
    assert not list(tmp_path.iterdir())


def test_columns_find_their_channels_by_the_end_of_their_names(tmp_path):
    result = channel_set(tmp_path, **{"x": np.sin, "frames/A/position/x": np.sin, "Other": np.sin})
    reference = channel_set(
        tmp_path, **{".m.run.frames_A_position.x": np.sin, ".m.run.channels.OTHER": np.sin}
    )
    pairs = match_channels(result, reference)
    assert pairs == {"frames/A/position/x": ".m.run.frames_A_position.x", "Other": ".m.run.channels.OTHER"}


def test_ambiguous_columns_are_left_to_the_user(tmp_path):
    result = channel_set(tmp_path, x=np.sin, y=np.sin)
    reference = channel_set(tmp_path, **{"one.x": np.sin, "two.x": np.cos, "y": np.sin})
    assert match_channels(result, reference) == {"y": "y"}
    assert match_channels(result, reference, {"x": "two.x"}) == {"x": "two.x"}
    with pytest.raises(ResultError, match=r"no channel 'three\.x'.*did you mean"):
        match_channels(result, reference, {"x": "three.x"})
    with pytest.raises(ResultError, match="--map channel=column"):
        match_channels(result, channel_set(tmp_path, z=np.sin))


def test_names_that_do_not_fit_are_answered_with_the_option_to_type(tmp_path):
    result, reference = (
        channel_set(tmp_path, tip_x=np.sin),
        channel_set(tmp_path, **{"Bar.TIPX (mm)": np.sin}),
    )
    with pytest.raises(ResultError, match=r"perhaps --map 'tip_x=Bar.TIPX \(mm\)' \(columns: "):
        match_channels(result, reference)


def test_the_verdict_names_what_exceeds(tmp_path):
    result = channel_set(tmp_path, x=np.sin, y=np.sin)
    reference = channel_set(tmp_path, x=np.sin, y=lambda t: 1.1 * np.sin(t))
    options = CompareOptions(tolerances={"": Tolerance(0.01)})
    comparison = compare(result, reference, options)
    assert comparison.is_within is False
    assert comparison.verdict == "1 of 2 channels exceed their tolerance: y"
    loose = CompareOptions(tolerances={"": Tolerance(0.01), "y": Tolerance(0.2)})
    assert compare(result, reference, loose).verdict == "all 2 channels with a tolerance are within it"
    one = CompareOptions(tolerances={"y": Tolerance(0.2)})
    assert compare(result, reference, one).verdict == "the channel 'y' is within its tolerance"
    free = compare(result, reference)
    assert free.is_within is None
    assert "largest difference 9.09 % of peak (y)" in free.verdict
    with pytest.raises(ResultError, match="tolerance for 'z', which is not compared"):
        compare(result, reference, CompareOptions(tolerances={"z": Tolerance(0.1)}))


def test_only_the_chosen_interval_is_compared(tmp_path):
    result = channel_set(tmp_path, x=np.sin)
    reference = channel_set(tmp_path, x=lambda t: np.where(t > 0.5, 9.0, np.sin(t)))
    comparison = compare(result, reference, CompareOptions(start=0.1, end=0.4))
    assert comparison.channels[0].errors.maximum == 0.0
    assert comparison.channels[0].time[0] == pytest.approx(0.1)
