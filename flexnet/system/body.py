"""A body as its author handles it: a name, an initial pose, and frames by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeAlias, cast

import numpy as np

from flexnet.components import Frame, as_rotation, as_vector
from flexnet.errors import ModelError
from flexnet.system.solid import Surface, solid
from flexnet.typing import Array, Vector
from flexnet.validation import plain_name

#: position [m], or (position, rotation matrix), in the body frame
FrameLike: TypeAlias = Vector | tuple[Vector, Array]


def check_name(name: str) -> None:
    """Refuse a name that would be mistaken for ``body.frame``, ``joint@end`` or a path in a file."""
    if not name or (isinstance(name, str) and any(letter in name for letter in ".@/")):
        raise ModelError(f"{name!r} cannot be a name: it is empty or contains '.', '@' or '/'")
    plain_name(name, "the name")


@dataclass(slots=True, eq=False)
class Body:
    """Frames of a body by name; ``body["A"]`` is frame A, ``body`` itself its own frame.

    Attributes
    ----------
    name : unique name.
    position, rotation : rough initial pose in ground, (3,) m and (3, 3).
    velocity, angular_velocity : rough initial rates in ground axes, m/s and rad/s.
    frames : frames by their short names.
    origin : the frame the body edge ends at: the centre of mass of a rigid body.
    surfaces : what the body looks like, points (n, 3) in its frame, m, and triangles (k, 3); drawings make
        something up where there is none.
    """

    name: str
    position: Array = field(default_factory=lambda: np.zeros(3))
    rotation: Array = field(default_factory=lambda: np.eye(3))
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))
    frames: dict[str, Frame] = field(default_factory=dict)
    surfaces: list[Surface] = field(default_factory=list)
    origin: Frame = field(init=False)

    def __post_init__(self) -> None:
        self.origin = Frame(self.name, self.name, np.zeros(3), np.eye(3))

    def owns(self, frame: Frame) -> bool:
        """Whether a frame is one of this very body, not of a namesake in another system."""
        return frame is self.origin or any(frame is own for own in self.frames.values())

    def frame(self, name: str, position: Vector, rotation: Array | None = None) -> Frame:
        """Add a frame to the body.

        Parameters
        ----------
        name : name of the frame on this body.
        position : origin in the body frame, m.
        rotation : (3, 3) orientation in the body frame; the identity if left out.
        """
        check_name(name)
        if name == "weight":
            raise ModelError(f"frame of body {self.name!r} cannot be called 'weight': gravity's edge is")
        if name in self.frames:
            raise ModelError(f"body {self.name!r} already has a frame {name!r}")
        full = f"{self.name}.{name}"
        made = Frame(
            full,
            self.name,
            as_vector(position, f"position of frame {full!r}"),
            as_rotation(rotation, f"rotation of frame {full!r}"),
        )
        self.frames[name] = made
        return made

    def add_frames(self, frames: Mapping[str, FrameLike]) -> None:
        """Add several frames: positions, or (position, rotation) pairs."""
        for name, value in frames.items():
            if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[1]) == 2:
                self.frame(name, cast(Vector, value[0]), np.asarray(value[1]))
            else:
                self.frame(name, cast(Vector, value))

    def shape(
        self,
        kind: str,
        size: Vector | float,
        position: Vector = (0.0, 0.0, 0.0),
        rotation: Array | None = None,
    ) -> None:
        """Say what the body looks like in drawings; several shapes make one look. It has no mass.

        Parameters
        ----------
        kind : ``"box"`` (size: sides a, b, c), ``"cylinder"`` (radius, length along z) or ``"sphere"``
            (radius), m.
        position, rotation : of its centre and axes in the body frame.
        """
        points, corners = solid(self.name, kind, size)
        at = as_vector(position, f"position of a shape of body {self.name!r}")
        R = as_rotation(rotation, f"rotation of a shape of body {self.name!r}")
        self.surfaces.append((points @ R.T + at, corners))

    def surface(self, points: Array, triangles: Array) -> None:
        """Say what the body looks like by a mesh: points (n, 3) in its frame, m, and triples of them (k, 3).

        A mesh file does it so: ``m = fx.read_mesh("part.stl"); body.surface(m.nodes, m.triangles)``.
        """
        p, corners = np.array(points, dtype=float), np.array(triangles)
        if p.ndim != 2 or p.shape[1] != 3 or not np.all(np.isfinite(p)):
            raise ModelError(f"surface of body {self.name!r} needs finite points (n, 3), got {p.shape}")
        if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu" or not corners.size:
            raise ModelError(f"surface of body {self.name!r} needs triples of point numbers (k, 3)")
        if corners.min() < 0 or corners.max() >= len(p):
            raise ModelError(f"surface of body {self.name!r} names point {corners.max()} of {len(p)}")
        self.surfaces.append((p, corners.astype(np.int64)))

    def __getitem__(self, name: str) -> Frame:
        if name not in self.frames:
            near = get_close_matches(name, self.frames, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(self.frames) or 'none'}"
            raise ModelError(f"body {self.name!r} has no frame {name!r}{hint}")
        return self.frames[name]
