"""Moving meshes for ParaView, read back by an independent reader."""

from xml.etree import ElementTree

import h5py
import meshio
import numpy as np
import pytest
from catalogue import build

import flexnet as fx
from flexnet.analysis.stress_fields import stress_fields
from flexnet.errors import StorageError
from flexnet.results import Results
from flexnet.view import write_gltf, write_paraview, write_xdmf
from flexnet.view.scene import scene_of
from tests.results.sample import write_sample


def test_a_series_holds_the_deformed_meshes(tmp_path):
    s = fx.System("arm", planar=True)
    s.gravity([0.0, -9.81, 0.0])
    aluminium = fx.Material(E=7.0e10, nu=0.3, rho=2700.0)
    beam = fx.beam_body(2.0, 4, aluminium, fx.rectangle(0.03, 0.03))
    body = s.flexible_body("beam", beam, support=fx.Clamped("start"), modes=3)
    bar = s.rigid_body("bar", 1.0, 0.1, {"a": [-0.2, 0], "b": [0.2, 0]}, position=[2.2, 0, 0])
    s.revolute("O", s.ground, body["start"])
    s.revolute("A", body["end"], bar["a"])
    run = fx.simulate(s, 0.1, 1e-3, out=tmp_path / "arm.h5")
    results = Results.open(run.path)
    path = write_paraview(results, tmp_path / "arm.pvd", pictures=3)
    assert path.read_text().count("<DataSet") == 3
    last = meshio.read(tmp_path / "arm" / "00002.vtu")
    scene = scene_of(results, np.array([0.1]))
    expected = np.concatenate([shape.points[0] for shape in scene.shapes])
    assert np.allclose(last.points, expected, atol=1e-8)
    assert sum(len(block.data) for block in last.cells) == 6
    assert np.abs(last.point_data["displacement"]).max() > 0.01
    scaled = scene_of(results, np.array([0.1]), scale=10.0).shapes[0].points
    assert np.abs(scaled - scene.shapes[0].points).max() > 1e-3


def read_xdmf(path):
    """Times, points, cells and attributes of each grid of a page, as ParaView puts them together."""

    def array(item):
        file, _, name = item.text.partition(":/")
        with h5py.File(path.parent / file) as data:
            found = data[name][()]
        assert item.get("Dimensions") == " ".join(map(str, found.shape))
        assert item.get("NumberType") == {"i": "Int", "f": "Float"}[found.dtype.kind]
        return found

    for grid in ElementTree.parse(path).iterfind("Domain/Grid/Grid"):
        mixed, cells, i = array(grid.find("Topology/DataItem")), [], 0
        while i < len(mixed):
            head, n = (2, mixed[i + 1]) if mixed[i] == 2 else (1, {4: 3}[mixed[i]])
            cells.append(tuple(mixed[i + head : i + head + n]))
            i += head + n
        assert int(grid.find("Topology").get("NumberOfElements")) == len(cells)
        carried = {a.get("Name"): array(a.find("DataItem")) for a in grid.iterfind("Attribute")}
        yield float(grid.find("Time").get("Value")), array(grid.find("Geometry/DataItem")), cells, carried


def test_xdmf_holds_what_the_series_of_files_holds(tmp_path):
    run = fx.simulate(build("four_bar"), 0.004, 2e-5, interval=2e-4, out=tmp_path / "a.h5", throw=False)
    results, fields = Results.open(run.path), stress_fields(run, 3)
    write_paraview(results, tmp_path / "a.pvd", 3, fields=fields)
    grids = list(read_xdmf(write_xdmf(results, tmp_path / "a.xdmf", 3, fields=fields)))
    assert [t for t, *_ in grids] == [0.0, 0.002, 0.004]
    for k, (_, points, cells, carried) in enumerate(grids):
        series = meshio.read(tmp_path / "a" / f"{k:05d}.vtu")
        assert np.allclose(points, series.points, atol=1e-9)
        assert [tuple(c) for block in series.cells for c in block.data.tolist()] == cells
        assert np.allclose(carried["displacement"], series.point_data["displacement"], atol=1e-9)
        for name in ("body", "stress"):
            theirs = np.concatenate([np.ravel(x) for x in series.cell_data[name]])
            assert np.allclose(carried[name], theirs, rtol=1e-8, equal_nan=True)
    assert np.nanmax(grids[-1][3]["stress"]) > 1e5  # Pa


@pytest.mark.parametrize("write", [write_paraview, write_xdmf, write_gltf])
def test_an_ending_of_another_format_is_refused_by_name(write, tmp_path):
    with pytest.raises(StorageError, match=r"a\.gltf: what is written there ends in \.(pvd|xdmf|glb)"):
        write(Results.open(write_sample(tmp_path / "a.h5")), tmp_path / "a.gltf", 2)
    assert not list(tmp_path.glob("a.[gpx]*"))
