"""Coordinates of joints that are known before anything is put together, and what gears make of them.

A start value and a driver say how often a joint has turned; a gear, θ₂ = ρ θ₁ + φ, then says it of its other
joint, and a rack, s = ρ θ + φ, of its pinion (docs/theory/turns.md). Places alone do not.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from flexnet.components import Component, Frame, GearPair, RackPair, RotationDriver
from flexnet.graph import Kind
from flexnet.kernels import entry
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.formulation.equations import Equations


def foretold(equations: "Equations", t: float) -> dict[str, float]:
    """Start values, driven angles at time t, and what gears and racks make of them, by their names."""
    known = given(equations, t)
    gears = [part for part in equations.parts if isinstance(part, GearPair | RackPair)]
    for _ in range(len(gears)):  # each may tell the next
        for gear in gears:
            known = _meshed(gear, equations.parts, known) | known
    return known


def given(equations: "Equations", t: float) -> dict[str, float]:
    """Start values of coordinates and values of all drivers of an angle, by their names."""
    starts = {f"{s.joint}.{s.coordinate}": s.value for s in equations.system.starts if s.value is not None}
    entry.known_functions(equations.handle, float(t))
    packer, model = equations.packer, equations.model
    branches = [packer.by_name[branch.edge.name] for branch in packer.R.branches]
    rows = [row.component for row in equations.rows]
    return starts | {
        f"{part.joint}.angle": float(equations.work.f[record["function"], 0])
        for part, record in [*zip(rows, model.rows, strict=True), *zip(branches, model.r_edges, strict=True)]
        if isinstance(part, RotationDriver) and part.joint is not None
    }


def joint_of_angle(parts: Iterable[Component], tail: Frame, head: Frame, axis: Array) -> str:
    """Name of the joint whose one angle is that between two frames about an axis; empty if there is none."""
    for part in parts:
        about = part.terminal.single_axis if part.kind in (Kind.JOINT, Kind.VIRTUAL) else None
        is_here = (part.tail.name, part.head.name) == (tail.name, head.name)
        if is_here and about is not None and np.allclose(about, axis):
            return part.name
    return ""


def _meshed(
    gear: GearPair | RackPair, parts: Iterable[Component], known: Mapping[str, float]
) -> dict[str, float]:
    """Coordinate of the one joint of a gear that follows from that of the other."""
    driving = f"{joint_of_angle(parts, *gear.driving)}.angle"
    if isinstance(gear, GearPair):
        driven, ratio = f"{gear.joint}.angle", gear.ratio
    else:
        driven, ratio = f"{gear.joint}.displacement", gear.radius
    if driving in known:
        return {driven: ratio * known[driving] + gear.phase}
    return {driving: (known[driven] - gear.phase) / ratio} if driven in known else {}
