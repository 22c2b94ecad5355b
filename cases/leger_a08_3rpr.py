"""Planar 3-RPR parallel manipulator: Léger, benchmark A.8; three degrees of freedom.

Three legs of shank (1.00 m, 3.00 kg, 0.2725 kg m²) and thigh (1.50 m, 1.50 kg, 0.2825 kg m²) that
slide on one another carry an isosceles platform (base = height = 1 m, 5 kg, 0.4167 kg m²).

    ground ─ h26 ─ m1 ─ s29 ─ m2 ─ h32 ─┐
    ground ─ h27 ─ m3 ─ s30 ─ m4 ─ h33 ─ m7        fd35 … fd37 push along s29 … s31
    ground ─ h28 ─ m5 ─ s31 ─ m6 ─ h34 ─┘

Ground points (-1.75, 0), (1.75, 0) and (0, 5.665) m; the thesis prints (5.665, 0) for the third, which
its own link lengths cannot reach. Start at rest, platform at (0, 2.665) m, not turned. Actuators
15, 10 and 12 N; gravity acts along z and does no work. vp38 is a virtual planar joint from the ground
to the platform.
"""

import numpy as np

import flexnet as fx

END = 10.0


def build(forces: tuple[float, float, float] = (15.0, 10.0, 12.0)) -> fx.System:
    """Build the manipulator.

    Parameters
    ----------
    forces : of the actuators, pushing the leg halves apart, N.
    """
    s = fx.System("leger_a08_3rpr", planar=True)
    feet = np.array([[-1.75, 0, 0], [1.75, 0, 0], [0, 5.665, 0]])
    corners = np.array([[-0.5, -1 / 3, 0], [0.5, -1 / 3, 0], [0, 2 / 3, 0]])
    centre = np.array([0.0, 2.665, 0.0])
    s.ground.add_frames({f"r{8 + i}": foot for i, foot in enumerate(feet)})
    legs = []
    for i in range(3):
        way = centre + corners[i] - feet[i]
        along = way / np.linalg.norm(way)
        R = fx.rotation("z", np.arctan2(way[1], way[0]))
        k = 11 + 4 * i
        shank = s.rigid_body(
            f"m{2 * i + 1}", 3.0, 0.2725, {f"r{k}": [-0.5, 0], f"r{k + 1}": [0.5, 0]},
            position=feet[i] + 0.5 * along, rotation=R,
        )  # fmt: skip
        thigh = s.rigid_body(
            f"m{2 * i + 2}", 1.5, 0.2825, {f"r{k + 2}": [-0.75, 0], f"r{k + 3}": [0.75, 0]},
            position=centre + corners[i] - 0.75 * along, rotation=R,
        )  # fmt: skip
        legs.append((shank, thigh))
    frames = {f"r{23 + i}": corner for i, corner in enumerate(corners)}
    platform = s.rigid_body("m7", 5.0, 0.4167, frames, position=centre)
    for i, (shank, thigh) in enumerate(legs):
        k = 11 + 4 * i
        s.revolute(f"h{26 + i}", s.ground[f"r{8 + i}"], shank[f"r{k}"])
        s.prismatic(f"s{29 + i}", shank[f"r{k + 1}"], thigh[f"r{k + 2}"], axis="x")
        s.revolute(f"h{32 + i}", platform[f"r{23 + i}"], thigh[f"r{k + 3}"])
        s.spring(f"fd{35 + i}", shank[f"r{k + 1}"], thigh[f"r{k + 2}"], axis="x", force=forces[i])
    s.virtual("vp38", "planar", s.ground, platform)
    for key, value in (("x", centre[0]), ("y", centre[1]), ("angle", 0.0)):
        s.start("vp38", **{key: value})
    s.channel("platform_x", fx.position(platform, "x"), "m")
    s.channel("platform_y", fx.position(platform, "y"), "m")
    return s
