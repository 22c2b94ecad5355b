"""Twenty rods of 1 m and 1 kg in a row, each on a bushing at the end of the one before, under gravity."""

import numpy as np

import flexnet as fx


def build(N: int = 20) -> fx.System:
    """Build the row."""
    s = fx.System("rods on bushings")
    s.gravity([0.0, 0.0, -9.81])
    stiffness, damping = np.diag([1e5] * 3 + [1e3] * 3), np.diag([10.0] * 3 + [1.0] * 3)
    end: object = s.ground
    for i in range(N):
        rod = s.rigid_body(
            f"rod{i}", 1.0, np.diag([1e-3, 1 / 12, 1 / 12]), {"A": [-0.5, 0.0, 0.0], "B": [0.5, 0.0, 0.0]},
            position=[i + 0.5, 0.0, 0.0],
        )  # fmt: skip
        s.bushing(f"bushing{i}", end, rod["A"], stiffness, damping)
        end = rod["B"]
    return s
