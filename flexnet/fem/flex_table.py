"""The table of a flexible body: every constant that its motion needs and that does not depend on it."""

from dataclasses import dataclass

import numpy as np

from flexnet.fem.geometric_tensors import GeometricTensors
from flexnet.fem.inertia_tensors import InertiaTensors
from flexnet.fem.mode_table import ModeTable
from flexnet.fem.sparse import SparseStack, Tensor
from flexnet.mesh import Mesh
from flexnet.typing import Array, IntArray


@dataclass(frozen=True, slots=True)
class FrameRows:
    """Motion of points of the body per elastic coordinate, to first order.

    A frame at s moves by ``translation @ q`` and turns by the small rotation vector ``rotation @ q``.

    Attributes
    ----------
    names : (n_f,) names of the frames.
    nodes : (n_f,) their nodes; -1 of frames that spread their loads over elements.
    position : (n_f, 3) undeformed [m].
    translation : (n_f, 3, m).
    rotation : (n_f, 3, m).
    """

    names: tuple[str, ...]
    nodes: IntArray
    position: Array
    translation: Tensor
    rotation: Tensor


@dataclass(frozen=True, slots=True)
class FlexTable:
    """Constants of a flexible body in its frame; m elastic coordinates q. Units are SI.

    A point at s₀ of the body is at s₀ + N̂(s₀) q. The tensors and their equations are in
    docs/theory/flextable.md.

    Attributes
    ----------
    key : fingerprint of what the table was made from.
    inertia : mass and inertia tensors.
    K, C : (m, m) stiffness and damping.
    frames : attachment frames: joints and loads act there.
    output : further nodes whose motion is wanted, named by their index.
    geometric : geometric stiffness for unit loads; also the second-order motion of the frames.
    modes : what the coordinates are, and what was left out.
    mesh : the undeformed body, to draw it.
    """

    key: str
    inertia: InertiaTensors
    K: Tensor
    C: Tensor
    frames: FrameRows
    output: FrameRows
    geometric: GeometricTensors
    modes: ModeTable
    mesh: Mesh

    @property
    def m(self) -> int:
        """Number of elastic coordinates."""
        return len(self.K)

    @property
    def is_sparse(self) -> bool:
        """Whether it is that of an unreduced body, :mod:`flexnet.fem.unreduced`."""
        return isinstance(self.K, SparseStack)

    @property
    def M(self) -> Tensor:
        """Mass matrix (m, m) of the elastic coordinates, ∫ρ N̂ᵀN̂."""
        NN = self.inertia.NN
        if isinstance(NN, SparseStack):
            return SparseStack(NN.ptr, NN.index, np.einsum("aae->e", NN.values))
        return np.asarray(NN[0, 0] + NN[1, 1] + NN[2, 2])

    @property
    def damping_ratios(self) -> Array:
        """Damping (m,) of every coordinate alone, ζ = C_ii/(2√(K_ii M_ii)); nan where it has no stiffness."""
        K, M, C = (A.diagonal() for A in (self.K, self.M, self.C))
        size = 2.0 * np.sqrt(np.clip(K * M, 0.0, None))
        return np.asarray(C / np.where(size > 0.0, size, np.nan))

    def mode_text(self) -> str:
        """Return the mode table as aligned text, the damping of each coordinate included."""
        return self.modes.text(self.damping_ratios)

    @property
    def second_order(self) -> Tensor:
        r"""H (n_f, 6, m, m): to second order frame f moves and turns by :math:`-\tfrac12 q^T H_{fa} q`."""
        return self.geometric.frames

    @property
    def foreshortening(self) -> Tensor:
        """Its translations, (n_f, 3, m, m)."""
        return self.geometric.frames[:, :3]
