"""The packed mechanism in symbols: the kernels' sweeps, run on nodes.

What a branch, a rigid body, a row or a force element does the kernels ask its family. Here a family is the
formulas of one member, written out where it stands: turns about one axis add up, what is zero is not
written, and numbers are parameters named after their components.
"""

from collections.abc import Callable
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from flexnet.algebra import UNIT, Expr, Vec, array_of
from flexnet.components import ForceElement, RigidBody
from flexnet.formulation.equations import Equations
from flexnet.formulation.orientation import Orientation
from flexnet.formulation.rows import ConstraintRow
from flexnet.formulation.symbolic.bodies import body_family
from flexnet.formulation.symbolic.branches import slide_family, turn_family
from flexnet.formulation.symbolic.constraints import row_family
from flexnet.formulation.symbolic.flexible_tensors import name_flexible
from flexnet.formulation.symbolic.loads import element_family
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import TIME, KnownFunctions, Variables
from flexnet.formulation.unreduced import refuse_unreduced
from flexnet.kernels import constraints, dynamics, elastic, energy, power
from flexnet.kernels.in_python import in_python
from flexnet.kernels.model import SENSED, Model
from flexnet.kernels.work import Work
from flexnet.typing import AnyArray


def _itself(x: Any) -> Any:
    return x


#: families are called as they are, and find counted angles themselves; known functions are symbols already
_WORDS: dict[str, Callable[..., Any]] = {
    "float": _itself, "array_at": _itself, "at": lambda x, i: x[i:],
    "run": lambda family, arguments: family(*arguments), "twist": lambda *_: 0, "evaluate": lambda *_: None,
}  # fmt: skip
_residual = in_python(dynamics.residual, _WORDS)
_rates_and_accelerations = in_python(constraints.rates_and_accelerations, _WORDS)
_kinetic_energy = in_python(energy.kinetic_energy, _WORDS)
_potential_energy = in_python(energy.potential_energy, _WORDS)
_power = in_python(power.power, _WORDS)
_flexible_bodies = in_python(elastic.flexible_bodies, _WORDS)


class Mechanism:
    """A mechanism as its families see it.

    Attributes
    ----------
    R : orientation of every rotation node, in factors, as far as the sweep has come.
    model, work : of the kernels.
    """

    def __init__(
        self, equations: Equations, variables: Variables, parameters: Parameters, known: KnownFunctions
    ) -> None:
        refuse_unreduced(equations, "the symbolic engine writes out")
        self.equations, self.variables, self.parameters, self.known = equations, variables, parameters, known
        self.work = Work(*(_zeros(*x.shape) for x in equations.work))
        self.R = [Orientation()] * len(equations.packer.rotation_node)
        self.work.R[0] = UNIT
        self.model = self._model()
        self._know()
        self.q = _zeros(len(equations.initial.q))
        for i, x in variables.place.items():
            self.q[i] = x
        self.v, self.a, self.lam = (array_of(x) for x in (variables.v, variables.a, variables.lam))

    @property
    def gravity(self) -> Vec:
        """Acceleration of gravity, in ground."""
        return self.parameters.vector("g", self.equations.system.g)

    def _model(self) -> Model:
        """The packed model: records with the families of their members, parameters for numbers."""
        e, families = self.equations, list[Any]()
        made = {key: _records(getattr(e.model, key)) for key in _RECORDS}
        parts = {kind: [p for p in e.parts if isinstance(p, kind)] for kind in (RigidBody, ForceElement)}
        members: list[tuple[str, Any, Any]] = [
            ("r_edges", e.R.branches, turn_family), ("t_edges", e.T.branches, slide_family),
            ("bodies", parts[RigidBody], body_family), ("rows", e.rows, row_family),
            ("elements", parts[ForceElement], element_family),
        ]  # fmt: skip
        for key, owners, family in members:
            for owner, record in zip(owners, made[key], strict=True):
                record.family = len(families)
                families += family(self, owner, record)
        data = name_flexible(e, made["flex"], made["flex_frames"], self.parameters)
        weights = array_of([x for body in made["bodies"] for x in body.weight]).reshape(-1, 3)
        return e.model._replace(
            **made, families=_row(families), flex_data=data, flex_code=_row([_flexible_bodies]),
            gravity=array_of(self.gravity), weights=weights, feedback=e.model.feedback[:0],
            sensed=np.zeros(SENSED, dtype=np.int64),
        )  # fmt: skip

    def _know(self) -> None:
        """Symbols of the known functions that branches and rows follow."""
        e, model, f = self.equations, self.model, self.work.f
        for branch, edge in zip(e.R.branches, model.r_edges, strict=True):
            rotation = e.terminals[branch.edge.name].rotation
            if edge.function >= 0 and rotation is not None and rotation.function is not None:
                f[edge.function] = self.known.add(branch.edge.name, rotation.function, edge.function)
        for branch, edge in zip(e.T.branches, model.t_edges, strict=True):
            terminal = e.terminals[branch.edge.name].translation
            driven = () if terminal is None else terminal.driven
            for i, (_, function) in enumerate(driven):
                name = _numbered(branch.edge.name, i, len(driven))
                f[edge.function + i] = self.known.add(name, function, edge.function + i)
        for row, record in zip(e.rows, model.rows, strict=True):
            if row.function is not None:
                f[record.function] = self.known.add(_name(row), row.function, record.function)

    def tensor(self, body: Any, letter: str) -> AnyArray:
        """M, K or C (m, m) of a flexible body by its record."""
        start = getattr(body, letter)
        return self.model.flex_data[start : start + body.m**2].reshape(body.m, body.m)

    # -- sweeps --------------------------------------------------------------------------------

    @cached_property
    def residual(self) -> tuple[AnyArray, AnyArray]:
        """M v̇ + Gᵀλ - F (n,) and Φ (m,); frames, rates, rows and cutsets are then in ``work``."""
        r, phi = _zeros(len(self.v)), _zeros(len(self.lam))
        _residual(self.model, TIME, self.q, self.v, self.a, self.lam, self.work, r, phi)
        return r, phi

    @cached_property
    def rates(self) -> tuple[AnyArray, AnyArray]:
        """Φ̇ and Φ̈ (m,)."""
        _, first, second = self.residual, _zeros(len(self.lam)), _zeros(len(self.lam))
        _rates_and_accelerations(self.model, self.v, self.a, self.work, first, second)
        return first, second

    @cached_property
    def energies(self) -> tuple[Expr, Expr, Expr]:
        """Kinetic energy, potential of gravity, springs and bushings, and strain energy."""
        _, out = self.residual, _zeros(2)
        kinetic = _kinetic_energy(self.model, self.v, self.work)
        _potential_energy(self.model, self.q, self.work, out)
        return kinetic, *out

    @cached_property
    def powers(self) -> tuple[Expr, Expr, Expr]:
        """Power of drivers, of what neither stores nor damps, and of damping."""
        _, out = self.residual, _zeros(3)
        _power(self.model, self.q, self.v, self.lam, self.work, out)
        return out[0], out[1], out[2]


_RECORDS = (
    "r_edges", "t_edges", "bodies", "rows", "elements", "functions", "angles", "turns", "flex", "flex_frames",
)  # fmt: skip


def _row(things: list[Any]) -> AnyArray:
    out = np.empty(len(things), dtype=object)
    out[:] = things
    return out


def _zeros(*shape: int) -> AnyArray:
    return np.full(shape, 0, dtype=object)


def _records(records: AnyArray) -> AnyArray:
    """Records as objects with fields."""
    names = records.dtype.names or ()
    return _row([SimpleNamespace(**dict(zip(names, x.item(), strict=True))) for x in records])


def _numbered(name: str, i: int, count: int) -> str:
    return name if count == 1 else f"{name}.{i + 1}"


def _name(row: ConstraintRow) -> str:
    """Name of the known function of a row."""
    driven = getattr(row.component, "displacements", ())
    place = [f is row.function for f in driven].index(True) if len(driven) > 1 else 0
    return _numbered(row.component.name, place, max(len(driven), 1))
