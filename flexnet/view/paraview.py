"""Moving meshes for ParaView: a series of VTK files and the collection that names their times."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from flexnet.errors import StorageError
from flexnet.results import Results
from flexnet.store import write_text
from flexnet.typing import Array
from flexnet.view.moving import moving_format, opened
from flexnet.view.scene import MovingShape, Scene, scene_of

_LINE, _TRIANGLE = 3, 5  # cell types of VTK


@moving_format("paraview", ".pvd")
def write_paraview(
    results: Results,
    out: str | Path,
    pictures: int = 100,
    scale: float = 1.0,
    fields: Mapping[str, Mapping[str, Array]] | None = None,
) -> Path:
    """Write the bodies of a result file in motion; returns the path of the ``.pvd`` collection.

    Parameters
    ----------
    results : result file with a model.
    out : collection to write, ``.pvd``; its ``.vtu`` files go into a folder of the same name beside it.
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
    """
    path, time = opened(results, out, ".pvd", pictures)
    scene = scene_of(results, time, scale)
    folder = path.with_suffix("")
    rows = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for k, t in enumerate(time):
            name = f"{folder.name}/{k:05d}.vtu"
            write_text(path.parent / name, _grid(scene, k, fields or {}))
            rows.append(f'    <DataSet timestep="{float(t)!r}" file="{name}"/>')
        write_text(path, _file("Collection", "\n".join(rows)))
    except OSError as error:
        raise StorageError(f"{path}: cannot be written ({error.strerror})") from error
    return path


def _grid(scene: Scene, k: int, fields: Mapping[str, Mapping[str, Array]]) -> str:
    """One unstructured grid with the lines and triangles of all bodies at time k."""
    shapes = scene.shapes
    points = np.concatenate([shape.points[k] for shape in shapes])
    moved = points - np.concatenate([shape.points[0] for shape in shapes])
    cells, kinds, owners, start = [], [], [], 0
    for number, shape in enumerate(shapes):
        for kind, corners in _cells(shape):
            cells += [" ".join(str(start + i) for i in corner) for corner in corners]
            kinds += [kind] * len(corners)
            owners += [number] * len(corners)
        start += shape.points.shape[1]
    carried = [
        _array(name, "Float64", _rows(np.concatenate([cell_values(shape, of, k) for shape in shapes])))
        for name, of in fields.items()
    ]
    ends = np.cumsum([2 if kind == _LINE else 3 for kind in kinds])
    piece = [
        f'    <Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">',
        "      <PointData>", _array("displacement", "Float64", _rows(moved), 3), "      </PointData>",
        "      <CellData>", _array("body", "Int32", _words(owners)), *carried, "      </CellData>",
        "      <Points>", _array("points", "Float64", _rows(points), 3), "      </Points>",
        "      <Cells>", _array("connectivity", "Int32", " ".join(cells)),
        _array("offsets", "Int32", _words(ends.tolist())), _array("types", "UInt8", _words(kinds)),
        "      </Cells>", "    </Piece>",
    ]  # fmt: skip
    return _file("UnstructuredGrid", "\n".join(piece))


def cell_values(shape: MovingShape, of: Mapping[str, Array], k: int) -> Array:
    """Values of the cells of a body at time k."""
    n = len(shape.lines) + len(shape.triangles)
    return of[shape.name][k] if shape.name in of else np.full(n, np.nan)


def _cells(shape: MovingShape) -> tuple[tuple[int, list[list[int]]], ...]:
    return (_LINE, shape.lines.tolist()), (_TRIANGLE, shape.triangles.tolist())


def _file(kind: str, inside: str) -> str:
    head = f'<?xml version="1.0"?>\n<VTKFile type="{kind}" version="0.1" byte_order="LittleEndian">'
    return f"{head}\n  <{kind}>\n{inside}\n  </{kind}>\n</VTKFile>\n"


def _array(name: str, kind: str, text: str, components: int = 1) -> str:
    about = f'type="{kind}" Name="{name}" NumberOfComponents="{components}" format="ascii"'
    return f"        <DataArray {about}>{text}</DataArray>"


def _rows(values: Array) -> str:
    return " ".join(f"{x:.9g}" for x in values.ravel())


def _words(values: list[int]) -> str:
    return " ".join(str(v) for v in values)
