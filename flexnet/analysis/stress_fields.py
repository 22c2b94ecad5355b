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
    by field ``stress`` [Pa] and body: (pictures, cells) arrays, lines first, then triangles; of beams the
    largest magnitude of the normal stress over section and ends, of shells von Mises, the larger face.
    """
    from flexnet.fem import BeamForces

    t = run.t
    times, recovery = np.linspace(t[0], t[-1], pictures), Recovery(run.equations)
    out: dict[str, Array] = {}
    for part in run.equations.parts:
        if not isinstance(part, FlexibleBody) or part.body is None:
            continue
        mesh = part.table.mesh
        values = np.zeros((pictures, len(mesh.lines) + len(mesh.triangles)))
        found = recovery.modes(part.name).recover(motion_of(recovery, run, part.name, times))
        for region in part.body.regions:
            one = found[region.group]
            if isinstance(one, BeamForces):
                values[:, mesh.line_groups[region.group]] = one.outer_stress().max(axis=-1)
            else:
                place = len(mesh.lines) + mesh.triangle_groups[region.group]
                values[:, place] = np.maximum(one.von_mises("bottom"), one.von_mises("top"))
        out[part.name] = values
    return {"stress": out}
