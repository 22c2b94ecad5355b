"""Moving meshes for ParaView, read back by an independent reader."""

import meshio
import numpy as np

import flexnet as fx
from flexnet.results import Results
from flexnet.view import write_paraview
from flexnet.view.scene import scene_of


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
