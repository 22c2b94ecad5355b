"""The way down to rest: implicit steps of a viscous motion that knows neither masses nor trees.

In a fluid that holds every frame, every body and every shape back alike, a mechanism without mass moves by

    W q' = -r,      r(q, λ) = -F(q, 0, t) + Gᵀ λ,      Φ(q, t) = 0,      W = JᵀJ                     (1)

with J of :mod:`flexnet.formulation.metric`: displacements over the length of the mechanism, and rotations. W
is a property of the mechanism: the same motion for every tree, for any distribution of mass, in any unit.
Along the free motions B (G B = 0) an implicit step of pseudo-time 1/μ is

    (K + μ W) x = -g,     K = Bᵀ (∂r/∂q) B,     W = Bᵀ W B,     g = Bᵀ r                             (2)

and μ = 0 is Newton's method. With the modes of the pair, K X = W X κ, γ = Xᵀ g, the step is -X γ/(κ + μ): μ
is the least that leaves every κ + μ positive and every displacement and rotation below a radius, so that no
step climbs and none leaves what K says. γ that is round-off is none: a state that symmetry holds on a ridge
stays there, in every tree, and is called unstable afterwards.

A step is taken if it still goes downhill at its end, or not far uphill, g₁·x ≤ ½ |g₀·x|, or lowers
|g|: no potential is needed. The radius shrinks where it does not, and grows where K foretold the slope.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # its rooms are loaded as they are entered

from flexnet.analysis.closing import close, is_closed
from flexnet.formulation import Equations, Metric, State, magnitudes, metric
from flexnet.typing import Array, BoolArray

ITERATIONS = 300
#: radius of the first step and the largest, displacements over the length of the mechanism or rad
_FIRST, _LARGEST, _LEAST = 0.1, 0.5, 1e-9
#: corrections that bring an implicit step in balance
_CORRECTIONS = 3
#: steps of the differences for K, of the size of the coordinate
_DIFFERENCES = (2.0**-10, 2.0**-9)
#: share of the forces that add up to a residual below which it is round-off
_NOISE = 1e-12
#: stiffness, as a multiple of the round-off of its load, of a mode that round-off does not move
_FIRM = 1e6
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Balance at a configuration on its constraints.

    Attributes
    ----------
    q : (n_q,).
    lam : (m,) multipliers that balance best.
    r : (n,) what they leave.
    work, terms : (moved,) J and (n,) sizes of the loads on what moves and of the constraints' forces.
    B : (n, f) free motions.
    measure : displacements and rotations.
    """

    q: Array
    lam: Array
    r: Array
    work: Array
    terms: Array
    B: Array
    measure: Metric

    @property
    def g(self) -> Array:
        """What is not in balance along the free motions, (f,)."""
        out: Array = self.B.T @ self.r
        return out

    def noise(self, x: Array) -> Array:
        """Round-off in the work (k,) of motions x (n, k)."""
        out: Array = _NOISE * (np.abs(self.measure.J @ x).T @ self.work + np.abs(x).T @ self.terms)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Where the way ended.

    Attributes
    ----------
    place : the last configuration.
    iterations : steps that were taken or tried.
    is_rest : whether it is an equilibrium.
    travelled : (n,) way of every coordinate, net: what drifts, if it is none.
    """

    place: Place
    iterations: int
    is_rest: bool
    travelled: Array


def descend(equations: Equations, q: Array, t: float, tolerance: float) -> Descent:
    """Follow (1) from a configuration until it rests.

    Parameters
    ----------
    equations : with known functions of time held at t.
    tolerance : what may be left to go, displacements over the length of the mechanism or rad.
    """
    place = place_at(equations, *close(equations, q, t)[:1], t)
    radius, travelled, left = _FIRST, np.zeros(equations.n_v), np.inf
    k = 0
    while k < ITERATIONS:
        modes = Modes.of(place, tangent(equations, place, t))
        ahead = place.measure.extent(place.B @ modes.step(0.0)) if modes.floor > 0.0 else np.inf
        # at rest: below the tolerance, and as near as round-off lets it come
        if ahead < 4.0 * _EPS or (ahead < tolerance and ahead > 0.3 * left):
            return Descent(place, k, True, travelled)
        left = ahead
        found = None
        while found is None and radius > _LEAST and k < ITERATIONS:
            step = modes.within(radius)
            found, radius = _taken(equations, place, modes, step, t, radius)
            k += 1
        if found is None:
            if left < tolerance:
                return Descent(place, k, True, travelled)
            break
        travelled = travelled + place.B @ step.x
        place = found
    return Descent(place, k, False, travelled)


def place_at(equations: Equations, q: Array, t: float) -> Place:
    """Balance the forces at a configuration as well as multipliers can."""
    measure = metric(equations, q, t)
    rest = State(t, q, np.zeros(equations.n_v))
    F = equations.forces(rest)
    _, G = equations.mass_and_jacobian(q, t)
    scaled = G * equations.sizes
    rows = np.linalg.norm(scaled, axis=1)
    rows = np.where(rows > 0.0, rows, 1.0)
    U, s, Vt = np.linalg.svd(scaled / rows[:, None])
    rank = int(np.sum(s > 1e-10 * s.max(initial=0.0)))
    B = equations.sizes[:, None] * Vt[rank:].T
    lam = (U[:, :rank] @ ((Vt[:rank] @ (equations.sizes * F)) / s[:rank])) / rows
    r, _ = equations.residual(rest, np.zeros(equations.n_v), lam)
    work = magnitudes(equations, rest, rest.v)
    return Place(q, lam, r, work, np.abs(F) + np.abs(G).T @ np.abs(lam), B, measure)


def tangent(equations: Equations, place: Place, t: float) -> Array:
    """K = ∂r/∂q (n, n) at fixed multipliers, by central differences of fourth order."""
    rest, n = np.zeros(equations.n_v), equations.n_v

    def across(e: Array) -> Array:
        ends = [
            equations.residual(State(t, equations.compose(place.q, s * e), rest), rest, place.lam)[0]
            for s in (1.0, -1.0)
        ]
        return ends[0] - ends[1]

    K = np.zeros((n, n))
    for k, size in enumerate(equations.sizes):
        near, far = (across(h * size * np.eye(n)[k]) / (2.0 * h * size) for h in _DIFFERENCES)
        K[:, k] = near + (near - far) / 3.0
    return K


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """An implicit step (2): x (f,) along the free motions, and its μ."""

    x: Array
    mu: float


@dataclass(frozen=True, slots=True, eq=False)
class Modes:
    """Modes of the pair (K, W) at a place, those of the symmetric part of K.

    Attributes
    ----------
    place : where.
    kappa : (f,) rising.
    X : (f, f) their motions, XᵀWX = 1.
    skew : (f, f) the other part of K in them: of forces that follow the motion, and of r itself where 3-D
        rotations are not at rest; zero if it is round-off.
    gamma : (f,) what is not in balance, in modes; without round-off where that would move it far.
    """

    place: Place
    kappa: Array
    X: Array
    skew: Array
    gamma: Array

    @classmethod
    def of(cls, place: Place, K_full: Array) -> "Modes":
        """Modes at a place with ∂r/∂q (n, n)."""
        J = place.measure.J @ place.B
        K = place.B.T @ K_full @ place.B
        kappa, X = scipy.linalg.eigh(0.5 * (K + K.T), J.T @ J) if len(K) else (np.zeros(0), K)
        skew = 0.5 * X.T @ (K - K.T) @ X
        if np.abs(skew).max(initial=0.0) < 1e-8 * np.abs(kappa).max(initial=0.0):
            skew = 0.0 * skew
        gamma = X.T @ place.g
        noise = place.noise(place.B @ X)
        gamma = np.where((np.abs(gamma) > noise) | (kappa > _FIRM * noise), gamma, 0.0)
        return cls(place, kappa, X, skew, gamma)

    @property
    def floor(self) -> float:
        """The least real part of what the active motions are held by."""
        a = self.active()
        if not np.any(self.skew):
            return float(self.kappa[a].min(initial=np.inf))
        return float(np.linalg.eigvals(self.K[np.ix_(a, a)]).real.min(initial=np.inf))

    @property
    def stiffnesses(self) -> Array:
        """Eigenvalues of K, rising; of a complex pair, which makes K nowhere singular, its size."""
        if not np.any(self.skew):
            return self.kappa
        found = np.linalg.eigvals(self.K)
        return np.sort(np.where(found.imag == 0.0, found.real, np.abs(found)))

    def active(self, phi: Array | None = None) -> BoolArray:
        """Motions that are out of balance, that loads phi work on, or that others draw with them."""
        out: BoolArray = np.abs(self.gamma) > 0.0
        if phi is not None:
            out = out | (np.abs(phi) > 0.0)
        if np.any(self.skew):
            out = out | (self.kappa > 1e-9 * float(self.kappa.max(initial=0.0)))
        return out

    @property
    def K(self) -> Array:
        """K in its modes, (f, f)."""
        out: Array = np.diag(self.kappa) + self.skew
        return out

    def work(self, x: Array) -> float:
        """xᵀ K x."""
        return float(np.sum(self.kappa * (self.X.T @ self._W_times(x)) ** 2))

    def _W_times(self, x: Array) -> Array:
        J = self.place.measure.J @ self.place.B
        out: Array = J.T @ (J @ x)
        return out

    def step(self, mu: float) -> Array:
        """-(K + μ W)⁻¹ g, (f,); the modes that are in balance stay."""
        a = self.active()
        y = np.zeros(len(self.gamma))
        if np.any(self.skew):
            y[a] = np.linalg.solve(self.K[np.ix_(a, a)] + mu * np.eye(int(a.sum())), -self.gamma[a])
        else:
            y[a] = -self.gamma[a] / (self.kappa[a] + mu)
        out: Array = self.X @ y
        return out

    def relaxed(self, g: Array, mu: float) -> Array:
        """The answer (f,) to g of motions that are too stiff to take part in the step."""
        stiff = self.kappa > 100.0 * max(mu, float(np.abs(self.kappa).min(initial=np.inf)))
        y = np.zeros(len(self.gamma))
        y[stiff] = -(self.X.T @ g)[stiff] / (self.kappa[stiff] + mu)
        out: Array = self.X @ y
        return out

    def within(self, radius: float) -> _Step:
        """The longest step within a radius that goes down."""

        def fits(mu: float) -> bool:
            try:
                return self.place.measure.extent(self.place.B @ self.step(mu)) <= radius
            except np.linalg.LinAlgError:  # at the floor itself nothing holds
                return False

        low = self.floor
        if low > 0.0 and fits(0.0):
            return _Step(self.step(0.0), 0.0)
        floor = max(0.0, -low)
        size = max(float(np.abs(self.kappa).max()), float(np.abs(self.gamma).max()) / radius)
        near, far = 1e-16 * size, 10.0 * size
        while not fits(floor + far):
            far *= 10.0
        while far > 1.1 * near and not fits(floor + near):
            middle = float(np.sqrt(near * far))
            near, far = (near, middle) if fits(floor + middle) else (middle, far)
        mu = floor + (near if fits(floor + near) else far)
        return _Step(self.step(mu), mu)


def _taken(
    equations: Equations, place: Place, modes: Modes, step: _Step, t: float, radius: float
) -> tuple[Place | None, float]:
    """The place a step leads to, None if it climbs, and the next radius."""
    extent = place.measure.extent(place.B @ step.x)
    new = _moved(equations, place, place.B @ step.x, t)
    for _ in range(_CORRECTIONS):
        x = modes.relaxed(place.B.T @ new.r, step.mu) if new is not None else step.x
        if new is None or not 0.01 * extent < place.measure.extent(place.B @ x) < 0.5 * extent:
            break
        new = _moved(equations, new, place.B @ x, t)
    if new is None:
        return None, 0.25 * extent
    dq = place.B @ step.x
    before, after = float(place.r @ dq), float(new.r @ dq)
    off = abs(after - before - modes.work(step.x))
    if after > 0.5 * abs(before) and _norm(new) > _norm(place):
        return None, 0.4 * extent
    if off > 0.5 * abs(before):
        return new, max(0.5 * extent, 2.0 * _LEAST)
    is_bound = extent > 0.8 * radius
    return new, min(2.0 * radius, _LARGEST) if off < 0.2 * abs(before) and is_bound else radius


def _moved(equations: Equations, place: Place, dq: Array, t: float) -> Place | None:
    """The place a departure leads to, None if its constraints cannot be closed."""
    q, phi = close(equations, equations.compose(place.q, dq), t)
    return place_at(equations, equations.count(q, t), t) if is_closed(equations, phi) else None


def _norm(place: Place) -> float:
    """Size of what is out of balance, sqrt(gᵀ W⁻¹ g)."""
    J = place.measure.J @ place.B
    return float(np.linalg.norm(np.linalg.lstsq(J.T, place.g, rcond=None)[0])) if len(place.g) else 0.0
