"""Spatial parallel manipulator with three freedoms: Léger, benchmark A.12.

    G ─ s25 ─ m1 ─ b26 ─ m2 ─ h27 ─┐
    G ─ s28 ─ m3 ─ b29 ─ m4 ─ h30 ─ m7        axes of the legs at 0°, 120°, 240° about z
    G ─ s31 ─ m5 ─ b32 ─ m6 ─ h33 ─┘

Shanks slide radially on the ground, thighs stand on them by balls and carry the platform by pins whose
axes are tangential. Masses and inertias, forces and initial values are those of the thesis; the link
dimensions stand only in its figure A.25, which is lost, and are assumed here: balls at the shanks'
centres of mass, pins 0.10 m from the centre of the platform and level with it.
"""

import numpy as np

import flexnet as fx

END = 1.0

SHANK = np.array([[0.003138, 0.0, 0.000237], [0.0, 0.002853, 0.0], [0.000237, 0.0, 0.003819]])  # kg m²


def build(radius: float = 0.10, slide: float = 0.245, height: float = 0.4226, g: float = 9.81) -> fx.System:
    """Build the manipulator.

    Parameters
    ----------
    radius : from the platform's centre to the pins, m (assumed).
    slide : initial displacement of the shanks, m.
    height : initial height of the platform, m.
    g : gravity, m/s².
    """
    s = fx.System("leger_a12_parallel_manipulator")
    s.gravity([0.0, 0.0, -g])
    s.ground.add_frames({"r8": [0, 0, 0], "r9": [0, 0, 0]})
    turns = [fx.rotation("z", a) for a in np.deg2rad([0, 120, 240])]
    length = float(np.hypot(slide - radius, height))
    lean = fx.rotation("y", -np.arctan2(slide - radius, height))  # thighs lean inwards, along their z axis
    platform = s.rigid_body(
        "m7", 21.8122, [0.220751, 0.220763, 0.170223],
        {f"r{22 + i}": (Rz @ [radius, 0, 0], Rz) for i, Rz in enumerate(turns)}, position=[0, 0, height],
    )  # fmt: skip
    two_pi = 2 * np.pi
    push = (
        fx.harmonic(5.0, two_pi, phase=np.pi / 2, offset=65.0),
        fx.harmonic(5.0, two_pi, offset=65.0),
        fx.harmonic(3.0, 2 * two_pi, offset=65.0),
    )
    for i, Rz in enumerate(turns):
        foot, tilt = Rz @ [slide, 0, 0], Rz @ lean
        k = 10 + 4 * i
        shank = s.rigid_body(
            f"m{2 * i + 1}", 3.06876, SHANK, {f"r{k}": ([0, 0, 0], Rz.T), f"r{k + 1}": [0, 0, 0]}, foot, Rz
        )
        thigh = s.rigid_body(
            f"m{2 * i + 2}", 7.35236, [0.053655, 0.040571, 0.015956],
            {f"r{k + 2}": [0, 0, -length / 2], f"r{k + 3}": [0, 0, length / 2]},
            position=foot + tilt @ [0, 0, length / 2], rotation=tilt,
        )  # fmt: skip
        ground = (s.ground["r8"], s.ground, s.ground["r9"])[i]
        s.prismatic(f"s{25 + 3 * i}", ground, shank[f"r{k}"], axis=Rz @ [1, 0, 0])
        s.spherical(f"b{26 + 3 * i}", shank[f"r{k + 1}"], thigh[f"r{k + 2}"])
        s.revolute(f"h{27 + 3 * i}", thigh[f"r{k + 3}"], platform[f"r{22 + i}"], axis="y")
        s.spring(f"fd{34 + i}", ground, shank[f"r{k}"], axis=Rz @ [1, 0, 0], force=push[i])
        s.start(f"s{25 + 3 * i}", displacement=slide, rate=0.0)
    for axis in "xyz":
        s.channel(f"platform_{axis}", fx.position(platform, axis), "m")
    return s
