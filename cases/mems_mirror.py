r"""Micro-mirror drawn to an electrode: plate, springs and electrostatics in one model, until it is pulled in.

    ──/\/\──┬───────────┬──/\/\──      mirror on springs k
              gap g
         ═══════════════              electrode

A source brings charge at a steady, slow rate. The force Q²/(2 ε A) grows with it and the gap closes; the
voltage Q g/(ε A) rises, is largest where the plate would be pulled in under a given voltage, and falls. A
rigid plate on springs follows

    g = g₀ - Q²/(2 ε A k),      V = Q g/(ε A),      V_max² = 8 k g₀³/(27 ε A)  at  g = 2/3 g₀ .

All numbers are ours.
"""

import numpy as np

import flexnet as fx

END = 4e-3
STEP = 4e-6
EPSILON = 8.8541878128e-12
STIFFNESS, GAP, AREA = 5.0, 2e-6, 1e-8
#: of the rigid plate under a given voltage, V
PULL_IN = (8.0 * STIFFNESS * GAP**3 / (27.0 * EPSILON * AREA)) ** 0.5


def build(charge: float = 1.2) -> fx.System:
    """Build mirror and circuit: a rigid plate of a microgram on a spring of 5 N/m.

    Parameters
    ----------
    charge : at the end over that of pull-in, 1.
    """
    s = fx.System("mems_mirror", planar=True)
    s.ground.frame("electrode", [0.0, 0.0])
    s.ground.frame("rest", [0.0, GAP])
    mirror = s.rigid_body("mirror", 1e-9, 1e-20, position=[0.0, GAP])
    s.prismatic("guide", s.ground["rest"], mirror, axis="y")
    s.spring("spring", s.ground["rest"], mirror, stiffness=STIFFNESS, damping=2e-5, axis="y")
    s.plate_condenser("field", "a", s.ground, s.ground["electrode"], mirror, AREA, GAP, 1e3)
    total = charge * EPSILON * AREA / (2.0 / 3.0 * GAP) * PULL_IN
    s.current_source("charger", s.ground, "a", total / END)
    s.channel("gap", fx.position(mirror, "y"), "m", "between mirror and electrode")
    s.channel("voltage", fx.voltage(node="a"), "V", "of mirror against electrode")
    return s


def exact(t: np.ndarray) -> dict[str, np.ndarray]:
    """The rigid plate in balance at every charge."""
    Q = 1.2 * EPSILON * AREA / (2.0 / 3.0 * GAP) * PULL_IN * t / END
    gap = GAP - Q**2 / (2.0 * EPSILON * AREA * STIFFNESS)
    return {"voltage": Q * gap / (EPSILON * AREA), "gap": gap}


REFERENCES = [
    fx.Reference(
        source="plate on a spring in balance: closed form",
        curve=exact,
        tolerances=("voltage=0.05:max", "gap=1e-8:max"),
        end=END,
        step=STEP,
        interval=4e-5,
    )
]
