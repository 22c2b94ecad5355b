"""Eigenmodes and the static shapes of unit loads on attachment frames."""

from flexnet.fem.attachment import attachment_shapes
from flexnet.fem.bases.eigenmodes import beside, eigenmodes
from flexnet.fem.bases.registry import basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import Basis, Reduction
from flexnet.fem.structure import Structure


@basis("frames", needs_frames=True)
def attachment(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """Eigenmodes, and K⁻¹f of unit loads f on the frames less their part in them (residual attachment modes).

    On a free body the loads are balanced by the inertia of its rigid motion.
    """
    modes = eigenmodes(structure, reduction, factor)
    static = attachment_shapes(structure, reduction.frames, factor)
    return beside(structure, modes, static, ("attachment",) * static.shape[1])
