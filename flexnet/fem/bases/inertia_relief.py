r"""Eigenmodes and the static shapes of everything that loads a body in its frame.

A body at rest in a frame that moves carries the load
:math:`-\int ρ N^T (a_0 + \dot ω \times s + ω (ω \cdot s) - ω^2 s)`, linear in twelve numbers
(flexnet.fem.unit_loads), besides the loads on its attachment frames. With K⁻¹f of all of them in the basis
the static answer of a body under gravity, in steady rotation and in uniform acceleration is that of the whole
mesh, whatever the number of eigenmodes. A free body bears no uniform acceleration by itself; the products
(ωω) remain.
"""

import numpy as np

from flexnet.fem.attachment import frame_rows, static_shapes
from flexnet.fem.bases.eigenmodes import beside, eigenmodes
from flexnet.fem.bases.registry import LOADS, basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure
from flexnet.typing import Array


@basis(*LOADS)
def inertia_relief(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Eigenmodes, and the static shapes of loads on frames, of gravity, acceleration and rotation."""
    static, kinds = complete_shapes(structure, reduction, factor)
    return beside(structure, eigenmodes(structure, reduction, factor), static, kinds)


def complete_shapes(
    structure: Structure, reduction: Reduction, factor: Factor | None
) -> tuple[Array, tuple[str, ...]]:
    """Static shapes (6n, k) of loads on the frames and of twelve unit accelerations, and their kinds (k,)."""
    frames = frame_rows(structure, reduction.frames).T.toarray()
    F = np.hstack([frames, structure.full.unit_loads])
    shapes = static_shapes(structure, F, factor)
    kinds = ["attachment"] * frames.shape[1] + ["inertia"] * structure.full.unit_loads.shape[1]
    return shapes, tuple(kinds)
