"""Moving meshes as XDMF: one page of XML that names the times, one HDF5 file that holds the arrays."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from flexnet.results import Results
from flexnet.store import create_file, write_text, writing
from flexnet.typing import Array, IntArray
from flexnet.view.moving import moving_format, opened
from flexnet.view.paraview import cell_values
from flexnet.view.scene import Scene, scene_of

#: cells of a mixed topology: a polyline says how many points it has
_LINE, _TRIANGLE = (2, 2), (4,)
_HDF5 = b"\x89HDF\r\n\x1a\n"


@moving_format("xdmf", ".xdmf")
def write_xdmf(
    results: Results,
    out: str | Path,
    pictures: int = 100,
    scale: float = 1.0,
    fields: Mapping[str, Mapping[str, Array]] | None = None,
) -> Path:
    """Write the bodies of a result file in motion; returns the path of the ``.xdmf`` page.

    Parameters
    ----------
    results : result file with a model.
    out : page to write, ``.xdmf``; its arrays go into ``NAME.xdmf.h5`` beside it.
    pictures : number of times, evenly spaced.
    scale : factor on the deformations of flexible bodies.
    fields : values of cells by name of the field and body, (pictures, cells): lines first, then triangles;
        cells of other bodies carry NaN.

    Raises
    ------
    ResultError
        If there is nothing to draw.
    StorageError
        If the files cannot be written.

    Notes
    -----
    Points carry ``displacement`` [m] since the first time; cells carry ``body``, its number in the model.
    Cells stand in the file once, places and fields once a time.
    """
    path, time = opened(results, out, ".xdmf", pictures)
    scene, memory = scene_of(results, time, scale), BytesIO()
    heavy = path.with_name(path.name + ".h5")
    with create_file(memory, "flexnet-motion", 1) as file:
        arrays = _arrays(scene, fields or {})
        for name, array in arrays.items():
            file.create_dataset(name, data=array, compression="gzip", shuffle=True)
    with writing(heavy, _HDF5, "flexnet-motion") as draft:
        draft.write_bytes(memory.getvalue())
    write_text(path, _page(scene, arrays, list(fields or {}), heavy.name))
    return path


def _arrays(scene: Scene, fields: Mapping[str, Mapping[str, Array]]) -> dict[str, Array | IntArray]:
    """All arrays of the file by their names."""
    cells, owners, start = [], [], 0
    for number, shape in enumerate(scene.shapes):
        for kind, corners in ((_LINE, shape.lines), (_TRIANGLE, shape.triangles)):
            head = np.tile(np.array(kind, dtype=np.int64), (len(corners), 1))
            cells.append(np.hstack([head, start + corners]).ravel())
            owners += [number] * len(corners)
        start += shape.points.shape[1]
    out: dict[str, Array | IntArray] = {"cells": np.concatenate(cells), "body": np.array(owners)}
    points = np.concatenate([shape.points for shape in scene.shapes], axis=1)
    for k, at in enumerate(points):
        out |= {f"points/{k:05d}": at, f"displacement/{k:05d}": at - points[0]}
        for name, of in fields.items():
            out[f"{name}/{k:05d}"] = np.concatenate([cell_values(shape, of, k) for shape in scene.shapes])
    return out


def _page(scene: Scene, arrays: Mapping[str, Array | IntArray], fields: list[str], file: str) -> str:
    """The page: a grid a time, all with the same cells."""

    def item(name: str) -> str:
        kind = 'NumberType="Int"' if arrays[name].dtype.kind == "i" else 'NumberType="Float"'
        size = " ".join(str(n) for n in arrays[name].shape)
        return f'<DataItem Dimensions="{size}" {kind} Precision="8" Format="HDF">{file}:/{name}</DataItem>'

    def carried(name: str, at: str, kind: str, where: str) -> str:
        about = f'Name={quoteattr(name)} AttributeType="{kind}" Center="{where}"'
        return f"        <Attribute {about}>{item(at)}</Attribute>"

    topology = f'<Topology TopologyType="Mixed" NumberOfElements="{len(arrays["body"])}">'
    lines = [
        '<?xml version="1.0"?>', '<Xdmf Version="3.0">', "  <Domain>",
        f'    <Grid Name={quoteattr(scene.title)} GridType="Collection" CollectionType="Temporal">',
    ]  # fmt: skip
    for k, t in enumerate(scene.time):
        lines += [
            f'      <Grid Name="{k:05d}" GridType="Uniform">', f'        <Time Value="{float(t)!r}"/>',
            f"        {topology}{item('cells')}</Topology>",
            f'        <Geometry GeometryType="XYZ">{item(f"points/{k:05d}")}</Geometry>',
            carried("displacement", f"displacement/{k:05d}", "Vector", "Node"),
            carried("body", "body", "Scalar", "Cell"),
            *(carried(name, f"{name}/{k:05d}", "Scalar", "Cell") for name in fields), "      </Grid>",
        ]  # fmt: skip
    return "\n".join([*lines, "    </Grid>", "  </Domain>", "</Xdmf>", ""])
