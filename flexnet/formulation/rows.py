"""Constraint rows: which scalar equations a chord brings, and what they are called."""

from dataclasses import dataclass, field

import numpy as np

from flexnet.components import Component, Rotation, RotationDriver, Terminal, TimeFunction, TranslationDriver
from flexnet.components.frame import normals
from flexnet.formulation.coordinates import BranchCoordinates, Coordinates
from flexnet.graph import Kind, Tree
from flexnet.kernels.model import ANGLE, COORDINATE, ORIENTATION, PERPENDICULAR, TRANSLATION
from flexnet.typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One scalar constraint.

    Attributes
    ----------
    component : the joint or driver it comes from.
    label : reaction it brings, such as ``force x`` or ``torque y``, in the tail frame.
    kind : kind of row of the kernels.
    n, m, a : vectors in the tail frame (n, m) and the head frame (a).
    function : known value, where there is one.
    place : of a driven branch coordinate.
    index : component of an orientation row.
    is_reversed : n, m are in the head frame and a in the tail frame.
    """

    component: Component
    label: str
    kind: int
    n: Array = field(default_factory=lambda: np.zeros(3))
    m: Array = field(default_factory=lambda: np.zeros(3))
    a: Array = field(default_factory=lambda: np.zeros(3))
    function: TimeFunction | None = None
    place: BranchCoordinates | None = None
    index: int = 0
    is_reversed: bool = False

    @property
    def name(self) -> str:
        """Name of the equation, ``joint: direction``."""
        return f"{self.component.name}: {self.label}"


def direction_label(vector: Array) -> str:
    """Name a direction: x, -y, or its components."""
    for letter, e in zip("xyz", np.eye(3), strict=True):
        for sign, text in ((1, letter), (-1, f"-{letter}")):
            if np.allclose(vector, sign * e, atol=1e-9):
                return text
    return "(" + ", ".join(f"{c:.4g}" for c in vector) + ")"


def chord_rows(
    parts: list[Component],
    terminals: dict[str, Terminal],
    T: Tree,
    R: Tree,
    coordinates: Coordinates,
    is_planar: bool,
) -> list[Row]:
    """Rows of every joint and driver in a cotree.

    A joint whose driver is a branch brings nothing in that tree: the driver's known motion already
    lies in the joint's motion space.
    """
    in_t, in_r = set(T.names), set(R.names)
    drivers = [p for p in parts if isinstance(p, RotationDriver | TranslationDriver)]
    held_t = {d.joint for d in drivers if d.joint and d.name in in_t}
    held_r = {d.joint for d in drivers if d.joint and d.name in in_r}
    rows: list[Row] = []
    for part in parts:
        if part.kind not in (Kind.JOINT, Kind.DRIVER):
            continue
        terminal = terminals[part.name]
        if terminal.translation is not None and part.name not in in_t and part.name not in held_t:
            rows += translation_rows(part, terminal)
        if terminal.rotation is not None and part.name not in in_r and part.name not in held_r:
            rows += _rotation_rows(part, terminal.rotation, coordinates, is_planar)
    return rows


def translation_rows(part: Component, terminal: Terminal) -> list[Row]:
    """Rows of the reaction space and of the driven directions of a translation."""
    t = terminal.translation
    assert t is not None
    fixed = [Row(part, f"force {direction_label(d.vector)}", TRANSLATION, d.vector) for d in t.fixed]
    driven = [
        Row(part, f"force {direction_label(d.vector)}", TRANSLATION, d.vector, function=f)
        for d, f in t.driven
    ]
    return fixed + driven


def angle_row(part: Component, axis: Array, function: TimeFunction | None) -> Row:
    """Row of an angle about an axis held to a known function."""
    n1, n2 = normals(axis)
    return Row(part, f"torque {direction_label(axis)}", ANGLE, n1, n2, n1, function)


def _rotation_rows(
    part: Component, rotation: Rotation, coordinates: Coordinates, is_planar: bool
) -> list[Row]:
    if rotation.kind == "driven":
        return _driven_rows(part, rotation, coordinates, is_planar)
    if rotation.kind == "fixed":
        if is_planar:
            return [angle_row(part, rotation.axes[0], None)]
        return [_orientation_row(part, i, np.eye(3)[0], None) for i in range(3)]
    if rotation.kind == "axis" and not is_planar:
        axis = rotation.axes[0]
        n1, n2 = normals(axis)
        return [
            Row(part, f"torque {direction_label(n2)}", PERPENDICULAR, n=n1, a=axis),
            Row(part, f"torque {direction_label(n1)}", PERPENDICULAR, n=n2, a=axis),
        ]
    if rotation.kind == "universal":
        a1, a2 = rotation.axes
        return [Row(part, f"torque {direction_label(np.cross(a1, a2))}", PERPENDICULAR, n=a1, a=a2)]
    return []


def _driven_rows(part: Component, rotation: Rotation, coordinates: Coordinates, is_planar: bool) -> list[Row]:
    axis = rotation.axes[0]
    joint = part.joint if isinstance(part, RotationDriver) else None
    if joint is not None and joint in coordinates.rotation:
        label = f"torque {direction_label(axis)}"
        place = coordinates.rotation[joint]
        return [Row(part, label, COORDINATE, n=axis, function=rotation.function, place=place)]
    if joint is not None or is_planar:
        return [angle_row(part, axis, rotation.function)]
    return [_orientation_row(part, i, axis, rotation.function) for i in range(3)]


def _orientation_row(part: Component, i: int, axis: Array, function: TimeFunction | None) -> Row:
    return Row(part, f"torque {'xyz'[i]}", ORIENTATION, n=axis, function=function, index=i)
