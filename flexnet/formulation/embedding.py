"""The embedding form: independent coordinates only, no multipliers (DynaFlex eq. 18-27).

With v = B v_i + b the velocities that satisfy G v + Φ_t = 0, the equations of motion are

    (Bᵀ M B) v̇_i = Bᵀ (F - M ḃ_d),        v̇ = B v̇_i + ḃ_d,                                  (1)

where ḃ_d is the acceleration the constraints ask for at v̇_i = 0. Dependent velocities are found with G_d, the
columns of G that belong to them. As the mechanism moves, its condition κ_d in the sizes of coordinates and
rows may grow without bound (a slider at its dead centre does not tell how the crank turns), and log10 κ_d
digits are lost. Then others are chosen.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import Motion, State
from flexnet.typing import Array, IntArray

log = logging.getLogger("flexnet")

#: condition of the dependent velocities at which others are chosen: three digits are lost
DEGRADED = 1e3


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """Equations of motion in independent velocities.

    Attributes
    ----------
    independent : (f,) indices of the independent velocities.
    M : (f, f) reduced mass matrix Bᵀ M B.
    F : (f,) reduced force Bᵀ (F - M ḃ_d).
    B : (n, f) velocities of all coordinates for unit independent ones.
    bias : (n,) ḃ_d.
    condition : κ_d; 1 where nothing depends.
    """

    independent: IntArray
    M: Array
    F: Array
    B: Array
    bias: Array
    condition: float

    @property
    def accelerations(self) -> Array:
        """Accelerations v̇ of all coordinates, (n,)."""
        out: Array = self.B @ np.linalg.solve(self.M, self.F) + self.bias
        return out


def choose_independent(G: Array) -> IntArray:
    """Independent velocities by pivoting: the columns of G a QR factorisation takes last."""
    m, n = G.shape
    if m == 0:
        return np.arange(n)
    from scipy.linalg import qr  # here: a simulation does not embed

    _, _, order = qr(G, mode="economic", pivoting=True)
    return np.sort(order[m:]).astype(np.int64)


def embed(
    equations: Equations,
    state: State,
    independent: Sequence[str] | None = None,
    before: Embedding | None = None,
) -> Embedding:
    """Reduce the equations of motion to independent velocities.

    Parameters
    ----------
    independent : names of the independent velocities; chosen by pivoting if left out.
    before : the form at an earlier state: its independent velocities are kept while κ_d stays below
        :data:`DEGRADED`, else others are chosen, which is logged. Not used where velocities are named.
    """
    F, gamma = equations.forces(state), equations.constraint_bias(state)
    M, G = equations.mass_and_jacobian(state.q, state.t)
    n, m = equations.n_v, equations.m
    # velocities in their sizes, rates of the constraints in theirs
    G_s = G * equations.sizes / equations.row_sizes[:, None]
    i = _next(equations, G_s, before) if independent is None else _indices(equations, independent)
    if len(i) != n - m:
        raise ModelError(f"{n - m} independent coordinates are needed, got {len(i)}")
    d = np.setdiff1d(np.arange(n), i)
    G_d = G[:, d]
    kappa = _condition(G_s, i)
    if kappa > 1e12:
        raise ModelError("these coordinates are not independent here: the rest does not follow from them")
    B, bias = np.zeros((n, n - m)), np.zeros(n)
    B[i, np.arange(n - m)] = 1.0
    if m:
        B[d] = -np.linalg.solve(G_d, G[:, i])
        bias[d] = -np.linalg.solve(G_d, gamma)
    return Embedding(i, B.T @ M @ B, B.T @ (F - M @ bias), B, bias, kappa)


def multipliers(equations: Equations, state: State, a: Array) -> Motion:
    """Multipliers that belong to accelerations found by the embedding form."""
    F = equations.forces(state)
    M, G = equations.mass_and_jacobian(state.q, state.t)
    s, rows = equations.sizes, equations.row_sizes
    lam = np.linalg.lstsq((G * s / rows[:, None]).T, s * (F - M @ a), rcond=None)[0] / rows
    return Motion(a, np.asarray(lam, dtype=float))


def _condition(G_s: Array, independent: IntArray) -> float:
    """κ_d of the scaled Jacobian."""
    return float(np.linalg.cond(np.delete(G_s, independent, axis=1))) if len(G_s) else 1.0


def _next(equations: Equations, G_s: Array, before: Embedding | None) -> IntArray:
    """Independent velocities of the form before, or others where those no longer serve."""
    if before is None:
        return choose_independent(G_s)
    kappa = _condition(G_s, before.independent)
    if kappa < DEGRADED:
        return before.independent
    i = choose_independent(G_s)
    if _condition(G_s, i) >= kappa:
        return before.independent  # a singular position: no choice is better
    names = equations.coordinates.v_names
    old, new = (", ".join(names[k] for k in chosen) for chosen in (before.independent, i))
    log.info("%s: condition %.3g of %s as independent, from here %s", equations.system.name, kappa, old, new)
    return i


def _indices(equations: Equations, names: Sequence[str]) -> IntArray:
    known = {name: k for k, name in enumerate(equations.coordinates.v_names)}
    for name in names:
        if name not in known:
            raise ModelError(f"no velocity is called {name!r}; there are {', '.join(known)}")
    return np.array([known[name] for name in names], dtype=np.int64)
