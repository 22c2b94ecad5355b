"""Bases: the shapes a body is reduced to. A page of this folder that enters one is found by itself.

``modes="auto"`` chooses few coordinates that suffice.
"""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.attachment import attachment_shapes, check_mean_axes, orthonormal
from flexnet.fem.bases.eigenmodes import attachment, eigenmodes
from flexnet.fem.bases.registry import BASES, LOADS, Family, basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import AUTO, Basis, Reduction
from flexnet.fem.structure import Structure

for _page in sorted(Path(__file__).parent.glob("*.py")):
    if "\n@basis(" in _page.read_text(encoding="utf-8"):
        import_module(f"{__name__}.{_page.stem}")

__all__ = ["BASES", "LOADS", "Family", "basis", "reduced_basis"]

#: coordinates that ``modes="auto"`` takes: in all at most, eigenmodes at least
COORDINATES, EIGENMODES = 10, 4


def reduced_basis(structure: Structure, reduction: Reduction, factor: Factor | None = None) -> Basis:
    """Return the basis of a supported body.

    Parameters
    ----------
    structure : the body on ``reduction.support``.
    reduction : what is kept.
    factor : of the stiffness, if at hand (supported bodies only).
    """
    is_auto, family = reduction.modes == AUTO, BASES[reduction.method]
    if family.needs_frames and not structure.body.attachments and not is_auto:
        raise ModelError(f"reduction {reduction.method!r} needs attachment frames; the body has none")
    if structure.is_free and reduction.method != "full":
        check_mean_axes(structure)
    made = _automatic(structure, reduction, factor) if is_auto else family.make(structure, reduction, factor)
    if "nodal" in made.kind:
        return made
    # one Newton step for G = ΦᵀMΦ towards 1 leaves the square of what orthogonality was lost
    G = made.shapes.T @ (structure.full.M @ made.shapes)
    return replace(made, shapes=made.shapes @ (1.5 * np.eye(len(G)) - 0.5 * G))


def _automatic(structure: Structure, reduction: Reduction, factor: Factor | None) -> Basis:
    """At most ten coordinates: the softest static shapes of loads on the frames, and eigenmodes."""
    rigid = 6 if structure.is_free else 0
    available = int(np.count_nonzero(structure.M.diagonal() > 0.0)) - rigid
    chosen = replace(reduction, modes=min(COORDINATES, available))
    if not structure.body.attachments:
        return eigenmodes(structure, chosen, factor)
    static = attachment_shapes(structure, reduction.frames, factor)
    size = np.sqrt(np.einsum("ij,ij->j", static, structure.full.M @ static))
    rank = orthonormal(structure, static, size)[1].shape[1]
    normal = min(max(COORDINATES - rank, EIGENMODES), available)
    made = attachment(structure, replace(reduction, modes=normal), factor)
    kept = slice(0, COORDINATES)  # eigenmodes come first, static shapes by their frequency
    return Basis(made.shapes[:, kept], made.omega[kept], made.kind[kept], made.next_omega)
