"""``flexnet tables`` reads a mesh, prints the mode table, writes table and shapes."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flexnet.cli.main import build_app
from flexnet.errors import FlexnetError, MeshError, ModelError
from flexnet.fem import read_table
from flexnet.mesh import polyline_mesh, write_mesh

MESHES = Path(__file__).parents[2] / "meshes"
PANEL = str(MESHES / "panel_32.msh")
STEEL = ["--material", "2.1e11,0.3,7800"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))

    def call(*arguments):
        result = CliRunner().invoke(build_app(), ["tables", *(str(a) for a in arguments)])
        if isinstance(result.exception, FlexnetError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.output

    return call


def test_a_panel_becomes_a_table_with_pictures(run, tmp_path):
    out, prefix = tmp_path / "panel.h5", tmp_path / "shape"
    words = ["--thickness", "0.003", "--support", "clamped:left", "--modes", "4", "--frame", "tip=centre"]
    text = run(PANEL, *STEEL, *words, "--out", out, "--shapes", prefix)
    assert len(re.findall(r"\bnormal\b", text)) == 4
    table = read_table(out)
    assert table.m == 4
    assert table.frames.names == ("tip",)
    assert table.inertia.mass == pytest.approx(4 * 0.003 * 7800)
    assert (tmp_path / "shape.vtu").stat().st_size > 1000
    assert (tmp_path / "shape.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("mesh", sorted(MESHES.glob("*.msh")), ids=lambda path: path.stem)
def test_every_mesh_that_comes_with_flexnet_becomes_a_table(run, tmp_path, mesh):
    out = tmp_path / "panel.h5"
    words = ["--thickness", "0.003", "--support", "clamped:left", "--modes", "2"]
    assert f"written to {out}" in run(mesh, *STEEL, *words, "--out", out)
    table = read_table(out)
    assert len(table.mesh.triangles) == int(mesh.stem.split("_")[1])
    # f = 3.471 √(D/ρh)/(2π a²) of a square cantilever plate, met from either side by a few per mil
    D, a = 2.1e11 * 0.003**3 / (12 * (1 - 0.3**2)), 2.0
    exact = 3.47107 / (2 * 3.14159265 * a**2) * (D / (7800 * 0.003)) ** 0.5
    assert table.modes.frequency[0] == pytest.approx(exact, rel=5e-3)


def test_a_bent_beam_with_two_sections(run, tmp_path):
    write_mesh(tmp_path / "bent.msh", polyline_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 2))
    words = ["--section", "piece 0=tube:0.02,0.015", "--section", "piece 1=rectangle:0.02,0.01"]
    options = [
        "--support",
        "pinned:start,end",
        "--limit",
        "500",
        "--method",
        "attachment",
        "--frame",
        "B=end",
    ]
    run(tmp_path / "bent.msh", *STEEL, *words, *options, "--out", tmp_path / "bent.h5")
    kinds = set(read_table(tmp_path / "bent.h5").modes.kind)
    assert kinds == {"normal", "attachment"}


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["--thickness", "thin"], ModelError, "'thin' is not a number"),
        (["--thickness", "0.003", "--support", "glued"], ModelError, "support 'glued'"),
        (["--thickness", "0.003", "--modes", "two"], ModelError, "modes 'two'"),
        (["--thickness", "wing=0.003"], MeshError, "no triangle group 'wing'"),
        (["--section", "star:1"], ModelError, "no section shape 'star'"),
        (["--section", "tube:1"], ModelError, "section 'tube:1'"),
        ([], ModelError, "triangles: give --thickness"),
    ],
)
def test_bad_options_are_refused_in_words(run, tmp_path, words, error, message):
    with pytest.raises(error, match=message):
        run(PANEL, *STEEL, "--modes", "2", *words, "--out", tmp_path / "x.h5")


def test_a_material_needs_three_numbers(run, tmp_path):
    with pytest.raises(ModelError, match="is not E,NU,RHO"):
        run(PANEL, "--material", "2e11,0.3", "--modes", "2", "--out", tmp_path / "x.h5")
