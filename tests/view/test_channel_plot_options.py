"""Diagrams over a channel, over part of the time, of several runs; the same through every door."""

from pathlib import Path

import numpy as np
import pytest
from catalogue import build
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.results.readers import read_channels
from flexnet.view import draw_channels


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for name, length in (("a", 1.0), ("b", 0.8)):
        fx.simulate(build("simple_pendulum", L=length), 0.5, 1e-2, out=folder / f"{name}.h5")
    return folder / "a.h5", folder / "b.h5"


def test_a_channel_is_drawn_over_another_from_start_to_end(runs: tuple[Path, Path]) -> None:
    channels = read_channels(runs[0])
    x, y = (
        f"frames/{next(n for n in channels.names() if n.endswith('/position/x')).split('/')[1]}/position/{c}"
        for c in "xy"
    )
    axes = draw_channels(channels, [y], over=x, start=0.1, end=0.3).axes[0]
    (line,) = axes.get_lines()
    time = channels.read(x).time
    rows = (time >= 0.1) & (time <= 0.3)
    assert np.array_equal(line.get_xdata(), channels.read(x).values[rows])
    assert np.array_equal(line.get_ydata(), channels.read(y).values[rows])
    assert axes.get_xlabel() == f"{x} [m]"
    assert axes.get_aspect() == 1.0


def test_several_runs_are_told_apart_by_their_lines_and_names(runs: tuple[Path, Path]) -> None:
    name = read_channels(runs[0]).meant()[0]
    first, second = fx.plot(runs[0], name, beside=[runs[1]]).axes[0].get_lines()
    assert first.get_color() == second.get_color()
    assert (first.get_linestyle(), second.get_linestyle()) == ("-", "--")
    assert second.get_label() == f"{name} (b.h5)"


def test_the_command_takes_the_same_options(runs: tuple[Path, Path], tmp_path: Path) -> None:
    name = read_channels(runs[0]).meant()[0]
    options = ["--over", "energy/kinetic", "--with", str(runs[1]), "--from", "0.1", "--to", "0.4"]
    made = CliRunner().invoke(
        build_app(), ["plot", str(runs[0]), name, *options, "--out", str(tmp_path / "a.png")]
    )
    assert made.exit_code == 0, made.output
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_an_empty_range_is_one_sentence(runs: tuple[Path, Path]) -> None:
    with pytest.raises(fx.ResultError, match="no row lies between 3 and 4 s"):
        fx.plot(runs[0], start=3.0, end=4.0)


@pytest.mark.parametrize(("form", "ending"), [("gltf", ".glb"), ("paraview", ".pvd")])
def test_a_mechanism_in_motion_is_exported_by_its_name(
    runs: tuple[Path, Path], tmp_path: Path, form: str, ending: str
) -> None:
    assert fx.export(runs[0], tmp_path / f"a{ending}", format=form).stat().st_size > 500
    out = tmp_path / f"b{ending}"
    made = CliRunner().invoke(
        build_app(), ["export", str(runs[0]), "--format", form, "--pictures", "3", "--out", str(out)]
    )
    assert made.exit_code == 0, made.output
    assert out.exists()


def test_a_plot_shows_the_channels_of_the_case_and_all_of_their_names(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    """Columns of long names took the room of the diagram and ended outside of the picture."""
    names = [
        n for n in read_channels(runs[0]).names() if n.startswith("frames/") and n.endswith("/position/x")
    ]
    long = [f"{n[:-1]}{c}" for n in names for c in "xy"][:5]
    figure = draw_channels(read_channels(runs[0]), long)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_window_extent().width > 0.8 * figure.bbox.width
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_window_extent().x0 >= 0.0
    drawn: list[tuple[str, ...]] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "flexnet.view.plot_channels", lambda files, chosen, out, **how: drawn.append(tuple(chosen))
        )
        assert CliRunner().invoke(build_app(), ["plot", str(runs[0])]).exit_code == 0
    assert drawn == [read_channels(runs[0]).meant()[:8]]
