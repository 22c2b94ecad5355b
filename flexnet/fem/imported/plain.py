"""Bodies as plain HDF5 files any program can write, layout ``flexnet-body`` (docs/theory/imported.md)."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from flexnet.errors import FileFormatError, FlexnetError
from flexnet.fem.assembly import assemble
from flexnet.fem.body import Body, freedoms
from flexnet.fem.fingerprint import fingerprint
from flexnet.fem.flex_table import FlexTable, FrameRows
from flexnet.fem.geometric_tensors import GeometricTensors
from flexnet.fem.imported.model import ForeignModel, symmetric
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.solid import SolidRegion
from flexnet.fem.structure import absent_freedoms
from flexnet.fem.table_builder import mode_table
from flexnet.mesh import Mesh
from flexnet.store import create_file, open_file, read_arrays, writing
from flexnet.typing import AnyArray, Array

SCHEMA = "flexnet-body"
VERSION = 1
TENSORS = ("mass", "s1", "s2", "N1", "sN", "NN")
GEOMETRIC = ("acceleration", "angular_acceleration", "omega_products", "frames")


def export_body(path: str | Path, body: Body, inertia: str = "consistent") -> None:
    """Write the matrices of a body, without its links, as a plain HDF5 file; of solids the stresses too.

    Parameters
    ----------
    path : an ``.h5`` file; it replaces only one of its kind.
    body : mesh, sections, masses, frames.
    inertia : ``consistent``, ``linear`` or ``lumped``.
    """
    if body.links:
        raise FlexnetError("a body with links is exported without them; give them again where it is imported")
    full, mesh = assemble(body, inertia), body.mesh
    kept = np.flatnonzero(~absent_freedoms(body))
    arrays: dict[str, AnyArray] = {"nodes": mesh.nodes, "lines": mesh.lines, "triangles": mesh.triangles}
    arrays["freedoms"] = np.column_stack([kept // 6, kept % 6])
    for name, matrix in (("K", full.K), ("M", full.M), ("C", full.C)):
        entries = coo_array(csr_array(matrix)[kept][:, kept])
        lower = entries.row >= entries.col
        if lower.any():
            arrays[f"{name}/row"] = entries.row[lower].astype(np.int64)
            arrays[f"{name}/column"] = entries.col[lower].astype(np.int64)
            arrays[f"{name}/value"] = entries.data[lower]
    if body.regions and all(isinstance(region, SolidRegion) for region in body.regions):
        S, where = _stress_matrix(body)
        entries = coo_array(S[:, kept])
        arrays |= {"stress/row": entries.row.astype(np.int64), "stress/column": entries.col.astype(np.int64)}
        arrays |= {"stress/value": entries.data, "stress/nodes": where}
    arrays |= {f"sets/{name}": members for name, members in mesh.node_groups.items()}
    arrays |= {f"frames/{name}": np.array([body.frame_node(name)]) for name in body.frames}
    _write(path, arrays)


def export_table(path: str | Path, table: FlexTable) -> None:
    """Write a reduced body, its modes at the nodes and its tensors, as a plain HDF5 file.

    Parameters
    ----------
    path : an ``.h5`` file; it replaces only one of its kind.
    table : with the motion of all nodes.
    """
    modes = np.concatenate([table.output.translation, table.output.rotation], axis=1)
    arrays: dict[str, AnyArray] = {
        "nodes": table.output.position, "lines": table.mesh.lines, "triangles": table.mesh.triangles,
        "modes": modes, "stiffness": table.K, "damping": table.C,
    }  # fmt: skip
    arrays |= {f"tensors/{name}": np.asarray(getattr(table.inertia, name)) for name in TENSORS}
    arrays |= {f"geometric/{name}": getattr(table.geometric, name) for name in GEOMETRIC}
    names = [(a, b) for a, b in zip(table.frames.names, table.frames.nodes, strict=True) if b >= 0]
    arrays |= {f"frames/{name}": np.array([node]) for name, node in names}
    _write(path, arrays)


def read_plain_body(path: str | Path | BytesIO) -> ForeignModel:
    """Read the matrices of a plain file."""
    arrays = _arrays(path)
    try:
        nodes, freedoms = _numbers(arrays, "nodes", 2), _indices(arrays, "freedoms")
        size = len(freedoms)

        def matrix(name: str) -> csr_array:
            where = _indices(arrays, f"{name}/row"), _indices(arrays, f"{name}/column")
            value = _numbers(arrays, f"{name}/value", 1)
            return symmetric(*where, value, size, f"{path}, {name}")

        C = matrix("C") if "C/row" in arrays else None
        numbers = _indices(arrays, "numbers") if "numbers" in arrays else np.arange(len(nodes))
        sets = {n.removeprefix("sets/"): _indices(arrays, n) for n in arrays if n.startswith("sets/")}
        cells = _cells(arrays)
        frames, stress = _frames(arrays, len(nodes)), _stress(arrays, len(nodes), size)
        return ForeignModel(
            numbers, nodes, freedoms, matrix("K"), matrix("M"), C, sets, *cells, frames, *stress
        )
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise FileFormatError(f"{path}: the body is incomplete or damaged ({_said(error)})") from error


def _stress(arrays: Mapping[str, AnyArray], n: int, size: int) -> tuple[csr_array | None, AnyArray]:
    """The stress matrix and its nodes, if there is one."""
    if "stress/row" not in arrays:
        return None, np.empty(0, dtype=np.int64)
    row, column, nodes = (_indices(arrays, f"stress/{key}") for key in ("row", "column", "nodes"))
    value, rows = _numbers(arrays, "stress/value", 1), 6 * len(nodes)
    if not (len(row) == len(column) == len(value)):
        raise ValueError(f"stress has {len(row)} rows, {len(column)} columns and {len(value)} values")
    is_inside = len(row) and min(row.min(), column.min()) >= 0 and row.max() < rows and column.max() < size
    if not is_inside or nodes.min() < 0 or nodes.max() >= n:
        raise ValueError(f"stress has an entry outside its {rows} rows, {size} freedoms and {n} nodes")
    return csr_array(coo_array((value, (row, column)), shape=(rows, size))), nodes


def _stress_matrix(body: Body) -> tuple[csr_array, AnyArray]:
    """Stresses (6p, 6n) at the corners of solids, the mean of the tetrahedra that meet, and these nodes."""
    data, rows, columns = [], [], []
    for region, cells, X in body.batches():
        assert isinstance(region, SolidRegion)
        n_edof = 6 * cells.shape[1]
        unit = np.broadcast_to(np.eye(n_edof)[:, None], (n_edof, len(cells), n_edof))
        found = region.recover(cells, X, unit).stress()  # (freedom, element, corner, component)
        where = 6 * cells[:, :4, None] + np.arange(6)
        data.append(found.transpose(1, 2, 3, 0).reshape(-1))
        rows.append(np.broadcast_to(where[..., None], (*where.shape, n_edof)).reshape(-1))
        columns.append(np.broadcast_to(freedoms(cells)[:, None, None], (*where.shape, n_edof)).reshape(-1))
    size = 6 * len(body.mesh.nodes)
    S = csr_array(
        coo_array((np.concatenate(data), tuple(map(np.concatenate, (rows, columns)))), (size, size))
    )
    corners = np.concatenate([body.elements(region)[:, :4].reshape(-1) for region in body.regions])
    count = np.bincount(corners, minlength=len(body.mesh.nodes))
    nodes = np.flatnonzero(count)
    kept = (6 * nodes[:, None] + np.arange(6)).reshape(-1)
    return csr_array(S[kept] / np.repeat(count[nodes], 6)[:, None]), nodes


def imported_table(path: str | Path | BytesIO) -> FlexTable:
    """Read a reduced body from a plain HDF5 file: modes at its nodes, stiffness, and nodal masses or tensors.

    Parameters
    ----------
    path : an ``.h5`` file of the layout ``flexnet-body``, such as ``export_table`` writes, in SI units.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, or its parts do not fit each other; the dataset is named.

    Notes
    -----
    With nodal masses the tensors are sums over the nodes; the geometric stiffness is zero unless it is given.
    """
    arrays = _arrays(path)
    try:
        return _table(arrays)
    except (KeyError, IndexError, ValueError, TypeError, FlexnetError) as error:
        raise FileFormatError(
            f"{path}: the reduced body is incomplete or damaged ({_said(error)})"
        ) from error


def _table(arrays: Mapping[str, AnyArray]) -> FlexTable:
    nodes, modes = _numbers(arrays, "nodes", 2), _numbers(arrays, "modes", 3)
    n, m = len(nodes), modes.shape[2]
    if modes.shape[:2] != (n, 6):
        raise ValueError(f"modes have shape {modes.shape}, expected ({n}, 6, m)")
    K = _square(arrays, "stiffness", m)
    C = _square(arrays, "damping", m) if "damping" in arrays else np.zeros((m, m))
    tensors = _given_tensors(arrays, m) if "tensors/mass" in arrays else _nodal_tensors(arrays, nodes, modes)
    frames, (triangles, lines) = _frames(arrays, n), _cells(arrays)
    mesh = Mesh(nodes, lines, triangles)
    mass = np.einsum("aaij->ij", tensors.NN)
    omega = np.sqrt(np.clip(np.diag(K), 0.0, None) / np.where(np.diag(mass) > 0.0, np.diag(mass), np.inf))
    at = np.array(list(frames.values()), dtype=np.int64)
    is_free = bool(
        np.abs(tensors.N1).max(initial=0.0) <= 1e-9 * np.sqrt(tensors.mass * np.abs(mass).max(initial=1.0))
    )
    return FlexTable(
        key=fingerprint(dict(arrays)),
        inertia=tensors,
        K=K,
        C=C,
        frames=FrameRows(tuple(frames), at, nodes[at], modes[at, :3].copy(), modes[at, 3:].copy()),
        output=FrameRows(
            tuple(map(str, range(n))), np.arange(n), mesh.nodes, modes[:, :3].copy(), modes[:, 3:].copy()
        ),
        geometric=_geometric(arrays, m, len(frames)),
        modes=mode_table(("shape",) * m, omega, tensors, float("nan"), is_free),
        mesh=mesh,
    )


def _given_tensors(arrays: Mapping[str, AnyArray], m: int) -> InertiaTensors:
    shapes: dict[str, tuple[int, ...]] = {
        "mass": (), "s1": (3,), "s2": (3, 3), "N1": (3, m), "sN": (3, 3, m), "NN": (3, 3, m, m)
    }  # fmt: skip
    found: dict[str, Any] = {k: _shaped(arrays, f"tensors/{k}", shape) for k, shape in shapes.items()}
    return InertiaTensors(**{**found, "mass": float(found["mass"])})


def _nodal_tensors(arrays: Mapping[str, AnyArray], s: Array, modes: Array) -> InertiaTensors:
    """Sums over nodes of mass (n,), and of their own inertia (n, 3, 3) about the node if it is given."""
    w, u = _shaped(arrays, "mass", (len(s),)), modes[:, :3]
    if (w < 0.0).any() or not w.sum() > 0.0:
        raise ValueError(f"mass of node {int(np.argmin(w))} is {w.min():g} kg")
    s2, NN = np.einsum("n,na,nb->ab", w, s, s), np.einsum("n,nai,nbj->abij", w, u, u, optimize=True)
    sN = np.einsum("n,na,nbj->abj", w, s, u, optimize=True)
    if "inertia" in arrays:
        # a small rigid body moves by θ × r about its node: second moments P = ½ tr(J) 1 - J
        J, turn = _shaped(arrays, "inertia", (len(s), 3, 3)), modes[:, 3:]
        P = 0.5 * np.einsum("naa->n", J)[:, None, None] * np.eye(3) - J
        e = np.zeros((3, 3, 3))
        e[0, 1, 2] = e[1, 2, 0] = e[2, 0, 1] = 1.0
        e[0, 2, 1] = e[2, 1, 0] = e[1, 0, 2] = -1.0
        field = np.einsum("bcd,ncj->nbdj", e, turn)  # (θ_j × r)_b = e_bcd θ_c r_d
        s2 = s2 + P.sum(axis=0)
        sN = sN + np.einsum("nad,nbdj->abj", P, field, optimize=True)
        NN = NN + np.einsum("ncd,naci,nbdj->abij", P, field, field, optimize=True)
    return InertiaTensors(float(w.sum()), w @ s, s2, np.einsum("n,naj->aj", w, u), sN, NN)


def _geometric(arrays: Mapping[str, AnyArray], m: int, n_f: int) -> GeometricTensors:
    shapes = {"acceleration": (3, m, m), "angular_acceleration": (3, m, m), "omega_products": (6, m, m)}
    found = {}
    for name, shape in {**shapes, "frames": (n_f, 6, m, m)}.items():
        key = f"geometric/{name}"
        found[name] = _shaped(arrays, key, shape) if key in arrays else np.zeros(shape)
    return GeometricTensors(**found)


def _write(path: str | Path, arrays: Mapping[str, AnyArray]) -> None:
    memory = BytesIO()
    with create_file(memory, SCHEMA, VERSION) as file:
        for name, values in arrays.items():
            file.create_dataset(name, data=values)
    with writing(Path(path), b"\x89HDF", SCHEMA) as draft:
        draft.write_bytes(memory.getvalue())


def _arrays(path: str | Path | BytesIO) -> dict[str, AnyArray]:
    try:
        with open_file(path, SCHEMA, VERSION) as file:
            return read_arrays(file)
    except (OSError, KeyError, RuntimeError, ValueError, TypeError) as error:
        raise FileFormatError(f"{path}: a part of the body cannot be read ({_said(error)})") from error


def _said(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) and error.args else str(error)


def _numbers(arrays: Mapping[str, AnyArray], name: str, dimensions: int) -> Array:
    values = arrays[name]
    if values.dtype.kind not in "fiu" or values.ndim != dimensions or not np.isfinite(values).all():
        raise ValueError(f"{name} is a {values.dtype} array of shape {values.shape} or has no numbers")
    return np.asarray(values, dtype=float)


def _indices(arrays: Mapping[str, AnyArray], name: str) -> AnyArray:
    values = arrays[name]
    if values.dtype.kind not in "iu" or (name == "freedoms" and values.shape[1:] != (2,)):
        raise ValueError(
            f"{name} is a {values.dtype} array of shape {values.shape}; whole numbers are wanted"
        )
    return values.astype(np.int64)


def _shaped(arrays: Mapping[str, AnyArray], name: str, shape: tuple[int, ...]) -> Array:
    values = _numbers(arrays, name, len(shape))
    if values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}, expected {shape}")
    return values


def _square(arrays: Mapping[str, AnyArray], name: str, m: int) -> Array:
    values = _shaped(arrays, name, (m, m))
    if np.abs(values - values.T).max(initial=0.0) > 1e-6 * np.abs(values).max(initial=0.0):
        raise ValueError(f"{name} is not symmetric")
    return np.asarray(0.5 * (values + values.T))


def _cells(arrays: Mapping[str, AnyArray]) -> tuple[AnyArray, AnyArray]:
    found = []
    for name, width in (("triangles", 3), ("lines", 2)):
        cells = _indices(arrays, name) if name in arrays else np.empty((0, width), dtype=np.int64)
        if cells.ndim != 2 or cells.shape[1] != width:
            raise ValueError(f"{name} have shape {cells.shape}, expected (n, {width})")
        found.append(cells)
    return found[0], found[1]


def _frames(arrays: Mapping[str, AnyArray], n: int) -> dict[str, int]:
    frames = {}
    for name in [key for key in arrays if key.startswith("frames/")]:
        node = _indices(arrays, name).reshape(-1)
        if len(node) != 1 or not 0 <= node[0] < n:
            raise ValueError(f"{name} is not one of the {n} nodes")
        frames[name.removeprefix("frames/")] = int(node[0])
    return frames
