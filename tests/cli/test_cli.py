"""The command line as its user meets it."""

import io
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from rich.progress import Progress
from sample import write_sample
from typer.testing import CliRunner

from flexnet.cli.console import printable, say
from flexnet.cli.main import VERBS, build_app, main
from flexnet.errors import ResultError
from flexnet.results import Results


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("cli") / "bar.h5")


def run(*arguments: object, code: int = 0) -> str:
    outcome = CliRunner().invoke(build_app(), [str(a) for a in arguments])
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == code, outcome.output
    return outcome.output


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb):
    assert "Usage" in run(verb, "--help")
    assert f" {verb} " in run("--help")


def test_info_says_how_the_run_ended_and_what_there_is(path):
    said = run("info", path)
    assert f"{path}: finished" in said
    assert "0 to 2 s, 201 rows" in said
    assert "tip_vx, tip_x" in said


def test_channels_are_listed_with_units(path, tmp_path):
    said = run("channels", path)
    assert "place of the tip" in said
    assert "frames/tip/quaternion" not in said
    assert re.search(r"│ frames +│ .*tip.* │ .*position/x y z \[m\].*quaternion", said)
    assert "frames/tip/quaternion" in run("channels", path, "--all")
    table = tmp_path / "a.csv"
    table.write_text("t,x\n0,1\n")
    assert "?" in run("channels", table)
    assert "mm" in run("channels", table, "--unit", "x=mm")
    with pytest.raises(ResultError, match="--unit 'x' is not of the form name=value"):
        run("channels", table, "--unit", "x")


def test_plot_writes_a_picture_and_says_where(path, tmp_path):
    out = tmp_path / "a.png"
    assert str(out) in run("plot", path, "tip_x", "energy/total", "--out", out)
    with Image.open(out) as picture:
        assert picture.format == "PNG"
    assert "bar.png" in run("plot", path)


def test_animate_writes_a_moving_picture_and_says_where(path, tmp_path):
    out = tmp_path / "a.gif"
    assert str(out) in run("animate", path, "--out", out, "--frames", 2)
    with Image.open(out) as picture:
        assert picture.n_frames == 2


def test_a_round_trip_through_adams_gives_no_difference(path, tmp_path):
    table = tmp_path / "bar.tab"
    assert str(table) in run("export", path, "--all", "--format", "adams-tab", "--out", table)
    said = run("compare", path, table, "--tolerance", "0")
    assert "all 48 channels with a tolerance are within it" in said
    assert "EXCEEDED" not in said


def test_a_file_says_by_its_ending_what_it_is(path, tmp_path):
    run("export", path, "--out", tmp_path / "a.glb")
    assert (tmp_path / "a.glb").read_bytes()[:4] == b"glTF"
    with pytest.raises(ResultError, match="--format is csv; for a file of that ending --format gltf"):
        run("export", path, "--format", "csv", "--out", tmp_path / "a.glb")
    with pytest.raises(ResultError, match=r"a\.png: no format ends so; expected \.tab, \.csv, \.json"):
        run("export", path, "--out", tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()


def test_the_channels_of_the_case_are_meant_unless_all_are_asked_for(path, tmp_path):
    """Energies and the solver's own figures are compared and exported on request only."""
    asked = [channel.name for channel in Results.open(path).channels()]
    assert asked
    run("export", path, "--format", "json", "--out", tmp_path / "a.json")
    assert [c["name"] for c in json.loads((tmp_path / "a.json").read_text())["channels"]] == asked
    assert f"{len(asked)} channels compared" in run("compare", path, path)
    said = run("compare", path, path, "--all")
    assert "energy/total" in said
    assert "48 channels compared" in said


def test_tables_of_two_formats_are_paired_by_the_ends_of_their_names(path, tmp_path):
    """Full names of an Adams table as the result, bare names of a CSV file as the reference."""
    tab, csv = tmp_path / "a.tab", tmp_path / "a.csv"
    run("export", path, "--format", "adams-tab", "--out", tab)
    run("export", path, "--format", "csv", "--out", csv)
    asked = Results.open(path).channels()
    for pair in ((tab, csv), (csv, tab)):
        assert f"all {len(asked)} channels with a tolerance are within it" in run(
            "compare", *pair, "--tolerance", "0"
        )


def test_compare_leaves_plot_and_report(path, tmp_path):
    report, plot = tmp_path / "a.html", tmp_path / "a.png"
    said = run(
        "compare", path, path, "--map", "tip_x=frames/tip/position/y", "--report", report, "--plot", plot
    )
    assert str(report) in said
    assert str(plot) in said
    assert report.stat().st_size > 10_000
    assert plot.is_file()


def test_export_writes_only_the_channels_named(path, tmp_path):
    run("export", path, "tip_x", "--format", "json", "--out", tmp_path / "a.json")
    assert [c["name"] for c in json.loads((tmp_path / "a.json").read_text())["channels"]] == ["tip_x"]


def test_compare_exits_with_one_when_a_tolerance_is_exceeded(path, tmp_path):
    results = Results.open(path)
    reference = tmp_path / "a.csv"
    data = np.column_stack([results.time, 1030.0 * results.channel("tip_x").values])
    np.savetxt(reference, data, delimiter=",", header="t,place [mm]", comments="")
    pair = ("compare", path, reference, "--map", "tip_x=place")
    assert "within" in run(*pair, "--tolerance", "tip_x=4%")
    assert "EXCEEDED" in run(*pair, "--tolerance", "2%", code=1)
    assert "EXCEEDED" in run(*pair, "--tolerance", "20:max", "--tolerance", "tip_x=10:max", code=1)
    assert "compared without a tolerance" in run(*pair)
    assert "0.97087" in run(*pair, "--from", 0.5, "--to", 1.5)


def test_an_error_is_one_line_and_exit_code_two(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["flexnet", "info", str(tmp_path / "none.h5")])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert "no such file" in said


def test_texts_from_files_cannot_steer_the_terminal():
    assert printable("a\x1b[31mb\x07") == "a�[31mb�"
    assert printable("ä [m] ²\n") == "ä [m] ²\n"


def test_help_loads_nothing_heavy():
    code = "import sys\nfrom flexnet.cli.main import build_app\nbuild_app()\n"
    heavy = "{'numpy', 'h5py', 'matplotlib', 'scipy', 'llvmlite', 'sympy'}"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print(*({heavy} & set(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ""


def test_what_is_said_while_progress_is_shown_stands_on_lines_of_its_own(monkeypatch):
    """It stood behind the bar, on the same line."""
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    seen = io.StringIO()
    with Progress(console=Console(file=seen, force_terminal=True, width=60)) as bar:
        bar.add_task("t = 0 s")
        bar.refresh()
        say("engine: families", "yellow")
    lines = [line.rpartition("\x1b[2K")[2] for line in re.split(r"\r?\n", seen.getvalue())]
    assert "engine: families" in lines
