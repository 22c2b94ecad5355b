"""Pictures and pages: drawn without a screen, complete in themselves, and of the right shape."""

import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sample import LENGTH, OMEGA, rows, write_sample

from flexnet.errors import ResultError, StorageError
from flexnet.results import (
    BodyRecord,
    Channel,
    ChannelSet,
    EdgeRecord,
    Mechanism,
    ResultLayout,
    Results,
    ResultWriter,
    Series,
)  # fmt: skip
from flexnet.results.comparison import CompareOptions, compare
from flexnet.results.tolerance import Tolerance
from flexnet.view import (
    AnimationOptions,
    animate,
    draw_channels,
    draw_comparison,
    plot_channels,
    plot_comparison,
    report_page,
    write_report,
)  # fmt: skip
from flexnet.view.mechanism_drawing import Projection
from flexnet.view.scene import scene_of


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results.open(write_sample(tmp_path_factory.mktemp("view") / "bar.h5"))


def width(path: Path) -> int:
    with Image.open(path) as picture:
        return picture.size[0]


def test_channels_of_one_unit_share_a_diagram(results, tmp_path):
    channels = results.channel_set()
    figure = draw_channels(channels, ["tip_x", "tip_vx", "frames/tip/position/y", "frames/tip/quaternion"])
    assert [len(ax.lines) for ax in figure.axes] == [2, 1, 4]
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels[0] == "[m]"
    assert labels[1] == "[m/s]"
    alone = figure.axes[1].get_legend().get_texts()[0].get_text()
    assert alone == "tip_vx"  # and its description, if it has one
    assert labels[2] == "quaternion of frames/tip/quaternion"
    out = plot_channels(channels, ["tip_x"], tmp_path / "a.png")
    assert width(out) > 800
    with pytest.raises(StorageError, match=r"a\.txt: a plot ends in one of"):
        plot_channels(channels, ["tip_x"], tmp_path / "a.txt")
    with pytest.raises(StorageError, match="cannot be written"):
        plot_channels(channels, ["tip_x"], tmp_path / "none" / "a.png")
    with pytest.raises(ResultError, match="0 channels cannot be drawn"):
        draw_channels(channels, [])


def comparison(scale: float, tolerance: float | None = 0.01):
    time = np.linspace(0.0, 1.0, 201)
    name = "<script>alert(1)</script>"

    def made(factor):
        series = Series(Channel(name, "m"), time, factor * np.sin(20 * time))
        return ChannelSet(Path("x.csv"), "made up", (series.channel,), lambda _: series, {"by": "a & b"})

    limits = {} if tolerance is None else {"": Tolerance(tolerance)}
    return compare(made(scale), made(1.0), CompareOptions(tolerances=limits))


def test_a_comparison_is_drawn_as_overlay_and_difference(tmp_path):
    found = comparison(1.1)
    figure = draw_comparison(found.channels)
    overlay, below = figure.axes
    assert len(overlay.lines) == 2
    np.testing.assert_array_equal(below.lines[0].get_ydata(), found.channels[0].difference)
    assert len(below.patches) == 1
    assert plot_comparison(found, tmp_path / "a.svg").read_text().startswith("<?xml")


class Links(HTMLParser):
    """Collects whatever a page would fetch, and the order of its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.fetched += [value for key, value in attrs if key in ("src", "href")]


@pytest.mark.parametrize(
    ("scale", "tolerance", "word"),
    [(1.0, 0.01, "Agreement"), (1.1, 0.01, "Disagreement"), (1.1, None, "No tolerance given")],
)
def test_the_report_says_its_verdict_first_and_fetches_nothing(tmp_path, scale, tolerance, word):
    found = comparison(scale, tolerance)
    page = write_report(found, tmp_path / "a.html").read_text()
    links = Links()
    links.feed(page)
    assert "script" not in links.tags
    assert all(address.startswith("data:image/svg+xml;base64,") for address in links.fetched)
    assert len(links.fetched) == 1
    order = [page.index(text) for text in (f"{word}:", "<table>", "<img", "a &amp; b")]
    assert order == sorted(order)
    assert page == report_page(comparison(scale, tolerance))
    with pytest.raises(StorageError, match="cannot be written"):
        write_report(found, tmp_path / "none" / "a.html")


def test_the_scene_is_where_the_mechanism_is(results):
    time = np.array([0.0, 0.1, np.pi / 2 / OMEGA])
    scene = scene_of(results, time)
    bar = scene.shapes[0]
    eta = rows(time)["bodies/bar/elastic"][:, 0]
    np.testing.assert_allclose(bar.points[0], [[0, 0, 0], [LENGTH / 2, 0, 0], [LENGTH, 0, 0]], atol=1e-9)
    # the tip is up, the middle bent to the left by the elastic coordinate
    np.testing.assert_allclose(bar.points[2][2], [0, LENGTH, 0], atol=1e-8)
    np.testing.assert_allclose(bar.points[2][1], [-eta[2], LENGTH / 2, 0], atol=1e-5)
    np.testing.assert_allclose(scene.joints[:, 0], 0.0, atol=1e-12)
    np.testing.assert_array_equal(scene.ground, [[0.0, 0.0, 0.0]])


def test_a_moving_picture_moves(results, tmp_path):
    out = animate(results, tmp_path / "a.gif", AnimationOptions(frames=4, end=1.0))
    with Image.open(out) as picture:
        assert picture.n_frames == 4
        first = np.asarray(picture.convert("L"), dtype=int)
        picture.seek(2)
        third = np.asarray(picture.convert("L"), dtype=int)
    assert np.abs(third - first).max() > 50


def test_a_strip_shows_poses(results, tmp_path):
    assert width(animate(results, tmp_path / "a.png", AnimationOptions(poses=4))) > 1000


def test_bodies_without_a_shape_are_drawn_through_their_frames(tmp_path):
    mechanism = Mechanism(
        "triangle",
        edges=(EdgeRecord("J", "joint", "spherical", "ground", "A"),),
        bodies=(BodyRecord("plate", "A", ("A", "B", "C")), BodyRecord("ground", "ground", is_ground=True)),
    )
    layout = ResultLayout(frames=("A", "B", "C"), energies=())
    time = np.linspace(0, 1, 5)
    data = {c.path: np.zeros((5, *c.shape)) for c in layout.columns()} | {"time": time}
    for k, name in enumerate("ABC"):
        data[f"frames/{name}/position"][:, k] = 1.0
        data[f"frames/{name}/quaternion"][:, 0] = 1.0
    path = tmp_path / "a.h5"
    with ResultWriter.create(path, layout, mechanism=mechanism) as writer:
        writer.append(data)
    shape = scene_of(Results.open(path), time).shapes[0]
    assert shape.lines.tolist() == [[0, 1], [1, 2], [2, 0]]
    np.testing.assert_array_equal(shape.points[3], np.eye(3))
    animate(Results.open(path), tmp_path / "a.svg", AnimationOptions(poses=1))


def test_a_parallel_projection_keeps_what_lies_across_the_view():
    matrix = Projection(azimuth=30.0, elevation=40.0).matrix(is_planar=False)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(2), atol=1e-15)
    a, e = np.radians([30.0, 40.0])
    eye = [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)]
    np.testing.assert_allclose(matrix @ eye, 0.0, atol=1e-15)
    np.testing.assert_array_equal(Projection().matrix(is_planar=True), np.eye(2, 3))


def test_what_cannot_be_animated_is_said(results, tmp_path, monkeypatch):
    with pytest.raises(StorageError, match=r"an animation ends in one of \.gif, \.mp4, \.webm"):
        animate(results, tmp_path / "a.avi")
    with pytest.raises(ResultError, match="nothing between 5 and inf s"):
        animate(results, tmp_path / "a.gif", AnimationOptions(start=5.0))
    monkeypatch.setattr("matplotlib.animation.FFMpegWriter.isAvailable", lambda: False)
    for ending in (".mp4", ".webm"):
        with pytest.raises(ResultError, match=rf"\{ending} needs ffmpeg, which is not installed"):
            animate(results, tmp_path / f"a{ending}")
    with pytest.raises(ResultError, match="at least one picture"):
        AnimationOptions(frames=0)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
@pytest.mark.parametrize("ending", [".mp4", ".webm"])
def test_films_are_written_by_ffmpeg(results, tmp_path, ending):
    film = animate(results, tmp_path / f"a{ending}", AnimationOptions(frames=3))
    begins = film.read_bytes()[:64]
    assert {".mp4": b"ftyp", ".webm": b"webm"}[ending] in begins


def test_matplotlib_is_not_imported_before_something_is_drawn():
    code = "import sys, flexnet.view; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
