"""Other programs on the mesh of a panel: scikit-fem assembles, CalculiX finds modes."""

import os
import resource
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from flexnet.mesh import Mesh


def scikit_fem_assembly(mesh: Mesh, repeat: int) -> float | None:
    """Processor seconds for stiffness and mass of a triangle with 18 freedoms; None without scikit-fem.

    The element is the quadratic triangle with three displacements: 18 freedoms, as ours has, two sparse
    matrices, four Gauss points and more for the mass.
    """
    try:
        import skfem
        from skfem.helpers import ddot, dot, grad
    except ImportError:
        return None
    triangles = skfem.MeshTri(mesh.nodes[:, :2].T.copy(), mesh.triangles.T.copy())
    stiffness = skfem.BilinearForm(lambda u, v, w: ddot(grad(u), grad(v)))
    mass = skfem.BilinearForm(lambda u, v, w: dot(u, v))

    def job() -> None:
        basis = skfem.Basis(triangles, skfem.ElementVector(skfem.ElementTriP2(), 3))
        stiffness.assemble(basis)
        mass.assemble(basis)

    times = []
    for _ in range(repeat):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return min(times)


def calculix_modes(mesh: Mesh, thickness: float, kind: str, modes: int) -> tuple[float, float, float] | None:
    """Seconds of processor and clock, and lowest frequency [Hz], of CalculiX; None where it is not installed.

    Parameters
    ----------
    mesh : panel with a node group ``left``, which is clamped.
    thickness : [m].
    kind : ``S3`` or ``S6``; the second has nodes at the middle of the sides.
    modes : how many.
    """
    program = shutil.which("ccx")
    if program is None:
        return None
    with TemporaryDirectory() as folder:
        (Path(folder) / "panel.inp").write_text(_deck(mesh, thickness, kind, modes))
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [program, "panel"],
            cwd=folder,
            check=True,
            capture_output=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        clock = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds, clock, _first_frequency((Path(folder) / "panel.dat").read_text())


def _deck(mesh: Mesh, thickness: float, kind: str, modes: int) -> str:
    nodes, cells, held = mesh.nodes, mesh.triangles, mesh.node_groups["left"]
    if kind == "S6":
        nodes, cells, held = _with_midsides(mesh)
    lines = ["*NODE, NSET=all"]
    lines += [f"{i + 1}, {x:.12g}, {y:.12g}, {z:.12g}" for i, (x, y, z) in enumerate(nodes)]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=panel")
    lines += [f"{e + 1}, " + ", ".join(str(n + 1) for n in cell) for e, cell in enumerate(cells)]
    lines += ["*MATERIAL, NAME=steel", "*ELASTIC", "2.1e11, 0.3", "*DENSITY", "7800."]
    lines += ["*SHELL SECTION, ELSET=panel, MATERIAL=steel", f"{thickness}"]
    lines += ["*BOUNDARY", *(f"{n + 1}, 1, 6" for n in held)]
    lines += ["*STEP", "*FREQUENCY", f"{modes}", "*END STEP", ""]
    return "\n".join(lines)


def _with_midsides(mesh: Mesh) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes, six-node triangles and held nodes of the same mesh with a node on every side."""
    n = len(mesh.nodes)
    ends = np.sort(np.stack([mesh.triangles, np.roll(mesh.triangles, -1, axis=1)], axis=-1), axis=2)
    sides, place = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
    nodes = np.concatenate([mesh.nodes, mesh.nodes[sides].mean(axis=1)])
    cells = np.hstack([mesh.triangles, n + place.reshape(-1, 3)])
    left = mesh.node_groups["left"]
    held = np.flatnonzero(np.isin(sides, left).all(axis=1))
    return nodes, cells, np.concatenate([left, n + held])


def _first_frequency(text: str) -> float:
    """Fourth column of the first row of the eigenvalue output: cycles per time."""
    rows = [line.split() for line in text.splitlines()]
    first = next(row for row in rows if len(row) == 5 and row[0] == "1")
    return float(first[3])
