"""The largest stresses of a run: how much, where and when; a few rows of the run in memory at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexnet.analysis.stress import Recovery, snapshots
from flexnet.components import FlexibleBody
from flexnet.typing import Array, IntArray

if TYPE_CHECKING:
    from flexnet.analysis.run import Run
    from flexnet.fem import Recovered


@dataclass(frozen=True, slots=True, eq=False)
class StressPeak:
    """The largest of one quantity over a flexible body and a run.

    Attributes
    ----------
    body, group : flexible body and element group.
    quantity, unit : what, such as ``Mz`` or ``von Mises``; of a shell the larger of its two faces.
    value : the value of largest magnitude.
    time : when, s.
    element : which of the group.
    place : (3,) where, in the frame of the body, undeformed, m.
    history : (rows,) largest magnitude over the group at every row.
    """

    body: str
    group: str
    quantity: str
    unit: str
    value: float
    time: float
    element: int
    place: Array
    history: Array


def stress_peaks(run: "Run") -> list[StressPeak]:
    """Largest section forces and stresses of every flexible body whose sections are known."""
    recovery = Recovery(run.equations)
    parts = [p for p in run.equations.parts if isinstance(p, FlexibleBody) and p.body is not None]
    watches: dict[tuple[str, str, str], _Watch] = {}
    for rows in snapshots(run):
        for part in parts:
            found = recovery.modes(part.name).recover(recovery.motion(part.name, rows))
            for group, one in found.items():
                for quantity, unit, values in quantities(one):
                    key = (part.name, group, quantity)
                    watch = watches.setdefault(key, _Watch(unit, one.cells, part.table.mesh.nodes))
                    watch.look(rows.t, values)
    return [watch.peak(*key) for key, watch in watches.items()]


def quantities(found: "Recovered") -> Iterator[tuple[str, str, Array]]:
    """Name, unit and values of the quantities worth watching, (rows, n_e, ends) or (rows, n_e, faces)."""
    from flexnet.fem import BeamForces

    if isinstance(found, BeamForces):
        for k, name in enumerate(("N", "Vy", "Vz", "T", "My", "Mz")):
            yield name, "N" if k < 3 else "N*m", found.forces[..., k]
        yield "sigma", "Pa", found.outer_stress()
        return
    faces = ("bottom", "top")
    yield "von Mises", "Pa", np.stack([found.von_mises(face) for face in faces], axis=-1)  # type: ignore[arg-type]  # faces
    principal = [found.principal(face) for face in faces]  # type: ignore[arg-type]  # faces
    yield "s1", "Pa", np.stack([p[..., 0] for p in principal], axis=-1)
    yield "s2", "Pa", np.stack([p[..., 1] for p in principal], axis=-1)


class _Watch:
    """Keep the largest value of a quantity, and its history."""

    def __init__(self, unit: str, cells: IntArray, nodes: Array) -> None:
        self.unit, self.cells, self.nodes = unit, cells, nodes
        self.value, self.time, self.element, self.end = 0.0, 0.0, 0, 0
        self.history: list[Array] = []

    def look(self, t: Array, values: Array) -> None:
        """Look at a block of rows."""
        sizes = np.abs(values).reshape(len(t), -1)
        most = sizes.argmax(axis=1)
        largest = np.take_along_axis(sizes, most[:, None], axis=1)[:, 0]
        self.history.append(largest)
        row = int(largest.argmax())
        if largest[row] > abs(self.value) or len(self.history) == 1:
            self.element, self.end = (int(i) for i in divmod(int(most[row]), values.shape[2]))
            self.value, self.time = float(values[row, self.element, self.end]), float(t[row])

    def peak(self, body: str, group: str, quantity: str) -> StressPeak:
        """What was found; a beam has its largest at one of its ends, a facet in its middle."""
        cell = self.cells[self.element]
        place = self.nodes[cell[self.end]] if len(cell) == 2 else self.nodes[cell].mean(axis=0)
        where = (self.value, self.time, self.element, place, np.concatenate(self.history))
        return StressPeak(body, group, quantity, self.unit, *where)
