"""Rest of a mechanism with first-order states: forces in balance, ż = 0 and algebraic rows zero, together.

With s along the free motions B of the constraints, λ = Pᵀ F, and the rows f of the states, Newton's method on

    Bᵀ r(q, z) = 0,   f(q, z) = 0:      [ Bᵀ K B   Bᵀ r_z ] [ δs ]      [ Bᵀ r ]
                                        [ f_s      f_z    ] [ δz ]  = - [ f    ]                     (1)

and q put back on Φ = 0 after every step. Where (1) is singular a state drifts: nothing answers it.
"""

import numpy as np

from flexnet.analysis.linear_system import along_independent, by_states, linear_system, rates_of, residual_of
from flexnet.analysis.linearise import Basis
from flexnet.analysis.stability import Stability, told
from flexnet.analysis.tangents import stiffness
from flexnet.errors import ConvergenceError, ModelError
from flexnet.formulation import Equations, State, metric
from flexnet.typing import Array

_ITERATIONS = 60
#: largest turn or displacement over its size that one correction may be
_FAR = 0.5
#: a matrix without units and with this condition is singular
_SINGULAR = 1e13


def rest_with_states(e: Equations, t: float, tolerance: float) -> tuple[State, Array, int]:
    """State, multipliers and iterations of the rest near the start, by (1).

    Raises
    ------
    ConvergenceError
        If there is none near, or a state drifts: by its name.
    """
    at = State(t, e.initial.q, np.zeros(e.n_v), e.z_of(e.initial))
    for k in range(_ITERATIONS):
        basis = Basis.at(e, at, None)
        r = residual_of(e, at)
        lam = -basis.P.T @ r[: e.n_v]
        s, z = _correction(e, at, basis, r, lam)
        sizes, own = e.sizes[basis.i], e.states.sizes(e.scale) / e.scale.time
        far = float(np.abs(s / sizes).max(initial=0.0))
        is_near = far <= tolerance and np.all(np.abs(z) <= tolerance * (np.abs(at.z) + own))
        part = min(1.0, _FAR / far) if far > 0.0 else 1.0
        at = State(t, _closed(e, e.compose(at.q, part * basis.B @ s), t), at.v, at.z + part * z)
        if is_near:
            return at, -Basis.at(e, at, None).P.T @ residual_of(e, at)[: e.n_v], k + 1
    raise ConvergenceError(
        f"{e.system.name}: no rest was found in {_ITERATIONS} corrections of coordinates and states together;"
        " start nearer"
    )


def _correction(e: Equations, at: State, basis: Basis, r: Array, lam: Array) -> tuple[Array, Array]:
    """δs and δz of (1)."""
    K, _ = stiffness(e, at, lam, metric(e, at.q, at.t))
    r_z, f_z = by_states(e, at)
    B, n, still = basis.B, e.n_v, np.zeros(e.n_v)
    f_s = along_independent(lambda h, k: rates_of(e, at, h * B[:, k], still), e, basis)
    J = np.block([[B.T @ K @ B, B.T @ r_z], [f_s, f_z]])
    b = np.concatenate([B.T @ r[:n], -r[n:] / e.model.states[:, 1]])
    columns = np.concatenate([e.sizes[basis.i], e.states.sizes(e.scale) / e.scale.time])
    scaled = J * columns
    rows = np.maximum(np.abs(scaled).max(axis=1, initial=0.0), 1e-300)
    _, values, V = np.linalg.svd(scaled / rows[:, None])
    if len(values) and values[-1] * _SINGULAR < values[0]:
        names = [*(e.coordinates.v_names[i] for i in basis.i), *e.states.names]
        raise ConvergenceError(
            f"{e.system.name}: no rest: {names[int(np.argmax(np.abs(V[-1])))]!r} drifts, nothing answers it;"
            " hold it, or let it start where its rate is zero and leave it out"
        )
    x = columns * np.linalg.solve(scaled / rows[:, None], -b / rows)
    return x[: len(basis.i)], x[len(basis.i) :]


def _closed(e: Equations, q: Array, t: float) -> Array:
    """The configuration put on Φ = 0."""
    for _ in range(4):
        basis = Basis.at(e, State(t, q, np.zeros(e.n_v)), None)
        q = e.compose(q, -basis.P @ e.constraints(q, t))
    return q


def judged_with_states(e: Equations, at: State) -> Stability:
    """Verdict by the eigenvalues of the whole, named by what moves most."""
    try:
        found = linear_system(e, state=at)
    except ModelError as error:
        return Stability((), (str(error),))
    values, vectors = np.linalg.eig(found.A)
    limit = 1e-9 * max(float(np.abs(values).max(initial=0.0)), 1e-300)
    grows, open_ = list[str](), list[str]()
    for value, x in zip(values, vectors.T, strict=True):
        if value.imag >= 0.0 and value.real > -limit:
            name = found.names[int(np.argmax(np.abs(x)))]
            words = f"the motion of {told((name,))} has the eigenvalue {value.real:.4g}{value.imag:+.4g}i 1/s"
            (grows if value.real > limit else open_).append(words)
    return Stability(tuple(grows), tuple(open_))
