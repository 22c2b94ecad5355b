"""One pose of a mechanism: bodies as lines and surfaces, points as blocks, joints as rings, ground."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexnet.typing import Array
from flexnet.view.figure import COLOURS
from flexnet.view.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Projection:
    """Parallel projection of space on the page.

    Parameters
    ----------
    azimuth, elevation : direction of the eye, degrees from x about z and above the x-y plane.
    """

    azimuth: float = -60.0
    elevation: float = 25.0

    def matrix(self, is_planar: bool) -> Array:
        """(2, 3) matrix: x and y themselves for a planar mechanism, else right and up of the eye."""
        if is_planar:
            return np.eye(2, 3)
        a, e = np.radians([self.azimuth, self.elevation])
        right = [-np.sin(a), np.cos(a), 0.0]
        up = [-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)]
        return np.array([right, up])


def draw_pose(axes: "Axes", scene: Scene, k: int, projection: Projection) -> None:
    """Draw the pose at time ``k`` of a scene on cleared axes, at the same scale for all times."""
    from matplotlib.collections import LineCollection, PolyCollection

    flat = projection.matrix(scene.is_planar)
    size = _frame_axes(axes, scene, flat)
    for n, shape in enumerate(scene.shapes):
        colour = COLOURS[n % len(COLOURS)]
        points = shape.points[k] @ flat.T
        if len(shape.triangles):
            surface = PolyCollection(
                points[shape.triangles], facecolor=colour, edgecolor=colour, alpha=0.25, linewidth=0.3
            )
            axes.add_collection(surface)
        if not len(shape.lines) and not len(shape.triangles):
            axes.plot(points[:1, 0], points[:1, 1], "s", color=colour, markersize=13, zorder=3)
        axes.add_collection(
            LineCollection(points[shape.lines], color=colour, linewidth=2.5, capstyle="round")
        )
    for place in scene.ground @ flat.T:
        _draw_ground(axes, place, 0.03 * size)
    joints = scene.joints[k] @ flat.T
    axes.plot(
        joints[:, 0], joints[:, 1], "o", color="#1c2530", markerfacecolor="white", markersize=6, zorder=5
    )
    axes.set_title(f"t = {scene.time[k]:.4g} s", fontsize="small")


def _frame_axes(axes: "Axes", scene: Scene, flat: Array) -> float:
    """Clear the axes and fix their limits to the whole motion; return the size of the picture, m."""
    low, high = scene.extent
    corners = np.array(
        [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    )
    seen = corners @ flat.T
    centre = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    size = float(np.ptp(seen, axis=0).max()) or 1.0
    half = np.maximum(0.5 * np.ptp(seen, axis=0), 0.2 * size) + 0.08 * size
    axes.clear()
    axes.set_aspect("equal")
    axes.set_xlim(centre[0] - half[0], centre[0] + half[0])
    axes.set_ylim(centre[1] - half[1], centre[1] + half[1])
    axes.set_axis_off()
    return size


def _draw_ground(axes: "Axes", place: Array, size: float) -> None:
    """Draw a support: a triangle on a hatched line."""
    x, y = place
    axes.plot(
        [x, x - size, x + size, x], [y, y - 1.5 * size, y - 1.5 * size, y], color="#5f6b76", linewidth=1.0
    )
    for shift in np.linspace(-1.0, 1.0, 5):
        start = (x + shift * size, y - 1.5 * size)
        axes.plot(
            [start[0], start[0] - 0.5 * size],
            [start[1], start[1] - 0.6 * size],
            color="#5f6b76",
            linewidth=0.8,
        )
