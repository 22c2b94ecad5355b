"""Flexible bodies in Exudyn: its reduced-order floating frame, fed with the integrals of a flexnet table.

For modes ψ over points x of mass w, Exudyn keeps the sums below (Zwölfer and Gerstmayr 2020). ~ is the matrix
of the vector product; where there are 3m columns (or rows), three belong to each mode.

    mPhitTPsi           Σ w ψ_j                     N1
    mPhitTPsiTilde      Σ w ψ̃_j                     from N1
    mXRefTildePsi       Σ w x̃ᵀψ_j                   from sN
    mXRefTildePsiTilde  Σ w x̃ᵀψ̃_j                   tr(sN_j) 1 - sN_jᵀ
    mPsiTildePsi        Σ w ψ̃_iᵀψ_j                 from NN
    mPsiTildePsiTilde   Σ w ψ̃_iᵀψ̃_j                 tr(NN_ij) 1 - NN_ijᵀ
"""

from dataclasses import dataclass

import exudyn as exu
import exudyn.itemInterface as eii
import numpy as np
from exudyn.rigidBodyUtilities import GetRigidBodyNode

from flexnet.fem import FlexTable
from flexnet.formulation import Poses


@dataclass(frozen=True, slots=True)
class FlexibleItem:
    """Numbers Exudyn gave: the body, the node of its frame, and its points by name."""

    body: int
    node: int
    points: dict[str, int]


def _levi_civita() -> np.ndarray:
    e = np.zeros((3, 3, 3))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        e[a, b, c], e[a, c, b] = 1.0, -1.0
    return e


def invariants(table: FlexTable) -> dict[str, np.ndarray]:
    """The sums above, from the tensors of a table."""
    m, i = table.m, table.inertia
    e, one = _levi_civita(), np.eye(3)
    # x̃ y = x × y: (x̃)_ac = e_abc x_b
    cross_N1 = np.einsum("abc,bj->ajc", e, i.N1)
    # x̃ᵀψ = -x × ψ
    x_psi = -np.einsum("abc,bcj->aj", e, i.sN)
    x_psi_tilde = np.einsum("ddj,ac->ajc", i.sN, one) - np.einsum("caj->ajc", i.sN)
    psi_psi = -np.einsum("abc,bcij->iaj", e, i.NN)
    psi_psi_tilde = np.einsum("ddij,ac->iajc", i.NN, one) - np.einsum("caij->iajc", i.NN)
    return {
        "mPhitTPsi": i.N1,
        "mPhitTPsiTilde": cross_N1.reshape(3, 3 * m),
        "mXRefTildePsi": x_psi,
        "mXRefTildePsiTilde": x_psi_tilde.reshape(3, 3 * m),
        "mPsiTildePsi": psi_psi.reshape(3 * m, m),
        "mPsiTildePsiTilde": psi_psi_tilde.reshape(3 * m, 3 * m),
        "inertia": np.trace(i.s2) * one - i.s2,
        "centerOfMass": i.s1 / i.mass,
    }


def add_flexible(
    mbs: object, table: FlexTable, poses: Poses, number: int, nodes: dict[str, int]
) -> FlexibleItem:
    """Add a body with the pose and rates of body ``number``; its points are nodes of the mesh."""
    frame = GetRigidBodyNode(
        nodeType=exu.NodeType.RotationEulerParameters, position=poses.p[number], velocity=poses.v[number],
        rotationMatrix=poses.R[number], angularVelocity=poses.omega[number],
    )  # fmt: skip
    rigid = mbs.AddNode(frame)
    elastic = mbs.AddNode(
        eii.NodeGenericODE2(
            numberOfODE2Coordinates=table.m, referenceCoordinates=[0.0] * table.m,
            initialCoordinates=[0.0] * table.m, initialCoordinates_t=[0.0] * table.m,
        )
    )  # fmt: skip
    rows = table.output
    at = [int(np.flatnonzero(rows.nodes == node)[0]) for node in nodes.values()]
    matrices = {}
    for key, matrix in (("mass", table.M), ("stiffness", table.K), ("damping", table.C)):
        container = exu.MatrixContainer()
        container.SetWithDenseMatrix(matrix, useDenseMatrix=False)
        matrices[f"{key}MatrixReduced"] = container
    body = mbs.AddObject(
        eii.ObjectFFRFreducedOrder(
            nodeNumbers=[rigid, elastic], mass=table.inertia.mass,
            modeBasis=np.concatenate([rows.translation[k] for k in at]),
            referencePositions=np.concatenate([rows.position[k] for k in at]),
            computeFFRFterms=True, **matrices, **invariants(table),
        )
    )  # fmt: skip
    return FlexibleItem(body, rigid, {name: k for k, name in enumerate(nodes)})


def point_marker(mbs: object, item: FlexibleItem, name: str) -> int:
    """Marker of a point of a flexible body."""
    return mbs.AddMarker(
        eii.MarkerSuperElementPosition(
            bodyNumber=item.body, meshNodeNumbers=[item.points[name]], weightingFactors=[1.0]
        )
    )


def position(mbs: object, item: FlexibleItem, name: str) -> np.ndarray:
    """Present position of a point, (3,) m."""
    return np.array(
        mbs.GetObjectOutputSuperElement(item.body, exu.OutputVariableType.Position, item.points[name])
    )
