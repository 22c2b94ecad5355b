"""Pictures, exports, equations and pages replace files of their own kind, and nothing else."""

import os
import stat
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from flexnet.errors import StorageError
from flexnet.fem import (
    Body,
    Clamped,
    Material,
    Reduction,
    ShellSection,
    build_table,
    export_body,
    export_table,
    panel_body,
)
from flexnet.fem.table_file import read_table, write_table
from flexnet.mesh import beam_mesh, write_mesh, write_motion
from flexnet.results import Results
from flexnet.results.comparison import CompareOptions, Comparison, compare
from flexnet.results.export import FORMATS, export_channels
from flexnet.results.readers import read_channels
from flexnet.store import write_text
from flexnet.view import (
    AnimationOptions,
    animate,
    plot_balance,
    plot_channels,
    plot_comparison,
    plot_histories,
    plot_study,
    write_gltf,
    write_graph,
    write_page,
    write_pages,
    write_paraview,
    write_report,
    write_xdmf,
)
from flexnet.view.channel_plot import plot_bode
from flexnet.view.shapes import draw_shapes
from tests.faults.targets import _table

sys.path.insert(0, str(Path(__file__).parents[1] / "results"))
from sample import write_sample

CASE = b'"""A case."""\n\nimport flexnet as fx\n'
Write = Callable[[Path, Path], object]


def _export(name: str) -> Write:
    return lambda source, out: export_channels(read_channels(source), name, out)


def _comparison(source: Path) -> Comparison:
    return compare(read_channels(source), read_channels(source), CompareOptions({"tip_x": "tip_x"}))


def _balance(source: Path, out: Path) -> object:
    t = np.linspace(0.0, 1.0, 3)
    return plot_balance(out, t, {"total": t}, {"work": t}, t, {"position": t})


def _shapes(source: Path, out: Path) -> object:
    return draw_shapes(out, np.eye(3), {"triangles": np.array([[0, 1, 2]])}, {"1": np.eye(3)})


#: what writes: the function, the name of what it writes, a call
def _study() -> xr.Dataset:
    x = np.arange(5.0)
    return xr.Dataset({"y": ("variant", x**2)}, {"variant": np.arange(5), "x": ("variant", x)})


def _panel() -> Body:
    sheet = ShellSection.uniform(0.01, Material(E=2e11, nu=0.3, rho=7800.0))
    return panel_body((1.0, 1.0), (2, 2), sheet)


WRITERS: dict[str, tuple[Callable[..., object], Write]] = {
    "body.h5": (export_body, lambda source, out: export_body(out, _panel())),
    "reduced.h5": (
        export_table,
        lambda source, out: export_table(out, build_table(_panel(), Reduction(Clamped("left"), 1))),
    ),
    **{f"a{ending}": (export_channels, _export(name)) for name, (ending, *_) in FORMATS.items()},
    **{
        f"plot.{kind}": (
            plot_channels,
            lambda source, out: plot_channels(read_channels(source), ["tip_x"], out),
        )
        for kind in ("png", "svg", "pdf", "jpg")
    },
    **{
        f"mesh{ending}": (write_mesh, lambda source, out: write_mesh(out, beam_mesh(1.0, 2)))
        for ending in (".vtu", ".vtk", ".xdmf", ".msh")
    },
    "motion.xdmf": (
        write_motion,
        lambda source, out: write_motion(out, beam_mesh(1.0, 2), np.arange(2.0), np.zeros((2, 3, 3))),
    ),
    "study.png": (plot_study, lambda source, out: plot_study(_study(), out)),
    "balance.png": (plot_balance, _balance),
    "history.png": (
        plot_histories,
        lambda source, out: plot_histories(out, np.arange(2.0), {"a": np.ones(2)}),
    ),
    "bode.png": (
        plot_bode,
        lambda source, out: plot_bode(out, np.arange(1.0, 3.0), {"a": (np.ones(2), np.ones(2))}),
    ),
    "compared.png": (plot_comparison, lambda source, out: plot_comparison(_comparison(source), out)),
    "film.gif": (animate, lambda source, out: animate(Results.open(source), out, AnimationOptions(frames=2))),
    "strip.png": (animate, lambda source, out: animate(Results.open(source), out, AnimationOptions(poses=1))),
    "graph.svg": (write_graph, lambda source, out: write_graph(Figure(), out.with_suffix(""))),
    "graph.png": (write_graph, lambda source, out: write_graph(Figure(), out.with_suffix(""))),
    "shapes.png": (draw_shapes, _shapes),
    "pages.pdf": (write_pages, lambda source, out: write_pages(out, "t", [("words", ["a"])])),
    "page.html": (write_page, lambda source, out: write_page(Results.open(source), out)),
    "report.html": (write_report, lambda source, out: write_report(_comparison(source), out)),
    "moving.pvd": (write_paraview, lambda source, out: write_paraview(Results.open(source), out, 2)),
    "moving.xdmf": (write_xdmf, lambda source, out: write_xdmf(Results.open(source), out, 2)),
    "moving.glb": (write_gltf, lambda source, out: write_gltf(Results.open(source), out, 2)),
    "table.h5": (write_table, lambda source, out: write_table(out, read_table(BytesIO(_table())))),
    "equations.py": (write_text, lambda source, out: write_text(out, '"""Formulas."""\n\nx = 1\n')),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("source") / "a.h5")


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", WRITERS)
def test_its_own_kind_is_replaced_and_nothing_else(name: str, source: Path, tmp_path: Path) -> None:
    out, write = tmp_path / name, WRITERS[name][1]
    write(source, out)
    out.chmod(0o640)
    first = out.stat().st_ino
    write(source, out)
    assert out.stat().st_ino != first
    assert stat.S_IMODE(out.stat().st_mode) == 0o640  # who may read it may read what replaces it
    assert not [p for p in tmp_path.iterdir() if ".part" in p.name]
    for content in (CASE, source.read_bytes(), b""):
        out.write_bytes(content)
        with pytest.raises(StorageError, match="stays as it is"):
            write(source, out)
        assert out.read_bytes() == content


@pytest.mark.sweep(10)
@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_a_pipe_and_a_device_stay(name: str, source: Path, tmp_path: Path) -> None:
    out, write = tmp_path / name, WRITERS[name][1]
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
