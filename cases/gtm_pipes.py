"""Pipe network of GTM §3.2: a tank, three pipes, a pump and a consumer.

             b ── consumer ──▶ g
           ╱   ╲
         q2     q4
        ╱         ╲
    tank a ──q3── c ◀── pump ── g

Pipes obey q = G sign(P) |P|^(1/k) (GTM (39)). The seed has no numbers; these are ours.

Reference: adding (45) to (47) gives q₁ = Q_c - Q_b for any k, so the tank's pressure is
P_a(0) + (Q_c - Q_b) t/C₁, and the flows in the pipes are constant: exact.
"""

import numpy as np

import flexnet as fx

END = 4.0


def build(k: float = 1.85, C1: float = 2.0, Qb: float = 1.0, Qc: float = 1.5, P0: float = 10.0) -> fx.System:
    """Build the network.

    Parameters
    ----------
    k : exponent of the pipes, 1 laminar to 2 turbulent, 1.
    C1 : capacity of the tank, m³/Pa.
    Qb, Qc : what is drawn off at b and pumped in at c, m³/s.
    P0 : pressure of the tank at the start, Pa.
    """
    s = fx.System("gtm_pipes")
    s.tank("tank", "a", C1, start=P0)
    s.pipe("q2", "a", "b", conductance=0.5, exponent=k, laminar=1e-8)
    s.pipe("q3", "a", "c", conductance=0.3, exponent=k, laminar=1e-8)
    s.pipe("q4", "b", "c", conductance=0.2, exponent=k, laminar=1e-8)
    s.flow_source("consumer", "b", s.ground, Qb)
    s.flow_source("pump", s.ground, "c", Qc)
    s.channel("Pa", fx.pressure(node="a"), "Pa", "pressure of the tank")
    s.channel("Pb", fx.pressure(node="b"), "Pa")
    s.channel("Pc", fx.pressure(node="c"), "Pa")
    s.channel("flow2", fx.flow("q2"), "m^3/s")
    s.channel("flow3", fx.flow("q3"), "m^3/s")
    return s


def exact(t: np.ndarray) -> dict[str, np.ndarray]:
    """Closed form for the default parameters; flows by Newton's method in twelve digits."""
    Pa = 10.0 + 0.25 * t
    one = np.ones_like(t)
    return {
        "Pa": Pa,
        "Pb": Pa - 0.61478080,
        "Pc": Pa + 7.38942872,
        "flow2": 0.38438352 * one,
        "flow3": -0.88438352 * one,
    }


REFERENCES = [
    fx.Reference(
        source="GTM (45) to (47): exact, the tank takes what is pumped in and not drawn off",
        curve=exact,
        tolerances=("1e-8:max",),
        end=4.0,
        step=0.05,
    )
]
