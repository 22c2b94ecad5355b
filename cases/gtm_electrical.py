"""Electrical network of GTM §3.1: a source charges a capacitor through a resistor, another one drains it.

        a ──R2── b ──┬──┐
        │           R3  C4
        E1           │  │
        └──── g ─────┴──┘

Tree E1, C4: one state, C₄ v̇₄ + (1/R₂ + 1/R₃) v₄ = E₁/R₂ (GTM (36)). The seed has no numbers; these are ours.

Reference: v₄ = v∞ + (v₀ - v∞) exp(-t/T), v∞ = E₁R₃/(R₂ + R₃), T = C₄R₂R₃/(R₂ + R₃): exact.
"""

import numpy as np

import flexnet as fx

END = 0.3


def build(
    E1: float = 10.0, R2: float = 100.0, R3: float = 300.0, C4: float = 1e-3, v0: float = 2.0
) -> fx.System:
    """Build the network.

    Parameters
    ----------
    E1 : voltage of the source, V.
    R2, R3 : resistances, ohm.
    C4 : capacitance, F.
    v0 : voltage of the capacitor at the start, V.
    """
    s = fx.System("gtm_electrical")
    s.voltage_source("E1", "a", s.ground, E1)
    s.resistor("R2", "a", "b", R2)
    s.resistor("R3", "b", s.ground, R3)
    s.capacitor("C4", "b", s.ground, C4, start=v0)
    s.channel("v4", fx.voltage("C4"), "V", "voltage of the capacitor")
    s.channel("i2", fx.current("R2"), "mA", "current from the source")
    return s


def exact(t: np.ndarray) -> dict[str, np.ndarray]:
    """Closed form for the default parameters."""
    v4 = 7.5 - 5.5 * np.exp(-t / 0.075)
    return {"v4": v4, "i2": 1e3 * (10.0 - v4) / 100.0}


REFERENCES = [
    fx.Reference(
        source="GTM (36): exact, exponential function",
        curve=exact,
        tolerances=("v4=2e-6:max", "i2=2e-5:max"),
        end=0.3,
        step=2e-4,
        interval=2e-3,
    )
]
