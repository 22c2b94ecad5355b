"""The largest stresses of a run: how much, where and when; a few rows of the run in memory at a time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexnet.analysis.stress import Recovery, motion_of, snapshots
from flexnet.components import FlexibleBody
from flexnet.errors import ModelError
from flexnet.typing import Array, IntArray

if TYPE_CHECKING:
    from flexnet.analysis.run import Run


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StressPeak:
    """The largest of one quantity over a flexible body and a run.

    Attributes
    ----------
    body, group : flexible body and element group.
    quantity, unit : what, such as ``Mz`` or ``von Mises``; of a shell the largest of the faces of its plies.
    value : the value of largest magnitude.
    time : when, s.
    element, at : which of the group, and which of its ends, faces (bottom, top of every ply) or corners.
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
    at: int
    place: Array
    history: Array

    def __repr__(self) -> str:
        place = ", ".join(f"{x:.4g}" for x in self.place)
        of = f"{self.body}, {self.group}: {self.quantity} {self.value:.4g} {self.unit}"
        return f"StressPeak of {of} at ({place}) m, {self.time:.4g} s"


def stress_peaks(run: "Run") -> list[StressPeak]:
    """Largest section forces and stresses of every flexible body whose sections are known."""
    recovery = Recovery(run.equations)
    parts = [p for p in run.equations.parts if isinstance(p, FlexibleBody) and p.body is not None]
    watches: dict[tuple[str, str, str], _Watch] = {}
    for rows in snapshots(run):
        for part in parts:
            found = recovery.modes(part.name).recover(recovery.motion(part.name, rows))
            for group, one in found.items():
                for quantity, unit, values in one.quantities():
                    key = (part.name, group, quantity)
                    watch = watches.setdefault(key, _Watch(unit, one.cells, part.table.mesh.nodes))
                    watch.look(rows.t, values)
    return [watch.peak(*key) for key, watch in watches.items()]


def stress_history(run: "Run", peak: StressPeak) -> Array:
    """Normal stress, with its sign, at the place of a peak along a run, (rows,) [Pa].

    On one plane all the time, that which carries the largest normal stress at the moment of the peak.
    """
    if peak.unit != "Pa":
        raise ModelError(f"{peak.quantity} is no stress; take a peak of sigma, von Mises or s1")
    recovery = Recovery(run.equations)
    modes = recovery.modes(peak.body)
    one, z = modes.groups[peak.group], modes.vector(motion_of(recovery, run, peak.body))
    worst = one.combined(z[[int(np.abs(run.t - peak.time).argmin())]])
    return np.asarray(z @ one.critical_stress(worst, peak.element, peak.at))


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
        """What was found: at an end of a beam, in the middle of a facet, at a corner of a tetrahedron."""
        cell = self.cells[self.element]
        is_at_node = len(cell) in (2, 10)
        place = self.nodes[cell[self.end]] if is_at_node else self.nodes[cell].mean(axis=0)
        where = (self.value, self.time, self.element, self.end, place, np.concatenate(self.history))
        return StressPeak(body, group, quantity, self.unit, *where)
