"""Stresses of a displaced body, region by region."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.body import Body, freedoms
from flexnet.fem.recovered import AbstractRecovered
from flexnet.typing import Array

Recovered: TypeAlias = AbstractRecovered


def recover(body: Body, u: Array) -> dict[str, Recovered]:
    """Return section forces of beams, stresses of shells and solids.

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
    for name, region in zip(body.region_names(), body.regions, strict=True):
        cells = body.elements(region)
        X = region.geometry(body.mesh.nodes, cells)
        out[name] = region.recover(cells, X, rows[:, freedoms(cells)])
    return out


def joined(parts: Sequence[Recovered]) -> Recovered:
    """Return the elements of several parts of a region as one."""
    return parts[0].with_elements(parts[1:])


def largest_strain(body: Body, u: Array) -> float:
    """Largest normal strain of a displaced body over all elements; ``u`` (6n,) as in :func:`recover`.

    Beams: at the outline of their section, or √3 radii of gyration from its centroid where none is known.
    """
    found = recover(body, u).values()
    return float(max((np.max(one.largest_strain(), initial=0.0) for one in found), default=0.0))
