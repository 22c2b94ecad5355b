"""How far a run can be trusted: what its flexible bodies, its energies and its steps say about themselves.

Ranges are those of docs/theory/validity.md; nothing here is done in the time loop.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexnet.components import FlexibleBody
from flexnet.formulation import Equations, State, condition
from flexnet.integrators import Status
from flexnet.results import Results
from flexnet.typing import Array

#: rotation within one floating frame, rad: its square is the relative error of the deflection
ROTATION = 0.15
#: energy that the balance leaves over, and estimated error of a position over its size
ENERGY, ERROR = 0.01, 0.02
#: flexible bodies that are named
BODIES = 8
#: rows at which the condition of the constraints is looked at; fewer where there are many constraints
LOOKS, MANY, FEW_LOOKS = 64, 60, 8


@dataclass(slots=True)
class Validity:
    """Largest values over a run.

    Attributes
    ----------
    equations : the equations that are solved.
    rotations : largest elastic rotation of a point of each flexible body, rad.
    energy_error : largest |E - E₀ - W|, J.
    energy : largest kinetic and strain energy and work, J: what the error is judged by.
    condition : largest condition of the constraint Jacobian at the rows looked at, and the time there, s.
    rows : output rows of the run, of which so many are looked at.
    """

    equations: Equations
    rows: int = 0
    rotations: dict[str, float] = field(default_factory=dict)
    energy_error: float = 0.0
    energy: float = 0.0
    condition: tuple[float, float] = (1.0, 0.0)
    _first: float = np.nan
    _seen: int = 0

    def add(self, rows: dict[str, Array]) -> None:
        """Look at a block of rows."""
        balance = rows["energy/total"] - rows["energy/work"] - rows["energy/scheme"]
        if np.isnan(self._first):
            self._first = float(balance[0])
        self.energy_error = max(self.energy_error, float(np.abs(balance - self._first).max()))
        for name in ("kinetic", "strain", "work"):
            self.energy = max(self.energy, float(np.abs(rows[f"energy/{name}"]).max()))
        for body, part in self._flexible.items():
            largest = _rotation(part, rows[f"bodies/{body}/elastic"])
            self.rotations[body] = max(self.rotations.get(body, 0.0), largest)
        self._look(rows)

    def _look(self, rows: dict[str, Array]) -> None:
        """Condition of the constraints at some rows, the same ones whether a run was stopped or not."""
        if self.equations.m == 0:
            return
        looks = LOOKS if self.equations.m <= MANY else FEW_LOOKS
        every = max(1, self.rows // looks)
        for k in range(-self._seen % every, len(rows["time"]), every):
            state = State(float(rows["time"][k]), rows["state/q"][k], rows["state/v"][k])
            self.condition = max(self.condition, (condition(self.equations, state), state.t))
        self._seen += len(rows["time"])

    def go_on(self, path: Path, kept: int) -> None:
        """Look at the rows of a file that a run goes on with."""
        results = Results.open(path)
        wanted = [f"energy/{name}" for name in ("total", "work", "scheme", "kinetic", "strain")]
        wanted += ["time", "state/q", "state/v", *(f"bodies/{name}/elastic" for name in self._flexible)]
        self.add({column: np.asarray(results.read(column))[:kept] for column in wanted})

    @property
    def _flexible(self) -> dict[str, FlexibleBody]:
        parts = self.equations.parts
        return {p.name: p for p in parts if isinstance(p, FlexibleBody) and p.table.m}

    def told(self, status: Status) -> str:
        """One line: estimated error, energy error, condition of the constraints, rotations."""
        parts = [f"energy error {self.energy_error:.3g} J of {self.energy:.3g} J"]
        if not np.isnan(status.error):
            parts.insert(0, f"estimated error of positions {status.error:.2g} of their size")
        if self.equations.m:
            kappa, t = self.condition
            parts.append(f"condition of the constraints up to {kappa:.3g} (t = {t:.4g} s)")
        parts += [status.told] if status.told else []
        parts += [f"{name} turns by up to {x:.2g} rad within its frame" for name, x in self._worst()]
        return "; ".join(parts) + "."

    def warnings(self, status: Status) -> list[str]:
        """What leaves its range, each with a remedy."""
        out = [
            f"{name} turns by {x:.2g} rad within one floating frame, meant for less than {ROTATION:g} rad:"
            " divide the body into several."
            for name, x in self._worst()[:1]
            if x > ROTATION
        ]
        if self.energy_error > ENERGY * self.energy:
            out.append(
                f"the energy balance is off by {self.energy_error:.3g} J of {self.energy:.3g} J:"
                " try a smaller step, an adaptive one (tolerance), or an energy scheme."
            )
        if status.error > ERROR:
            out.append(
                f"the estimated error of positions is {status.error:.2g} of their size:"
                " try a smaller step or an adaptive one (tolerance)."
            )
        return out

    def _worst(self) -> list[tuple[str, float]]:
        """Bodies with the largest rotations, the largest first."""
        return sorted(self.rotations.items(), key=lambda body: -body[1])[:BODIES]


def _rotation(body: FlexibleBody, elastic: Array) -> float:
    """Largest length of a rotation vector of a frame or node, relative to the frame of the body, rad."""
    largest = 0.0
    for rows in (body.table.frames, body.table.output):
        if len(rows.rotation):
            turned = np.einsum("fam,rm->rfa", rows.rotation, elastic)
            largest = max(largest, float(np.linalg.norm(turned, axis=2).max(initial=0.0)))
    return largest
