"""Stewart-Gough platform: Léger, benchmark A.11 (after Liu); six degrees of freedom.

Six legs, each a shank on a universal joint on the ground, a prismatic joint with an actuator, and a
thigh with a ball joint at the platform.

    G ─ u_i ─ shank_i ─ s_i (fd_i) ─ thigh_i ─ b_i ─ platform

The universal joint turns about global z, then about the leg's y axis; legs lie along their z axes.
Shank 2 kg, I = (0.1145, 0.1145, 0); thigh 1 kg, (0.0537, 0.0537, 0); platform 10 kg, (5, 5, 10) kg m².
Each half of a leg has its centre of mass 0.4144 m from its outer joint; the inner ends, which the text
leaves open, are as far on the other side. Start at rest, platform level at a height of 3 m; gravity
along -z; actuator forces in N as listed below.
"""

import numpy as np

import flexnet as fx

END = 2.0

GROUND = (
    (0.517638090, 1.931851653, 0),
    (1.414213562, -1.414213562, 0),
    (-1.931851653, -0.517638090, 0),
    (-0.517638090, 1.931851653, 0),
    (1.931851653, -0.517638090, 0),
    (-1.414213562, -1.414213562, 0),
)
PLATFORM = (
    (0.707106781, 0.707106781, 0),
    (0.258819045, -0.965925826, 0),
    (-0.965925826, 0.258819045, 0),
    (-0.707106781, 0.707106781, 0),
    (0.965925826, 0.258819045, 0),
    (-0.258819045, -0.965925826, 0),
)
#: amplitude [N] and frequency [Hz] of the actuator forces about 28 N
FORCE = ((0, 1), (3, 2), (3, 2), (5, 1), (5, 1), (0, 1))
C = 0.4144  # centre of mass from the outer joint, m


def build(g: float = 9.81, height: float = 3.0, varying: float = 1.0) -> fx.System:
    """Build the platform.

    Parameters
    ----------
    g : gravity, m/s².
    height : of the platform at the start, m.
    varying : factor of the part of the actuator forces that varies.
    """
    s = fx.System("leger_a11_stewart")
    s.gravity([0.0, 0.0, -g])
    s.ground.add_frames({f"leg{i}": point for i, point in enumerate(GROUND, start=1)})
    frames = {f"leg{i}": point for i, point in enumerate(PLATFORM, start=1)}
    platform = s.rigid_body("platform", 10.0, [5.0, 5.0, 10.0], frames, position=[0, 0, height])
    for i, (foot, hip, (amplitude, hertz)) in enumerate(zip(GROUND, PLATFORM, FORCE, strict=True), start=1):
        foot, hip = np.array(foot), np.add(hip, [0, 0, height])
        axis = (hip - foot) / np.linalg.norm(hip - foot)
        alpha, beta = np.arctan2(axis[1], axis[0]), np.arccos(axis[2])
        R = fx.rotation("z", alpha) @ fx.rotation("y", beta)
        shank = s.rigid_body(
            f"shank{i}", 2.0, [0.1145, 0.1145, 0.0], {"u": [0, 0, -C], "s": [0, 0, C]}, foot + C * axis, R
        )
        thigh = s.rigid_body(
            f"thigh{i}", 1.0, [0.0537, 0.0537, 0.0], {"s": [0, 0, -C], "b": [0, 0, C]}, hip - C * axis, R
        )
        s.universal(f"u{i}", s.ground[f"leg{i}"], shank["u"], axis_1="z", axis_2="y")
        s.prismatic(f"s{i}", shank["s"], thigh["s"], axis="z")
        s.spherical(f"b{i}", thigh["b"], platform[f"leg{i}"])
        push = fx.harmonic(varying * amplitude, 2 * np.pi * hertz, offset=28.0)
        s.spring(f"fd{i}", shank["s"], thigh["s"], axis="z", force=push)
    for axis_name in "xyz":
        s.channel(f"platform_{axis_name}", fx.position(platform, axis_name), "m")
    s.channel("leg_1", fx.joint_coordinate("s1", "displacement"), "m")
    return s
