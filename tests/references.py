"""Reference curves in tests/data, by name."""

from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"


def curve(name: str) -> dict[str, np.ndarray]:
    """Columns of a CSV file by heading."""
    lines = [line for line in (DATA / f"{name}.csv").read_text().splitlines() if not line.startswith("#")]
    rows = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    return dict(zip(lines[0].split(","), rows.T, strict=True))
