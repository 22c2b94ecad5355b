"""Linearisation about a state: small motions in independent coordinates.

The embedded equations ``M_r(u) v̇_i = F_r(u, v_i)`` (DynaFlex eq. 27) give, for small departures s of the
configuration and w of the independent velocities,

    M ẇ + C w + K s = 0,     ṡ = w - Ω s                                                            (1)

where Ω, from the velocity of the state itself, is there only where 3-D rotations turn: small turns given in
axes that turn. In s alone this is

    M s̈ + (C + M Ω) ṡ + (K + C Ω) s = 0.                                                            (2)

The matrices follow from the derivatives of r = M v̇ + Gᵀλ - F and of the constraints at the state itself; no
neighbour has to be closed. All coordinates move by B s; their velocities by B w + V s and their accelerations
by B ẇ + A_w w + A_s s, so that Φ̇ and Φ̈ stay what they are:

    V = -P ∂Φ̇/∂q B,     A_w = -P ∂Φ̈/∂v B,     A_s = -P (∂Φ̈/∂q B + ∂Φ̈/∂v V),      P = (0, G_d⁻¹)     (3)

    M = Bᵀ M B,     C = Bᵀ (∂r/∂v B + M A_w),     K = Bᵀ (∂r/∂q B + ∂r/∂v V + M A_s)                (4)

with d the dependent coordinates; Bᵀ Gᵀ = 0 takes the change of λ away.
"""

from dataclasses import dataclass

import numpy as np

from flexnet.analysis.balance import warn_of_imbalance
from flexnet.analysis.eigen import Pencil, SingularPencil, spectrum
from flexnet.analysis.small_motion import Mode
from flexnet.analysis.stability import Stability, Verdict, judge, moving_most, told
from flexnet.analysis.tangents import Tangents, tangents
from flexnet.analysis.validity import MOTIONS, deformation_warnings
from flexnet.components import FlexibleBody
from flexnet.errors import ModelError, warn
from flexnet.formulation import Equations, Motion, State, metric, refuse_states
from flexnet.independent import choose_independent
from flexnet.typing import AnyArray, Array, IntArray

_EPS = float(np.finfo(float).eps)
#: an eigenvalue whose error is a smaller share of it than this is known: no real part within the error counts
_KNOWN = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Linearisation:
    """Small motions about a state.

    Attributes
    ----------
    equations, state : what was linearised, where.
    independent : (f,) indices of the independent velocities.
    names : their names.
    M, C, K : (f, f) mass, damping (and gyroscopic) and stiffness matrices of (2).
    C_error, K_error : (f, f) estimates of the errors of their entries.
    B : (n, f) velocities of all coordinates for unit independent ones.
    eigenvalues : (k,) complex, 1/s, by rising imaginary part; k = 2 f less what has no mass.
    errors : (k,) estimate of the error of each eigenvalue, 1/s.
    vectors : (f, k) complex, s of every eigenvalue, largest entry one.
    verdicts : (k,) whether each grows.
    massless : what moves most in motions without mass; they follow the others statically.
    """

    equations: Equations
    state: State
    independent: IntArray
    names: tuple[str, ...]
    M: Array
    C: Array
    K: Array
    C_error: Array
    K_error: Array
    B: Array
    eigenvalues: AnyArray
    errors: Array
    vectors: AnyArray
    verdicts: tuple[Verdict, ...]
    massless: tuple[str, ...]

    def __repr__(self) -> str:
        return self.text()

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Oscillations, one of each complex pair, and motions that do not oscillate; by frequency."""
        kept = [k for k, x in enumerate(self.eigenvalues) if x.imag >= 0.0]
        kept.sort(key=lambda k: (abs(self.eigenvalues[k].imag), abs(self.eigenvalues[k])))
        shapes = [self.B @ self.vectors[:, k] for k in kept]
        return tuple(
            Mode(
                complex(self.eigenvalues[k]), shape, float(self.errors[k]), self.verdicts[k],
                moving_most(self.equations, shape),
            )
            for k, shape in zip(kept, shapes, strict=True)
        )  # fmt: skip

    @property
    def stability(self) -> Stability:
        """The motions that grow, and those that cannot be decided, by name."""
        found = {
            verdict: tuple(dict.fromkeys(self._told(mode) for mode in self.modes if mode.verdict is verdict))
            for verdict in (Verdict.GROWS, Verdict.UNDECIDED)
        }
        return Stability(found[Verdict.GROWS], found[Verdict.UNDECIDED])

    @property
    def is_stable(self) -> bool | None:
        """Whether no small motion grows; None where that cannot be decided within the errors."""
        return self.stability.is_stable

    def moving_most(self, mode: Mode) -> tuple[str, ...]:
        """Names of the coordinates that move most in a mode."""
        return moving_most(self.equations, mode.shape)

    def truncation(self, mode: Mode) -> dict[str, float]:
        """Share of what flexible bodies leave out in a mode, about (f / f_next)², by body.

        f_next is the first frequency that the basis of the body does not have; bodies that leave nothing out,
        or do not know what, are not listed.
        """
        tables = {p.name: p.table for p in self.equations.parts if isinstance(p, FlexibleBody)}
        after = {name: table.modes.next_frequency for name, table in tables.items()}
        return {name: (mode.frequency / f) ** 2 for name, f in after.items() if np.isfinite(f) and f > 0.0}

    def text(self) -> str:
        """Return a table of the modes: frequency, its error, damping, verdict and what moves most."""
        lines = ["    # frequency [Hz]    ± [Hz]   damping  left out  moves most"]
        for i, mode in enumerate(self.modes, start=1):
            cut = max(self.truncation(mode).values(), default=0.0)
            mark = "" if mode.verdict is Verdict.STAYS else f"  ({mode.verdict.value})"
            lines.append(
                f"{i:5d} {mode.frequency:14.8g} {mode.error / (2 * np.pi):9.1e} {mode.damping_ratio:9.4f}"
                f" {cut:9.1e}  {', '.join(mode.moving)}{mark}"
            )
        if self.massless:
            lines.append(f"      without mass, following statically: {', '.join(self.massless)}")
        return "\n".join(lines)

    def bodies(self, mode: Mode) -> dict[str, tuple[AnyArray, AnyArray]]:
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

    def _told(self, mode: Mode) -> str:
        s = mode.eigenvalue
        return (
            f"the motion of {told(mode.moving)} {mode.verdict.value}"
            f" (eigenvalue {s.real:.4g}{s.imag:+.4g}i 1/s, error {mode.error:.1e})"
        )


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
    refuse_states(equations, "a linearisation", "take linear_system(), which has them in its x")
    refuse_coupled(equations, "a linearisation")
    at = equations.initial if state is None else state
    basis = Basis.at(equations, at, independent)
    motion = motion_at(equations, at, basis)
    measure = metric(equations, at.q, at.t)
    given = pencil_of(tangents(equations, at, motion, measure), basis, turning_of(equations, at.v))
    warn_of_imbalance(equations, at, basis.i, motion.a, given, measure.J @ basis.B)
    try:
        found = spectrum(given)
    except SingularPencil as singular:
        most = moving_most(equations, basis.B @ singular.shape)
        raise ModelError(
            f"the motion of {told(most)} in {equations.system.name!r} has neither mass nor stiffness: give"
            " the body a mass or inertia, or hold that coordinate"
        ) from None
    verdicts = tuple(
        _verdict(complex(s), e, w, we)
        for s, e, w, we in zip(
            found.values, found.errors, found.squares, found.square_errors, strict=True
        )
    )  # fmt: skip
    massless = [moving_most(equations, basis.B @ x, 1) for x in found.massless.T]
    slowest = basis.B @ _slowest(found.values, found.vectors, given.M)
    for doubt in deformation_warnings(equations, at.q, slowest):
        warn(f"{equations.system.name}: {doubt}")
    return Linearisation(
        equations, at, basis.i, tuple(equations.coordinates.v_names[k] for k in basis.i),
        given.M, given.C, given.K, given.C_error, given.K_error, basis.B, found.values, found.errors,
        found.vectors, verdicts, tuple(dict.fromkeys(name for names in massless for name in names)),
    )  # fmt: skip


def _slowest(values: AnyArray, vectors: AnyArray, M: Array) -> Array:
    """Shapes (f, k) of the slowest oscillations, of unit mass."""
    order = [k for k in np.argsort(np.abs(values)) if values[k].imag > 0.0][:MOTIONS]
    out = vectors[:, order].real  # their largest entries are one
    mass = np.einsum("ik,ij,jk->k", out, M, out)
    return np.asarray(out[:, mass > 0.0] / np.sqrt(mass[mass > 0.0]))


def refuse_coupled(equations: Equations, what: str) -> None:
    """Refuse forces that follow v̇ and λ: their part in mass and stiffness is not known here."""
    if equations.is_coupled:
        raise ModelError(
            f"{what} of {equations.system.name!r} does not take forces that follow accelerations or"
            " loads of joints; simulate it"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Free motions in independent coordinates i: B (n, f); P (n, m) moves the dependent ones, G P = 1."""

    i: IntArray
    B: Array
    P: Array

    @classmethod
    def at(cls, equations: Equations, at: State, independent: IntArray | None) -> "Basis":
        """Choose them at a state, by pivoting where none are given."""
        _, G = equations.mass_and_jacobian(at.q, at.t)
        n, m = equations.n_v, equations.m
        scaled = G * equations.sizes
        rows = np.linalg.norm(scaled, axis=1)
        scaled /= np.where(rows > 0.0, rows, 1.0)[:, None]
        i = choose_independent(scaled) if independent is None else np.asarray(independent, dtype=np.int64)
        if len(i) != n - m:
            raise ModelError(f"{n - m} independent coordinates are needed, got {len(i)}")
        d = np.setdiff1d(np.arange(n), i)
        B, P = np.zeros((n, n - m)), np.zeros((n, m))
        B[i, np.arange(n - m)] = 1.0
        if m:
            if np.linalg.cond(scaled[:, d]) > 1e12:
                raise ModelError(
                    f"the constraints of {equations.system.name!r} cannot be followed here: a dead point, or"
                    " coordinates that are not independent; linearise elsewhere"
                )
            P[d] = np.linalg.inv(G[:, d])
            B[d] = -P[d] @ G[:, i]
        return cls(i, B, P)


def motion_at(equations: Equations, at: State, basis: Basis) -> Motion:
    """Accelerations and multipliers; motions without mass must be in balance and stay where they are."""
    M, G = equations.mass_and_jacobian(at.q, at.t)
    F = equations.forces(at)
    bias = -basis.P @ equations.constraint_bias(at)
    M_r, F_r = basis.B.T @ M @ basis.B, basis.B.T @ (F - M @ bias)
    d = 1.0 / np.sqrt(np.where(np.diag(M_r) > 0.0, np.diag(M_r), 1.0))
    a = d * np.linalg.lstsq(M_r * np.outer(d, d), d * F_r, rcond=8.0 * len(d) * _EPS)[0] if len(d) else d
    left = np.abs(M_r @ a - F_r)
    terms = np.abs(basis.B.T) @ (np.abs(F) + np.abs(M @ bias) + np.abs(G.T) @ np.abs(basis.P.T @ F))
    if np.any(left > 1e-6 * terms.max(initial=0.0)):
        k = int(np.argmax(left))
        raise ModelError(
            f"{equations.coordinates.v_names[basis.i[k]]!r} of {equations.system.name!r} has no mass and is"
            " not in balance here: linearise about an equilibrium"
        )
    a = basis.B @ a + bias
    return Motion(a, basis.P.T @ (F - M @ a))


def pencil_of(x: Tangents, basis: Basis, turning: Array) -> Pencil:
    """M, C and K of (2) by (3) and (4), with their errors."""
    B, P = basis.B, basis.P
    V = -P @ x.rate_q @ B
    A_w = -P @ x.second_v @ B
    A_s = -P @ (x.second_q @ B + x.second_v @ V)
    M = B.T @ x.M @ B
    C = B.T @ (x.D @ B + x.M @ A_w)
    K = B.T @ (x.K @ B + x.D @ V + x.M @ A_s)
    Omega = (turning @ B)[basis.i]
    b, n = np.abs(B), 4.0 * _EPS * len(B)
    M_error = b.T @ (n * np.abs(x.M)) @ b
    C_error = b.T @ ((x.D_error + n * np.abs(x.D)) @ b + n * np.abs(x.M) @ np.abs(A_w))
    K_error = b.T @ (
        (x.K_error + n * np.abs(x.K)) @ b
        + (x.D_error + n * np.abs(x.D)) @ np.abs(V)
        + n * np.abs(x.M) @ np.abs(A_s)
    )
    turn = np.abs(Omega)
    return Pencil(
        M, C + M @ Omega, K + C @ Omega,
        M_error, C_error + M_error @ turn, K_error + C_error @ turn,
    )  # fmt: skip


def _verdict(s: complex, error: float, square: float, square_error: float) -> Verdict:
    """Whether a motion grows: by the sign of ω² where it is conservative, else by the real part."""
    if np.isfinite(square):
        verdict = judge(-square, square_error)
        return Verdict.STAYS if verdict is Verdict.GROWS and s.real < 0.0 else verdict
    if abs(s.real) <= error <= _KNOWN * abs(s):
        return Verdict.STAYS  # it oscillates, and what it grows or decays by is nothing
    return judge(s.real, error)


def turning_of(equations: Equations, v: Array) -> Array:
    """Ω (n, n): ω × for every 3-D rotation, zero elsewhere."""
    out = np.zeros((equations.n_v, equations.n_v))
    for _, j in equations.coordinates.quaternions:
        x, y, z = v[j : j + 3]
        out[j : j + 3, j : j + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    return out
