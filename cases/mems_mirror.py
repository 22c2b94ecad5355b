r"""Micro-mirror drawn to an electrode: plate, springs and electrostatics in one model, until it is pulled in.

    ──/\/\──┬───────────┬──/\/\──      mirror on springs k, or a flexible strip clamped at one end
              gap g
         ═══════════════              electrode

A source brings charge at a steady, slow rate. The force Q²/(2 ε A) grows with it and the gap closes; the
voltage Q g/(ε A) rises, is largest where the plate would be pulled in under a given voltage, and falls. A
rigid plate on springs follows

    g = g₀ - Q²/(2 ε A k),      V = Q g/(ε A),      V_max² = 8 k g₀³/(27 ε A)  at  g = 2/3 g₀ .

With ``pieces`` the plate is a strip of silicon of so many elements, a condenser at every node. All numbers
are ours.
"""

import numpy as np

import flexnet as fx

END = 4e-3
STEP = 4e-6
EPSILON = 8.8541878128e-12
STIFFNESS, GAP, AREA = 5.0, 2e-6, 1e-8
#: of the rigid plate under a given voltage, V
PULL_IN = (8.0 * STIFFNESS * GAP**3 / (27.0 * EPSILON * AREA)) ** 0.5


def build(pieces: int = 0, charge: float = 1.2, modes: int = 6) -> fx.System:
    """Build mirror and circuit.

    Parameters
    ----------
    pieces : elements of a flexible strip, 1; 0 for a rigid plate on springs.
    charge : at the end over that of pull-in of the rigid plate, 1.
    modes : eigenmodes of the strip, 1.
    """
    s = fx.System("mems_mirror", planar=True)
    if pieces:
        _strip(s, pieces, modes)
        total = charge * 1.35e-13
    else:
        _plate(s)
        total = charge * EPSILON * AREA / (2.0 / 3.0 * GAP) * PULL_IN
    s.current_source("charger", s.ground, "a", total / END)
    s.channel("voltage", fx.voltage(node="a"), "V", "of mirror against electrode")
    return s


def _plate(s: fx.System) -> None:
    """A rigid plate of a microgram on a spring of 5 N/m."""
    s.ground.frame("electrode", [0.0, 0.0])
    s.ground.frame("rest", [0.0, GAP])
    mirror = s.rigid_body("mirror", 1e-9, 1e-20, position=[0.0, GAP])
    s.prismatic("guide", s.ground["rest"], mirror, axis="y")
    s.spring("spring", s.ground["rest"], mirror, stiffness=STIFFNESS, damping=2e-5, axis="y")
    s.plate_condenser("field", "a", s.ground, s.ground["electrode"], mirror, AREA, GAP, 1e3)
    s.channel("gap", fx.position(mirror, "y"), "m", "between mirror and electrode")


def _strip(s: fx.System, pieces: int, modes: int) -> None:
    """A strip of silicon, 100 by 20 by 1 micrometres, a micrometre above the electrode."""
    length, width, thick, gap = 1e-4, 2e-5, 1e-6, 1e-6
    silicon = fx.Material(E=1.6e11, nu=0.22, rho=2330.0)
    inertia = width * thick**3 / 12.0
    section = fx.BeamSection(A=width * thick, Iy=inertia, Iz=inertia, ky=5 / 6, kz=5 / 6)
    names = {"start": "start", **{f"n{k}": k for k in range(1, pieces)}, "end": "end"}
    strip = fx.beam_body(length, pieces, silicon, section, frames=names)
    mirror = s.flexible_body("mirror", strip, support=fx.Clamped("start"), modes=modes, position=[0.0, gap])
    s.ground.frame("clamp", [0.0, gap])
    s.weld("clamp", s.ground["clamp"], mirror["start"])
    for k in range(1, pieces + 1):
        frame = mirror["end"] if k == pieces else mirror[f"n{k}"]
        s.ground.frame(f"under{k}", [length * k / pieces, 0.0])
        area = width * length / pieces * (0.5 if k == pieces else 1.0)
        s.plate_condenser(f"field{k}", "a", s.ground, s.ground[f"under{k}"], frame, area, gap, 1e6)
    s.channel("gap", fx.position(mirror["end"], "y"), "m", "between the tip and the electrode")


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
