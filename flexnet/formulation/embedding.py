"""The embedding form: independent coordinates only, no multipliers (DynaFlex eq. 18-27).

With v = B v_i + b the velocities that satisfy G v + Φ_t = 0, the equations of motion are

    (Bᵀ M B) v̇_i = Bᵀ (F - M ḃ_d),        v̇ = B v̇_i + ḃ_d,                                  (1)

where ḃ_d is the acceleration the constraints ask for at v̇_i = 0. Dependent velocities are found with the
columns of G that belong to them; where those degrade others are chosen (:mod:`flexnet.independent`).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.state import Motion, State
from flexnet.independent import better_independent, choose_independent, dependence
from flexnet.typing import Array, IntArray

log = logging.getLogger("flexnet")


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
    before : the form at an earlier state: its independent velocities are kept while they serve, else
        others are chosen, which is logged. Not used where velocities are named.
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
    kappa = dependence(G_s, i)
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


def _next(equations: Equations, G_s: Array, before: Embedding | None) -> IntArray:
    """Independent velocities of the form before, or others where those no longer serve."""
    if before is None:
        return choose_independent(G_s)
    i = better_independent(G_s, before.independent)
    if i is None:
        return before.independent
    names, kappa = equations.coordinates.v_names, dependence(G_s, before.independent)
    old, new = (", ".join(names[k] for k in chosen) for chosen in (before.independent, i))
    log.info("%s: condition %.3g of %s as independent, from here %s", equations.system.name, kappa, old, new)
    return i


def _indices(equations: Equations, names: Sequence[str]) -> IntArray:
    known = {name: k for k, name in enumerate(equations.coordinates.v_names)}
    for name in names:
        if name not in known:
            raise ModelError(f"no velocity is called {name!r}; there are {', '.join(known)}")
    return np.array([known[name] for name in names], dtype=np.int64)
