"""Whether a state that is linearised stands in balance: else its linear equations belong to its coordinates.

About a motion with accelerations a of the independent coordinates, other coordinates y(s) have

    δ²y = (∂²y/∂s²) s̈ δs + …,

so that M, C and K of trees that choose other coordinates are no congruent matrices, and their eigenvalues are
not the same. Where a = 0 they are.
"""

import numpy as np

from flexnet.analysis.eigen import Pencil
from flexnet.errors import warn
from flexnet.formulation import Equations, State, magnitudes
from flexnet.typing import Array, IntArray

#: distance to the rest that the linear equations foretell, over the sizes of coordinates, that is none
_NEAR = 1e-6
#: part of what adds up that is nothing
_NOTHING = 1e-9


def warn_of_imbalance(
    equations: Equations, at: State, own: IntArray, a: Array, given: Pencil, moved: Array
) -> None:
    """Warn where independent coordinates accelerate, or are kept moving by drivers.

    Parameters
    ----------
    own : numbers of the independent velocities.
    a : accelerations of all coordinates.
    given : the small motions.
    moved : what moves by the independent coordinates, (moved, f).
    """
    if _is_driven(equations, at, np.concatenate([at.v[own], a[own]])):
        return
    sizes = equations.sizes[own]
    push = given.M @ a[own]
    # loads of this size may add up to nothing, but for round-off
    loads = np.abs(moved).T @ magnitudes(equations, at, a)
    push[np.abs(push) <= _NOTHING * loads] = 0.0
    far = _distance(sizes, push, given, equations.scale.time)
    if far.max(initial=0.0) > _NEAR:
        k = int(np.argmax(far))
        warn(
            f"{equations.system.name}: linearised where it is not in balance,"
            f" {equations.coordinates.v_names[own[k]]!r} accelerates by {a[own[k]]:.3g} (SI): the eigenvalues"
            " are those of these coordinates, other trees have others; linearise about the state of an"
            " equilibrium()"
        )


def _distance(sizes: Array, push: Array, given: Pencil, time: float) -> Array:
    """How far the rest lies, over the sizes of coordinates; where nothing pulls back, the way in ``time``."""
    if not np.any(push):
        return np.zeros(len(push))
    K, force = given.K * np.outer(sizes, sizes), sizes * push
    d = 1.0 / np.sqrt(np.maximum(np.abs(K).max(axis=1), np.abs(force) + np.finfo(float).tiny))
    x = d * np.linalg.lstsq(K * np.outer(d, d), d * force, rcond=1e-10)[0]
    left = force - K @ x
    left[np.abs(left) <= _NOTHING * (np.abs(K) @ np.abs(x) + np.abs(force))] = 0.0
    free = np.linalg.lstsq(given.M * np.outer(sizes, sizes), left, rcond=1e-12)[0] * time**2
    out: Array = np.maximum(np.abs(x), np.abs(free))
    return out


def _is_driven(equations: Equations, at: State, rates: Array) -> bool:
    """Whether drivers keep the independent coordinates moving: the equations vary in time; warns of it."""
    pace = equations.constraint_rates(State(at.t, at.q, np.zeros(equations.n_v)))
    scale = float(np.abs(pace).max(initial=0.0))
    if scale > 0.0 and np.abs(rates).max(initial=0.0) > 1e-6 * scale:
        warn(
            f"drivers of {equations.system.name!r} keep the independent coordinates moving: the linear"
            " equations vary in time and their eigenvalues are those of this instant; a tree that holds the"
            " drivers may give constant ones"
        )
        return True
    return False
