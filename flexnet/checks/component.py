"""What must hold of every force element, whatever it does.

===================  ====================================================================================
balance              forces and moments of both ends cancel, unless it acts from the ground
potential            its power is minus the rate of its potential, minus dissipation, plus what it says
dissipation          damping takes energy out
tangent              the exact derivative of the wrench is that of differences
machine code         compiled and interpreted families give the same
engines              called through its family and inlined in the equations it gives the same motion
trees                the motion does not depend on the trees
plane                in a planar system it moves bodies as in space
===================  ====================================================================================
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexnet.algebra import compile_programs
from flexnet.algebra.language import functions
from flexnet.components import ForceElement
from flexnet.errors import ModelError
from flexnet.formulation import formulate
from flexnet.formulation.symbolic import SymbolicEquations
from flexnet.formulation.symbolic.program import Evaluator
from flexnet.formulation.traced_law import Traced, trace
from flexnet.graph import RULES
from flexnet.system import System
from flexnet.typing import Array

#: difference relative to what is compared: round-off, and that of central differences
_EXACT, _DIFFERENCE = 1e-10, 1e-6
_STEP = 1e-5


@dataclass(frozen=True, slots=True)
class Finding:
    """One theorem at work.

    Attributes
    ----------
    theorem : which.
    error : largest difference found, relative to what was compared.
    allowed : up to which it holds.
    """

    theorem: str
    error: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether it does."""
        return self.error <= self.allowed

    def __str__(self) -> str:
        word = "holds" if self.holds else "FAILS"
        return f"{self.theorem}: {word}, difference {self.error:.1e} (allowed {self.allowed:.0e})"


@dataclass(frozen=True, slots=True)
class Check:
    """All findings about an element."""

    name: str
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        return "\n".join([self.name, *(f"  {finding}" for finding in self.findings)])


def check_component(element: ForceElement, motions: int = 12, seed: int = 0) -> Check:
    """Hold a force element against everything that must be true of one.

    Parameters
    ----------
    element : with any ends; it is put between bodies of its own.
    motions : number of random motions.
    seed : of the random motions.

    Raises
    ------
    ModelError
        If a theorem does not hold, with all findings.
    """
    rng = np.random.default_rng(seed)
    law = _Law(trace(element))
    states = [_random_state(element, rng) for _ in range(motions)]
    tests: dict[str, tuple[Callable[[_Law, _State], float], float]] = {
        "potential": (_potential, _DIFFERENCE), "dissipation": (_dissipation, 0.0),
        "tangent": (_tangent, _DIFFERENCE), "machine code": (_machine, _EXACT),
    }  # fmt: skip
    if not element.acts_from_datum:
        tests["balance"] = (_balance, _EXACT)
    if law.has_formulas:
        del tests["tangent"], tests["machine code"]
    found = [
        Finding(name, max(test(law, state) for state in states), limit)
        for name, (test, limit) in tests.items()
    ]
    check = Check(f"{type(element).__name__} {element.name!r}", (*found, *_in_mechanisms(element)))
    if not all(finding.holds for finding in check.findings):
        raise ModelError(str(check))
    return check


# -- the law by itself -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _State:
    """A motion of two bodies: tail first."""

    x: Array  # (2, 3)
    v: Array
    R: Array  # (2, 3, 3)
    omega: Array
    axes: Array  # (2, 3) in the bodies
    theta: float
    t: float

    def moved(self, h: float, v: Array, omega: Array) -> "_State":
        """A little later, at these rates."""
        a, b = (R @ n for R, n in zip(self.R, self.axes, strict=True))
        rate = (a + b) @ (omega[1] - omega[0]) / (1.0 + a @ b)
        R = np.array([_turn(h * w) @ R for w, R in zip(omega, self.R, strict=True)])
        return replace(self, x=self.x + h * v, R=R, theta=self.theta + h * rate)


def _turn(phi: Array) -> Array:
    """Rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(phi))
    S = np.array([[0, -phi[2], phi[1]], [phi[2], 0, -phi[0]], [-phi[1], phi[0], 0]])
    out: Array = np.eye(3) + np.sinc(angle / np.pi) * S + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * S @ S
    return out


def _random_state(element: ForceElement, rng: np.random.Generator) -> _State:
    """Bodies as far apart as the element is long, turned by less than half a turn."""
    size = max(element.lengths, default=0.0) or 1.0
    axis = getattr(element, "axis", None)
    axis = np.array([0.0, 0.0, 1.0]) if axis is None else axis
    first = _turn(rng.uniform(-1.0, 1.0, 3))
    frames = element.tail.rotation, element.head.rotation
    R = np.array([first @ frames[0].T, first @ _turn(rng.uniform(-0.8, 0.8, 3)) @ frames[1].T])
    x, v = rng.normal(size=(2, 3)) * size, rng.normal(size=(2, 3)) * size
    x[1] += 2.0 * size * first[0]
    axes = np.array([C @ axis for C in frames])
    return _State(x, v, R, rng.normal(size=(2, 3)), axes, rng.normal(), rng.uniform(0.1, 1.0))


class _Law:
    """Programs of a law, evaluated at states; known functions of time are switched off."""

    def __init__(self, law: Traced) -> None:
        self.law, self.has_formulas = law, bool(law.formulas)
        traced = law.law
        programs = [
            *traced.programs,
            *([] if self.has_formulas or law.element.is_stiff else [traced.tangent()]),
        ]
        self._python = functions(programs)
        self._machine = None if self.has_formulas else compile_programs(traced.programs)
        self._p = np.array(law.p, dtype=float)
        self._f = np.zeros(3 * len(law.functions))
        self._shapes = {"load": (12,), "potential": (1,), "power": (2,), "tangent": (288,)}

    def _arguments(self, s: _State) -> list[Any]:
        ends = [a for i in range(2) for a in (s.x[i], s.v[i], s.R[i].reshape(-1), s.omega[i])]
        return [self._p, self._f, list(self.law.formulas), *ends, *s.axes, s.theta, s.t]

    def __call__(self, name: str, s: _State) -> Array:
        """What a program gives."""
        out = np.zeros(self._shapes[name])
        self._python[name](*self._arguments(s), out)
        return out

    def machine(self, name: str, s: _State) -> Array:
        """The same by machine code."""
        assert self._machine is not None
        out, given = np.zeros(self._shapes[name]), self._arguments(s)
        given[2] = np.zeros(0)
        arrays = [x if isinstance(x, float) else np.ascontiguousarray(x, dtype=float) for x in given]
        self._machine(name, *arrays, out)
        return out


def _relative(a: Any, b: Any, size: float = 0.0) -> float:
    """Largest difference, relative to the larger of the two or to what they are made of."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return float("inf")
    scale = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)), size)
    return float(np.abs(a - b).max(initial=0.0)) / (scale or 1.0)


def _balance(law: _Law, s: _State) -> float:
    w = law("load", s)
    moment = w[3:6] + w[9:12] + np.cross(s.x[1], w[0:3]) + np.cross(s.x[0], w[6:9])
    size = float(np.abs(w).max() * (1.0 + np.abs(s.x).max()))
    return _relative(np.append(w[0:3] + w[6:9], moment), np.zeros(6), size)


def _potential(law: _Law, s: _State) -> float:
    w, (power, damping) = law("load", s), law("power", s)
    parts = [w[0:3] @ s.v[1], w[3:6] @ s.omega[1], w[6:9] @ s.v[0], w[9:12] @ s.omega[0]]
    later = [
        law("potential", replace(s.moved(h, s.v, s.omega), t=s.t + h))[0] for h in (_STEP, -_STEP)
    ]  # fmt: skip
    rate = (later[0] - later[1]) / (2 * _STEP)
    stated = power if law.law.law.load.power is not None else 0.0
    size = float(np.abs([*parts, rate, damping, *(1e-3 * x for x in later)]).max())
    return _relative(sum(parts), -rate + damping + stated, size)


def _dissipation(law: _Law, s: _State) -> float:
    return max(float(law("power", s)[1]), 0.0)


def _tangent(law: _Law, s: _State) -> float:
    exact, columns = law("tangent", s).reshape(12, 24), []
    for j in range(24):
        unit = np.zeros((2, 4, 3))  # end, (x, θ, v, ω)
        unit[j // 12, (j % 12) // 3, j % 3] = 1.0
        around = []
        for h in (_STEP, -_STEP):
            moved = s.moved(h, unit[:, 0], unit[:, 1])
            moved = replace(moved, v=s.v + h * unit[:, 2], omega=s.omega + h * unit[:, 3])
            around.append(law("load", moved))
        columns.append((around[0] - around[1]) / (2 * _STEP))
    return _relative(exact, np.array(columns).T, float(np.abs(law("load", s)).max()))


def _machine(law: _Law, s: _State) -> float:
    return max(_relative(law(name, s), law.machine(name, s)) for name in ("load", "potential", "power"))


# -- in mechanisms -----------------------------------------------------------------------------


def _mechanism(element: ForceElement, is_planar: bool) -> System:
    """Two bodies of a chain with the element between them, or between the ground and the second."""
    size = max(element.lengths, default=0.0) or 1.0
    s = System("check", planar=is_planar)
    frames = [element.tail.rotation, element.head.rotation]
    inertia = np.diag([1.0, 1.3, 0.9]) * size**2
    arms = 0.3 * size * np.array([[1.0, 0.2, 0.0], [0.9, -0.3, 0.0]])
    a = s.rigid_body("a", 1.0, inertia, {"O": [-0.5 * size, 0.0, 0.0], "P": [0.5 * size, 0.1 * size, 0.0]})
    b = s.rigid_body("b", 1.4, inertia, {"P": [-0.4 * size, 0.0, 0.0]})
    tail, head = a.frame("tail", arms[0], frames[0]), b.frame("head", arms[1], frames[1])
    s.revolute("O", s.ground, a["O"])
    s.revolute("P", a["P"], b["P"])
    s.start("O", angle=0.4, rate=0.7)
    s.start("P", angle=0.5, rate=-1.1)
    s.add(replace(element, tail=s.ground.origin if element.acts_from_datum else tail, head=head))
    return s


def _accelerations(equations: Any) -> Array:
    """Angular accelerations and accelerations of the bodies at the start."""
    motion = equations.motion(equations.initial)
    equations.residual(equations.initial, motion.a, motion.lam)
    w, packer = equations.work, equations.packer
    nodes = [packer.node[name] for name in packer.bodies]
    return np.concatenate([w.omega_dot[: len(nodes)].ravel(), w.a[nodes].ravel()])


def _in_mechanisms(element: ForceElement) -> list[Finding]:
    """Engines, trees and the plane."""
    system = _mechanism(element, False)
    equations = formulate(system, "joint")
    reference = _accelerations(equations)
    others = [_accelerations(formulate(system, rule)) for rule in RULES if rule != "joint"]
    symbolic = Evaluator(SymbolicEquations(equations))
    state, a = equations.initial, np.linspace(-1.0, 1.0, equations.n_v)
    lam = np.linspace(1.0, 2.0, equations.m)
    r, _ = equations.residual(state, a, lam)
    inlined = symbolic("residual", state.t, q=state.q, v=state.v, a=a, lam=lam)["r"]
    out = [
        Finding("engines", _relative(r, inlined), _EXACT),
        Finding("trees", max(_relative(reference, x) for x in others), 1e-8),
    ]
    try:
        flat = _mechanism(element, True)
    except ModelError:
        return out  # it says itself that it acts across the plane
    return [*out, Finding("plane", _relative(reference, _accelerations(formulate(flat, "joint"))), 1e-8)]
