r"""Roll-up of a cantilever by a moment at its end: the circle, in the plane (Simo and Vu-Quoc 1986, §5.1).

    ────────────────────────o ↺ M(t)          θ = M L / EI,   x = L sin θ / θ,   y = L (1 - cos θ) / θ

A strip of nylon, 1 m long, 20 mm wide and 5 mm thick, is bent by a moment at its free end that grows
to 2π EI/L within ten seconds and then rests. The strip has then closed to a circle: its end lies on its
clamp. A moment bends every element alike, and an element of constant strain is exact: eight of them are as
good as a hundred. Retardation η keeps the strip from ringing.
"""

import numpy as np

import flexnet as fx

END = 12.0
STEP = 1e-2
GROWTH = 10.0


def build(
    elements: int = 8,
    turns: float = 1.0,
    length: float = 1.0,
    width: float = 0.02,
    thickness: float = 0.005,
    E: float = 2.4e9,
    rho: float = 1150.0,
    eta: float = 0.005,
) -> fx.System:
    """Build the strip.

    Parameters
    ----------
    elements : geometrically exact elements.
    turns : whole turns the end makes.
    length, width, thickness : m.
    E, rho : modulus of elasticity, N/m², and density, kg/m³.
    eta : retardation time of the material, s.
    """
    s = fx.System("roll_up", planar=True)
    material, section = fx.Material(E=E, nu=0.3, rho=rho, eta=eta), fx.rectangle(thickness, width)
    strip = s.exact_beam("strip", length, elements, material, section)
    s.weld("clamp", s.ground, strip["start"])
    largest = 2 * np.pi * turns * E * section.Iz / length
    s.torque("moment", strip["end"], [0.0, 0.0, fx.cycloidal(0.0, largest, GROWTH)])
    s.channel("x", fx.position(strip["end"], "x"), "m", "end of the strip")
    s.channel("y", fx.position(strip["end"], "y"), "m", "end of the strip")
    s.channel("moment", strip.section_force("Mz", "start"), "N*m", "bending moment at the clamp")
    return s


def circle(t: np.ndarray) -> dict[str, np.ndarray]:
    """Place of the end at rest under the moment of a time."""
    x = np.clip(np.asarray(t) / GROWTH, 0.0, 1.0)
    theta = np.maximum(2 * np.pi * x - np.sin(2 * np.pi * x), 1e-9)
    return {"x": np.sin(theta) / theta, "y": (1 - np.cos(theta)) / theta}


REFERENCES = [
    fx.Reference(
        source="circles of pure bending, at rest under the moment of the time",
        curve=circle,
        tolerances=("1%",),
        end=END,
        step=STEP,
    )
]
