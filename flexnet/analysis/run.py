"""A motion: columns in memory or in a result file, and how they were found."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexnet.errors import ResultError
from flexnet.formulation import BodyEnergy, Equations, Momenta, State, body_energy, condition, momenta
from flexnet.integrators import Status
from flexnet.results import Results
from flexnet.typing import Array


@dataclass(slots=True)
class Run:
    """A motion and how it was found.

    Attributes
    ----------
    equations : the equations that were solved.
    status : how the run ended.
    data : columns by path, such as ``state/q`` or ``channels/x``; empty if they went to a file.
    path : the result file, if one was written.
    validity : estimated error, energy error and rotations within flexible bodies, in one line.
    warnings : what the run has to say about its own validity; in the file, its message.
    """

    equations: Equations
    status: Status
    data: dict[str, Array] = field(default_factory=dict)
    path: Path | None = None
    warnings: tuple[str, ...] = ()
    validity: str = ""

    @property
    def t(self) -> Array:
        """Times, (rows,) s."""
        return self["time"]

    def channel(self, name: str) -> Array:
        """A channel, (rows,)."""
        return self[f"channels/{name}"]

    def __getitem__(self, path: str) -> Array:
        if self.path is not None:
            return np.asarray(Results.open(self.path).read(path))
        if path not in self.data:
            raise ResultError(f"the run has no column {path!r}")
        return self.data[path]

    def body_energy(self, name: str) -> BodyEnergy:
        """Kinetic and strain energy of one body, J, and the power its damping turns into heat, W."""
        return body_energy(self.equations, name, self.t, self["state/q"], self["state/v"])

    @property
    def momenta(self) -> Momenta:
        """Momentum P, kg m/s, and angular momentum L about the datum, kg m²/s, of all bodies."""
        return momenta(self.equations, self.t, self["state/q"], self["state/v"])

    @property
    def condition(self) -> Array:
        """Condition of the constraint Jacobian at every row, (rows,): large where coordinates degrade."""
        rows = zip(self.t, self["state/q"], self["state/v"], strict=True)
        return np.array([condition(self.equations, State(float(t), q, v)) for t, q, v in rows])

    @property
    def energy_error(self) -> float:
        """Largest |E - E₀ - W| over the run, J: what the energy balance leaves over.

        W is the work of drivers, forces and damping, and what the scheme says it removed itself.
        """
        balance = self["energy/total"] - self["energy/work"] - self["energy/scheme"]
        return float(np.abs(balance - balance[0]).max())
