"""Planar 3-RRR parallel manipulator: Léger, benchmark A.7; three degrees of freedom.

Three legs of shank (0.40 m, 3 kg, 0.0400 kg m²) and thigh (0.60 m, 4 kg, 0.1200 kg m²) carry an
equilateral platform (side 0.40 m, 8 kg, 0.0817 kg m²).

    leg 1   G(0, 0)         h25 ─ m1 ─ h26 ─ m2 ─ h27 ─┐
    leg 2   r8 (1, 0)       h28 ─ m3 ─ h29 ─ m4 ─ h30 ─ m7
    leg 3   r9 (0.5, √3/2)  h31 ─ m5 ─ h32 ─ m6 ─ h33 ─┘

Gravity along -y. Start at rest with ankle angles 1.0472, 4.1888, 5.7596 rad. Two assemblies fit these;
the thesis does not say which: this is the one with the platform near (0.61, 0.14) m turned by 1.05 rad.
``virtual=True`` adds virtual planar joints vp34 … vp40 from the ground to every centre of mass.
"""

import numpy as np

import flexnet as fx

END = 3.0


def build(g: float = 9.81, virtual: bool = True) -> fx.System:
    """Build the manipulator.

    Parameters
    ----------
    g : gravity, m/s².
    virtual : add the virtual planar joints of the thesis' second table.
    """
    s = fx.System("leger_a07_3rrr", planar=True)
    s.gravity([0.0, -g])
    feet = np.array([[0, 0, 0], [1, 0, 0], [0.5, np.sqrt(3) / 2, 0]])
    s.ground.add_frames({"r8": feet[1], "r9": feet[2]})
    ankles = (1.0472, 4.1888, 5.7596)
    turned = fx.rotation("z", 1.045)
    centre = np.array([0.6096, 0.1385, 0.0])
    corners = [fx.rotation("z", a) @ [0.4 / np.sqrt(3), 0, 0] for a in np.deg2rad([-150, -30, 90])]

    legs = []
    for i, (foot, ankle) in enumerate(zip(feet, ankles, strict=True)):
        shank_R = fx.rotation("z", ankle)
        knee = foot + shank_R @ [0.4, 0, 0]
        to_hip = centre + turned @ corners[i] - knee
        thigh_R = fx.rotation("z", np.arctan2(to_hip[1], to_hip[0]))
        shank = s.rigid_body(
            f"m{2 * i + 1}", 3.0, 0.04, {f"r{10 + 4 * i}": [-0.2, 0], f"r{11 + 4 * i}": [0.2, 0]},
            position=(foot + knee) / 2, rotation=shank_R,
        )  # fmt: skip
        thigh = s.rigid_body(
            f"m{2 * i + 2}", 4.0, 0.12, {f"r{12 + 4 * i}": [-0.3, 0], f"r{13 + 4 * i}": [0.3, 0]},
            position=knee + to_hip / 2, rotation=thigh_R,
        )  # fmt: skip
        legs.append((shank, thigh))
    platform = s.rigid_body(
        "m7", 8.0, 0.0817, {f"r{22 + i}": corner for i, corner in enumerate(corners)}, centre, turned
    )
    for i, (shank, thigh) in enumerate(legs):
        ground = s.ground if i == 0 else s.ground[f"r{7 + i}"]
        s.revolute(f"h{25 + 3 * i}", ground, shank[f"r{10 + 4 * i}"])
        s.revolute(f"h{26 + 3 * i}", shank[f"r{11 + 4 * i}"], thigh[f"r{12 + 4 * i}"])
        s.revolute(f"h{27 + 3 * i}", thigh[f"r{13 + 4 * i}"], platform[f"r{22 + i}"])
        s.start(f"h{25 + 3 * i}", angle=ankles[i], rate=0.0)
    if virtual:
        for i in range(1, 8):
            s.virtual(f"vp{33 + i}", "planar", s.ground, s.bodies[f"m{i}"])
    s.channel("platform_x", fx.position(platform, "x"), "m")
    s.channel("platform_y", fx.position(platform, "y"), "m")
    return s
