"""A mechanism with a controller, friction and an event moves alike in every tree and by both engines."""

import numpy as np
import pytest

import flexnet as fx


def chain(seed: int) -> fx.System:
    """Links in their weight: a PID controller holds the first, the second rubs, the last one latches."""
    rng = np.random.default_rng(seed)
    s = fx.System("chain", planar=True)
    s.gravity([0, -9.81, 0])
    tail, x = s.ground.origin, 0.0
    for k in range(3):
        half, mass = rng.uniform(0.1, 0.3), rng.uniform(0.5, 2.0)
        frames = {"in": [-half, 0], "out": [half, 0]}
        link = s.rigid_body(f"link_{k}", mass, mass * half**2 / 3, frames, position=[x + half, 0])
        s.revolute(f"pin_{k}", tail, link["in"])
        tail, x = link["out"], x + 2 * half
        s.channel(f"pin_{k}", fx.joint_coordinate(f"pin_{k}"))
    s.servo("servo", "pin_0", rng.uniform(-0.5, 0.5), 60.0, 40.0, 8.0)
    s.joint_friction("rub", "pin_1", rng.uniform(0.2, 0.6), slip=0.1)
    bent = fx.joint_coordinate("pin_2") + rng.uniform(0.05, 0.2)
    s.start("pin_2", angle=0.2, rate=-8.0)
    s.event("latch", bent, fx.lock("pin_2", impact=True), "falling")
    return s


@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_a_chain_moves_alike_in_every_tree_and_by_both_engines(seed):
    runs = [
        fx.simulate(chain(seed), 0.3, 1e-3, fx.dop853(), tree, interval=0.05, tolerance=1e-9, engine=engine)
        for tree in ("joint", "absolute")
        for engine in ("numeric", "symbolic")
    ]
    assert [event.name for event in runs[0].events] == ["latch"]
    for run in runs[1:]:
        assert run.events[0].t == pytest.approx(runs[0].events[0].t, abs=1e-8)
        for k in range(3):
            assert run.channel(f"pin_{k}") == pytest.approx(runs[0].channel(f"pin_{k}"), abs=1e-8)
