r"""Spin-up of a flexible rotor blade as a geometrically exact beam: Simo and Vu-Quoc (1986).

    θ(t) = (ω/T) (t²/2 + (T/2π)² (cos(2πt/T) - 1))   to T = 15 s, then ω t - ω T/2

A beam on a hub is brought to the speed ω in T; it bends back, and the centrifugal force stretches and
stiffens it. Nothing has to be said of stiffening: it is in the strains. Simo and Vu-Quoc: L = 10 m,
EA = 2.8e7 N, kGA = 1e7 N, EI = 1.4e4 N m², ρA = 1.2 kg/m, ρI = 6e-4 kg m, ω = 6 rad/s; ``spin_up_beam`` is
the same blade in a floating frame. Recorded are the displacements of the tip in the axes of the hub.
"""

import numpy as np

import flexnet as fx

END = 20.0
STEP = 5e-3
LENGTH = 10.0


def build(speed: float = 6.0, elements: int = 8, growth: float = 15.0) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    speed : final speed ω, rad/s.
    elements : geometrically exact elements.
    growth : time T of the spin-up, s.
    """
    s = fx.System("flexible_rotor", planar=True)
    rod = fx.RodSection(
        np.array([2.8e7, 1e7, 1e7, 1e4, 1.4e4, 1.4e4]), 1.2, np.array([1.2e-3, 6e-4, 6e-4])
    )  # fmt: skip
    blade = s.exact_beam("blade", LENGTH, elements, None, rod)
    hub = s.rigid_body("hub", 1.0, 1.0, {"tip": [LENGTH, 0.0]})
    hub.shape("cylinder", [0.03 * LENGTH, 0.03 * LENGTH])  # its tip is a place to measure from
    s.revolute("bearing", s.ground, hub)
    s.weld("root", hub, blade["start"])

    def angle(t: float) -> float:
        x = min(t, growth)
        wave = (growth / 2 / np.pi) ** 2 * (np.cos(2 * np.pi * x / growth) - 1)
        return speed / growth * (x**2 / 2 + wave) + speed * (t - x)

    def rate(t: float) -> float:
        x = min(t, growth)
        return speed / growth * (x - growth / 2 / np.pi * np.sin(2 * np.pi * x / growth))

    def acceleration(t: float) -> float:
        return speed / growth * (1 - np.cos(2 * np.pi * min(t, growth) / growth))

    s.motion("drive", joint="bearing", angle=fx.from_callable(angle, rate, acceleration))
    e_x, e_y = (fx.position(hub["tip"], axis) / fx.quantity(LENGTH, "m") for axis in "xy")
    r_x, r_y = (fx.position(blade["end"], axis) for axis in "xy")
    s.channel("u1", e_x * r_x + e_y * r_y - fx.quantity(LENGTH, "m"), "m", "axial displacement of the tip")
    s.channel("u2", e_x * r_y - e_y * r_x, "m", "transverse displacement of the tip")
    s.channel("tension", blade.section_force("N", "start"), "N", "tension at the root")
    return s


REFERENCES = [
    fx.Reference(
        source="Simo and Vu-Quoc's spin-up, geometrically exact beams of another program, 0.1 %",
        file="references/spinup_simo_vuquoc_L10.csv",
        columns={"u1": "u1_axial", "u2": "u2_transverse"},
        tolerances=("0.3%",),
        end=END,
        step=STEP,
    )
]
