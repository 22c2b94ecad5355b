"""Mechanisms in motion as glTF 2.0, binary (``.glb``): what browsers, slides and Blender open.

A body is a node whose translation and rotation are animated; the modes of a flexible one are morph targets
whose weights are its elastic coordinates, so that it bends between the pictures, too. A piece of an exact
beam moves with its first section's place; its curve is linear in three vectors, whose nine components are the
weights. Units are metres and seconds; z of a spatial mechanism becomes the y that points up in glTF.
"""

import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from flexnet.errors import ResultError
from flexnet.results import BodyRecord, EdgeRecord, Results
from flexnet.store import writing
from flexnet.typing import AnyArray, Array, IntArray
from flexnet.view.curves import bending, chain
from flexnet.view.figure import COLOURS
from flexnet.view.moving import moving_format, opened
from flexnet.view.parts import drawn_parts, links, owners, sections

_FLOAT, _UINT = 5126, 5125  # types of components
_POINTS, _LINES, _TRIANGLES = 0, 1, 4  # kinds of primitives
_SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_MAGIC, _JSON, _BINARY = b"glTF", 0x4E4F534A, 0x004E4942


@moving_format("gltf", ".glb")
def write_gltf(results: Results, out: str | Path, pictures: int = 100, scale: float = 1.0) -> Path:
    """Write the bodies of a result file in motion; returns the path.

    Parameters
    ----------
    results : result file with a model.
    out : file to write, ``.glb``.
    pictures : number of times, evenly spaced; between them viewers interpolate.
    scale : factor on the deformations of flexible bodies.

    Raises
    ------
    ResultError
        If there is nothing to draw.
    StorageError
        If the file cannot be written.
    """
    path, time = opened(results, out, ".glb", pictures)
    mechanism = results.mechanism()
    hidden = sections(mechanism)
    bodies = [b for b in mechanism.bodies if not (b.is_ground or b.name in hidden) and len(b.points)]
    beams = [part.edge for part in drawn_parts(mechanism) if part.symbol.look == "beam"]
    if not (bodies or beams):
        raise ResultError(f"{results.path}: the model has no shapes to write")
    numbers, owner = links(mechanism), owners(mechanism)
    made = _Document(mechanism.name, time - time[0], mechanism.is_planar)
    for body in bodies:
        made.add(_solid(results, body, time, scale), COLOURS[numbers[body.name] % len(COLOURS)])
    for edge in beams:
        made.add(_piece(results, edge, time), COLOURS[numbers[owner[edge.head]] % len(COLOURS)])
    with writing(path, _MAGIC) as draft:
        draft.write_bytes(made.binary())
    return path


class _Moving(NamedTuple):
    """What moves as one node: its shape, its modes (n, 3, m); translation, rotation and weights over time."""

    name: str
    points: Array
    lines: IntArray
    triangles: IntArray
    modes: Array
    motion: dict[str, Array]


def _solid(results: Results, body: BodyRecord, time: Array, scale: float) -> _Moving:
    """A body; its rotation has the scalar last and no jumps of sign."""
    turn = results.at(f"frames/{body.frame}/quaternion", time)
    signs = np.cumprod(np.where(np.sum(turn[1:] * turn[:-1], axis=1) < 0, -1.0, 1.0))
    turn[1:] *= signs[:, None]
    motion = {
        "translation": results.at(f"frames/{body.frame}/position", time),
        "rotation": np.roll(turn, -1, axis=1),
    }
    if body.modes.size:
        motion["weights"] = scale * results.at(f"bodies/{body.name}/elastic", time)
    return _Moving(body.name, body.points, body.lines, body.triangles, body.modes, motion)


def _piece(results: Results, edge: EdgeRecord, time: Array) -> _Moving:
    """A piece of an exact beam between two of its sections, bent as at the first time and from there on."""
    frames = (edge.tail, edge.head)
    ends = np.stack([results.at(f"frames/{frame}/position", time) for frame in frames], axis=1)
    turns = np.stack([results.at(f"frames/{frame}/quaternion", time) for frame in frames], axis=1)
    shares, vectors = bending(ends, turns)
    modes = np.einsum("nj,ic->nijc", shares, np.eye(3)).reshape(len(shares), 3, -1)
    motion = {"translation": ends[:, 0], "weights": (vectors - vectors[0]).reshape(len(time), -1)}
    none = np.zeros((0, 3), dtype=np.int64)
    return _Moving(edge.name, shares @ vectors[0], chain(len(shares)), none, modes, motion)


class _Document:
    """A glTF document while it is made: its JSON, and one stream of bytes."""

    def __init__(self, name: str, time: Array, is_planar: bool) -> None:
        self._bytes = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._materials: dict[str, int] = {}
        half = float(np.sqrt(0.5))
        root = {"name": name, "children": []} | ({} if is_planar else {"rotation": [-half, 0.0, 0.0, half]})
        self._nodes: list[dict[str, Any]] = [root]
        self._meshes: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []
        self._time = self._array(time)

    def add(self, body: _Moving, colour: str) -> None:
        """Add a body."""
        points, motion = self._array(body.points), body.motion
        shared: dict[str, Any] = {"attributes": {"POSITION": points}, "material": self._material(colour)}
        if "weights" in motion:
            modes = range(body.modes.shape[-1])
            shared["targets"] = [{"POSITION": self._array(body.modes[:, :, j])} for j in modes]
        cells = [(_LINES, body.lines), (_TRIANGLES, body.triangles)]
        drawn = [
            {"mode": kind, "indices": self._array(corners.ravel(), is_index=True)}
            for kind, corners in cells
            if len(corners)
        ] or [{"mode": _POINTS}]
        mesh: dict[str, Any] = {"name": body.name, "primitives": [shared | one for one in drawn]}
        if "weights" in motion:
            mesh["weights"] = motion["weights"][0].tolist()
        node = len(self._nodes)
        still = {path: x[0].tolist() for path, x in motion.items() if path != "weights"}
        self._nodes[0]["children"].append(node)
        self._nodes.append({"name": body.name, "mesh": len(self._meshes), **still})
        self._meshes.append(mesh)
        for path, values in motion.items():
            given = self._array(values.ravel() if path == "weights" else values)
            self._channels.append({"sampler": len(self._samplers), "target": {"node": node, "path": path}})
            self._samplers.append({"input": self._time, "output": given, "interpolation": "LINEAR"})

    def binary(self) -> bytes:
        """The whole file."""
        told = {
            "asset": {"version": "2.0", "generator": "flexnet"},
            "scene": 0, "scenes": [{"nodes": [0]}], "nodes": self._nodes, "meshes": self._meshes,
            "materials": [_paint(colour) for colour in self._materials],
            "animations": [{"name": "motion", "samplers": self._samplers, "channels": self._channels}],
            "accessors": self._accessors, "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._bytes)}],
        }  # fmt: skip
        text = json.dumps(told, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), _JSON) + text
        chunks += struct.pack("<II", len(self._bytes), _BINARY) + bytes(self._bytes)
        return _MAGIC + struct.pack("<II", 2, 12 + len(chunks)) + chunks

    def _array(self, values: AnyArray, is_index: bool = False) -> int:
        """Add an array, (n,) or (n, 3 or 4); returns the number of its accessor."""
        data = np.ascontiguousarray(values, dtype="<u4" if is_index else "<f4")
        width = 1 if data.ndim == 1 else data.shape[1]
        self._views.append({"buffer": 0, "byteOffset": len(self._bytes), "byteLength": data.nbytes})
        self._bytes += data.tobytes()
        rows = data.reshape(-1, width)
        self._accessors.append({
            "bufferView": len(self._views) - 1, "componentType": _UINT if is_index else _FLOAT,
            "count": len(rows), "type": _SHAPES[width],
            "min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist(),
        })  # fmt: skip
        return len(self._accessors) - 1

    def _material(self, colour: str) -> int:
        return self._materials.setdefault(colour, len(self._materials))


def _paint(colour: str) -> dict[str, Any]:
    """A material of one colour, seen from both sides; glTF wants it linear."""
    sRGB = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in sRGB]
    looks = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}
    return {"pbrMetallicRoughness": looks, "doubleSided": True}
