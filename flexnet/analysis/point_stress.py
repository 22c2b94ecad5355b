"""Stresses at points of flexible bodies, as channels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexnet.analysis.stress import Recovery
from flexnet.formulation import Snapshot
from flexnet.signals import BEAM_STRESS, Measure
from flexnet.typing import Array

if TYPE_CHECKING:
    from flexnet.fem import BeamForces, Recovered, ShellStress

_FORCES = ("N", "Vy", "Vz", "T", "My", "Mz")
_RESULTANTS = ("nx", "ny", "nxy", "mx", "my", "mxy")
_STRESSES = ("sx", "sy", "sxy")
_PRINCIPAL = ("s1", "s2")


@dataclass(slots=True)
class PointStresses:
    """Read the stresses of channels; the stress modes of every point are picked once."""

    recovery: Recovery
    points: "dict[tuple[str, int, bool], Sequence[Recovered]]" = field(default_factory=dict)

    def read(self, measure: Measure, rows: Snapshot) -> Array:
        """A component of the stress at a point of a flexible body, (rows,)."""
        from flexnet.fem import BeamForces, ShellStress

        modes = self._modes(measure)
        z = self.recovery.modes(measure.target).vector(self.recovery.motion(measure.target, rows))
        found = [one.combined(z) for one in modes]
        if measure.coordinate in BEAM_STRESS:
            return _beam([x for x in found if isinstance(x, BeamForces)], measure.coordinate)
        (one,) = [x for x in found if isinstance(x, ShellStress)]
        return _shell(one, measure.coordinate, measure.face)

    def _modes(self, measure: Measure) -> "Sequence[Recovered]":
        from flexnet.fem import beams_at, shell_at

        name, part, is_beam = (
            measure.target,
            self.recovery.part(measure.target),
            measure.coordinate in BEAM_STRESS,
        )
        node = measure.point
        if isinstance(node, str):
            frames = part.table.frames
            node = int(frames.nodes[frames.names.index(node.removeprefix(f"{name}."))])
        key = (name, node, is_beam)
        if key not in self.points:
            groups = self.recovery.modes(name).groups
            nodes = part.table.mesh.nodes
            self.points[key] = beams_at(groups, node) if is_beam else [shell_at(groups, nodes, node)]
        return self.points[key]


def _beam(found: "Sequence[BeamForces]", component: str) -> Array:
    """The largest in magnitude of the beams that meet."""
    if component == "sigma":
        values = np.concatenate([one.outer_stress()[:, :, 0] for one in found], axis=1)
    else:
        values = np.concatenate([one.forces[:, :, 0, _FORCES.index(component)] for one in found], axis=1)
    largest = np.abs(values).argmax(axis=1)
    return np.asarray(np.take_along_axis(values, largest[:, None], axis=1)[:, 0])


def _shell(found: "ShellStress", component: str, face: str) -> Array:
    values: Array
    if component in _RESULTANTS:
        values = found.resultants()[..., _RESULTANTS.index(component)]
    elif component in _STRESSES:
        values = found.stress(face)[..., _STRESSES.index(component)]  # type: ignore[arg-type]  # checked when the measure was made
    elif component in _PRINCIPAL:
        values = found.principal(face)[..., _PRINCIPAL.index(component)]  # type: ignore[arg-type]  # the same
    else:
        values = found.von_mises(face)  # type: ignore[arg-type]  # the same
    return values[:, 0]
