"""Bases: the shapes a body is reduced to. A page of this folder that enters one is found by itself."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.attachment import check_mean_axes
from flexnet.fem.bases.automatic import automatic
from flexnet.fem.bases.registry import BASES, LOADS, Family, basis
from flexnet.fem.factor import Factor
from flexnet.fem.reduction import AUTO, Basis, Reduction
from flexnet.fem.structure import Structure

for _page in sorted(Path(__file__).parent.glob("*.py")):
    if "\n@basis(" in _page.read_text(encoding="utf-8"):
        import_module(f"{__name__}.{_page.stem}")

__all__ = ["BASES", "LOADS", "Family", "basis", "reduced_basis"]


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
    made = automatic(structure, reduction, factor) if is_auto else family.make(structure, reduction, factor)
    if "nodal" in made.kind:
        return made
    # one Newton step for G = ΦᵀMΦ towards 1 leaves the square of what orthogonality was lost
    G = made.shapes.T @ (structure.full.M @ made.shapes)
    return replace(made, shapes=made.shapes @ (1.5 * np.eye(len(G)) - 0.5 * G))
