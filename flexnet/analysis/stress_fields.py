"""Stresses of cells at evenly spaced times, for pictures."""

from typing import TYPE_CHECKING

import numpy as np

from flexnet.analysis.stress import Recovery, motion_of
from flexnet.components import FlexibleBody
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.analysis.run import Run


def stress_fields(run: "Run", pictures: int) -> dict[str, dict[str, Array]]:
    """Largest stress of every cell of every flexible body whose sections are known.

    Returns
    -------
    by field ``stress`` [Pa] and body: (pictures, cells) arrays, lines first, then drawn triangles; of beams
    the largest magnitude of the normal stress over section and ends, of shells and solids von Mises, the
    larger face or the largest corner.
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
