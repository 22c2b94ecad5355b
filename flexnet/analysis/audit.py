"""The energy audit: what went in, what is there, what the balance leaves over, and since when."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexnet.analysis.run import Run
from flexnet.errors import ResultError
from flexnet.notebook import table
from flexnet.results import OF_NETWORKS, STORES, WORKS, Results
from flexnet.typing import Array


@dataclass(frozen=True, slots=True)
class Breach:
    """The first row at which a quantity leaves its tolerance.

    Attributes
    ----------
    quantity : what was too large.
    row : number of the row, the start is 0.
    t : its time, s.
    value, limit : the quantity there and what was allowed.
    """

    quantity: str
    row: int
    t: float
    value: float
    limit: float

    def __str__(self) -> str:
        return (
            f"{self.quantity} breaks its tolerance first at row {self.row}, t = {self.t:.9g} s:"
            f" {self.value:.3g} where {self.limit:.3g} is allowed"
        )


_SPEEDS = ("/velocity", "/angular_velocity")


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """Energies, works and constraint norms of a run.

    Attributes
    ----------
    t : (rows,) s.
    energies : kinetic, potential and strain energy, and what networks store, (rows,) J each.
    works : work since the start of drivers, of forces without a potential, of damping, of sources, ports and
        dissipation of networks, and what the scheme itself took (a decaying scheme says so; others do not
        know), (rows,) J each.
    constraints : work of the constraints since the start, (rows,) J; not part of the balance.
    position, velocity : norms of the constraints, (rows,).
    length : largest distance between two frames at the start, m, at most 1: what norms of positions are
        judged by, those in radians by 1.
    speed : largest velocity or angular velocity of a frame, the less of the two that is not zero.
    """

    t: Array
    energies: dict[str, Array]
    works: dict[str, Array]
    constraints: Array
    position: Array
    velocity: Array
    length: float = 1.0
    speed: float = 1.0

    @property
    def total(self) -> Array:
        """Energy of the mechanism and its networks, (rows,) J."""
        out: Array = np.sum(list(self.energies.values()), axis=0)
        return out

    @property
    def balance(self) -> Array:
        """What is left over: E - E₀ less all works, (rows,) J."""
        over = self.total - np.sum(list(self.works.values()), axis=0)
        out: Array = over - over[0]
        return out

    @property
    def scale(self) -> float:
        """Size of the energies that go round: the largest range of any of them, J."""
        series = (*self.energies.values(), *self.works.values())
        return max(max(float(np.ptp(x)) for x in series), float(self.energies["kinetic"].max()), 1e-300)

    def __str__(self) -> str:
        return "\n".join(f"{key}: {value}" for key, value in _audit_rows(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return table(_audit_rows(self))

    def breaches(self, tolerance: float = 1e-3, constraint: float = 1e-3) -> tuple[Breach, ...]:
        """The first rows at which the balance, the work of constraints or their norms are too large.

        Parameters
        ----------
        tolerance : of the balance and of the work of constraints, over the size of the energies.
        constraint : of the norms of the constraints, over the length and the speed of the mechanism.
        """
        checks = (
            ("the energy balance", np.abs(self.balance), tolerance * self.scale),
            ("the work of constraints", np.abs(self.constraints), tolerance * self.scale),
            ("the position constraint", self.position, constraint * self.length),
            ("the velocity constraint", self.velocity, constraint * self.speed),
        )
        found = []
        for name, values, limit in checks:
            # not <=: a value that is not a number is too large
            rows = np.flatnonzero(~(values <= limit))
            if len(rows):
                k = int(rows[0])
                found.append(Breach(name, k, float(self.t[k]), float(values[k]), limit))
        return tuple(found)


def _audit_rows(audit: Audit) -> list[tuple[str, str]]:
    rows = [
        (f"{name} energy", f"{x[0]:.6g} J to {x[-1]:.6g} J") for name, x in audit.energies.items() if x.any()
    ]
    rows += [(f"work of {name}", f"{x[-1]:.6g} J") for name, x in audit.works.items() if x.any()]
    over = np.abs(audit.balance)
    left = f"{over.max():.3g} J at t = {audit.t[int(over.argmax())]:.6g} s, {over.max() / audit.scale:.2g} of"
    rows.append(("balance leaves over", f"{left} the {audit.scale:.4g} J that go round"))
    return rows + [("breach", str(breach)) for breach in audit.breaches()]


def audit(run: Run | Results | str | Path) -> Audit:
    """Audit of a run, or of a result file.

    Raises
    ------
    ResultError
        If it holds no rows or no energies.
    """
    path = run.path if isinstance(run, Run) else run
    source = Results.open(path) if isinstance(path, str | Path) else run
    assert not isinstance(source, str | Path)
    try:
        recorded = {path.removeprefix("energy/") for path in source.paths()}
        stores, works = (
            {k: _read(source, f"energy/{k}") for k in kind if k in recorded or k not in OF_NETWORKS}
            for kind in (STORES, WORKS)
        )
        constraints = _read(source, "energy/constraints")
        t = _read(source, "time")
        position, velocity = (_read(source, f"constraints/{k}") for k in ("position", "velocity"))
    except ResultError as error:
        raise ResultError(f"there is nothing to audit: {error}") from None
    if not len(t):
        raise ResultError("there is nothing to audit: the run has no rows")
    length, speed = _sizes(source)
    return Audit(
        t,
        stores,
        works,
        constraints,
        position,
        velocity,
        length,
        speed,
    )


def _sizes(source: Run | Results) -> tuple[float, float]:
    """Length (m, at most 1) and speed (m/s or rad/s) of a mechanism as its frames show them."""
    paths = [path for path in source.paths() if path.startswith("frames/")]
    places = [_read(source, path)[0] for path in paths if path.endswith("/position")]
    extent = float(np.linalg.norm(np.ptp(places, axis=0))) if places else 0.0
    speeds = {end: [_read(source, path) for path in paths if path.endswith(end)] for end in _SPEEDS}
    fastest = [max((float(np.abs(x).max()) for x in found), default=0.0) for found in speeds.values()]
    return min(extent, 1.0) or 1.0, min((x for x in fastest if x > 0.0), default=1.0)


def _read(source: Run | Results, path: str) -> Array:
    values = source[path] if isinstance(source, Run) else source.read(path)
    return np.asarray(values, dtype=float)
