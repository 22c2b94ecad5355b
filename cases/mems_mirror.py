r"""Micro-mirror drawn to an electrode: plate, springs and electrostatics in one model, until it is pulled in.

    ──/\/\──┬───────────┬──/\/\──      mirror on springs k
              gap g
         ═══════════════              electrode

A source brings charge at a steady, slow rate. The force Q²/(2 ε A) grows with it and the gap closes; the
voltage Q g/(ε A) rises, is largest where the plate would be pulled in under a given voltage, and falls. A
rigid plate on springs follows

    g = g₀ - Q²/(2 ε A k),      V = Q g/(ε A),      V_max² = 8 k g₀³/(27 ε A)  at  g = 2/3 g₀ ,

later by c/k for the sake of its damper c. A flexible plate (``thickness``), held in its middle, bends too:
EI w'''' = ½ ε b V²/g², so that its tips come nearer, and it is pulled in at less. All numbers are ours.
"""

import numpy as np

import flexnet as fx

END = 4e-3
STEP = 4e-6
EPSILON = 8.8541878128e-12
STIFFNESS, DAMPING, GAP, LENGTH, WIDTH = 5.0, 2e-5, 2e-6, 2e-4, 5e-5
AREA = LENGTH * WIDTH
SILICON = fx.Material(E=1.6e11, nu=0.22, rho=2330.0)
#: of the rigid plate under a given voltage, V
PULL_IN = (8.0 * STIFFNESS * GAP**3 / (27.0 * EPSILON * AREA)) ** 0.5
#: at pull-in, C
CHARGE = EPSILON * AREA / (2.0 / 3.0 * GAP) * PULL_IN
THIN = 1.5e-6


def build(charge: float = 1.2, thickness: float = 0.0, elements: int = 12) -> fx.System:
    """Build mirror and circuit: a plate of a microgram on a spring of 5 N/m.

    Parameters
    ----------
    charge : at the end over that of pull-in, 1.
    thickness : of a flexible plate of silicon, m; 0: a rigid plate.
    elements : along a flexible plate; an even number.
    """
    s = fx.System("mems_mirror", planar=True)
    s.ground.frame("electrode", [0.0, 0.0])
    rest, electrode = s.ground.frame("rest", [0.0, GAP]), s.ground["electrode"]
    if thickness > 0.0:
        points = [f"p{k}" for k in range(elements + 1)]
        section, middle = fx.rectangle(thickness, WIDTH), elements // 2
        strip = fx.beam_body(LENGTH, elements, SILICON, section, frames={p: k for k, p in enumerate(points)})
        # deflections are next to nothing beside the length, and nothing pulls along it
        how = {"support": fx.Clamped(middle), "modes": 3, "stiffening": False}
        plate = s.flexible_body("mirror", strip, position=[-LENGTH / 2, GAP], **how)
        mirror = plate[points[middle]]
        on = [plate[p] for p in points]
        s.flexible_condenser("field", "a", s.ground, electrode, on, AREA, GAP, 1e3, axis="y")
        s.channel(
            "tip", fx.position(plate[points[0]], "y"), "m", "between the end of the mirror and electrode"
        )
    else:
        mirror = s.rigid_body("mirror", 1e-9, 1e-20, position=[0.0, GAP])
        s.plate_condenser("field", "a", s.ground, electrode, mirror, AREA, GAP, 1e3)
    s.prismatic("guide", rest, mirror, axis="y")
    s.spring("spring", rest, mirror, stiffness=STIFFNESS, damping=DAMPING, axis="y")
    s.current_source("charger", s.ground, "a", charge * CHARGE / END)
    s.channel("gap", fx.position(mirror, "y"), "m", "between mirror and electrode")
    s.channel("voltage", fx.voltage(node="a"), "V", "of mirror against electrode")
    return s


def exact(t: np.ndarray) -> dict[str, np.ndarray]:
    """The rigid plate in balance at every charge, late by c/k."""
    Q, late = (1.2 * CHARGE / END * np.maximum(x, 0.0) for x in (t, t - DAMPING / STIFFNESS))
    gap = GAP - late**2 / (2.0 * EPSILON * AREA * STIFFNESS)
    return {"voltage": Q * gap / (EPSILON * AREA), "gap": gap}


def bent(t: np.ndarray, thickness: float = THIN, n: int = 40) -> dict[str, np.ndarray]:
    """The flexible plate in balance at every charge.

    w(x) = (2/k) ∫ p dξ + ∫ G(x, ξ) p dξ over one half, G = x²(3ξ - x)/(6EI) for x < ξ the answer of a
    cantilever, p = ½ ε b V²/(g₀ - w)², V = Q/C, C = 2 ∫ ε b/(g₀ - w) dξ; by n points of Gauss.
    """
    Q = 1.2 * CHARGE * np.asarray(t)[:, None] / END
    x, weight = np.polynomial.legendre.leggauss(n)
    x, weight = LENGTH / 4.0 * (1.0 + x), LENGTH / 4.0 * weight
    EI = SILICON.E * WIDTH * thickness**3 / 12.0
    at = np.append(x, LENGTH / 2.0)  # the last point is the tip, of no weight
    near, far = np.minimum(at[:, None], x), np.maximum(at[:, None], x)
    answer = 2.0 / STIFFNESS + near**2 * (3.0 * far - near) / (6.0 * EI)
    w = np.zeros((len(Q), n + 1))
    for _ in range(200):
        gap = GAP - w[:, :n]
        V = Q / (2.0 * EPSILON * WIDTH * (1.0 / gap) @ weight[:, None])
        p = 0.5 * EPSILON * WIDTH * (V / gap) ** 2
        w = p * weight @ answer.T
    middle = 2.0 / STIFFNESS * (p @ weight)
    return {"voltage": V[:, 0], "gap": GAP - middle, "tip": GAP - w[:, n]}


#: the tolerances: what inertia and the square of c/k leave out is 3e-11 m and 4e-4 V; the flexible plate's
#: balance knows no c/k, 4.8e-4 m/s of its middle at the end: 2e-9 m and, by Q/(ε A), 0.02 V
REFERENCES = [
    fx.Reference(
        source="plate on a spring in balance: closed form",
        curve=exact,
        tolerances=("voltage=5e-4:max", "gap=5e-11:max"),
        end=END,
        step=STEP,
        interval=4e-5,
    ),
    fx.Reference(
        source="flexible plate on a spring in balance: integral equation, 40 points of Gauss",
        curve=bent,
        tolerances=("voltage=0.025:max", "gap=2.5e-9:max", "tip=5e-9:max"),
        settings={"thickness": THIN},
        end=END,
        step=STEP,
        interval=4e-5,
    ),
]
