"""Plants under control, shared by the tests of signals."""

import numpy as np
from scipy.linalg import expm

import flexnet as fx

#: moment of inertia and stiffness of the rotor, gains and filter of its controller, wanted angle
J, K = 0.8, 5.0
KP, KI, KD, T_F, WANTED = 40.0, 60.0, 6.0, 0.03, 0.5


def rotor(limit: float | None = None, tree_side: bool = False) -> fx.System:
    """A rotor on a torsional spring, held by a PID controller: linear throughout but for its limits."""
    s = fx.System("rotor", planar=True)
    disc = s.rigid_body("disc", 1.0, J)
    s.revolute("O", s.ground, disc)
    s.torsional_spring("spring", joint="O", stiffness=K)
    angle = fx.joint_coordinate("O")
    u = fx.pid(
        WANTED - angle, KP, KI, KD, filter=T_F, unit="N*m", name="pid",
        low=None if limit is None else -limit, high=limit,
    )  # fmt: skip
    s.torque("motor", joint="O", torque=u)
    s.channel("angle", angle)
    s.channel("rate", fx.joint_rate("O"))
    s.channel("u", u)
    s.channel("motor", fx.torque("motor", along="z"))
    s.channel("spring", fx.torque("spring", along="z"))
    return s


def rotor_exact(t: float) -> np.ndarray:
    """θ, ω, integral and filter state of the rotor, by the matrix exponential."""
    # J ω̇ = -K θ + KP e + i + KD (e - d)/T_F,  i' = KI e,  d' = (e - d)/T_F,  e = WANTED - θ; last state is 1
    gain = KP + KD / T_F
    A = np.array(
        [
            [0, 1, 0, 0, 0],
            [-(K + gain) / J, 0, 1 / J, -KD / T_F / J, gain * WANTED / J],
            [-KI, 0, 0, 0, KI * WANTED],
            [-1 / T_F, 0, 0, -1 / T_F, WANTED / T_F],
            [0, 0, 0, 0, 0],
        ]
    )
    return (expm(A * t) @ [0, 0, 0, 0, 1])[:4]


def state_of(run: fx.Run) -> np.ndarray:
    """θ, ω and states at the end of a run of the rotor."""
    return np.array([run.channel("angle")[-1], run.channel("rate")[-1], *run["state/z"][-1]])


def slider_crank() -> fx.System:
    """A crank turned so that the slider goes where a smooth step wants it."""
    s = fx.System("positioned slider", planar=True)
    crank = s.rigid_body("crank", 1.0, 0.01, {"O": [-0.5, 0], "A": [0.5, 0]}, position=[0.3, 0.4])
    rod = s.rigid_body("rod", 1.0, 0.1, {"A": [-1, 0], "B": [1, 0]}, position=[1.3, 0.4])
    slider = s.rigid_body("slider", 1.0, 0.1, position=[2.2, 0])
    s.revolute("O", s.ground, crank["O"])
    s.revolute("A", crank["A"], rod["A"])
    s.revolute("B", rod["B"], slider)
    s.prismatic("guide", s.ground, slider, axis="x")
    wanted = fx.known(fx.smooth_step(2.4, 2.0, 0.5), "m")
    place, speed = fx.joint_coordinate("guide", "displacement"), fx.velocity(slider, "x")
    u = fx.pid(wanted - place, -60.0, -40.0, -15.0, rate=wanted.rate - speed, unit="N*m", name="loop")
    bend = fx.lag(np.sin(fx.joint_coordinate("B")) * fx.quantity(0.5, "N*m"), 0.05, name="bend")
    s.torque("motor", joint="O", torque=u + bend)
    s.start("O", angle=0.9)
    s.channel("place", place)
    s.channel("motor", fx.torque("motor", along="z"))
    return s
