"""Constraint rows of a mechanism: which scalar equations a chord brings, and what they are called."""

from dataclasses import dataclass

import numpy as np

from flexnet.components import (
    Component,
    Frame,
    Rotation,
    RotationDriver,
    Terminal,
    TimeFunction,
    TranslationDriver,
)
from flexnet.components.frame import normals
from flexnet.components.row import Row
from flexnet.components.row_formulas import (
    angle_row,
    direction_label,
    displacement_row,
    orientation_rows,
    perpendicular_row,
)
from flexnet.formulation.coordinates import BranchCoordinates, Coordinates
from flexnet.graph import Kind, Tree


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintRow:
    """One scalar constraint of a mechanism.

    Attributes
    ----------
    component : the joint or driver it comes from.
    row : its formula and vectors.
    place : of a driver that rides on a branch: the coordinate itself, which is the row.
    is_reversed : it looks from the head of the component at its tail.
    """

    component: Component
    row: Row
    place: BranchCoordinates | None = None
    is_reversed: bool = False

    @property
    def name(self) -> str:
        """Name of the equation, ``joint: direction``."""
        return f"{self.component.name}: {self.row.label}"

    @property
    def function(self) -> TimeFunction | None:
        """Known value, where there is one."""
        return self.row.function

    @property
    def is_translation(self) -> bool:
        """Whether it is a length."""
        return self.row.is_translation

    @property
    def ends(self) -> tuple[Frame, Frame]:
        """Frames it looks from and at."""
        tail, head = self.component.tail, self.component.head
        return (head, tail) if self.is_reversed else (tail, head)


def chord_rows(
    parts: list[Component],
    terminals: dict[str, Terminal],
    T: Tree,
    R: Tree,
    coordinates: Coordinates,
    is_planar: bool,
) -> list[ConstraintRow]:
    """Rows of every joint and driver that the trees do not fulfil.

    A joint whose driver is a branch brings nothing in that tree: the driver's known motion already
    lies in the joint's motion space.
    """
    in_t, in_r = set(T.names), set(R.names)
    drivers = [p for p in parts if isinstance(p, RotationDriver | TranslationDriver)]
    in_t |= {d.joint for d in drivers if d.joint and d.name in in_t}
    in_r |= {d.joint for d in drivers if d.joint and d.name in in_r}
    out: list[ConstraintRow] = []
    for part in parts:
        if part.kind not in (Kind.JOINT, Kind.DRIVER):
            continue
        for row in terminal_rows(terminals[part.name], is_planar):
            if not row.is_held(part.name in in_t, part.name in in_r):
                place = _branch(part, coordinates)
                out.append(ConstraintRow(part, row, place))
    return out


def _branch(part: Component, coordinates: Coordinates) -> BranchCoordinates | None:
    """The coordinate that a driver's angle is, where it rides on a branch."""
    if not isinstance(part, RotationDriver) or part.joint is None:
        return None
    return coordinates.rotation.get(part.joint)


def terminal_rows(terminal: Terminal, is_planar: bool) -> list[Row]:
    """Rows of the reaction spaces and of the driven motions of an edge."""
    rows: list[Row] = []
    t, r = terminal.translation, terminal.rotation
    if t is not None:
        rows += [displacement_row(d.vector) for d in t.fixed]
        rows += [displacement_row(d.vector, f) for d, f in t.driven]
    if r is not None:
        rows += _rotation_rows(r, is_planar)
    return [*rows, *terminal.rows]


def _rotation_rows(rotation: Rotation, is_planar: bool) -> list[Row]:
    if rotation.kind == "driven":
        axis = rotation.axes[0]
        if rotation.about_axis_only or is_planar:
            return [angle_row(axis, rotation.function)]
        return list(orientation_rows(axis, rotation.function))
    if rotation.kind == "fixed":
        return [angle_row(rotation.axes[0])] if is_planar else list(orientation_rows())
    if rotation.kind == "axis" and not is_planar:
        axis = rotation.axes[0]
        n1, n2 = normals(axis)
        return [perpendicular_row(n1, axis, n2), perpendicular_row(n2, axis, n1)]
    if rotation.kind == "universal":
        a1, a2 = rotation.axes
        return [perpendicular_row(a1, a2, np.cross(a1, a2))]
    return []


__all__ = ["ConstraintRow", "chord_rows", "direction_label", "terminal_rows"]
