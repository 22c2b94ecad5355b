"""How far a run can be trusted: what its flexible bodies, its energies and its steps say about themselves.

Ranges are those of docs/theory/validity.md; nothing here is done in the time loop.
"""

from dataclasses import dataclass, field
from math import isnan
from pathlib import Path

import numpy as np

from flexnet.components import FlexibleBody
from flexnet.formulation import Equations, State, condition
from flexnet.integrators import Status
from flexnet.results import Results
from flexnet.typing import Array

#: rotation within one floating frame, rad: its square is the relative error of the deflection
ROTATION = 0.15
#: error of first order of the frequencies of a body, by the inertia of third order that it leaves out; the
#: rotation below which it cannot come near that; and what round-off leaves of a straight beam or a flat plate
FIRST_ORDER, LEAST_ROTATION, NO_FIRST_ORDER = 0.02, 0.01, 1e-9
#: motions whose frequencies are judged, the slowest
MOTIONS = 5
#: second-order motion of a frame over the deflection of its body, largest normal strain
SECOND_ORDER, STRAIN = 0.1, 0.01
#: energy that the balance leaves over, and estimated error of a position over its size
ENERGY, ERROR = 0.01, 0.02
#: displacement over its size below which nothing moves: what round-off and correctors leave
STILL = 1e-12
#: change of the slope of v̇ and λ between two steps over four times their size
ROUGHNESS = 0.1
#: estimated error of v̇ and λ over their largest
LOADS = 0.05
#: part of v̇ and λ that may be round-off: loads of light bodies are off by more of their own
MURMUR = 0.01
#: flexible bodies that are named
BODIES = 8
#: rows at which the condition of the constraints is looked at; fewer where there are many constraints
LOOKS, MANY, FEW_LOOKS = 64, 60, 8

_ENERGIES = ("total", "work", "scheme", "kinetic", "strain")


@dataclass(slots=True)
class Deformation:
    """Largest deformation of one flexible body over a run.

    Attributes
    ----------
    rotation : largest rotation of a point against the frame of the body, rad.
    strain_energy : largest, J.
    elastic : (m,) elastic coordinates there.
    """

    rotation: float = 0.0
    strain_energy: float = -1.0
    elastic: Array = field(default_factory=lambda: np.zeros(0))

    def add(self, body: FlexibleBody, elastic: Array) -> None:
        """Look at the elastic coordinates of a block of rows, (rows, m)."""
        self.rotation = max(self.rotation, _rotation(body, elastic))
        energy = 0.5 * np.sum((elastic @ body.table.K) * elastic, axis=1)
        worst = int(np.argmax(energy))
        if energy[worst] > self.strain_energy:
            self.strain_energy, self.elastic = float(energy[worst]), elastic[worst].copy()


@dataclass(slots=True)
class Validity:
    """Largest values over a run.

    Attributes
    ----------
    equations : the equations that are solved.
    bodies : deformation of each flexible body.
    energy_error : largest |E - E₀ - W| in the rows, J.
    energy : largest kinetic and strain energy and work in the rows, J: what the error is judged by.
    condition : largest condition of the constraint Jacobian at the rows looked at, and the time there, s.
    rows : output rows of the run, of which so many are looked at.
    motions : (n_v, k) small motions whose frequencies are judged, xᵀM x = 1; those of the bodies if left out.
    """

    equations: Equations
    rows: int = 0
    bodies: dict[str, Deformation] = field(default_factory=dict)
    energy_error: float = 0.0
    energy: float = 0.0
    condition: tuple[float, float] = (1.0, 0.0)
    motions: Array | None = None
    _first: float = np.nan
    _firsts: dict[str, float] = field(default_factory=dict)
    _seen: int = 0

    def add(self, rows: dict[str, Array]) -> None:
        """Look at a block of rows."""
        balance = rows["energy/total"] - rows["energy/work"] - rows["energy/scheme"]
        if np.isnan(self._first):
            self._first = float(balance[0])
        self.energy_error = max(self.energy_error, float(np.abs(balance - self._first).max()))
        for name in ("kinetic", "strain", "work", "network"):
            if (values := rows.get(f"energy/{name}")) is not None:
                self.energy = max(self.energy, float(np.abs(values).max()))
        for body, part in self._flexible.items():
            self.bodies.setdefault(body, Deformation()).add(part, rows[f"bodies/{body}/elastic"])
        self._look(rows)

    def _look(self, rows: dict[str, Array]) -> None:
        """Constraints at some rows, the same ones whether a run was stopped or not."""
        looks = LOOKS if self.equations.m <= MANY else FEW_LOOKS
        every = max(1, self.rows // looks)
        for k in range(-self._seen % every, len(rows["time"]) * (self.equations.m > 0), every):
            state = State(float(rows["time"][k]), rows["state/q"][k], rows["state/v"][k])
            self.condition = max(self.condition, (condition(self.equations, state), state.t))
        self._seen += len(rows["time"])

    def go_on(self, path: Path, kept: int) -> None:
        """Look at the rows of a file that a run goes on with."""
        results = Results.open(path)
        wanted = [f"energy/{name}" for name in _ENERGIES] + ["time"]
        wanted += ["energy/network"] * self.equations.has_networks
        wanted += [f"bodies/{name}/elastic" for name in self._flexible]
        rows = {column: np.asarray(results.read(column, slice(kept))) for column in wanted}
        # a network alone has no coordinates, and its file no columns of them
        self.add(rows | {f"state/{key}": results.state(key)[:kept] for key in ("q", "v")})

    @property
    def _flexible(self) -> dict[str, FlexibleBody]:
        parts = self.equations.parts
        return {p.name: p for p in parts if isinstance(p, FlexibleBody) and p.table.m}

    def _balance(self, status: Status) -> tuple[float, float]:
        """Energy left over and largest energy: of steps where the method looks at them, else of rows."""
        if isnan(status.energy_error) or self.equations.has_networks:
            return self.energy_error, self.energy
        return status.energy_error, status.energy

    def _what(self, status: Status) -> str:
        """What the error of a run is of: adaptive steps without an own error of states hold both to it."""
        if not self.equations.n_v:
            return "states"
        return "positions and states" if self.equations.n_z and isnan(status.state_error) else "positions"

    def _least_energy(self, status: Status) -> float:
        """Energy of no motion: of displacements of STILL, and of velocities that make them in a step."""
        e, start = self.equations, self.equations.initial
        if not e.n_v or not status.t > start.t:
            return 0.0
        moved = STILL * e.sizes
        speed = status.steps / (status.t - start.t)
        still = e.energies(State(start.t, start.q, 0.0 * moved))
        found = e.energies(State(start.t, e.compose(start.q, moved), moved * speed))
        kinetic, _, strain = np.abs(found - still)
        return float(kinetic + strain)

    def told(self, status: Status) -> str:
        """One line: estimated error, energy error, condition of the constraints, deformations."""
        n = self.equations.n_v
        left, energy = self._balance(status)
        parts = [f"energy error {left:.3g} J of {energy:.3g} J"]
        if not isnan(status.rate_error):
            parts.insert(0, f"of rates of states {status.rate_error:.2g} of their largest")
        if not isnan(status.state_error):
            told = "of states" if n else "estimated error of states"
            parts.insert(0, f"{told} {status.state_error:.2g} of their largest")
        if not isnan(status.load_error):
            parts.insert(0, f"of accelerations and loads {status.load_error:.2g} of their largest")
        if not isnan(status.error):
            parts.insert(0, f"estimated error of {self._what(status)} {status.error:.2g} of their size")
        if self.equations.m:
            kappa, t = self.condition
            parts.append(f"condition of the constraints up to {kappa:.3g} (t = {t:.4g} s)")
        parts += [status.told] if status.told else []
        for name, found in self._worst():
            strain, first = self._strain(name), self._first_order(name)
            told = f"{name} turns by up to {found.rotation:.2g} rad within its frame"
            told += f", second-order share {self._second_order(name):.2g}"
            if found.rotation > LEAST_ROTATION and not first < NO_FIRST_ORDER:
                told += ", error of first order " + ("not known" if isnan(first) else f"{first:.2g}")
            parts.append(told + ("" if isnan(strain) else f", strain {strain:.2g}"))
        return "; ".join(parts) + "."

    def warnings(self, status: Status) -> list[str]:
        """What leaves its range, each with a remedy."""
        out = self._deformation_warnings()
        left, energy = self._balance(status)
        if left > ENERGY * energy and energy > self._least_energy(status):
            out.append(
                f"the energy balance is off by {left:.3g} J of {energy:.3g} J:"
                " try a smaller step, an adaptive one (tolerance), or an energy scheme."
            )
        for what, error, of in (
            (self._what(status), status.error, "size"),
            ("states", status.state_error, "largest"),
        ):
            if error > ERROR:
                out.append(
                    f"the estimated error of {what} is {error:.2g} of their {of}:"
                    " try a smaller step or an adaptive one (tolerance)."
                )
        if status.rate_error > LOADS:
            out.append(
                "rates of states, and what follows them (currents, flows, actuators), are not resolved by the"
                f" step, they are off by up to some {100 * status.rate_error:.2g} % of their largest:"
                " try a smaller step, or radau."
            )
        if status.roughness > ROUGHNESS:
            out.append(
                "accelerations and loads are not resolved by the step, from one to the next they change by"
                f" up to {400 * status.roughness:.0f} % of their size: try a smaller step, a start and loads"
                " that do not jump, or damp what is faster (a smaller rho, energy_decaying)."
            )
        elif status.load_error > LOADS:
            out.append(
                f"the estimated error of accelerations and loads is {100 * status.load_error:.2g} % of their"
                " largest: try a smaller step, another method, or an adaptive step (tolerance)."
            )
        elif status.murmur > MURMUR:
            out.append(
                f"accelerations and loads carry round-off, up to some {100 * status.murmur:.2g} % of their"
                " size, more with shorter steps: try a longer step, acceleration_level or dop853."
            )
        return out

    def _deformation_warnings(self) -> list[str]:
        """The worst body of each kind."""
        out = []
        remedy = "divide the body into several."
        worst = self._worst()
        if worst and worst[0][1].rotation > ROTATION:
            name, found = worst[0]
            out.append(
                f"{name} turns by {found.rotation:.2g} rad within one floating frame, meant for less than"
                f" {ROTATION:g} rad: {remedy}"
            )
        firsts = {name: self._first_order(name) for name in self.bodies}
        name = max(firsts, key=lambda body: np.nan_to_num(firsts[body]), default="")
        if name and firsts[name] > FIRST_ORDER:
            out.append(
                f"{name}: bent as it is, its frequencies are off by some {100 * firsts[name]:.1g} % in one"
                f" floating frame, of first order in its rotation: {remedy}"
            )
        shares = {name: self._second_order(name) for name in self.bodies}
        name = max(shares, key=lambda body: shares[body], default="")
        if name and shares[name] > SECOND_ORDER:
            out.append(
                f"{name}: motion of second order is {100 * shares[name]:.0f} % of its deflection, meant for"
                f" less than {100 * SECOND_ORDER:.0f} %: {remedy}"
            )
        strains = {name: self._strain(name) for name in self.bodies}
        name = max(strains, key=lambda body: np.nan_to_num(strains[body]), default="")
        if name and strains[name] > STRAIN:
            out.append(
                f"{name}: the largest strain is {100 * strains[name]:.2g} %, linear elasticity is meant for"
                f" less than {100 * STRAIN:g} %: look at its loads, its sections and its material."
            )
        return out

    def _worst(self) -> list[tuple[str, Deformation]]:
        """Bodies with the largest rotations, the largest first."""
        return sorted(self.bodies.items(), key=lambda body: -body[1].rotation)[:BODIES]

    def _first_order(self, name: str) -> float:
        """Largest |T₃|/μ of the motions asked for, else of the slowest of the body; nan where not known."""
        if name not in self._firsts:
            self._firsts[name] = self._third_order(name)
        return self._firsts[name]

    def _third_order(self, name: str) -> float:
        from flexnet.fem.third_order import slowest_motions, third_order_energy

        part, found = self._flexible[name], self.bodies[name]
        if found.rotation <= LEAST_ROTATION:
            return 0.0
        if not _has_elements(part) or not part.is_stiffened:
            return np.nan
        assert part.body is not None
        place = self.equations.coordinates.elastic[name].v
        rates = slowest_motions(part.table, MOTIONS)
        if self.motions is not None:
            rates = self.motions[place : place + part.table.m]
        energy = third_order_energy(part.body, part.table, found.elastic, rates, part.inertia)
        return float(np.abs(energy).max(initial=0.0))

    def _strain(self, name: str) -> float:
        """Largest normal strain where the strain energy was largest; nan where sections are not known."""
        from flexnet.fem import (
            largest_strain,
            nodal_freedoms,
        )  # here: rigid mechanisms load no finite elements

        part, x = self._flexible[name], self.bodies[name].elastic
        if part.body is None or not _knows_nodes(part):
            return np.nan
        return largest_strain(part.body, nodal_freedoms(part.table, x))

    def _second_order(self, name: str) -> float:
        """½ qᵀ H q of a frame, the largest, over the largest deflection of first order in the body."""
        table, x = self._flexible[name].table, self.bodies[name].elastic
        second = 0.5 * (table.foreshortening @ x) @ x
        first = [np.linalg.norm(rows.translation @ x, axis=1) for rows in (table.frames, table.output)]
        largest = max(float(u.max(initial=0.0)) for u in first)
        moved = float(np.linalg.norm(second, axis=1).max(initial=0.0))
        return moved / largest if largest > 0.0 else 0.0


def deformation_warnings(equations: Equations, q: Array, motions: Array | None = None) -> list[str]:
    """What leaves its range in the flexible bodies at one configuration, each with a remedy.

    ``motions`` are those of :class:`Validity`.
    """
    found = Validity(equations, motions=motions)
    for name, part in found._flexible.items():
        place = equations.coordinates.elastic[name].q
        found.bodies[name] = Deformation()
        found.bodies[name].add(part, q[None, place : place + part.table.m])
    return found._deformation_warnings()


def _rotation(body: FlexibleBody, elastic: Array) -> float:
    """Largest length of a rotation vector of a frame or node, relative to the frame of the body, rad."""
    largest = 0.0
    for rows in (body.table.frames, body.table.output):
        if len(rows.rotation):
            turned = rows.rotation @ elastic.T  # (frame, axis, row)
            largest = max(largest, float(np.linalg.norm(turned, axis=1).max(initial=0.0)))
    return largest


def _knows_nodes(part: FlexibleBody) -> bool:
    """Whether the table of a body knows the motion of all nodes of its mesh."""
    return part.body is not None and len(part.table.output.nodes) == len(part.body.mesh.nodes)


def _has_elements(part: FlexibleBody) -> bool:
    """Whether the elements of a body are known: of none that came as a table or as matrices."""
    return _knows_nodes(part) and part.body is not None and bool(part.body.regions) and not part.body.parts
