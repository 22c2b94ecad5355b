"""Body on two springs and a dashpot: FlexNet, figure 1, with its graph of six nodes and eight edges.

    4 o──k6──o 3 ══════ 1 (C.G.) ══════ 2 o──k7──o 5      e8: dashpot from 5 to 3

e1 is the body, e2 and e3 its arms, e4 and e5 the fixed points, e6 and e7 the springs, e8 the dashpot;
equations (1), (4), (6) and (8) of the paper are those of this graph. The numbers are ours.
All points lie on one line and both springs have their free lengths at the start; the motion along the line is

    m x'' + d x' + (k6 + k7) x = 0,      exactly, however far it goes.

Reference: its closed form.
"""

import numpy as np

import flexnet as fx

END = 2.0


def build(
    m: float = 2.0, k6: float = 150.0, k7: float = 50.0, d: float = 4.0, v: float = 1.0, arm: float = 0.3
) -> fx.System:
    """Build body, springs and dashpot.

    Parameters
    ----------
    m : mass of the body, kg.
    k6, k7 : stiffness of the springs, N/m.
    d : of the dashpot, N s/m.
    v : velocity along the line at the start, m/s.
    arm : from the centre of gravity to either spring, m.
    """
    s = fx.System("flexnet_figure_1", planar=True)
    s.ground.frame("4", [-1.0, 0.0])
    s.ground.frame("5", [1.0, 0.0])
    body = s.rigid_body(
        "body", m, 0.1 * m, {"2": [arm, 0.0], "3": [-arm, 0.0]}, position=[0.0, 0.0], velocity=[v, 0.0]
    )
    s.spring("k6", s.ground["4"], body["3"], stiffness=k6, free_length=1.0 - arm)
    s.spring("k7", s.ground["5"], body["2"], stiffness=k7, free_length=1.0 - arm)
    s.spring("d8", s.ground["5"], body["3"], damping=d)
    s.channel("x", fx.position(body, "x"), "m", "centre of gravity")
    s.channel("F6", fx.force("k6", "x"), "N", "of spring 6 on the body")
    return s


def exact(t: np.ndarray) -> dict[str, np.ndarray]:
    """Damped vibration for the default parameters."""
    m, k, d = 2.0, 200.0, 4.0
    decay = d / (2.0 * m)
    omega = np.sqrt(k / m - decay**2)
    x = np.exp(-decay * t) * np.sin(omega * t) / omega
    return {"x": x, "F6": -150.0 * x}


REFERENCES = [
    fx.Reference(
        source="FlexNet figure 1: exact",
        curve=exact,
        tolerances=("1e-5:max", "F6=1.5e-3:max"),
        end=2.0,
        step=5e-4,
        interval=0.01,
    )
]
