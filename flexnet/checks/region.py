"""Theorems that hold of every family of elements."""

from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.fem.body import INERTIAS, points_of
from flexnet.fem.links import arm_matrix
from flexnet.fem.mass_points import mass_matrix
from flexnet.fem.region import AbstractRegion
from flexnet.typing import Array, IntArray

ROUND_OFF = 1e-9


@dataclass(frozen=True, slots=True)
class RegionCheck:
    """What was found of a family of elements.

    Attributes
    ----------
    freedoms, rank : of an element, and of its stiffness.
    mass : of the elements tried [kg].
    """

    freedoms: int
    rank: int
    mass: float


def check_region(region: AbstractRegion, nodes: Array, cells: IntArray) -> RegionCheck:
    """Hold a family of elements to its contract (:class:`flexnet.fem.region.AbstractRegion`).

    Parameters
    ----------
    region : of the family.
    nodes : (n, 3) positions [m].
    cells : (n_e, nodes) elements to try, distorted ones among them.

    Raises
    ------
    ModelError
        If a theorem does not hold: stiffness symmetric, positive, zero for rigid motions and nothing else;
        mass points of every inertia carry rigid motions and have one mass; no state and nothing recovered of
        a rigid motion; geometric stiffness symmetric, none of a translation.
    """
    X = region.geometry(nodes, cells)
    R = arm_matrix(nodes[cells].reshape(-1, 3)).reshape(len(cells), -1, 6)  # rigid motions of the freedoms
    if not region.has_rotations:
        R = R * np.tile(np.repeat([1.0, 0.0], 3), cells.shape[1])[:, None]
    K = region.stiffness(X)
    rank = _stiffness(region, K, R)
    mass = [_mass(region, X, R, inertia) for inertia in INERTIAS]
    _hold(np.ptp(mass) <= ROUND_OFF * max(mass), region, f"its inertias have masses {mass} kg")
    size = np.abs(region.state(X, np.broadcast_to(np.eye(K.shape[1]), K.shape), np.zeros_like(K))).max()
    idle = np.abs(region.state(X, R, np.zeros_like(R))).max()
    _hold(idle <= ROUND_OFF * size * np.abs(R).max(), region, "a rigid motion has internal forces")
    found = region.recover(cells, X, R.transpose(2, 0, 1))
    unit = region.recover(cells, X, np.eye(K.shape[1])[:, None].repeat(len(cells), axis=1))
    still = found.sizes().max() <= ROUND_OFF * unit.sizes().max() * np.abs(R).max()
    _hold(bool(still), region, "something is recovered of a rigid motion")
    _geometric(region, X, R)
    return RegionCheck(K.shape[1], rank, mass[0])


def _hold(is_true: bool | np.bool_, region: AbstractRegion, what: str) -> None:
    if not is_true:
        raise ModelError(f"{type(region).__name__}: {what}")


def _stiffness(region: AbstractRegion, K: Array, R: Array) -> int:
    size = np.abs(K).max()
    _hold(
        np.abs(K - K.transpose(0, 2, 1)).max() <= ROUND_OFF * size, region, "its stiffness is not symmetric"
    )
    # each freedom in its own size
    root = np.sqrt(np.einsum("eii->ei", K))
    scale = np.where(root > 0.0, root, 1.0)
    values = np.linalg.eigvalsh(K / scale[:, :, None] / scale[:, None, :])
    _hold(values.min() >= -ROUND_OFF, region, "its stiffness is not positive")
    _hold(np.abs(K @ R).max() <= ROUND_OFF * size * np.abs(R).max(), region, "a rigid motion has energy")
    ranks = np.count_nonzero(values > ROUND_OFF, axis=1)
    expected = int(np.count_nonzero(root[0])) - 6
    _hold((ranks == expected).all(), region, f"its stiffness has rank {ranks.min()}, expected {expected}")
    return expected


def _mass(region: AbstractRegion, X: Array, R: Array, inertia: str) -> float:
    points = points_of(region, X, inertia)
    arm = arm_matrix(points.s.reshape(-1, 3))[:, :3].reshape(*points.s.shape, 6)
    moved = points.N @ R[:, None]
    _hold(
        np.abs(moved - arm).max() <= ROUND_OFF * np.abs(arm).max(),
        region,
        f"its mass points ({inertia}) do not follow a rigid motion",
    )
    along = R[:, :, 0]
    return float(np.einsum("ei,eij,ej->", along, mass_matrix(points), along))


def _geometric(region: AbstractRegion, X: Array, R: Array) -> None:
    G = region.geometric_basis(X)
    _hold(G.shape[1] == region.n_state, region, f"{G.shape[1]} geometric matrices, {region.n_state} forces")
    size = np.abs(G).max()
    _hold(
        np.abs(G - G.transpose(0, 1, 3, 2)).max() <= ROUND_OFF * size,
        region,
        "its prestress is not symmetric",
    )
    pushed = np.abs(G @ R[:, None, :, :3]).max()
    _hold(pushed <= ROUND_OFF * size, region, "its prestress resists a translation")
