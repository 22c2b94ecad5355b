"""A mechanism with its states, linearised as a whole: ẋ = A x + B u, y = C x + D u.

x = (s, ṡ, z): small departures s of the independent coordinates (:mod:`~flexnet.analysis.linearise`), their
rates, and the first-order states. With r_z = ∂r/∂z, f the rows E ż = f of the states, w = ṡ + Ω s,

    M s̈ + C ṡ + K s + B_sᵀ (r_z z + r_u u) = 0,      E ż = f_s s + f_w w + f_z z + f_u u            (1)

and rows with E = 0 give their unknowns, z_a = -f_za⁻¹ (…), which leave x. ∂r/∂z and ∂f/∂z are exact; the
other derivatives are extrapolated differences.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexnet.analysis.balance import warn_of_imbalance
from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.differences import derivative
from flexnet.analysis.linearise import Basis, motion_at, pencil_of, refuse_coupled, turning_of
from flexnet.analysis.tangents import tangents
from flexnet.errors import ModelError
from flexnet.formulation import Equations, State, formulate, metric, snapshot
from flexnet.integrators.algebraic import consistent
from flexnet.signals import Known, Signal
from flexnet.system import System
from flexnet.typing import AnyArray, Array, BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class LinearSystem:
    """Small motions of a mechanism and its states about a state.

    Attributes
    ----------
    equations, state : what was linearised, where.
    names : of the entries of x: coordinates, their rates (with ``_dot``), states.
    inputs, outputs : names of the entries of u and y.
    A, B, C, D : (x, x), (x, u), (y, x), (y, u) matrices, SI; outputs in the units of their channels.
    """

    equations: Equations
    state: State
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Array
    B: Array
    C: Array
    D: Array

    @property
    def eigenvalues(self) -> AnyArray:
        """Eigenvalues of A, 1/s, by rising imaginary part."""
        found = np.linalg.eigvals(self.A)
        return found[np.lexsort((found.real, found.imag))]

    @property
    def is_stable(self) -> bool | None:
        """Whether every small motion decays; None where one neither grows nor decays within round-off."""
        real = self.eigenvalues.real
        limit = 1e-9 * max(float(np.abs(self.eigenvalues).max(initial=0.0)), 1e-300)
        return False if np.any(real > limit) else (None if np.any(real > -limit) else True)

    def response(self, frequencies: Sequence[float] | Array) -> AnyArray:
        """Response C (iω - A)⁻¹ B + D at frequencies [Hz], complex, (frequencies, outputs, inputs)."""
        omega = 2.0 * np.pi * np.atleast_1d(np.asarray(frequencies, dtype=float))
        one = np.eye(len(self.A))
        return np.array([self.C @ np.linalg.solve(1j * w * one - self.A, self.B) + self.D for w in omega])


def linear_system(
    system: System | Equations,
    inputs: Mapping[str, Signal] | None = None,
    outputs: Sequence[str] = (),
    state: State | None = None,
) -> LinearSystem:
    """Linearise a mechanism with its controllers and networks, time held.

    Parameters
    ----------
    system : mechanism or its equations.
    inputs : signals by name that are moved; each a constant of the model, ``fx.known(fx.constant(…))``.
    outputs : names of channels.
    state : on its constraints; the start if left out. Algebraic unknowns are made to fit. Of a mechanism that
        accelerates there the matrices belong to the coordinates of the tree, which is warned of.

    Raises
    ------
    ModelError
        If an input is no constant of the model, an output no channel, or a freedom has no mass.
    """
    equations = formulate(system) if isinstance(system, System) else system
    return _Linear.at(equations, state).system(inputs or {}, outputs)


@dataclass(frozen=True, slots=True, eq=False)
class _Linear:
    """Derivatives at a state: J moves (q, v) for s and ṡ, ``force`` and ``rows`` are of (1)."""

    equations: Equations
    state: State
    basis: Basis
    M: Array
    force: Array  # (f, 2 f + n_z) minus the forces along s, by s, ṡ and z
    rows: Array  # (n_z, 2 f + n_z) f by s, ṡ and z
    speed: Array  # (n, f) velocities for a unit of s

    @classmethod
    def at(cls, e: Equations, state: State | None) -> "_Linear":
        given = e.initial if state is None else state
        refuse_coupled(e, "a linear system")
        dae = consistent(e.dae(given))
        at = replace(given, z=dae.v[e.n_v :])
        basis = Basis.at(e, at, None)
        motion = motion_at(e, at, basis)
        measure, turning = metric(e, at.q, at.t), turning_of(e, at.v)
        x = tangents(e, at, motion, measure)
        p = pencil_of(x, basis, turning)
        warn_of_imbalance(e, at, basis.i, motion.a, p, measure.J @ basis.B)
        speed = basis.B @ (turning @ basis.B)[basis.i] - basis.P @ x.rate_q @ basis.B
        r_z, f_z = by_states(e, at)
        f_s = along_independent(lambda h, k: rates_of(e, at, h * basis.B[:, k], h * speed[:, k]), e, basis)
        f_w = along_independent(
            lambda h, k: rates_of(e, at, 0.0 * basis.B[:, k], h * basis.B[:, k]), e, basis, True
        )
        force = np.hstack([p.K, p.C, basis.B.T @ r_z])
        return cls(e, at, basis, p.M, force, np.hstack([f_s, f_w, f_z]), speed)

    def system(self, inputs: Mapping[str, Signal], outputs: Sequence[str]) -> LinearSystem:
        """Matrices for given inputs and outputs, algebraic unknowns eliminated."""
        e, f = self.equations, len(self.M)
        bound = [_Constant(e, name, signal) for name, signal in inputs.items()]
        pushed = [one.answer(self.state) for one in bound]
        force_u = self.basis.B.T @ np.array([x[: e.n_v] for x in pushed]).reshape(len(pushed), e.n_v).T
        rows_u = np.array([x[e.n_v :] for x in pushed]).reshape(len(pushed), e.n_z).T
        E, is_algebraic = e.states.masses, e.states.is_algebraic
        T, T_u = self._eliminated(is_algebraic, rows_u)
        d = ~is_algebraic
        mass = self._mass_inverse()
        kept = np.r_[np.ones(2 * f, dtype=bool), d]
        per = 1.0 / E[d][:, None]
        A = np.vstack([np.eye(f, len(kept), f), -mass @ self.force, per * self.rows[d]]) @ T
        B = np.vstack([np.zeros((f, len(bound))), -mass @ force_u, per * rows_u[d]])
        B = B + np.vstack([np.eye(f, len(kept), f), -mass @ self.force, per * self.rows[d]]) @ T_u
        C, D = self._outputs(outputs, bound, T, T_u)
        v_names = [e.coordinates.v_names[k] for k in self.basis.i]
        all_names = np.array([*v_names, *(f"{n}_dot" for n in v_names), *e.states.names], dtype=object)
        return LinearSystem(
            e, self.state, tuple(all_names[kept]), tuple(inputs), tuple(outputs), A, B, C, D
        )  # fmt: skip

    def _eliminated(self, is_algebraic: BoolArray, rows_u: Array) -> tuple[Array, Array]:
        """(s, ṡ, z) = T x + T_u u with the algebraic rows met."""
        f = len(self.M)
        n = 2 * f + len(is_algebraic)
        a = np.r_[np.zeros(2 * f, dtype=bool), is_algebraic]
        T, T_u = np.eye(n)[:, ~a], np.zeros((n, rows_u.shape[1]))
        if np.any(a):
            own, rest = self.rows[is_algebraic][:, a], self.rows[is_algebraic][:, ~a]
            T[a], T_u[a] = -np.linalg.solve(own, rest), -np.linalg.solve(own, rows_u[is_algebraic])
        return T, T_u

    def _mass_inverse(self) -> Array:
        if (
            len(self.M)
            and np.linalg.cond(self.M / np.sqrt(np.outer(np.diag(self.M), np.diag(self.M)))) > 1e13
        ):
            raise ModelError(f"a freedom of {self.equations.system.name!r} has no mass: give its body some")
        return np.asarray(np.linalg.inv(self.M), dtype=float)

    def _outputs(
        self, names: Sequence[str], bound: "list[_Constant]", T: Array, T_u: Array
    ) -> tuple[Array, Array]:
        """Derivatives of channels along x and u, by differences of what they read at moved states."""
        e = self.equations
        known = {c.name: c for c in e.system.channels}
        for name in names:
            if name not in known:
                raise ModelError(f"the output {name!r} of {e.system.name!r} is not a channel")
        read, chosen = ChannelReader(e), [known[name] for name in names]

        def values(x: Array, constants: "Sequence[tuple[_Constant, float]]" = ()) -> Array:
            for one, h in constants:
                one.move(h)
            at = self._moved(x)
            m = e.motion(at)
            n_z = e.n_z
            v, a = np.r_[at.v, at.z], np.r_[m.a, np.zeros(n_z)]
            found = read.read(chosen, snapshot(e, [at.t], [at.q], [v], [a], [m.lam]))
            for one, _ in constants:
                one.move(0.0)
            return np.array([found[name][0] for name in names])

        base = np.abs(values(np.zeros(len(T))))
        along = [(T[:, k], self._size(T[:, k]), ()) for k in range(T.shape[1])]
        pushed = [(T_u[:, k], u.size, (u,)) for k, u in enumerate(bound)]

        def slope(x: Array, size: float, who: "tuple[_Constant, ...]") -> Array:
            return derivative(lambda h: values(h * x, [(u, h) for u in who]), size, base)[0]

        C, D = [slope(*one) for one in along], [slope(*one) for one in pushed]
        return np.array(C).reshape(len(C), len(names)).T.copy(), np.array(D).reshape(
            len(D), len(names)
        ).T.copy()

    def _size(self, x: Array) -> float:
        """Departure along a column of T that is as large as the model."""
        e, f = self.equations, len(self.M)
        own = e.sizes[self.basis.i]
        z = e.states.sizes(e.scale) / e.scale.time
        sizes = np.r_[own, own / e.scale.time, z]
        part = np.abs(x) / sizes
        return float(1.0 / part.max()) if f or len(z) else 1.0

    def _moved(self, x: Array) -> State:
        """The state moved by (s, ṡ, z)."""
        e, f, at = self.equations, len(self.M), self.state
        q = e.compose(at.q, self.basis.B @ x[:f])
        v = at.v + self.basis.B @ x[f : 2 * f] + self.speed @ x[:f]
        return State(at.t, q, v, at.z + x[2 * f :])


class _Constant:
    """An input: a constant of the model that may be moved, by its place in the packed numbers."""

    def __init__(self, e: Equations, name: str, signal: Signal) -> None:
        function = signal.of_time if isinstance(signal, Known) else None
        if function is None or function.kind != "constant" or function not in e.packer.known:
            raise ModelError(
                f"the input {name!r} is no constant of {e.system.name!r}; expected a signal that the model"
                " follows, made by known(constant(…))"
            )
        self.e, self.place = e, int(e.model.functions[e.packer.known[function]]["start"])
        self.value = float(e.model.data[self.place])
        self.size = max(1.0, abs(self.value))

    def move(self, h: float) -> None:
        """Let it be larger by h."""
        self.e.model.data[self.place] = self.value + h

    def answer(self, at: State) -> Array:
        """∂r/∂u and ∂f/∂u, one after the other, (n_v + n_z,)."""
        e = self.e

        def values(h: float) -> Array:
            self.move(h)
            return residual_of(e, at)

        found = derivative(values, self.size, np.abs(residual_of(e, at)))[0]
        self.move(0.0)
        found[e.n_v :] /= -e.model.states[:, 1]
        return found


def residual_of(e: Equations, at: State) -> Array:
    """Residual r (n_v + n_z,) without accelerations and multipliers."""
    dae, n = e.dae(at), e.n_v + e.n_z
    r = np.zeros(n)
    dae.residual(dae.model, at.t, at.q, dae.v, np.zeros(n), np.zeros(e.m), dae.work, r, np.zeros(e.m))
    return r


def rates_of(e: Equations, at: State, dq: Array, dv: Array) -> Array:
    """Rows f (n_z,) of the states at a state that is moved."""
    moved = State(at.t, e.compose(at.q, dq), at.v + dv, at.z)
    out: Array = -residual_of(e, moved)[e.n_v :] / e.model.states[:, 1]
    return out


def by_states(e: Equations, at: State) -> tuple[Array, Array]:
    """∂r/∂z (n_v, n_z) and ∂f/∂z (n_z, n_z), exact."""
    n, n_z, dae = e.n_v, e.n_z, e.dae(at)
    residual_of(e, at)
    M = np.zeros((n + n_z, n + n_z))
    dae.matrices(dae.model, dae.work, 0.0, 1.0, M, np.zeros((e.m, n + n_z)))
    mass, weight = e.model.states[:, 0], e.model.states[:, 1]
    return M[:n, n:], (np.diag(mass) - M[n:, n:]) / weight[:, None]


def along_independent(
    f: Callable[[float, int], Array], e: Equations, basis: Basis, is_rate: bool = False
) -> Array:
    """Derivatives (n_z, f) along every independent coordinate, or its rate."""
    sizes = e.sizes[basis.i] / (e.scale.time if is_rate else 1.0)

    def slope(k: int, size: float) -> Array:
        return derivative(lambda h: f(h, k), size, np.abs(f(0.0, k)))[0]

    found = [slope(k, float(size)) for k, size in enumerate(sizes)]
    return np.array(found).reshape(len(found), e.n_z).T.copy()
