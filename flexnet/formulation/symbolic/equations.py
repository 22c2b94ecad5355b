"""The equations of motion of a System in symbols, by the same sweeps and from the same trees.

    M(q) v̇ + Gᵀ λ = F(q, v, t),     Φ(q, t) = 0                                      GTM (88), (91)

Entries are written on a tape of small expressions; :meth:`SymbolicEquations.read` expands them.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from flexnet.formulation.equations import Equations
from flexnet.formulation.formulate import formulate
from flexnet.formulation.symbolic import constraints as step_2
from flexnet.formulation.symbolic import dynamics as step_4
from flexnet.formulation.symbolic.constraints import Chord
from flexnet.formulation.symbolic.energy import kinetic_energy, potential_energy
from flexnet.formulation.symbolic.expansion import Expansion
from flexnet.formulation.symbolic.kinematics import Kinematics, Rates, accelerations, positions, velocities
from flexnet.formulation.symbolic.loads import Loads, apply_loads, no_loads
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.tape import ONE, ZERO, Expr, Tape
from flexnet.formulation.symbolic.variables import TIME, KnownFunctions, Variables, make_variables
from flexnet.kernels import model as km
from flexnet.system import System
from flexnet.typing import AnyArray


class SymbolicEquations:
    """Equations of motion for one System and one pair of trees, in symbols.

    Parameters
    ----------
    equations : the numeric equations; their trees, coordinates and rows are taken over.
    rotations : how 3-D rotations in the tree are written: ``"quaternion"`` with the angular velocity as rate,
        as in the numeric engine, or a sequence of axes such as ``"zxz"`` with angles; for all, or for each by
        the name of its branch.
    numbers : write the values of the parameters instead of their names.
    given : expressions to write for named parameters.
    values : values of the symbols in these expressions, where the equations are to be evaluated.

    Attributes
    ----------
    tape : intermediate results.
    expansion : multiplies entries of the tape out.
    variables : symbols of q, v, v̇ and λ.
    parameters : symbols of masses, inertias, positions and force laws, with their values.
    known : symbols of known functions of time.
    """

    def __init__(
        self,
        equations: Equations,
        rotations: str | Mapping[str, str] = "quaternion",
        numbers: bool = False,
        given: Mapping[str, Expr] | None = None,
        values: Mapping[Expr, float] | None = None,
    ) -> None:
        self.numeric = equations
        self.tape = Tape()
        self.expansion = Expansion(self.tape.lines)
        self.variables: Variables = make_variables(equations, rotations)
        self.parameters = Parameters(numbers, given or {}, dict(values or {}), self.variables.names)
        self.known = KnownFunctions(self.parameters)
        self.kinematics: Kinematics = positions(
            self.tape, equations, self.variables, self.parameters, self.known
        )
        self.rows: list[Chord] = step_2.chords(self.kinematics, self.known)

    # -- names ---------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of velocities, and of dynamic equations."""
        return self.numeric.n_v

    @property
    def m(self) -> int:
        """Number of constraint equations."""
        return len(self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dynamic equations and the constraints."""
        return (*self.numeric.coordinates.v_names, *(row.name for row in self.numeric.rows))

    # -- sweeps --------------------------------------------------------------------------------

    @cached_property
    def rates(self) -> Rates:
        """Velocities of all nodes."""
        return velocities(self.kinematics, self.variables.v)

    @cached_property
    def drift(self) -> Rates:
        """Accelerations of all nodes for v̇ = 0."""
        return accelerations(self.kinematics, self.variables.v, [ZERO] * self.n, self.rates)

    @cached_property
    def accelerations(self) -> Rates:
        """Accelerations of all nodes, with v̇ in them."""
        return accelerations(self.kinematics, self.variables.v, self.variables.a, self.rates)

    @cached_property
    def columns(self) -> list[Rates]:
        """Velocities of all nodes for the unit rate of each coordinate: columns of the Jacobians."""
        units = ([ONE if j == i else ZERO for j in range(self.n)] for i in range(self.n))
        return [velocities(self.kinematics, unit, with_known=False) for unit in units]

    # -- equations -----------------------------------------------------------------------------

    @cached_property
    def M(self) -> AnyArray:
        """Mass matrix (n, n)."""
        out = np.full((self.n, self.n), ZERO, dtype=object)
        for i, column in enumerate(self.columns):
            loads = no_loads(self.kinematics)
            elastic = step_4.column_forces(self.kinematics, column, i, self.parameters, loads)
            entries = step_4.gather(self.kinematics, loads, elastic)
            for j in range(i, self.n):
                out[j, i] = out[i, j] = entries[j]
        return out

    @cached_property
    def phi(self) -> AnyArray:
        """Constraints Φ (m,)."""
        return _array([row.value for row in self.rows])

    @cached_property
    def G(self) -> AnyArray:
        """Constraint Jacobian (m, n)."""
        out = np.full((self.m, self.n), ZERO, dtype=object)
        for i, row in enumerate(self.rows):
            for j, column in enumerate(self.columns):
                out[i, j] = step_2.gradient(self.kinematics, row, column, j)
        return out

    @cached_property
    def phi_t(self) -> AnyArray:
        """Partial derivative ∂Φ/∂t (m,): Φ̇ at v = 0."""
        rest = velocities(self.kinematics, [ZERO] * self.n)
        return _array([step_2.rate(self.kinematics, row, [ZERO] * self.n, rest) for row in self.rows])

    @cached_property
    def phi_dot(self) -> AnyArray:
        """Rates Φ̇ = G v + Φ_t (m,)."""
        k, v = self.kinematics, self.variables.v
        return _array([step_2.rate(k, row, v, self.rates) for row in self.rows])

    @cached_property
    def bias(self) -> AnyArray:
        """Φ̈ for v̇ = 0 (m,): the acceleration equation is G v̇ = -bias."""
        return self._second([ZERO] * self.n, self.drift)

    @cached_property
    def phi_ddot(self) -> AnyArray:
        """Φ̈ (m,)."""
        return self._second(self.variables.a, self.accelerations)

    def _second(self, a: list[Expr], acc: Rates) -> AnyArray:
        k = self.kinematics
        return _array([step_2.acceleration(k, row, a, self.rates, acc) for row in self.rows])

    @cached_property
    def F(self) -> AnyArray:
        """Applied and quadratic velocity forces (n,)."""
        loads = apply_loads(self.kinematics, self.rates, self.parameters, self.known)
        elastic = step_4.apply_inertia(
            self.kinematics, self.rates, self.drift, [ZERO] * self.n, self.parameters, loads
        )
        return _array(step_4.gather(self.kinematics, loads, elastic))

    @cached_property
    def balance(self) -> tuple[AnyArray, Loads]:
        """Residual M v̇ + Gᵀλ - F (n,), and the cutset sums of every branch with v̇ and λ in them."""
        k = self.kinematics
        loads = apply_loads(k, self.rates, self.parameters, self.known)
        elastic = step_4.apply_inertia(
            k, self.rates, self.accelerations, self.variables.a, self.parameters, loads
        )
        step_4.apply_constraint_forces(k, self.rows, self.variables.lam, loads)
        r = [-x for x in step_4.gather(k, loads, elastic)]
        for row, lam in zip(self.rows, self.variables.lam, strict=True):
            if row.row.kind == km.COORDINATE:
                r[row.v] = self.tape.add(r[row.v], lam)
        return _array(r), loads

    @property
    def residual(self) -> AnyArray:
        """M v̇ + Gᵀλ - F (n,)."""
        return self.balance[0]

    @cached_property
    def energies(self) -> tuple[Expr, Expr, Expr]:
        """Kinetic energy, potential of gravity, springs and bushings, and strain energy."""
        k, p = self.kinematics, self.parameters
        return (
            kinetic_energy(k, self.rates, p), potential_energy(k, self.balance[1], p), k.elastic.strain(),
        )  # fmt: skip

    # -- reading -------------------------------------------------------------------------------

    def read(self, entries: AnyArray | Expr) -> Any:
        """Write an entry, or a matrix of entries, without intermediate names."""
        if isinstance(entries, np.ndarray):
            return self.tape.expand_array(entries)
        return self.tape.expand([entries])[0]

    def in_time(self, expression: Any) -> Any:
        """Write coordinates and known functions as functions of time and their rates as derivatives.

        Angular velocities of a 3-D rotation stay symbols of their own.
        """
        t = TIME
        swap: dict[Expr, Expr] = {}
        scalars = {v: q for q, v in self.numeric.coordinates.scalars}
        for j, (v, a) in enumerate(zip(self.variables.v, self.variables.a, strict=True)):
            if j in scalars:
                q = self.variables.place[scalars[j]]
                f = sp.Function(q.name, real=True)(t)
                swap |= {q: f, v: sp.Derivative(f, t), a: sp.Derivative(f, (t, 2))}
        for name, (f0, f1, f2) in self.known.symbols.items():
            f = sp.Function(name, real=True)(t)
            swap |= {f0: f, f1: sp.Derivative(f, t), f2: sp.Derivative(f, (t, 2))}
        return expression.xreplace(swap)


def symbolic(
    system: System | Equations,
    tree: str = "default",
    rotations: str | Mapping[str, str] = "quaternion",
    numbers: bool = False,
    given: Mapping[str, Expr] | None = None,
    values: Mapping[Expr, float] | None = None,
    **trees: Any,
) -> SymbolicEquations:
    """Formulate the equations of motion of a system in symbols.

    Parameters
    ----------
    system : the mechanism, or numeric equations whose trees and rows are to be taken over.
    tree, **trees : as in :func:`~flexnet.formulation.formulate`.
    rotations, numbers, given, values : as in :class:`SymbolicEquations`.
    """
    equations = system if isinstance(system, Equations) else formulate(system, tree, **trees)
    return SymbolicEquations(equations, rotations, numbers, given, values)


def _array(entries: list[Expr]) -> AnyArray:
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out
