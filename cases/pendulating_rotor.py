r"""Pendulating rotor: DynaFlex §5.2 (after Ginsberg), figures 5-6.

Two massless shafts and a disk in series. Servomotors keep the precession rate about the vertical at
D and the spin rate of the disk at B; the nutation angle θ at A is free.

        ┬ D  ψ about Z (driven)
        │ shaft 1
        o A  θ about x
         \ shaft 2, length L
        ──┼── B  φ about the shaft (driven)
         disk m3, R

At θ = 0 shaft 2 hangs down. With the joints in the tree the drivers are constraints and their torques
multipliers; with the drivers in the tree one coordinate, θ, is left.
The paper gives no numbers.
"""

import numpy as np

import flexnet as fx

END = 2.0


def build(
    m3: float = 2.0,
    R: float = 0.2,
    L: float = 0.5,
    g: float = 9.81,
    psi: fx.TimeLike = None,
    phi: fx.TimeLike = None,
    theta: float = 0.6,
) -> fx.System:
    """Build the rotor.

    Parameters
    ----------
    m3, R : mass [kg] and radius [m] of the disk.
    L : length of the second shaft, m.
    g : gravity, m/s².
    psi, phi : driven precession and spin angles, rad, functions of time; 3 t and 40 t if left out.
    theta : initial nutation angle, rad.
    """
    s = fx.System("pendulating_rotor")
    s.gravity([0.0, 0.0, -g])
    down = fx.rotation("x", np.pi)
    tilt = down @ fx.rotation("x", theta)
    shaft_1 = s.massless_body("shaft_1", {"e4": [0, 0, 0], "e5": ([0, 0, 0], down)})
    shaft_2 = s.massless_body(
        "shaft_2", {"e7": [0, 0, -L / 2], "e12": [0, 0, L / 2]}, tilt @ [0, 0, L / 2], tilt
    )
    J = m3 * R**2 / 4
    disk = s.rigid_body("disk", m3, [J, J, 2 * J], position=tilt @ [0, 0, L], rotation=tilt)
    s.revolute("D", s.ground, shaft_1["e4"], axis="z")
    s.revolute("A", shaft_1["e5"], shaft_2["e7"], axis="x")
    s.revolute("B", shaft_2["e12"], disk, axis="z")
    s.motion("e8", joint="D", angle=fx.ramp(3.0) if psi is None else psi)
    s.motion("e13", joint="B", angle=fx.ramp(40.0) if phi is None else phi)
    s.start("A", angle=theta, rate=0.0)
    s.channel("nutation", fx.joint_coordinate("A"), "rad")
    s.channel("T_1", fx.torque("e8"), "N m", "servomotor at D")
    s.channel("T_2", fx.torque("e13"), "N m", "servomotor at B")
    return s
