"""A chain of N pendula: uniform rods of 1 m and 1 kg, let go at 45° below the horizontal."""

import numpy as np

import flexnet as fx


def build(N: int = 10, g: float = 9.81) -> fx.System:
    """Build the chain."""
    s = fx.System("chain", planar=True)
    s.gravity([0.0, -g, 0.0])
    R = fx.rotation("z", -np.pi / 4)
    end: object = s.ground
    for i in range(N):
        rod = s.rigid_body(
            f"rod{i}", 1.0, 1.0 / 12.0, {"A": [-0.5, 0.0], "B": [0.5, 0.0]},
            position=R @ [i + 0.5, 0.0, 0.0], rotation=R,
        )  # fmt: skip
        s.revolute(f"joint{i}", end, rod["A"])
        end = rod["B"]
    return s
