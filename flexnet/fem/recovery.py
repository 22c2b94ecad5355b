"""Stresses of a displaced body, region by region."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.beam.recovery import BeamForces
from flexnet.fem.beam.region import BeamRegion
from flexnet.fem.body import Body, freedoms
from flexnet.fem.shell.recovery import ShellStress
from flexnet.typing import Array

Recovered: TypeAlias = BeamForces | ShellStress


def recover(body: Body, u: Array) -> dict[str, Recovered]:
    """Return section forces of beams and stresses of shells.

    Parameters
    ----------
    body : the finite-element body.
    u : (6n,) displacements and rotations of its nodes in body axes [m, rad], or (rows, 6n).

    Returns
    -------
    by name of the element group; the first axis of every array is the row.
    """
    rows = np.atleast_2d(np.asarray(u, dtype=float))
    if rows.shape[1] != 6 * len(body.mesh.nodes):
        raise ModelError(f"displacements have {rows.shape[1]} entries, expected {6 * len(body.mesh.nodes)}")
    out: dict[str, Recovered] = {}
    for region in body.regions:
        cells = body.elements(region)
        X = region.geometry(body.mesh.nodes, cells)
        out[region.group] = region.recover(cells, X, rows[:, freedoms(cells)])
    return out


def joined(parts: Sequence[Recovered]) -> Recovered:
    """Return the elements of several parts of a region as one."""
    first, cells = parts[0], np.concatenate([part.cells for part in parts])
    if isinstance(first, BeamForces):
        forces = [part.forces for part in parts if isinstance(part, BeamForces)]
        return replace(first, cells=cells, forces=np.concatenate(forces, axis=1))
    strains = [part.strains for part in parts if isinstance(part, ShellStress)]
    return replace(first, cells=cells, strains=np.concatenate(strains, axis=1))


def largest_strain(body: Body, u: Array) -> float:
    """Largest normal strain of a displaced body over all elements; ``u`` (6n,) as in :func:`recover`.

    Beams: at the outline of their section, or √3 radii of gyration from its centroid where none is known.
    """
    out = 0.0
    for region, found in zip(body.regions, recover(body, u).values(), strict=True):
        if isinstance(found, BeamForces):
            assert isinstance(region, BeamRegion)
            strains = found.outer_stress() / region.material.E
        else:
            strains = found.largest_strain()
        out = max(out, float(np.max(strains, initial=0.0)))
    return out
