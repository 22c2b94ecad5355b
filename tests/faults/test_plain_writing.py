"""Pictures, exports, equations and pages replace files of their own kind, and nothing else."""

import os
import stat
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from flexnet.errors import StorageError
from flexnet.fem.table_file import read_table, write_table
from flexnet.results import Results
from flexnet.results.comparison import CompareOptions, compare
from flexnet.results.export import FORMATS, export_channels
from flexnet.results.readers import read_channels
from flexnet.store import write_text
from flexnet.view import (
    AnimationOptions,
    animate,
    plot_channels,
    write_graph,
    write_pages,
    write_paraview,
    write_report,
)
from flexnet.view.shapes import draw_shapes
from tests.faults.targets import _table

sys.path.insert(0, str(Path(__file__).parents[1] / "results"))
from sample import write_sample

CASE = b'"""A case."""\n\nimport flexnet as fx\n'
Write = Callable[[Path, Path], object]


def _export(name: str) -> Write:
    return lambda source, out: export_channels(read_channels(source), name, out)


def _compared(source: Path, out: Path) -> object:
    one = CompareOptions({"tip_x": "tip_x"})
    return write_report(compare(read_channels(source), read_channels(source), one), out)


def _shapes(source: Path, out: Path) -> object:
    import numpy as np

    return draw_shapes(out, np.eye(3), {"triangles": np.array([[0, 1, 2]])}, {"1": np.eye(3)})


#: what writes, by the name of what it writes
WRITERS: dict[str, Write] = {
    **{f"a{ending}": _export(name) for name, (ending, *_) in FORMATS.items()},
    "plot.png": lambda source, out: plot_channels(read_channels(source), ["tip_x"], out),
    "plot.svg": lambda source, out: plot_channels(read_channels(source), ["tip_x"], out),
    "plot.pdf": lambda source, out: plot_channels(read_channels(source), ["tip_x"], out),
    "plot.jpg": lambda source, out: plot_channels(read_channels(source), ["tip_x"], out),
    "film.gif": lambda source, out: animate(Results.open(source), out, AnimationOptions(frames=2)),
    "strip.png": lambda source, out: animate(Results.open(source), out, AnimationOptions(poses=1)),
    "graph.svg": lambda source, out: write_graph(Figure(), out.with_suffix("")),
    "graph.png": lambda source, out: write_graph(Figure(), out.with_suffix("")),
    "shapes.png": _shapes,
    "pages.pdf": lambda source, out: write_pages(out, "t", [("words", ["a"])]),
    "report.html": _compared,
    "moving.pvd": lambda source, out: write_paraview(Results.open(source), out, 2),
    "table.h5": lambda source, out: write_table(out, read_table(BytesIO(_table()))),
    "equations.py": lambda source, out: write_text(out, '"""Formulas."""\n\nx = 1\n'),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("source") / "a.h5")


@pytest.mark.parametrize("name", WRITERS)
def test_its_own_kind_is_replaced_and_nothing_else(name: str, source: Path, tmp_path: Path) -> None:
    out, write = tmp_path / name, WRITERS[name]
    write(source, out)
    out.chmod(0o644)
    first = out.stat().st_ino
    write(source, out)
    assert out.stat().st_ino != first
    assert not [p for p in tmp_path.iterdir() if ".part" in p.name]
    for content in (CASE, source.read_bytes(), b""):
        out.write_bytes(content)
        with pytest.raises(StorageError, match="stays as it is"):
            write(source, out)
        assert out.read_bytes() == content


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_a_pipe_and_a_device_stay(name: str, source: Path, tmp_path: Path) -> None:
    out, write = tmp_path / name, WRITERS[name]
    for make, said in (
        (lambda: out.mkdir(), "a folder"),
        (lambda: os.mkfifo(out), "a pipe"),
        (lambda: out.symlink_to(os.devnull), "a device"),
    ):
        make()
        with pytest.raises(StorageError, match=f"cannot be written .it is {said}"):
            write(source, out)
        assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
        out.rmdir() if out.is_dir() else out.unlink()


def test_links_are_followed_and_a_ring_of_them_is_refused(source: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    _export("csv")(source, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").is_symlink()
    assert (tmp_path / "b.csv").read_bytes().startswith(b"# ")
    (tmp_path / "c.csv").symlink_to(tmp_path / "c.csv")
    with pytest.raises(StorageError, match=r"c\.csv: cannot be written"):
        _export("csv")(source, tmp_path / "c.csv")


def test_a_writer_that_fails_leaves_what_was_there(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    _export("csv")(source, out)
    before = out.read_bytes()
    with pytest.raises(Exception, match="no_such"):
        export_channels(read_channels(source), "csv", out, ["no_such"])
    assert out.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
