"""Random consistent states and random spanning trees of a mechanism, for tests of invariance."""

from dataclasses import dataclass

import numpy as np

import flexnet as fx
from flexnet.formulation import Motion, Poses, State
from flexnet.graph import Kind, LinearGraph, Tree


def random_tree(graph: LinearGraph, rng: np.random.Generator) -> Tree:
    """A random spanning tree with every arm: Kruskal's algorithm on a shuffled list."""
    arms = [e for e in graph.edges if e.kind is Kind.ARM]
    others = [e for e in graph.edges if e.kind not in (Kind.ARM, Kind.DEPENDENT)]
    root = {node: node for node in graph.nodes}

    def find(node: str) -> str:
        while root[node] != node:
            node = root[node]
        return node

    names = []
    for edge in (*arms, *(others[i] for i in rng.permutation(len(others)))):
        tail, head = find(edge.tail), find(edge.head)
        if tail != head:
            root[head] = tail
            names.append(edge.name)
    return Tree(graph, tuple(names))


def random_pair(system: fx.System, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Branches of a random T-tree and of a random R-tree."""
    graph = system.graph
    return list(random_tree(graph.translational, rng).names), list(random_tree(graph.rotational, rng).names)


def project(equations: fx.Equations, q: np.ndarray, t: float) -> np.ndarray:
    """Gauss-Newton back onto the constraints."""
    for _ in range(40):
        phi = equations.constraints(q, t)
        if np.abs(phi).max(initial=0.0) < 1e-13:
            break
        _, G = equations.mass_and_jacobian(q, t)
        q = equations.compose(q, -np.linalg.lstsq(G, phi, rcond=1e-10)[0])
    assert np.abs(equations.constraints(q, t)).max(initial=0.0) < 1e-11, "sample did not close"
    return q


def null_space(G: np.ndarray, n: int) -> np.ndarray:
    """Basis (n, f) of the velocities the constraints allow."""
    if len(G) == 0:
        return np.eye(n)
    _, sizes, Vt = np.linalg.svd(G)
    rank = int(np.sum(sizes > 1e-9 * sizes[0]))
    return Vt[rank:].T


def random_poses(
    system: fx.System, rng: np.random.Generator, travel: float = 1.0, speed: float = 3.0, t_end: float = 0.2
) -> Poses:
    """A consistent state away from the start.

    Parameters
    ----------
    travel : largest change of a coordinate, rad or m, walked in steps along the free motions.
    speed : size of the random free velocity, rad/s or m/s.
    t_end : latest time, s.
    """
    equations = fx.formulate(system, "absolute")
    q, steps = equations.initial.q, 8
    t_last = rng.uniform(0.0, t_end)
    before = np.zeros(equations.n_v)
    for k in range(1, steps + 1):
        t = t_last * k / steps
        _, G = equations.mass_and_jacobian(q, t)
        free = null_space(G, equations.n_v)
        if free.shape[1]:
            move = free @ rng.standard_normal(free.shape[1])
            move *= 1.0 if move @ before >= 0 else -1.0  # onwards, not to and fro
            before = move
            q = equations.compose(q, travel / steps * move / np.abs(move).max())
        q = project(equations, q, t)
    _, G = equations.mass_and_jacobian(q, t_last)
    free = null_space(G, equations.n_v)
    v = speed * (free @ rng.standard_normal(free.shape[1]))
    for _ in range(2):
        rates = equations.constraint_rates(State(t_last, q, v))
        v = v - np.linalg.lstsq(G, rates, rcond=1e-10)[0]
    return equations.poses(State(t_last, q, v))


@dataclass(frozen=True)
class Answer:
    """What must not depend on the trees.

    Attributes
    ----------
    linear, angular : (bodies, 3) accelerations of the body frames.
    forces, torques : (joints and drivers, 3) loads on the heads.
    """

    linear: np.ndarray
    angular: np.ndarray
    forces: np.ndarray
    torques: np.ndarray
    names: tuple[str, ...]

    def distance(self, other: "Answer") -> dict[str, float]:
        """Largest difference of each kind relative to the largest value of that kind."""
        out = {}
        for kind in ("linear", "angular", "forces", "torques"):
            a, b = getattr(self, kind), getattr(other, kind)
            scale = np.abs(a).max(initial=0.0)
            # zero is zero compared with the translational quantity of the same mechanism
            other_kind = {"torques": self.forces, "angular": self.linear}.get(kind, a)
            scale = max(scale, 1e-3 * np.abs(other_kind).max(initial=0.0))
            out[kind] = float(np.abs(a - b).max(initial=0.0) / max(scale, 1e-9))
        return out


def answer(equations: fx.Equations, state: State, motion: Motion | None = None) -> Answer:
    """Accelerations of all bodies and loads of all joints and drivers."""
    if motion is None:
        motion = equations.motion(state)
    loads = fx.reactions(equations, state, motion)
    equations.residual(state, motion.a, motion.lam)
    nodes = [equations.packer.node[name] for name in equations.packer.rotation_node]
    names = tuple(sorted(loads))
    return Answer(
        equations.work.a[nodes].copy(),
        equations.work.omega_dot.copy(),
        np.array([loads[n].force for n in names]).reshape(-1, 3),
        np.array([loads[n].torque for n in names]).reshape(-1, 3),
        names,
    )
