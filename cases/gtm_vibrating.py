"""Vibrating system of GTM §3.3: four masses on a line, two springs, three dampers.

    1 ──╢ (d_a to the ground)
    2 ──k13── 3 ──d_b── 4 ──╢ (d_c to the ground)
    2 ──k15── 4

The figure is lost; these edges give GTM (61) and (62), and M, D, K of (68) in the tree m1, m3, k13, k15. The
other springs and the forces cannot be recovered. The seed has no numbers; these are ours.

Reference: the matrix exponential of (68), taken in masses alone: exact.
"""

import numpy as np

import flexnet as fx

END = 2.0


def build(
    k13: float = 100.0, k15: float = 200.0, da: float = 1.0, db: float = 2.0, dc: float = 3.0
) -> fx.System:
    """Build the line.

    Parameters
    ----------
    k13, k15 : stiffness of the springs, N/m.
    da, db, dc : dampers, N s/m.
    """
    s = fx.System("gtm_vibrating")
    for i, (mass, start) in enumerate(((1.0, 0.0), (2.0, 0.1), (3.0, 0.0), (4.0, 0.0))):
        s.line_mass(f"m{i + 1}", f"{i + 1}", mass, start=start, rate=0.5 if i == 0 else 0.0)
    s.line_spring("k13", "2", "3", k13)
    s.line_spring("k15", "2", "4", k15)
    s.line_damper("da", s.ground, "1", da)
    s.line_damper("db", "3", "4", db)
    s.line_damper("dc", s.ground, "4", dc)
    for i in range(4):
        s.channel(f"x{i + 1}", fx.line_displacement(f"m{i + 1}"), "m", f"displacement of mass {i + 1}")
    return s


def exact(t: np.ndarray) -> dict[str, np.ndarray]:
    """Matrix exponential for the default parameters."""
    M = np.diag([1.0, 2.0, 3.0, 4.0])
    K, D = np.zeros((4, 4)), np.zeros((4, 4))
    for A, i, j, value in ((K, 1, 2, 100.0), (K, 1, 3, 200.0), (D, 2, 3, 2.0)):
        A[np.ix_([i, j], [i, j])] += value * np.array([[1.0, -1.0], [-1.0, 1.0]])
    D[0, 0] += 1.0
    D[3, 3] += 3.0
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    values, vectors = np.linalg.eig(A)
    start = np.linalg.solve(vectors, np.array([0.0, 0.1, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]))
    x = (vectors[:4] * start) @ np.exp(np.outer(values, t))
    return {f"x{i + 1}": x[i].real for i in range(4)}


REFERENCES = [
    fx.Reference(
        source="GTM (68): exact, matrix exponential",
        curve=exact,
        tolerances=("2e-6:max",),
        end=2.0,
        step=2e-4,
        interval=0.01,
    )
]
