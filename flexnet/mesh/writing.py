"""Write meshes, shapes and motions for ParaView and Gmsh; a file is whole and holds all of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexnet.errors import MeshError
from flexnet.mesh.mesh import KINDS, Mesh
from flexnet.store import writing
from flexnet.typing import AnyArray, Array, IntArray
from flexnet.validation import needs

#: what meshio calls the kinds of elements, and their dimension in Gmsh's groups
NAMES = {"line": "line", "triangle": "triangle", "quadrilateral": "quad", "tetrahedron": "tetra10"}
DIMENSION = {"line": 1, "triangle": 2, "quadrilateral": 2, "tetrahedron": 3}

#: by suffix: what files of the kind begin with, the page of meshio that writes them, and how
WRITERS: dict[str, tuple[bytes, str, dict[str, object]]] = {
    ".vtu": (b'<?xml version="1.0"?>\n<VTKFile', "vtu", {}),
    ".vtk": (b"# vtk DataFile Version", "vtk", {}),
    ".xdmf": (b"<Xdmf", "xdmf", {"data_format": "XML"}),
    ".msh": (b"$MeshFormat", "gmsh", {"fmt_version": "2.2", "binary": False}),
}


def _library() -> Any:
    """meshio, loaded when a file is written."""
    needs("meshio", "fe", "mesh files")
    import meshio

    return meshio


def write_mesh(
    path: str | Path,
    mesh: Mesh,
    point_data: Mapping[str, Array] | None = None,
    cell_data: Mapping[str, Array] | None = None,
) -> None:
    """Write a mesh with fields on its nodes and elements; the format follows from the suffix.

    Parameters
    ----------
    path : file ending in ``.vtu``, ``.vtk``, ``.xdmf`` (ParaView) or ``.msh`` (Gmsh 2.2, with all groups).
    mesh : what to write.
    point_data : fields by name, each (n_nodes,) or (n_nodes, k); a mode shape is (n_nodes, 3) [m].
    cell_data : fields by name, each (elements, …): lines, triangles, quadrilaterals, tetrahedra.

    Raises
    ------
    StorageError
        If something else than a file of the same kind is there, or the disk refuses.

    Notes
    -----
    Spaces in field names become underscores, as VTK files want.
    """
    path = Path(path)
    if path.suffix not in WRITERS:
        raise MeshError(f"{path}: suffix {path.suffix!r} is not one of {', '.join(WRITERS)}")
    fields = [{name.replace(" ", "_"): v for name, v in (d or {}).items()} for d in (point_data, cell_data)]
    made = _gmsh_mesh(mesh) if path.suffix == ".msh" else _plain_mesh(mesh, *fields)
    begins, page, how = WRITERS[path.suffix]
    with writing(path, begins) as draft:
        getattr(_library(), page).write(str(draft), made, **how)


def write_motion(path: str | Path, mesh: Mesh, times: Array, displacement: Array) -> None:
    """Write an animation as an XDMF time series.

    Parameters
    ----------
    path : file ending in ``.xdmf``.
    mesh : the undeformed body.
    times : (n_t,) [s].
    displacement : (n_t, n_nodes, 3) [m].
    """
    if displacement.shape != (len(times), len(mesh.nodes), 3):
        raise MeshError(
            f"displacements {displacement.shape} do not fit {len(times)} times, {len(mesh.nodes)} nodes"
        )
    path = Path(path)
    if path.suffix != ".xdmf":
        raise MeshError(f"{path}: suffix {path.suffix!r} is not .xdmf")
    with (
        writing(path, WRITERS[".xdmf"][0]) as draft,
        _library().xdmf.TimeSeriesWriter(str(draft), data_format="XML") as writer,
    ):
        writer.write_points_cells(mesh.nodes, _cells(mesh))
        for time, u in zip(times, displacement, strict=True):
            writer.write_data(float(time), point_data={"displacement": u})


def _cells(mesh: Mesh) -> list[tuple[str, IntArray]]:
    return [(NAMES[kind], mesh.cells(kind)) for kind in KINDS if len(mesh.cells(kind))]


def _plain_mesh(mesh: Mesh, point_data: Mapping[str, Array], cell_data: Mapping[str, Array]) -> Any:
    counts = [len(mesh.cells(kind)) for kind in KINDS]
    fields = {}
    for name, values in cell_data.items():
        if len(values) != sum(counts):
            raise MeshError(f"cell field {name!r} has {len(values)} rows for {sum(counts)} elements")
        fields[name] = [part for part in np.split(np.asarray(values), np.cumsum(counts)[:-1]) if len(part)]
    for name, values in point_data.items():
        if len(values) != len(mesh.nodes):
            raise MeshError(f"point field {name!r} has {len(values)} rows for {len(mesh.nodes)} nodes")
    return _library().Mesh(mesh.nodes, _cells(mesh), point_data=dict(point_data), cell_data=fields)


def _gmsh_mesh(mesh: Mesh) -> Any:
    """Turn groups into physical names; an element of several groups is written once for each."""
    cells: list[tuple[str, IntArray]] = []
    tags: list[AnyArray] = []
    names: dict[str, AnyArray] = {}
    kinds = (
        ("vertex", 0, np.arange(len(mesh.nodes))[:, None], mesh.node_groups),
        *((NAMES[kind], DIMENSION[kind], mesh.cells(kind), mesh.groups(kind)) for kind in KINDS),
    )
    for kind, dim, elements, groups in kinds:
        grouped = np.zeros(len(elements), dtype=bool)
        for name, members in groups.items():
            grouped[members] = True
            if name not in names or names[name][1] != dim:
                names[name] = np.array([len(names) + 1, dim])
            cells.append((kind, elements[members]))
            tags.append(np.full(len(members), names[name][0]))
        if dim > 0 and not grouped.all():
            cells.append((kind, elements[~grouped]))
            tags.append(np.zeros(np.count_nonzero(~grouped), dtype=np.int64))
    data = {"gmsh:physical": tags, "gmsh:geometrical": tags}
    return _library().Mesh(mesh.nodes, cells, cell_data=data, field_data=names)
