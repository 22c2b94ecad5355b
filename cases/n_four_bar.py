"""N-four-bar mechanism: IFToMM benchmark A02.

N windows of L × L made of 2N + 1 equal uniform rods; one degree of freedom. All vertical rods start
upright with the first tip B0 moving to the right at 1 m/s. Whenever the rods are horizontal the
mechanism passes a configuration with extra freedoms.

    B0 o───o───o … o BN
       │   │   │   │          ▼ g
       o   o   o … o
       A0  A1  A2  AN

Reference: it moves as one pendulum, I φ'' = V sin φ with I = (N+1)/3 + N, V = g ((N+1)/2 + N)
for unit rods and φ the angle from the vertical.
"""

import flexnet as fx

END = 10.0


def build(
    N: int = 2, L: float = 1.0, m: float = 1.0, g: float = 9.81, v0: float = 1.0, planar: bool = True
) -> fx.System:
    """Build the mechanism.

    Parameters
    ----------
    N : number of windows.
    L, m : length [m] and mass [kg] of every rod.
    g : gravity, m/s².
    v0 : initial velocity of B0, m/s.
    planar : planar system; False makes it of spatial pins, with 3 N redundant constraints.
    """
    s = fx.System("n_four_bar", planar=planar)
    s.gravity([0.0, -g, 0.0])
    J = m * L**2 / 12
    upright, flat = ([J, 0.0, J], [0.0, J, J]) if not planar else (J, J)
    s.ground.add_frames({f"A{i}": [i * L, 0.0] for i in range(1, N + 1)})
    rods = [
        s.rigid_body(
            f"rod{i}", m, upright, {"A": [0, -L / 2], "B": [0, L / 2]}, position=[i * L, L / 2],
            velocity=[v0 / 2, 0, 0], angular_velocity=[0, 0, -v0 / L],
        )
        for i in range(N + 1)
    ]  # fmt: skip
    bars = [
        s.rigid_body(
            f"bar{i}", m, flat, {"left": [-L / 2, 0], "right": [L / 2, 0]},
            position=[(i + 0.5) * L, L], velocity=[v0, 0, 0],
        )
        for i in range(N)
    ]  # fmt: skip
    for i, rod in enumerate(rods):
        s.revolute(f"A{i}", s.ground if i == 0 else s.ground[f"A{i}"], rod["A"])
    for i, bar in enumerate(bars):
        s.revolute(f"B{i}", rods[i]["B"], bar["left"])
        s.revolute(f"C{i}", bar["right"], rods[i + 1]["B"])
    s.start("A0", angle=0.0, rate=-v0 / L)
    s.channel("B0_x", fx.position(rods[0]["B"], "x"), "m")
    s.channel("B0_y", fx.position(rods[0]["B"], "y"), "m")
    s.channel("B0_vx", fx.velocity(rods[0]["B"], "x"), "m/s")
    s.channel("B0_vy", fx.velocity(rods[0]["B"], "y"), "m/s")
    return s
