"""glTF: what is in the file, put together as a viewer does, is where the result file says."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from catalogue import build

import flexnet as fx
from flexnet.results import Results
from flexnet.results.rotation import rotate
from flexnet.view import write_gltf
from flexnet.view.scene import scene_of


def read_glb(path: Path) -> tuple[dict, list[np.ndarray]]:
    """The JSON of a binary glTF file, and its accessors as arrays."""
    raw = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", raw)
    assert (magic, version, length) == (b"glTF", 2, len(raw))
    size, kind = struct.unpack_from("<I4s", raw, 12)
    assert (kind, size % 4) == (b"JSON", 0)
    told = json.loads(raw[20 : 20 + size])
    count, kind = struct.unpack_from("<I4s", raw, 20 + size)
    assert (kind, count) == (b"BIN\0", told["buffers"][0]["byteLength"])
    data, arrays = raw[28 + size :], []
    for accessor in told["accessors"]:
        view = told["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        type_ = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        found = np.frombuffer(data, type_, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        assert np.allclose(found.min(axis=0), accessor["min"])
        assert np.allclose(found.max(axis=0), accessor["max"])
        arrays.append(found.astype(float))
    return told, arrays


@pytest.fixture(
    scope="module", params=[("four_bar", 0.004, 2e-5), ("roll_up", 0.02, 1e-3)], ids=lambda p: p[0]
)
def written(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Results, Path]:
    """A mechanism of bodies with modes, and an exact beam, which is drawn from section to section."""
    name, end, step = request.param
    folder = tmp_path_factory.mktemp("gltf")
    run = fx.simulate(build(name), end, step, interval=10 * step, out=folder / "a.h5", throw=False)
    results = Results.open(run.path)
    return results, write_gltf(results, folder / "a.glb", 7)


def test_bodies_are_where_the_file_says_at_every_time(written: tuple[Results, Path]) -> None:
    results, path = written
    told, arrays = read_glb(path)
    time = np.linspace(results.time[0], results.time[-1], 7)
    scene = {shape.name: shape for shape in scene_of(results, time).shapes}
    nodes, animation = told["nodes"], told["animations"][0]
    assert {node["name"] for node in nodes[1:]} == set(scene)
    for number, node in enumerate(nodes[1:], 1):
        own = {
            channel["target"]["path"]: animation["samplers"][channel["sampler"]]
            for channel in animation["channels"]
            if channel["target"]["node"] == number
        }
        assert np.allclose(arrays[own["translation"]["input"]][:, 0], time - time[0])
        first = told["meshes"][node["mesh"]]["primitives"][0]
        points = arrays[first["attributes"]["POSITION"]]
        targets = [arrays[target["POSITION"]] for target in first.get("targets", ())]
        for k in range(7):
            local = points
            if targets:
                weights = arrays[own["weights"]["output"]].reshape(7, len(targets))[k]
                local = points + np.einsum("j,jnc->nc", weights, targets)
            turn = np.array([1.0, 0.0, 0.0, 0.0])
            if "rotation" in own:
                turn = np.roll(arrays[own["rotation"]["output"]][k], 1)
            place = arrays[own["translation"]["output"]][k] + np.array([rotate(turn, p) for p in local])
            assert np.abs(place - scene[node["name"]].points[k]).max() < 1e-6


def test_a_spatial_mechanism_stands_upright_and_turns_without_jumps(tmp_path: Path) -> None:
    run = fx.simulate(build("heavy_top"), 0.2, 1e-3, interval=1e-2, out=tmp_path / "a.h5", throw=False)
    told, arrays = read_glb(write_gltf(Results.open(run.path), tmp_path / "a.glb", 41))
    x, y, z, w = told["nodes"][0]["rotation"]
    assert rotate(np.array([w, x, y, z]), np.array([0.0, 0.0, 1.0])) == pytest.approx([0.0, 1.0, 0.0])
    for channel in told["animations"][0]["channels"]:
        if channel["target"]["path"] == "rotation":
            turn = arrays[told["animations"][0]["samplers"][channel["sampler"]]["output"]]
            assert np.all(np.sum(turn[1:] * turn[:-1], axis=1) > 0)
            assert np.allclose(np.linalg.norm(turn, axis=1), 1.0, atol=1e-6)
