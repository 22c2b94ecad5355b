"""One pose of a mechanism: a colour a link, joints as rings, rails, springs and cylinders, ground."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexnet.typing import Array
from flexnet.view.figure import COLOURS
from flexnet.view.scene import MovingShape, Scene

#: times its own size that a mechanism travels where pictures follow it
FAR = 8.0
#: of force elements
FORCE = "#c4561a"

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
    size = _frame_axes(axes, scene, k, flat)
    for part in scene.parts:
        _draw_part(axes, part.look, part.ends[k] @ flat.T, size)
    for shape in sorted(scene.shapes, key=_surface, reverse=True):  # a small one in front of a large one
        colour = COLOURS[shape.link % len(COLOURS)]
        points = shape.points[k] @ flat.T
        if len(shape.triangles) and len(shape.lines):  # a plate between rods
            axes.add_collection(
                PolyCollection(points[shape.triangles], facecolor=colour, alpha=0.25, edgecolor="none")
            )
        elif len(shape.triangles):
            _draw_solid(axes, shape.points[k][shape.triangles], flat, colour)
        is_seen = len(shape.lines) or np.ptp(points, axis=0).max() > 0.03 * size
        if not is_seen:
            axes.plot(points[:1, 0], points[:1, 1], "s", color=colour, markersize=13, zorder=3)
        axes.add_collection(
            LineCollection(points[shape.lines], color=colour, linewidth=2.5, capstyle="round", zorder=2)
        )
    for line in scene.touched:
        ends = (line.points[k] @ flat.T)[line.lines]
        axes.add_collection(LineCollection(ends, color="#5f6b76", linewidth=1.2, zorder=1))
    for place in scene.ground @ flat.T:
        _draw_ground(axes, place, 0.03 * size)
    joints = scene.joints[k] @ flat.T
    axes.plot(
        joints[:, 0], joints[:, 1], "o", color="#1c2530", markerfacecolor="white", markersize=6, zorder=5
    )
    axes.set_title(f"t = {scene.time[k]:.4g} s", fontsize="small", y=1.0)  # no search for a free place


def _surface(shape: MovingShape) -> float:
    """Extent of a solid, m; zero of what is made of lines."""
    return float(np.ptp(shape.points[0], axis=0).max()) if len(shape.triangles) else 0.0


def _draw_solid(axes: "Axes", triangles: Array, flat: Array, colour: str) -> None:
    """Draw a surface, farthest triangles first, lighter where it faces the light."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    towards = np.cross(flat[0], flat[1])
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    light = towards + 0.6 * flat[1] + 0.3 * flat[0]
    shade = 0.55 + 0.45 * np.abs(normal @ light) / np.linalg.norm(light)
    order = np.argsort((triangles @ towards).mean(axis=1))
    paint = 1.0 - (1.0 - np.array(to_rgb(colour))) * 0.75
    faces = np.clip(paint * shade[:, None], 0.0, 1.0)[order]
    axes.add_collection(
        PolyCollection(list((triangles @ flat.T)[order]), facecolor=faces, edgecolor=faces, linewidth=0.3)
    )


def _draw_part(axes: "Axes", look: str, ends: Array, size: float) -> None:
    """Draw a rail, a line, a coil, a cylinder or two plates between two points of the page."""
    tail, head = ends
    d = head - tail
    length = float(np.linalg.norm(d))
    u = d / length if length > 0 else np.array([1.0, 0.0])
    n = np.array([-u[1], u[0]])
    if look == "rail":
        long = np.array([tail - 0.02 * size * u, head + 0.02 * size * u])
        for side in (-1, 1):
            axes.plot(*(long + side * 0.014 * size * n).T, color="#5f6b76", linewidth=1.2, zorder=1)
        return
    if look == "condenser":
        for end in ends:
            bar = np.array([end - 0.05 * size * n, end + 0.05 * size * n])
            axes.plot(*bar.T, color=FORCE, linewidth=2.2, solid_capstyle="butt", zorder=1.5)
    if look == "tie":
        axes.plot(*ends.T, color="#1c2530", linewidth=1.4, zorder=1.5)
    if look in ("spring", "spring_damper", "bushing"):
        s = np.linspace(0.0, 1.0, 41)
        inside = (s > 0.12) & (s < 0.88)
        wave = np.where(inside, np.where(np.arange(41) % 2, 1.0, -1.0), 0.0)
        zigzag = tail + s[:, None] * d + 0.018 * size * wave[:, None] * n
        axes.plot(*zigzag.T, color=FORCE, linewidth=1.1, zorder=1.5)
    if look in ("damper", "spring_damper", "actuator"):
        barrel = np.array([tail, tail + 0.55 * d])
        axes.plot(*barrel.T, color=FORCE, linewidth=6.5, alpha=0.6, solid_capstyle="butt", zorder=1.4)
        axes.plot(*np.array([tail + 0.4 * d, head]).T, color="#1c2530", linewidth=1.6, zorder=1.5)


def _frame_axes(axes: "Axes", scene: Scene, k: int, flat: Array) -> float:
    """Clear the axes and fix their limits; return the size of the picture, m.

    They hold the whole motion, or one that travels so far that it would not be seen the pose alone, at the
    scale of the largest.
    """
    low, high = scene.extent
    corners = np.array(
        [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    )
    seen = corners @ flat.T
    pose = np.concatenate([shape.points for shape in scene.shapes], axis=1) @ flat.T  # (time, point, xy)
    own = np.ptp(pose, axis=1).max(axis=0)
    if FAR * own.max() < np.ptp(seen, axis=0).max() and own.max() > 0.0 and not len(scene.touched):
        middle = 0.5 * (pose[k].min(axis=0) + pose[k].max(axis=0))
        seen = middle + 0.5 * np.array([-own, own])
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
