r"""Planar slider-crank with a pin in a slot: DynaFlex §2 and §5.1, figures 1-2.

Two bodies only: a crank on pin J1 (e61) and a rod on pin J2 (e62), whose other end is a pin in a
horizontal slot, J3. A torque T turns the crank.

    J1 o──── e11 ────o J2
                      \ e12
             ═══════════o J3 ═══   slot along x

The rod points from J3 to J2 along its own x axis, which makes (36), (42) and (43) come out as printed.
The paper draws J3 as two edges in series, e64 for the slot and e63 for the pin; ``compound=True``
builds that (with a massless block between), ``compound=False`` the pin-in-slot joint.
The paper gives no numbers.
"""

import numpy as np

import flexnet as fx

END = 2.0


def build(
    l11: float = 0.2,
    l12: float = 0.6,
    m11: float = 1.0,
    m12: float = 1.5,
    I11: float = 1.0 * 0.2**2 / 12,
    I12: float = 1.5 * 0.6**2 / 12,
    T: fx.TimeLike = 0.1,
    alpha1: float = 0.8,
    compound: bool = False,
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    l11, l12 : lengths of crank and rod, m.
    m11, m12 : their masses, kg, centred.
    I11, I12 : their moments of inertia, kg m².
    T : torque on the crank, N m, a function of time.
    alpha1 : initial crank angle, rad.
    compound : model J3 by two edges, as the paper draws it.
    """
    s = fx.System("slider_crank_dynaflex", planar=True)
    pin = l11 * np.array([np.cos(alpha1), np.sin(alpha1), 0.0])
    theta = np.pi - np.arcsin(pin[1] / l12)  # orientation of the rod's x axis, slot to the right
    back = l12 * np.array([np.cos(theta), np.sin(theta), 0.0])
    crank = s.rigid_body(
        "e11", m11, I11, {"e21": [-l11 / 2, 0], "e22": [l11 / 2, 0]},
        position=pin / 2, rotation=fx.rotation("z", alpha1),
    )  # fmt: skip
    rod = s.rigid_body(
        "e12", m12, I12, {"e23": [l12 / 2, 0], "e24": [-l12 / 2, 0]},
        position=pin - back / 2, rotation=fx.rotation("z", theta),
    )  # fmt: skip
    s.revolute("e61", s.ground, crank["e21"])
    s.revolute("e62", crank["e22"], rod["e23"])
    if compound:
        block = s.massless_body("block", position=pin - back)
        s.prismatic("e64", s.ground, block, axis="x")
        s.revolute("e63", block, rod["e24"])
    else:
        s.pin_in_slot("J3", s.ground, rod["e24"], slot="x")
    s.torque("T", crank, T)
    s.start("e61", angle=alpha1)
    s.channel("alpha_1", fx.joint_coordinate("e61"), "rad")
    s.channel("slot", fx.position(rod["e24"], "x"), "m")
    return s
