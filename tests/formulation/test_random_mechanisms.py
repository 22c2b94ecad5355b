"""Random mechanisms move in the same way, and carry the same loads, in the trees of every rule.

Bodies stand anywhere; every joint lies in one frame of space, which both of its bodies carry, so that all
loops are closed at the start. Loads are unique only without redundant constraints: a sample that has some, or
that cannot move, is drawn again.
"""

import numpy as np
import pytest

import flexnet as fx
from flexnet.graph import RULES, Kind
from tests.formulation.chains import JOINTS, random_inertia, random_rotation
from tests.sampling import answer, random_poses

OPEN = ("revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "pin_in_slot")
#: joints of loops leave much free, or few bodies in a loop would be rigid
CLOSING = ("spherical", "planar", "pin_in_slot", "free")
#: a sample closes to 1e-13 only, which the condition of its constraints, up to some hundred, multiplies twice
TOLERANCE = 1e-9


class Draft:
    """A system that grows by bodies and joints at random places."""

    def __init__(self, rng: np.random.Generator, planar: bool) -> None:
        self.rng, self.planar = rng, planar
        self.system = fx.System("random", planar=planar)
        self.system.gravity([1.0, -9.0] if planar else [1.0, 2.0, -9.0])
        self.bodies = [(self.system.ground, np.zeros(3), np.eye(3))]

    def place(self) -> tuple[np.ndarray, np.ndarray]:
        p = self.rng.uniform(-1.0, 1.0, 3)
        if self.planar:
            return p * [1, 1, 0], fx.rotation("z", self.rng.uniform(-3, 3))
        return p, random_rotation(self.rng)

    def body(self) -> None:
        p, R = self.place()
        J = self.rng.uniform(0.1, 0.5) if self.planar else random_inertia(self.rng)
        name, m = f"m{len(self.bodies)}", self.rng.uniform(0.5, 2.0)
        self.bodies.append((self.system.rigid_body(name, m, J, position=p, rotation=R), p, R))

    def join(self, a: int, b: int, kind: str) -> None:
        p, R = self.place()
        name = f"{kind}_{a}_{b}_{len(self.system.components)}"
        ends = [
            body.frame(name, Rb.T @ (p - pb), Rb.T @ R) for body, pb, Rb in (self.bodies[a], self.bodies[b])
        ]
        axes = {} if self.planar else JOINTS[kind]
        getattr(self.system, kind)(name, *ends, **axes)


def draw(rng: np.random.Generator, planar: bool) -> fx.System:
    """A random tree of up to six bodies, one or two loops, a spring."""
    draft, count = Draft(rng, planar), int(rng.integers(3, 7))
    for b in range(1, count + 1):
        draft.body()
        draft.join(int(rng.integers(0, b)), b, rng.choice(("revolute", "prismatic") if planar else OPEN))
    for _ in range(int(rng.integers(1, 3))):
        a, b = rng.choice(count + 1, 2, replace=False)
        draft.join(int(a), int(b), rng.choice(("revolute", "pin_in_slot") if planar else CLOSING))
    a, b = rng.choice(count + 1, 2, replace=False)
    ends = (draft.bodies[a][0], draft.bodies[b][0])
    draft.system.spring("spring", *ends, stiffness=50.0, damping=2.0, free_length=0.3)
    return draft.system


def sample(seed: int, planar: bool) -> tuple[fx.System, fx.Poses, np.random.Generator]:
    """A mechanism that moves and has as many constraints as it needs, at a random state."""
    rng = np.random.default_rng([seed, planar])
    while True:
        system = draw(rng, planar)
        start = fx.formulate(system, "absolute")
        if start.redundant or start.n_v - start.m < 1:
            continue
        return system, random_poses(system, rng, travel=0.2, speed=1.0), rng


def check(seed: int, planar: bool) -> tuple[float, bool]:
    """Worst relative difference of all rules, and whether the mechanism has a loop."""
    system, poses, rng = sample(seed, planar)
    reference = fx.formulate(system, "absolute", poses=poses)
    expected = answer(reference, reference.initial)
    required = [str(rng.choice([edge.name for edge in system.graph.edges if edge.kind is Kind.JOINT]))]
    worst = 0.0
    for tree in RULES:
        for options in ({}, {"require": required}, {"counts": "in_plane"}, {"virtual": True}):
            equations = fx.formulate(system, tree, poses=poses, **options)
            found = answer(equations, equations.initial)
            far = expected.distance(found)
            assert max(far.values()) < TOLERANCE, (tree, options, far)
            worst = max(worst, *far.values())
    return worst, fx.formulate(system, "joint", poses=poses).m > 0


@pytest.mark.sweep(3)
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 9])
def test_every_rule_gives_the_motion_and_loads_of_absolute_coordinates(seed, planar):
    _, has_loop = check(seed, planar)
    assert has_loop


@pytest.mark.slow
@pytest.mark.parametrize("planar", [True, False])
def test_every_rule_gives_the_motion_and_loads_of_absolute_coordinates_on_many(planar):
    found = [check(seed, planar) for seed in range(60)]
    assert sum(has_loop for _, has_loop in found) > 30
    assert np.median([worst for worst, _ in found]) < 1e-13
