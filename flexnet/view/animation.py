"""A mechanism in motion as a moving picture or a strip of poses."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexnet.errors import ResultError, StorageError
from flexnet.results import Results
from flexnet.store import writing
from flexnet.typing import Array
from flexnet.view.figure import ENDINGS, SIGNATURES, new_figure, save_figure
from flexnet.view.mechanism_drawing import Projection, draw_pose
from flexnet.view.scene import Scene, scene_of

if TYPE_CHECKING:
    from matplotlib.animation import AbstractMovieWriter

#: endings of moving pictures; those with a codec are written by ffmpeg
MOVING = {".gif": "", ".mp4": "libx264", ".webm": "libvpx-vp9"}


@dataclass(frozen=True, slots=True)
class AnimationOptions:
    """How a motion is shown.

    Parameters
    ----------
    frames : number of pictures of a moving picture.
    poses : number of poses of a strip.
    rate : pictures per second.
    start, end : part of the run to show, s.
    projection : where a spatial mechanism is seen from.
    scale : factor on the deformations of flexible bodies; joints stay where they are.
    """

    frames: int = 80
    poses: int = 6
    rate: int = 20
    start: float = -np.inf
    end: float = np.inf
    projection: Projection = field(default_factory=Projection)
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.frames < 1 or self.poses < 1 or self.rate < 1:
            raise ResultError("an animation has at least one picture and a positive rate")


def animate(results: Results, out: str | Path, options: AnimationOptions | None = None) -> Path:
    """Draw the mechanism of a result file in motion; returns the path written.

    Parameters
    ----------
    results : result file with a model.
    out : ``.gif``, ``.mp4`` or ``.webm`` for a film; ``.png``, ``.svg``, ``.pdf`` or ``.jpg`` for a strip.
    options : how it is shown.

    Raises
    ------
    ResultError
        If there is nothing to draw, or ``.mp4`` or ``.webm`` is asked for where ffmpeg is not installed.
    StorageError
        If the path cannot be written.
    """
    path, options = Path(out), options or AnimationOptions()
    ending = path.suffix.lower()
    if ending not in (*MOVING, *ENDINGS):
        raise StorageError(f"{path}: an animation ends in one of {', '.join((*MOVING, *ENDINGS))}")
    writer = _writer(path, options.rate) if ending in MOVING else None
    count = options.poses if writer is None else options.frames
    scene = scene_of(results, _times(results, options, count), options.scale)
    if writer is None:
        return _save_strip(scene, path, options.projection)
    _save_movie(scene, path, options.projection, writer)
    return path


def _times(results: Results, options: AnimationOptions, count: int) -> Array:
    if not results.rows:
        raise ResultError(f"{results.path}: no rows to draw")
    time = results.time
    start, end = max(options.start, time[0]), min(options.end, time[-1])
    if start > end:
        raise ResultError(f"{results.path}: nothing between {options.start:g} and {options.end:g} s")
    return np.linspace(start, end, count)


def _writer(path: Path, rate: int) -> "AbstractMovieWriter":
    from matplotlib.animation import FFMpegWriter, PillowWriter

    ending = path.suffix.lower()
    if not MOVING[ending]:
        return PillowWriter(fps=rate)
    if not FFMpegWriter.isAvailable():
        raise ResultError(f"{path}: {ending} needs ffmpeg, which is not installed; .gif and .png do not")
    # players of browsers take colours at half the resolution only
    return FFMpegWriter(fps=rate, codec=MOVING[ending], extra_args=["-pix_fmt", "yuv420p"])


def _save_movie(scene: Scene, path: Path, projection: Projection, writer: "AbstractMovieWriter") -> None:
    figure = new_figure(6.4, 4.8)
    axes = figure.add_subplot()
    with writing(path, SIGNATURES[path.suffix.lower()]) as draft, writer.saving(figure, draft, dpi=100):
        for k in range(len(scene.time)):
            draw_pose(axes, scene, k, projection)
            if k == 0:  # the layout is that of every picture
                figure.suptitle(scene.title)
                figure.draw_without_rendering()
                figure.set_layout_engine("none")
            writer.grab_frame()


def _save_strip(scene: Scene, path: Path, projection: Projection) -> Path:
    count = len(scene.time)
    columns = min(count, 3)
    rows = -(-count // columns)
    figure = new_figure(3.6 * columns, 0.5 + 3.0 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for k, ax in enumerate(axes):
        if k < count:
            draw_pose(ax, scene, k, projection)
        else:
            ax.set_axis_off()
    figure.suptitle(scene.title)
    return save_figure(figure, path)
