"""Reference curves of cases/references, and how far a run is from them."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

import flexnet as fx
from tests.catalogue import build, load

DATA = Path(__file__).parents[2] / "cases" / "references"


class Distance(NamedTuple):
    """Differences over the peak of the reference, and the peaks themselves."""

    largest: float
    rms: float
    low: float
    high: float
    reference_low: float
    reference_high: float


def reference(name: str) -> dict[str, np.ndarray]:
    """Columns of a reference curve; the first is the time."""
    lines = [line for line in (DATA / f"{name}.csv").read_text().splitlines() if not line.startswith("#")]
    columns = lines[0].split(",")
    values = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    return dict(zip(columns, values.T, strict=True))


def run(case: str, end: float, step: float, rho: float = 0.9, tree: str = "default", **parameters) -> fx.Run:
    """Simulate a case by generalised-α."""
    equations = fx.formulate(build(case, **parameters), tree)
    return fx.simulate(equations, end, step, method=fx.generalised_alpha(rho))


def distance(t: np.ndarray, x: np.ndarray, curve: dict[str, np.ndarray], column: str, end=np.inf) -> Distance:
    """Compare a signal with a column of a reference, up to ``end``."""
    times = next(iter(curve.values()))
    inside = times <= min(t[-1], end) + 1e-12
    expected = curve[column][inside]
    found = np.interp(times[inside], t, x)
    peak = np.abs(expected).max()
    error = np.abs(found - expected) / peak
    ends = (found.min(), found.max(), expected.min(), expected.max())
    return Distance(error.max(), float(np.sqrt(np.mean(error**2))), *(float(v) for v in ends))


def panel_displacements(motion: fx.Run) -> dict[str, np.ndarray]:
    """Displacements of the outer edges of both panels from rigid motion, along the rigid normals."""
    return {name: values for name, (_, values) in load("panel_deployment").displacements(motion).items()}
