"""DynaFlex §5.3: deflection of the middle of the rod, in the axes of the reference."""

from pathlib import Path

import numpy as np

REFERENCES = Path(__file__).parents[2] / "cases" / "references"


def reference(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time [s] and deflections v and w [m] of ``nonlinear`` or ``linear_2modes``."""
    file = REFERENCES / f"spatial_slider_crank_{kind}.csv"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    columns = lines[0].split(",")
    data = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    return tuple(data[:, columns.index(name)] for name in ("t_s", "v_mid_m", "w_mid_m"))


def deflections(run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, v and w of a run of the case: e_x from crank pin to slider, e_y = Z × e_x, e_z = e_x × e_y."""
    pin, slider = run["frames/e2.end/position"], run["frames/e2/position"]
    middle = np.column_stack([run[f"channels/middle_{axis}"] for axis in "xyz"])
    e_x = slider - pin
    e_x /= np.linalg.norm(e_x, axis=1)[:, None]
    e_y = np.cross([0.0, 0.0, 1.0], e_x)
    e_y /= np.linalg.norm(e_y, axis=1)[:, None]
    e_z = np.cross(e_x, e_y)
    d = middle - pin
    return run["time"], np.einsum("ri,ri->r", d, e_y), np.einsum("ri,ri->r", d, e_z)


def far(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> list[float]:
    """Rms of the differences of v and w over rms of the other's."""
    out = []
    for k in (1, 2):
        x = np.interp(other[0], one[0], one[k])
        out.append(float(np.sqrt(np.mean((x - other[k]) ** 2) / np.mean(other[k] ** 2))))
    return out
