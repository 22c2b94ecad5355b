"""Terminal equations as data: what an edge lets its head frame do as seen from its tail frame.

Translation (components in the tail frame A, B the head frame)

    r_AB = offset + Σ freeᵢ xᵢ + Σ drivenⱼ fⱼ(t)                                            (1)

with motion space ``free`` (unknowns xᵢ) and reaction space ``fixed`` plus the driven directions.

Rotation

    R_AB = 1 | rot(axis, θ) | rot(axis₁, α) rot(axis₂, β) | any | rot(axis, f(t))            (2)

A planar system keeps the in-plane part of both: z is neither a motion nor a reaction of translation,
and z is the only motion or reaction of rotation (GTM table 4).
"""

from dataclasses import dataclass, replace

import numpy as np

from flexnet.components.frame import normals
from flexnet.components.row import Row
from flexnet.components.time_function import TimeFunction
from flexnet.errors import ModelError
from flexnet.typing import Array

Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """A named direction (3,) in the tail frame."""

    name: str
    vector: Array


XYZ = (Direction("x", np.eye(3)[0]), Direction("y", np.eye(3)[1]), Direction("z", np.eye(3)[2]))
_XY = XYZ[:2]


@dataclass(frozen=True, slots=True, eq=False)
class Translation:
    """Translational terminal equation (1).

    Attributes
    ----------
    free : motion space; each direction is an unknown when the edge is a branch.
    fixed : reaction space; each direction is a constraint when the edge is a chord.
    driven : directions with a known function of time [m].
    offset : (3,) constant part, m.
    pitch : of a screw: the one free direction moves by so much in a radian of the edge's angle, m.
    """

    free: tuple[Direction, ...] = ()
    fixed: tuple[Direction, ...] = ()
    driven: tuple[tuple[Direction, TimeFunction], ...] = ()
    offset: Array | None = None
    pitch: float | None = None

    def in_plane(self, what: str) -> "Translation":
        """Keep the part in the xy plane."""
        free = _in_plane(self.free, what)
        fixed = _in_plane(self.fixed, what)
        driven = tuple((d, f) for d, f in self.driven if _in_plane((d,), what))
        # beside what lies in the plane; a joint out of it is seen by its frames as well
        if self.offset is not None and abs(self.offset[2]) > 1e-12 * float(np.abs(self.offset).max()):
            raise ModelError(f"{what} leaves the plane: z is {self.offset[2]:g} m in a planar system")
        if len(free) + len(fixed) + len(driven) > 2:
            raise ModelError(f"{what} has more than two in-plane directions")
        return Translation(free, fixed, driven, self.offset, self.pitch if free else None)


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """Rotational terminal equation (2).

    Attributes
    ----------
    kind : ``fixed``, ``axis``, ``universal``, ``free`` or ``driven``.
    axes : unit vectors; of ``universal`` the first is fixed in the tail, the second in the head frame.
    names : names of the unknowns.
    function : known angle of a ``driven`` rotation, rad.
    about_axis_only : of a driver that rides on a joint: the joint carries the other two directions.
    """

    kind: str
    axes: tuple[Array, ...] = ()
    names: tuple[str, ...] = ()
    function: TimeFunction | None = None
    about_axis_only: bool = False

    @classmethod
    def about(cls, axis: Array) -> "Rotation":
        """One rotation about an axis, the same in both frames."""
        return cls("axis", (axis,), ("angle",))

    @classmethod
    def ball(cls) -> "Rotation":
        """Any rotation."""
        return cls("free", names=("rotation_x", "rotation_y", "rotation_z"))

    @property
    def is_fixed(self) -> bool:
        """Whether nothing turns."""
        return self.kind == "fixed"

    @property
    def is_free(self) -> bool:
        """Whether it is any rotation."""
        return self.kind == "free"

    @property
    def steps(self) -> tuple[Array, ...]:
        """Axes of its turns, one after another from tail to head, by unknowns or by the known function."""
        return () if self.is_fixed or self.is_free else self.axes

    @property
    def unknowns(self) -> int:
        """Number of rotational unknowns when the edge is a branch."""
        return {"fixed": 0, "driven": 0, "axis": 1, "universal": 2, "free": 3}[self.kind]

    def in_plane(self, what: str) -> "Rotation":
        """Keep the rotation about z."""
        if self.kind in ("axis", "driven") and abs(abs(self.axes[0][2]) - 1.0) > 1e-9:
            raise ModelError(
                f"{what} turns about {self.axes[0].tolist()}; a planar system turns about z only"
            )
        if self.kind == "universal":
            raise ModelError(f"{what} is a universal joint, which has no planar form")
        if self.kind == "free":
            return replace(self, kind="axis", axes=(Z,), names=("angle",))
        if self.kind == "fixed":
            return replace(self, axes=(Z,))
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Terminal:
    """Both terminal equations of an edge; None where the edge is not in that graph.

    Attributes
    ----------
    rows : conditions besides those of the two reaction spaces.
    is_spatial : it has no planar form.
    """

    translation: Translation | None
    rotation: Rotation | None
    rows: tuple[Row, ...] = ()
    is_spatial: bool = False

    @classmethod
    def of_rows(cls, *rows: Row) -> "Terminal":
        """Any motion, but for some conditions."""
        return cls(Translation(free=XYZ), Rotation.ball(), rows)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of what moves by coordinates; a free rotation has none that is a number."""
        t, r = self.translation, self.rotation
        turns = () if r is None or r.kind == "free" else r.names
        return (*(d.name for d in (t.free if t else ())), *turns)

    @property
    def single_axis(self) -> Array | None:
        """Axis of the one angle of an edge, which can be driven, sprung or recorded; None without one."""
        r = self.rotation
        return r.axes[0] if r is not None and r.kind == "axis" else None

    def in_plane(self, what: str) -> "Terminal":
        """Restrict to the xy plane."""
        if self.is_spatial:
            raise ModelError(f"{what} has no planar form")
        return Terminal(
            None if self.translation is None else self.translation.in_plane(what),
            None if self.rotation is None else self.rotation.in_plane(what),
            tuple(row for row in self.rows if not row.is_spatial),
        )


def along(axis: Array, name: str = "displacement") -> tuple[tuple[Direction, ...], tuple[Direction, ...]]:
    """Motion space along an axis and the reaction space normal to it."""
    n1, n2 = normals(axis)
    return (Direction(name, axis),), (Direction("normal_1", n1), Direction("normal_2", n2))


def _in_plane(directions: tuple[Direction, ...], what: str) -> tuple[Direction, ...]:
    if directions is XYZ:
        return _XY
    kept = []
    for direction in directions:
        z = abs(direction.vector[2])
        if z > 1 - 1e-9:
            continue
        if z > 1e-9:
            raise ModelError(f"{what} has direction {direction.vector.tolist()}, which leaves the plane")
        kept.append(direction)
    return tuple(kept)
