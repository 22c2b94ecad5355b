"""The theorems a component has to satisfy, for pages of flexnet and for those of its users.

:func:`check_joint` puts a joint between two bodies at random states and holds it to

* Jacobian: G is the derivative of Φ by differences, Φ̇ = G v + Φ_t, and Φ̈ the derivative of Φ̇;
* trees: accelerations of all bodies and the joint's load are the same as a branch and as a chord;
* power: what the joint's load does to its two ends adds up to nothing (unless it is driven).
"""

from collections.abc import Callable

import numpy as np

from flexnet.checks.component import Check, Finding
from flexnet.components import Component, Frame, euler
from flexnet.errors import ModelError
from flexnet.formulation import Equations, Poses, State, formulate, reactions
from flexnet.system import System
from flexnet.typing import Array

#: a joint between two frames
Maker = Callable[[Frame, Frame], Component]


def check_joint(make: Maker, seeds: int = 2, planar: bool = False) -> Check:
    """Prove the theorems of a joint at random states, in several trees.

    Parameters
    ----------
    make : the joint between two frames, such as ``lambda tail, head: MyJoint("j", tail, head, 0.3)``.
    seeds : number of random states.
    planar : in the plane.

    Raises
    ------
    ModelError
        Naming the theorem that does not hold, and by how much.
    """
    found: dict[str, Finding] = {}
    for seed in range(seeds):
        system, joint = _between(make, np.random.default_rng(seed), planar)
        start = formulate(system, "absolute")
        poses = _moved(start, np.random.default_rng([seed, 1]))
        made = [formulate(system, tree, poses=poses) for tree in ("absolute", "joint", "absolute_angular")]
        findings = [finding for e in made for finding in _derivatives(e)]
        findings += [*_trees(made, joint.name), *(_power(e, joint) for e in made)]
        for finding in findings:
            if finding.error > found.get(finding.theorem, finding).error or finding.theorem not in found:
                found[finding.theorem] = finding
    for finding in found.values():
        if not finding.holds:
            raise ModelError(
                f"joint {joint.name!r}: {finding.theorem} does not hold: off by {finding.error:.2g},"
                f" round-off would be {finding.allowed:.0g}"
            )
    return Check(joint.name, tuple(found.values()))


def _between(make: Maker, rng: np.random.Generator, planar: bool) -> tuple[System, Component]:
    """The joint between two bodies, of which the first hangs on the ground by a spherical joint or a pin."""
    s = System("check", planar=planar)
    s.gravity([1.0, -9.0, 0.0 if planar else 2.0])

    def place() -> tuple[Array, Array]:
        p, angles = rng.uniform(-0.5, 0.5, 3), rng.uniform(-1.0, 1.0, 3)
        return (p * [1, 1, 0], euler("zxz", [angles[0], 0.0, 0.0])) if planar else (p, euler("zxz", angles))

    inertia = 0.3 if planar else np.diag([0.3, 0.4, 0.5])
    one = s.rigid_body("one", 1.5, inertia, {"hung": place(), "tail": place()})
    two = s.rigid_body("two", 0.8, inertia, {"head": place()}, position=place()[0])
    (s.revolute if planar else s.spherical)("hinge", s.ground, one["hung"])
    joint = s.add(make(one["tail"], two["head"]))
    return s, joint


def _moved(equations: Equations, rng: np.random.Generator) -> Poses:
    """A state a little way off along the free motion, moving."""
    state = equations.initial
    sizes, rows = equations.sizes, equations.row_sizes
    q = equations.compose(state.q, 0.2 * sizes * rng.uniform(-1, 1, equations.n_v))
    for _ in range(50):
        phi = equations.constraints(q, state.t)
        _, G = equations.mass_and_jacobian(q, state.t)
        scaled = G * sizes / rows[:, None]
        step = np.linalg.lstsq(scaled, -phi / rows, rcond=1e-10)[0]
        q = equations.count(equations.compose(q, sizes * step), state.t)
        if np.abs(phi / rows).max(initial=0.0) < 1e-13:
            break
    _, G = equations.mass_and_jacobian(q, state.t)
    v = sizes * rng.uniform(-1, 1, equations.n_v)
    rate = equations.constraint_rates(State(state.t, q, v))
    v = v + sizes * np.linalg.lstsq(G * sizes, -rate, rcond=1e-10)[0]
    return equations.poses(State(state.t, q, v))


def _derivatives(e: Equations) -> list[Finding]:
    """G, Φ̇ and Φ̈ against central differences along random directions."""
    state, h = e.initial, 1e-5
    rng = np.random.default_rng(5)
    v, a = state.v + e.sizes * rng.uniform(-1, 1, e.n_v), e.sizes * rng.uniform(-1, 1, e.n_v)
    if e.m == 0:
        return []
    _, G = e.mass_and_jacobian(state.q, state.t)
    ends = [
        (e.compose(state.q, s * h * v + 0.5 * h * h * a), v + s * h * a, state.t + s * h) for s in (1, -1)
    ]
    phi = [e.constraints(q, t) for q, _, t in ends]
    rates = [e.constraint_rates(State(t, q, w)) for q, w, t in ends]
    rate, second = e.constraint_motion(State(state.t, state.q, v), a)
    still = e.constraint_rates(State(state.t, state.q, np.zeros(e.n_v)))
    size = max(float(np.abs(rate / e.row_sizes).max()), 1.0)
    large = max(float(np.abs(second / e.row_sizes).max()), 1.0)
    errors = {
        "Φ̇ = G v + Φ_t": (np.abs((G @ v + still - rate) / e.row_sizes).max() / size, 1e-11),
        "G = ∂Φ/∂q": (np.abs(((phi[0] - phi[1]) / (2 * h) - rate) / e.row_sizes).max() / size, 1e-6),
        "Φ̈ = dΦ̇/dt": (np.abs(((rates[0] - rates[1]) / (2 * h) - second) / e.row_sizes).max() / large, 1e-5),
    }
    return [Finding(name, float(error), allowed) for name, (error, allowed) in errors.items()]


def _trees(made: list[Equations], joint: str) -> list[Finding]:
    """Accelerations of both bodies and the load of the joint, beside those of the first tree."""
    motions, loads = [], []
    for e in made:
        motion = e.motion(e.initial)
        e.residual(e.initial, motion.a, motion.lam)
        nodes = [e.packer.node[name] for name in ("one", "two")]
        motions.append(np.concatenate([e.work.a[nodes].ravel(), e.work.omega_dot[1:3].ravel()]))
        load = reactions(e, e.initial, motion)[joint]
        loads.append(np.concatenate([load.force, load.torque]))
    out = []
    for name, values in (("motion in every tree", motions), ("load in every tree", loads)):
        size = max(float(np.abs(values[0]).max()), 1e-3)
        far = max(float(np.abs(x - values[0]).max()) for x in values[1:])
        out.append(Finding(name, far / size, 1e-8))
    return out


def _power(e: Equations, joint: Component) -> Finding:
    """F·(v_B - v_A - ω_A × d) + T·(ω_B - ω_A) of the joint's load on its head."""
    load = reactions(e, e.initial)[joint.name]
    e.poses(e.initial)
    tail, head = e.packer.node[joint.tail.name], e.packer.node[joint.head.name]
    w_A, w_B = (e.work.omega[e.packer.body_index(frame)] for frame in (joint.tail, joint.head))
    d, v = e.work.p[head] - e.work.p[tail], e.work.v[head] - e.work.v[tail]
    pair = load.force @ (v - np.cross(w_A, d)), load.torque @ (w_B - w_A)
    size = max(float(np.abs(pair).max()), float(np.linalg.norm(load.force)), 1e-6)
    return Finding("no power of an ideal joint", abs(float(sum(pair))) / size, 1e-8)
