"""Plans: which variants a study has."""

import numpy as np
import pytest

from flexnet.errors import ModelError
from flexnet.studies.plan import SAMPLINGS, make_plan


def test_a_grid_has_every_pair_once_the_last_parameter_fastest() -> None:
    plan = make_plan({"a": "1:3:3", "b": ["x", "y"]})
    assert [tuple(plan[k].values()) for k in range(len(plan))] == [
        (1.0, "x"), (1.0, "y"), (2.0, "x"), (2.0, "y"), (3.0, "x"), (3.0, "y"),
    ]  # fmt: skip


def test_a_list_takes_the_values_in_turn() -> None:
    plan = make_plan({"a": "1,2", "b": np.array([0.5, 0.25])}, "list")
    assert [plan[0], plan[1]] == [{"a": 1, "b": 0.5}, {"a": 2, "b": 0.25}]


def test_a_latin_hypercube_has_one_variant_in_every_share_of_every_range() -> None:
    plan = make_plan({"a": "2:4", "b": "-1:0"}, "latin_hypercube", 50, seed=3)
    for column, (low, high) in zip(plan.columns, ((2, 4), (-1, 0)), strict=True):
        shares = np.floor(50 * (np.array(column) - low) / (high - low))
        assert sorted(shares) == list(range(50))


def test_sobol_fills_every_quarter_of_every_pair_alike() -> None:
    plan = make_plan({"a": "0:1", "b": "0:1", "c": "0:1"}, "sobol", 64)
    points = np.array(plan.columns).T
    for i, j in ((0, 1), (0, 2), (1, 2)):
        quarters = 2 * (points[:, i] >= 0.5) + (points[:, j] >= 0.5)
        assert np.bincount(quarters.astype(int)).tolist() == [16, 16, 16, 16]


def test_a_spread_is_normally_distributed() -> None:
    (column,) = make_plan({"g": "9.81~0.5"}, "latin_hypercube", 4000).columns
    assert np.mean(column) == pytest.approx(9.81, abs=1e-3)
    assert np.std(column) == pytest.approx(0.5, rel=1e-2)
    assert np.mean(np.abs(np.array(column) - 9.81) < 0.5) == pytest.approx(0.6827, abs=2e-3)


@pytest.mark.parametrize("sampling", [name for name in SAMPLINGS if name not in ("grid", "list")])
def test_the_same_seed_gives_the_same_variants_and_another_gives_others(sampling: str) -> None:
    first, again, other = (
        make_plan({"a": "0:1", "b": "0~1"}, sampling, 16, seed=s).digest for s in (1, 1, 2)
    )
    assert first == again != other


WRONG = {
    "no parameter": (({}, "grid"), "at least one"),
    "empty list": (({"a": []}, "grid"), "range of 'a' is empty"),
    "empty text": (({"a": ""}, "grid"), "range of 'a' is empty"),
    "backwards": (({"a": "2:1:3"}, "grid"), "range of 'a' is empty"),
    "one value": (({"a": "1:2:1"}, "grid"), "expected a whole number of 2 to"),
    "no numbers": (({"a": "low:high"}, "grid"), "expected 'low:high:count'"),
    "infinite": (({"a": "0:inf:3"}, "grid"), "expected 'low:high:count'"),
    "NaN": (({"a": [1.0, np.nan]}, "grid"), "'a' has the value nan"),
    "no spread": (({"a": "1~0"}, "random", 3), "range of 'a' is empty"),
    "unequal lists": (({"a": [1, 2], "b": [1]}, "list"), "'b' has 1 values and 'a' 2"),
    "range in a grid": (({"a": "1:2"}, "grid"), "'a' has no number of values"),
    "samples of a grid": (({"a": [1]}, "grid", 5), "samples is 5"),
    "no samples": (({"a": "1:2"}, "sobol"), "needs the number of variants"),
    "rule": (({"a": [1]}, "sobel", 4), "did you mean 'sobol'"),
    "too many": (({"a": "0:1:5000", "b": "0:1:5000"}, "grid"), "expected at most"),
    "an object": (({"a": object()}, "grid"), "parameter 'a' is"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_plan_is_refused_in_one_sentence(what: str) -> None:
    arguments, said = WRONG[what]
    with pytest.raises(ModelError, match=said) as caught:
        make_plan(*arguments)
    assert "\n" not in str(caught.value)
