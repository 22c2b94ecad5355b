r"""A hydraulic cylinder lifts a flexible boom with a payload: valve, chambers, mechanism in one model.

                    ____________o payload
           ___B____/  boom: flexible
      A o─/  /
        │   / cylinder from C to B
        o──o C

    pump ──valve (opening by a function of time)── piston side | rod side ──orifice── tank

The boom turns about A; the cylinder pushes between the ground at C and the boom at B. Flow through valve and
orifice is turbulent, the oil in the chambers is compressible. All numbers are ours, of a small crane.
"""

import numpy as np

import flexnet as fx

END = 2.0
STEP = 5e-4


def build(
    length: float = 3.0,
    payload: float = 100.0,
    supply: float = 1.5e7,
    opening: float = 1.0,
    piston: float = 2e-3,
    rod: float = 1.2e-3,
    modes: int = 2,
) -> fx.System:
    """Build crane and hydraulics.

    Parameters
    ----------
    length : of the boom, m.
    payload : mass at its tip, kg.
    supply : pressure of the pump, Pa.
    opening : of the valve when it is open, 0 to 1.
    piston, rod : areas of the chambers, m².
    modes : eigenmodes of the boom besides those of its ends, 1.
    """
    s = fx.System("cylinder_boom", planar=True)
    s.gravity([0.0, -9.81])
    s.ground.frame("C", [0.4, -1.0])
    steel = fx.Material(E=2.1e11, nu=0.3, rho=7850.0)
    beam = fx.beam_body(
        length, 6, steel, fx.box(0.1, 0.1, 0.005), frames={"start": "start", "B": 1, "end": "end"}
    )
    boom = s.flexible_body("boom", beam, support=fx.Clamped("start"), modes=modes, method="craig_bampton")
    load = s.rigid_body("load", payload, 0.01 * payload, position=[length, 0.0])
    s.revolute("A", s.ground, boom["start"])
    s.weld("hook", boom["end"], load)
    # pressure that holds the boom at rest, with that of the tank on the rod side
    arm = abs(0.4 * 0.0 + 1.0 * length / 6) / np.hypot(length / 6 - 0.4, 1.0)
    weight = 9.81 * (payload * length + 7850.0 * 0.0019 * length**2 / 2)
    hold = weight / arm / piston
    s.pressure_source("pump", "p", s.ground, supply)
    s.valve("valve", "p", "a", 1e-7, fx.smooth_step(0.0, opening, duration=0.3, begin=0.2), transition=1e4)
    s.valve("orifice", "b", s.ground, 1e-7, 1.0, transition=1e4)
    s.cylinder(
        "cylinder", "a", "b", (piston, rod), tail=s.ground["C"], head=boom["B"],
        compliance=(7e-13, 7e-13), start=(hold, 0.0),
    )  # fmt: skip
    s.channel("angle", fx.joint_coordinate("A"), "deg", "of the boom at its foot")
    s.channel("tip", fx.position(load, "y"), "m", "height of the payload")
    s.channel("pressure", fx.pressure(node="a"), "bar", "in the piston chamber")
    s.channel("flow", fx.flow("valve"), "m^3/s", "through the valve")
    return s
