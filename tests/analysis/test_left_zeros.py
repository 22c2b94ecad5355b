"""A lock or an attachment rests where its own event fired; let go, it leaves that zero and passes none."""

import numpy as np
import pytest

import flexnet as fx

METHODS = {
    "dop853": (fx.dop853(), 1e-9),
    "radau": (fx.radau(), 1e-8),
    "hht": (fx.hht(), None),
    "dopri5": (fx.dopri5(), 1e-8),
}
J, ALPHA, AT, HELD = 0.5, 8.0, 0.4, 0.1


def held(direction: str, way: float, caught: str) -> fx.System:
    """A rotor that a torque turns, held from an angle on and let go later; then the torque pushes ``way``."""
    s = fx.System("held")
    rotor = s.rigid_body("rotor", 1.0, [J, J, J], position=[0.3, -0.2, 0.0])
    s.revolute("pin", s.ground.frame("O", [0.3, -0.2, 0.0]), rotor)
    s.floats(wall := s.rigid_body("wall", 1.0, [1.0, 1.0, 1.0], position=[0.3, 1.0, 0.0]))
    s.weld("fixed", s.ground.frame("W", [0.3, 1.0, 0.0]), wall)
    angle = fx.joint_coordinate("pin")
    begins = np.sqrt(2 * AT / ALPHA)
    s.torque("push", joint="pin", torque=J * ALPHA * fx.where(begins + 0.5 * HELD - fx.time(), 1.0, way))
    if caught == "locked":
        s.event("holds", angle - AT, fx.lock("pin", impact=True), direction)
        s.event("lets", fx.time() - begins - HELD, fx.release("pin"))
    else:
        s.attachment("grip", "weld", wall, rotor, holds=False)
        s.event("holds", angle - AT, fx.attach("grip"), direction)
        s.event("lets", fx.time() - begins - HELD, fx.detach("grip"))
    s.channel("angle", angle)
    return s


@pytest.mark.sweep(6)
@pytest.mark.parametrize("caught", ["locked", "attached"])
@pytest.mark.parametrize("way", [1.0, -1.0], ids=["on", "back"])
@pytest.mark.parametrize("direction", ["rising", "either"])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("method", METHODS)
def test_what_an_event_holds_at_its_own_zero_is_let_go_once(method, tree, direction, way, caught):
    """It was once held for ever in some trees, and in others not: whether it left its zero was round-off."""
    scheme, tolerance = METHODS[method]
    begins = np.sqrt(2 * AT / ALPHA)
    run = fx.simulate(held(direction, way, caught), 0.7, 1e-3, scheme, tree, 0.05, tolerance)
    assert [event.name for event in run.events] == ["holds", "lets"]
    after = max(0.0, 0.7 - begins - HELD)
    assert run.channel("angle")[-1] == pytest.approx(AT + 0.5 * way * ALPHA * after**2, abs=1e-5)
    held_at = run.channel("angle")[(run.t > begins + 1e-3) & (run.t < begins + HELD - 1e-3)]
    assert held_at == pytest.approx(np.full(len(held_at), AT), abs=1e-8)
