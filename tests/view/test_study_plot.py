"""Drawings of studies: bars, maps and fans show the numbers of the Dataset, and say what they cannot draw."""

import numpy as np
import pytest
import xarray as xr

from flexnet.errors import ResultError
from flexnet.view import draw_study
from flexnet.view.study_plot import sensitivity


@pytest.fixture
def data() -> xr.Dataset:
    """A grid of 4 × 3 variants: a straight line in both parameters, and a channel of which one row failed."""
    a, b = (x.ravel() for x in np.meshgrid([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0], indexing="ij"))
    t = np.linspace(0.0, 1.0, 5)
    rows = a[:, None] * t + b[:, None]
    rows[-1] = np.nan
    outputs = {"y": ("variant", 3.0 * a - 0.2 * b, {"units": "N"}), "x": (("variant", "time"), rows)}
    outputs["failure"] = ("variant", np.array([""] * 11 + ["no"], dtype=object))
    return xr.Dataset(outputs, {"a": ("variant", a), "b": ("variant", b), "time": t}, {"case": "lines"})


def test_bars_are_standardised_coefficients_and_a_straight_line_is_explained_whole(data: xr.Dataset) -> None:
    beta, explained = sensitivity(data, "y", ["a", "b"])
    a, b, y = (data[name].values for name in "aby")
    assert beta == pytest.approx([3.0 * a.std() / y.std(), -0.2 * b.std() / y.std()], rel=1e-12)
    assert explained == pytest.approx(1.0, abs=1e-12)
    (ax,) = draw_study(data, "bars").axes
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(beta, rel=1e-12)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_title(loc="left") == "y [N], R² = 1.00"


def test_bars_say_how_little_a_line_explains(data: xr.Dataset) -> None:
    data["y"] = "variant", (data.a.values - 2.5) ** 2
    beta, explained = sensitivity(data, "y", ["a", "b"])
    assert beta == pytest.approx([0.0, 0.0], abs=1e-12)
    assert explained == pytest.approx(0.0, abs=1e-12)


def test_a_heat_map_has_every_variant_in_its_cell(data: xr.Dataset) -> None:
    figure = draw_study(data, "heat")
    (mesh,) = figure.axes[0].collections
    wanted = data.y.values.reshape(4, 3).T
    assert np.array_equal(mesh.get_array().reshape(3, 4), wanted)
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("a", "b")
    # sampled: points instead of cells
    some = data.isel(variant=[0, 4, 8])
    (points,) = draw_study(some, "heat").axes[0].collections
    assert np.array_equal(points.get_offsets(), np.column_stack([some.a, some.b]))
    assert np.array_equal(points.get_array(), some.y)


def test_a_fan_has_the_median_and_the_quantiles_of_the_variants_that_did_not_fail(data: xr.Dataset) -> None:
    (ax,) = draw_study(data, "fan").axes
    rows = data.x.values[:-1]
    (line,) = ax.get_lines()
    assert np.array_equal(line.get_ydata(), np.median(rows, axis=0))
    for band, shares in zip(ax.collections, ((0.05, 0.95), (0.25, 0.75)), strict=True):
        edge = band.get_paths()[0].vertices
        for share in shares:
            for point in zip(data.time.values, np.quantile(rows, share, axis=0), strict=True):
                assert np.any(np.all(np.isclose(edge, point, rtol=1e-12, atol=1e-12), axis=1))
    assert "90 % of 11 variants" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_drawing_that_suits_is_chosen(data: xr.Dataset) -> None:
    assert draw_study(data).axes[0].get_xlabel() == "time [s]"
    assert "deviations" in draw_study(data, names=["y"]).axes[0].get_xlabel()


@pytest.mark.parametrize(
    ("change", "kind", "names", "said"),
    [
        (lambda d: d, "fun", [], "did you mean 'fan'"),
        (lambda d: d, "bars", ["yy"], "nothing called 'yy' to draw; did you mean 'y'"),
        (lambda d: d.drop_vars("x"), "fan", [], "a fan needs an output over time"),
        (lambda d: d.drop_vars("y"), "bars", [], "bars need an output that is a number"),
        (lambda d: d.drop_vars("b"), "heat", [], "needs an output that is a number and two parameters"),
        (lambda d: d.isel(variant=slice(2)), "bars", [], "too few to tell what it depends on"),
        (lambda d: d.isel(variant=[-1]), "fan", [], "no variant has a finite 'x'"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_sentence(
    change: object, kind: str, names: list[str], said: str, data: xr.Dataset
) -> None:
    with pytest.raises(Exception, match=said) as caught:
        draw_study(change(data), kind, names)
    assert caught.type.__module__ == ResultError.__module__
    assert "\n" not in str(caught.value)
