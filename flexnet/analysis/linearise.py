"""Linearisation about a state: small motions in independent coordinates.

The embedded equations ``M_r(u) v̇_i = F_r(u, v_i)`` (DynaFlex eq. 27) give, for small departures s of the
configuration and w of the independent velocities,

    M ẇ + C w + K s = 0,     C = -∂F_r/∂v_i,     K = ∂(M_r v̇_i - F_r)/∂u,     ṡ = w - Ω s            (1)

by central differences; Ω, from the velocity of the state itself, is there only where 3-D rotations turn:
small turns given in axes that turn. In s alone this is

    M s̈ + (C + M Ω) ṡ + (K + C Ω) s = 0.                                                            (2)
"""

import warnings
from dataclasses import dataclass

import numpy as np

from flexnet.analysis.closing import close, is_closed
from flexnet.errors import ModelError
from flexnet.formulation import Embedding, Equations, State, choose_independent, embed
from flexnet.typing import AnyArray, Array, IntArray

_DIFFERENCE = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Linearisation:
    """Small motions about a state.

    Attributes
    ----------
    equations, state : what was linearised, where.
    independent : (f,) indices of the independent velocities.
    names : their names.
    M, C, K : (f, f) mass, damping (and gyroscopic) and stiffness matrices of (2).
    B : (n, f) velocities of all coordinates for unit independent ones.
    eigenvalues : (2 f,) complex, 1/s, by rising imaginary part.
    vectors : (f, 2 f) complex, s of every eigenvalue, largest entry one.
    """

    equations: Equations
    state: State
    independent: IntArray
    names: tuple[str, ...]
    M: Array
    C: Array
    K: Array
    B: Array
    eigenvalues: AnyArray
    vectors: AnyArray

    @property
    def modes(self) -> "tuple[Mode, ...]":
        """Oscillations, one of each complex pair, and motions that do not oscillate; by frequency."""
        scale = max(float(np.abs(self.eigenvalues).max(initial=0.0)), 1e-300)
        kept = [k for k, x in enumerate(self.eigenvalues) if x.imag >= -1e-12 * scale]
        kept.sort(key=lambda k: (abs(self.eigenvalues[k].imag), abs(self.eigenvalues[k])))
        return tuple(Mode(complex(self.eigenvalues[k]), self.B @ self.vectors[:, k]) for k in kept)

    @property
    def is_stable(self) -> bool:
        """Whether no small motion grows."""
        size = np.abs(self.eigenvalues)
        return bool(np.all(self.eigenvalues.real <= 1e-5 * max(float(size.max(initial=0.0)), 1e-300)))

    def bodies(self, mode: "Mode") -> dict[str, tuple[AnyArray, AnyArray]]:
        """Translation and small rotation (3,) of every body in a mode, complex, in ground axes."""
        parts = [self._rates(mode.shape.real), self._rates(mode.shape.imag)]
        names = list(self.equations.packer.rotation_node)[1:]
        return {
            name: (parts[0][0][k] + 1j * parts[1][0][k], parts[0][1][k] + 1j * parts[1][1][k])
            for k, name in enumerate(names, start=1)
        }

    def _rates(self, v: Array) -> tuple[Array, Array]:
        """Velocities of the bodies for v, the drivers' own taken away: they are linear in v."""
        e, s = self.equations, self.state
        moved, own = e.poses(State(s.t, s.q, v)), e.poses(State(s.t, s.q, np.zeros(e.n_v)))
        return moved.v - own.v, moved.omega - own.omega


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """One small motion, Re(shape · exp(eigenvalue · t)).

    Attributes
    ----------
    eigenvalue : 1/s.
    shape : (n_v,) complex departures of all coordinates.
    """

    eigenvalue: complex
    shape: AnyArray

    @property
    def frequency(self) -> float:
        """Frequency of the oscillation |Im s| / 2π, Hz; zero if it does not oscillate."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re s / |s|: one or more than one is not an oscillation; negative grows."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size > 0 else 0.0


def linearise(
    equations: Equations, state: State | None = None, independent: IntArray | None = None
) -> Linearisation:
    """Linearise about a state, with time held.

    Parameters
    ----------
    equations : such as those of an equilibrium.
    state : on its constraints; the start if left out. A state that is not an equilibrium is linearised
        about the motion that passes through it.
    independent : indices of the independent velocities; chosen by pivoting if left out.
    """
    at = equations.initial if state is None else state
    _, G = equations.mass_and_jacobian(at.q, at.t)
    i = choose_independent(G) if independent is None else independent
    names = tuple(equations.coordinates.v_names[k] for k in i)
    f = len(i)
    centre = embed(equations, at, names)
    a = np.linalg.solve(centre.M, centre.F) if f else np.zeros(0)
    _warn_if_driven(equations, at, np.concatenate([at.v[i], a]))
    C, K = np.zeros((f, f)), np.zeros((f, f))
    for k in range(f):
        plus, minus = (_moved(equations, at, i, names, centre.B[:, k] * s) for s in (1.0, -1.0))
        K[:, k] = (plus.M @ a - plus.F - minus.M @ a + minus.F) / (2.0 * _DIFFERENCE)
        plus, minus = (_faster(equations, at, i, names, k, s) for s in (1.0, -1.0))
        scale = _DIFFERENCE * max(1.0, abs(float(at.v[i[k]])))
        C[:, k] = -(plus.F - minus.F) / (2.0 * scale)
    Omega = (_turning(equations, at.v) @ centre.B)[i]
    M = centre.M
    C, K = C + M @ Omega, K + C @ Omega
    eigenvalues, vectors = _eigen(M, C, K)
    return Linearisation(equations, at, i, names, M, C, K, centre.B, eigenvalues, vectors)


def _warn_if_driven(equations: Equations, at: State, rates: Array) -> None:
    """Warn where drivers keep the independent coordinates moving: the linear equations then vary in time."""
    pace = equations.constraint_rates(State(at.t, at.q, np.zeros(equations.n_v)))
    scale = float(np.abs(pace).max(initial=0.0))
    if scale > 0.0 and np.abs(rates).max(initial=0.0) > 1e-6 * scale:
        warnings.warn(
            f"drivers of {equations.system.name!r} keep the independent coordinates moving: the linear"
            " equations vary in time and their eigenvalues are those of this instant; a tree that holds the"
            " drivers may give constant ones",
            stacklevel=3,
        )


def _moved(
    equations: Equations, at: State, i: IntArray, names: tuple[str, ...], direction: Array
) -> Embedding:
    """Embedded equations a little further along a free motion, independent velocities unchanged."""
    q = equations.compose(at.q, _DIFFERENCE * direction)
    dependent = np.ones(equations.n_v, dtype=bool)
    dependent[i] = False
    q, phi = close(equations, q, at.t, dependent)
    if not is_closed(equations, phi):
        raise ModelError("the constraints cannot be followed here: a dead point; linearise elsewhere")
    return embed(equations, State(at.t, q, _completed(equations, q, at.t, at.v[i], i)), names)


def _faster(
    equations: Equations, at: State, i: IntArray, names: tuple[str, ...], k: int, sign: float
) -> Embedding:
    """Embedded equations a little faster along one independent velocity."""
    w = at.v[i].copy()
    w[k] += sign * _DIFFERENCE * max(1.0, abs(float(w[k])))
    return embed(equations, State(at.t, at.q, _completed(equations, at.q, at.t, w, i)), names)


def _completed(equations: Equations, q: Array, t: float, w: Array, i: IntArray) -> Array:
    """All velocities for given independent ones: G v + Φ_t = 0."""
    v = np.zeros(equations.n_v)
    v[i] = w
    d = np.setdiff1d(np.arange(equations.n_v), i)
    if len(d):
        _, G = equations.mass_and_jacobian(q, t)
        v[d] = -np.linalg.solve(G[:, d], equations.constraint_rates(State(t, q, v)))
    return v


def _turning(equations: Equations, v: Array) -> Array:
    """Ω (n, n): ω × for every 3-D rotation, zero elsewhere."""
    out = np.zeros((equations.n_v, equations.n_v))
    for _, j in equations.coordinates.quaternions:
        x, y, z = v[j : j + 3]
        out[j : j + 3, j : j + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    return out


def _eigen(M: Array, C: Array, K: Array) -> tuple[AnyArray, AnyArray]:
    """Eigenvalues of (2), and their s with the largest entry one."""
    f = len(M)
    A = np.zeros((2 * f, 2 * f))
    A[:f, f:] = np.eye(f)
    A[f:, :f], A[f:, f:] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    values, vectors = np.linalg.eig(A)
    order = np.lexsort((values.real, values.imag))
    shapes = vectors[:f, order]
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(2 * f)] if f else np.ones(0)
    return values[order], shapes / np.where(np.abs(largest) > 0, largest, 1.0)
