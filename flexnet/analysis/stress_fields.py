"""Stresses of nodes frame by frame, and of cells at evenly spaced times, for pictures."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from flexnet.analysis.stress import Recovery, motion_of
from flexnet.components import FlexibleBody
from flexnet.typing import Array, IntArray, Vector

if TYPE_CHECKING:
    from flexnet.analysis.run import Run


def nodal_stresses(run: "Run", name: str, times: Vector | None = None, block: int = 256) -> Iterator[Array]:
    """Stress of every node of a flexible body, frame by frame, some frames at a time.

    Parameters
    ----------
    run : a finished run, or one read from a file.
    name : of the flexible body.
    times : where stresses are wanted, s; at every row if left out.
    block : frames that are recovered at once.

    Yields
    ------
    (frames, n) array, one after the other until all times are there: the mean over the elements that meet at
    a node [Pa]; of shells and solids von Mises, of a shell the largest of the faces of its plies, of beams
    the largest normal stress of the section; NaN at a node without elements, such as a point of links.
    """
    recovery = Recovery(run.equations)
    modes, motion = recovery.modes(name), motion_of(recovery, run, name, times)
    n = len(recovery.part(name).table.mesh.nodes)
    gather = {group: _averages(one.cells, n) for group, one in modes.groups.items()}
    counts = sum(count for _, count in gather.values())
    z = modes.vector(motion)
    for start in range(0, len(z), block):
        total = np.zeros((len(z[start : start + block]), n))
        for group, one in modes.groups.items():
            found = one.combined(z[start : start + block]).corner_stress()
            total += found.reshape(len(total), -1) @ gather[group][0]
        with np.errstate(invalid="ignore"):
            yield total / counts


def _averages(cells: IntArray, n: int) -> tuple[csr_array, Array]:
    """Which node every corner of every element is (n_corners, n), and how many corners a node has (n,)."""
    at = cells.reshape(-1)
    S = csr_array((np.ones(len(at)), (np.arange(len(at)), at)), shape=(len(at), n))
    return S, np.bincount(at, minlength=n).astype(float)


def stress_fields(run: "Run", pictures: int) -> dict[str, dict[str, Array]]:
    """Largest stress of every cell of every flexible body whose sections are known.

    Returns
    -------
    by field ``stress`` [Pa] and body: (pictures, cells) arrays, lines first, then drawn triangles; of beams
    the largest magnitude of the normal stress over section and ends, of shells and solids von Mises, the
    largest face of a ply or corner.
    """
    t = run.t
    times, recovery = np.linspace(t[0], t[-1], pictures), Recovery(run.equations)
    out: dict[str, Array] = {}
    for part in run.equations.parts:
        if not isinstance(part, FlexibleBody) or part.body is None:
            continue
        mesh = part.table.mesh
        values = {kind: np.zeros((pictures, len(mesh.cells(kind)))) for kind in mesh.kinds}
        found = recovery.modes(part.name).recover(motion_of(recovery, run, part.name, times))
        for name, region in zip(part.body.region_names(), part.body.regions, strict=True):
            members = mesh.groups(region.kind)[region.group]
            values[region.kind][:, members] = found[name].largest_stress()
        facets = np.hstack([values[kind] for kind in mesh.kinds if kind != "line"])
        out[part.name] = np.hstack([values["line"], facets[:, mesh.surface_owners]])
    return {"stress": out}
