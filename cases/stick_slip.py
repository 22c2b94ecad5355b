r"""Stick and slip: a block on a belt, with true sticking by event.

    ▕▔▔▔▔▔▔▔▔▏
    ▕  spring ▔▔▔/\/\/\▔▔▔ ▭ m      x ──►
    ▕              ════════════ ──► v₀

The belt drags a block that a spring holds. While it sticks it goes with the belt, until the spring pulls as
hard as friction can hold at rest, k x = μ_s N; then it slips under μ_k N < μ_s N, until its speed is that of
the belt again. Sticking is a locked joint, not a steep law: nothing creeps. With ω² = k/m and
d = (μ_s - μ_k) N/k the limit cycle lasts

    T_stick = 2 d/v₀,         T_slip = (2/ω) (π - arctan(ω d/v₀))

and the block turns at x = μ_k N/k ± √(d² + (v₀/ω)²).
"""

import numpy as np

import flexnet as fx

END = 6.0
STEP = 2e-3


def build(
    belt: float = 0.1,
    mass: float = 1.0,
    stiffness: float = 40.0,
    load: float = 10.0,
    at_rest: float = 0.5,
    in_motion: float = 0.3,
) -> fx.System:
    """Build the block.

    Parameters
    ----------
    belt : speed of the belt, m/s.
    mass : kg.
    stiffness : of the spring, N/m.
    load : normal force N on the belt, N.
    at_rest, in_motion : coefficients of friction μ_s and μ_k.
    """
    s = fx.System("stick_slip", planar=True)
    block = s.rigid_body("block", mass, 0.01)
    block.shape("box", [0.04, 0.02, 0.02])
    s.prismatic("belt", s.ground, block, axis="x")
    s.spring("spring", s.ground, block, stiffness, axis="x")
    s.force("drag", block, [in_motion * load, 0.0])
    x, speed = fx.joint_coordinate("belt", "displacement"), fx.joint_rate("belt", "displacement")
    s.start("belt", displacement=0.0, rate=0.9 * belt)
    s.event("sticks", speed - belt, fx.lock("belt", rate=belt, coordinate="displacement"), "rising")
    s.event("slips", x - at_rest * load / stiffness, fx.release("belt"), "rising")
    s.channel("x", x, "m")
    s.channel("speed", speed, "m/s")
    return s


def cycle(
    belt: float = 0.1,
    mass: float = 1.0,
    stiffness: float = 40.0,
    load: float = 10.0,
    at_rest: float = 0.5,
    in_motion: float = 0.3,
) -> tuple[float, float]:
    """Times [s] for which the block sticks and slips."""
    omega, d = np.sqrt(stiffness / mass), (at_rest - in_motion) * load / stiffness
    return 2 * d / belt, 2 / omega * (np.pi - np.arctan(omega * d / belt))
