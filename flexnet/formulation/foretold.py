"""Coordinates of joints that are known before anything is put together, and what gears make of them.

A start value and a driver say how often a joint has turned; a gear, θ₂ = ρ θ₁ + φ, then says it of its other
joint, and a rack, s = ρ θ + φ, of its pinion (docs/theory/turns.md). Of places a rack's does, and that of the
slowest wheel is taken to be within half a turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import atan2
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from flexnet.components import Component, Frame, GearPair, RackPair, RotationDriver, TranslationDriver
from flexnet.components.frame import normals
from flexnet.components.terminal import Translation
from flexnet.formulation.state import State
from flexnet.graph import Kind
from flexnet.kernels import entry
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations

Mesh: TypeAlias = tuple[str, str, float, float]


def foretold(equations: "Equations", t: float) -> dict[str, float]:
    """Start values, driven angles at time t, and what gears and racks make of them, by their names."""
    return _spread(_meshes(equations), given(equations, t))


def given(equations: "Equations", t: float) -> dict[str, float]:
    """Start values of coordinates and values of the drivers of joints, by their names."""
    starts = {f"{s.joint}.{s.coordinate}": s.value for s in equations.system.starts if s.value is not None}
    entry.known_functions(equations.handle, float(t))
    packer, model = equations.packer, equations.model
    branches = [packer.by_name[branch.edge.name] for branch in packer.R.branches]
    rows = [row.component for row in equations.rows]
    known: dict[str, float] = dict(starts)
    for part, record in [*zip(rows, model.rows, strict=True), *zip(branches, model.r_edges, strict=True)]:
        if isinstance(part, RotationDriver | TranslationDriver) and part.joint is not None:
            coordinate = "angle" if isinstance(part, RotationDriver) else "displacement"
            known[f"{part.joint}.{coordinate}"] = float(equations.work.f[record["function"], 0])
    return known


def joint_of_angle(parts: Iterable[Component], tail: Frame, head: Frame, axis: Array) -> str:
    """Name of the joint whose one angle is that between two frames about an axis; empty if there is none."""
    for part in parts:
        about = part.terminal.single_axis if part.kind in (Kind.JOINT, Kind.VIRTUAL) else None
        is_here = (part.tail.name, part.head.name) == (tail.name, head.name)
        if is_here and about is not None and np.allclose(about, axis):
            return part.name
    return ""


def as_placed(equations: "Equations", state: State, known: Mapping[str, float]) -> dict[str, float]:
    """What is known, and what places say of gears and racks that nobody tells anything.

    Of those that mesh with one another the rack, or the nut of a screw, lies where it was put; where there is
    none, the slowest wheel is within half a turn of zero. The others are wound as it says.
    """
    meshes = _meshes(equations)
    for first, *_ in meshes:
        if first not in known:
            at_rest, apart = _spread(meshes, {first: 0.0}), _spread(meshes, {first: 1.0})
            speeds = {name: abs(apart[name] - at_rest[name]) for name in apart}
            slides = [name for name in speeds if _translation(equations, name) is not None]
            shown = min(slides or speeds, key=lambda name: (speeds[name], name))
            known = _spread(meshes, {shown: _placed(equations, state, shown)} | dict(known))
    return dict(known)


def _joint(equations: "Equations", name: str) -> Component:
    return equations.packer.by_name[name.rpartition(".")[0]]


def _translation(equations: "Equations", name: str) -> Translation | None:
    """How far a joint has moved along, where that tells a coordinate of it."""
    slide = equations.terminals[_joint(equations, name).name].translation
    is_told = slide is not None and (name.endswith(".displacement") or slide.pitch is not None)
    return slide if is_told else None


def _placed(equations: "Equations", state: State, name: str) -> float:
    """Coordinate of a joint where its two frames are; an angle is within half a turn, but for a screw's."""
    joint, slide = _joint(equations, name), _translation(equations, name)
    equations.constraints(state.q, state.t)
    work, packer = equations.work, equations.packer
    R = work.R[packer.body_index(joint.tail)] @ joint.tail.rotation
    if slide is not None:
        d = work.p[packer.node[joint.head.name]] - work.p[packer.node[joint.tail.name]]
        along = float((R @ slide.free[0].vector) @ d)
        return along if slide.pitch is None or name.endswith(".displacement") else along / slide.pitch
    axis = equations.terminals[joint.name].single_axis
    assert axis is not None
    n, m = normals(axis)
    turned = R.T @ work.R[packer.body_index(joint.head)] @ joint.head.rotation
    return atan2(m @ turned @ n, n @ turned @ n)


def _spread(meshes: Sequence[Mesh], known: Mapping[str, float]) -> dict[str, float]:
    """What is known, and what gears and racks make of it."""
    known, before = dict(known), -1
    while len(known) > before:  # each may tell the next
        before = len(known)
        for driving, driven, ratio, phase in meshes:
            if driving in known:
                known.setdefault(driven, ratio * known[driving] + phase)
            elif driven in known:
                known[driving] = (known[driven] - phase) / ratio
    return known


def _meshes(equations: "Equations") -> list[Mesh]:
    """Of every gear the coordinates of its two joints, and ratio and phase of the second over the first."""
    out = list[Mesh]()
    for gear in equations.parts:
        if isinstance(gear, GearPair | RackPair):
            driving = f"{joint_of_angle(equations.parts, *gear.driving)}.angle"
            if isinstance(gear, GearPair):
                out.append((driving, f"{gear.joint}.angle", gear.ratio, gear.phase))
            else:
                out.append((driving, f"{gear.joint}.displacement", gear.radius, gear.phase))
    return out
