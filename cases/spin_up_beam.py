r"""Spin-up of a beam on a hub: Simo and Vu-Quoc (1986); with ``kane=True`` Kane, Ryan and Banerjee (1987).

    θ(t) = (ω/T) (t²/2 + (T/2π)² (cos(2πt/T) - 1))   to T = 15 s, then ω t - ω T/2

A beam clamped to a hub is brought to the speed ω in T. It bends back, and the centrifugal force stretches
and stiffens it: without stiffening the linear theory diverges as soon as ω passes its first frequency.
Simo and Vu-Quoc: L = 10 m, EA = 2.8e7 N, kGA = 1e7 N, EI = 1.4e4 N m², ρA = 1.2 kg/m, ρI = 6e-4 kg m,
ω = 6 rad/s. Kane: L = 8 m, E = 6.8952e10 N/m², ρ = 2766.67 kg/m³, A = 7.2968e-5 m², I = 8.2189e-9 m⁴,
ω = 2 rad/s here. Recorded are the displacements of the tip in the rotating frame.
"""

import numpy as np

import flexnet as fx

END = 20.0
STEP = 5e-3


def build(
    kane: bool = False,
    speed: float | None = None,
    elements: int = 8,
    modes: int = 4,
    stiffening: bool = True,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    kane : the beam of Kane, Ryan and Banerjee instead of Simo and Vu-Quoc's.
    speed : final speed ω, rad/s; 6, or 2 for Kane's beam, if not given.
    elements : finite elements.
    modes : eigenmodes besides the shapes of loads on the tip.
    stiffening : whether axial forces stiffen the beam.
    """
    s = fx.System("spin_up_beam", planar=True)
    if kane:
        length, omega = 8.0, 2.0 if speed is None else speed
        material = fx.Material(E=6.8952e10, nu=0.3, rho=2766.67)
        section = fx.BeamSection(A=7.2968e-5, Iy=8.2189e-9, Iz=8.2189e-9, ky=0.5, kz=0.5)
    else:
        length, omega = 10.0, 6.0 if speed is None else speed
        material = fx.Material(E=2.8e7, nu=0.3, rho=1.2)
        k = 1e7 / material.G
        section = fx.BeamSection(A=1.0, Iy=5e-4, Iz=5e-4, ky=k, kz=k)
    T = 15.0

    def angle(t: float) -> float:
        x = min(t, T)
        return omega / T * (x**2 / 2 + (T / 2 / np.pi) ** 2 * (np.cos(2 * np.pi * x / T) - 1)) + omega * (
            t - x
        )

    def rate(t: float) -> float:
        x = min(t, T)
        return omega / T * (x - T / 2 / np.pi * np.sin(2 * np.pi * x / T))

    def acceleration(t: float) -> float:
        return omega / T * (1 - np.cos(2 * np.pi * min(t, T) / T))

    beam = s.flexible_body(
        "beam", fx.beam_body(length, elements, material, section), support=fx.Clamped("start"),
        method="attachment", modes=modes, stiffening=stiffening,
    )  # fmt: skip
    s.revolute("hub", s.ground, beam["start"])
    s.motion("drive", joint="hub", angle=fx.from_callable(angle, rate, acceleration))
    s.channel("u1", fx.deflection(beam, "end", "x"), "m", "axial displacement of the tip")
    s.channel("u2", fx.deflection(beam, "end", "y"), "m", "transverse displacement of the tip")
    s.channel("angle", fx.joint_coordinate("hub"), "rad")
    return s


REFERENCES = [
    fx.Reference(
        source=f"{author} spin-up, geometrically exact beams of another program, 0.1 %",
        file=f"references/{file}.csv",
        columns={"u1": "u1_axial", "u2": "u2_transverse"},
        tolerances=("0.3%",),
        settings={"kane": kane},
        end=20.0,
        step=5e-3,
        method=fx.generalised_alpha(0.9),
    )
    for author, file, kane in (
        ("Simo and Vu-Quoc", "spinup_simo_vuquoc_L10", False),
        ("Kane", "spinup_kane_L8_ws2", True),
    )
]
