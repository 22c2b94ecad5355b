"""The equations of motion of a System in symbols, by the same sweeps and from the same trees.

    M(q) v̇ + Gᵀ λ = F(q, v, t),     Φ(q, t) = 0                                      GTM (88), (91)

The sweeps give the residual, with v̇ and λ in it, and the rates of Φ. M and G are what these have of v̇ and v.
Entries are nodes of formulas, of which equal parts are one object; :meth:`SymbolicEquations.read` writes them
as expressions of sympy.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from flexnet.algebra import (
    Expr,
    Node,
    array_of,
    forward_each,
    substituted,
)
from flexnet.formulation.equations import Equations
from flexnet.formulation.formulate import formulate
from flexnet.formulation.orientation import Orientation
from flexnet.formulation.symbolic.expansion import Expansion
from flexnet.formulation.symbolic.mechanism import Mechanism
from flexnet.formulation.symbolic.parameters import Parameters
from flexnet.formulation.symbolic.variables import KnownFunctions, Variables, make_variables
from flexnet.kernels.work import Work
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
    given : expressions of sympy to write for named parameters.
    values : values of the symbols in these expressions, where the equations are to be evaluated.

    Attributes
    ----------
    expansion : multiplies entries out.
    variables : symbols of q, v, v̇ and λ.
    parameters : symbols of masses, inertias, positions and force laws, with their values.
    known : symbols of known functions of time.
    mechanism : the packed model in symbols, on which the kernels run.
    """

    def __init__(
        self,
        equations: Equations,
        rotations: str | Mapping[str, str] = "quaternion",
        numbers: bool = False,
        given: Mapping[str, Any] | None = None,
        values: Mapping[Any, float] | None = None,
    ) -> None:
        self.numeric = equations
        self.expansion = Expansion()
        self.variables: Variables = make_variables(equations, rotations)
        own, self._users = _written(given or {}, values or {})
        self.parameters = Parameters(numbers, given or {}, own, self.variables.names)
        self.known = KnownFunctions(self.parameters)
        self.mechanism = Mechanism(equations, self.variables, self.parameters, self.known)

    # -- names ---------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of velocities, and of dynamic equations."""
        return self.numeric.n_v

    @property
    def m(self) -> int:
        """Number of constraint equations."""
        return self.numeric.m

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dynamic equations and the constraints."""
        return (*self.numeric.coordinates.v_names, *(row.name for row in self.numeric.rows))

    # -- frames --------------------------------------------------------------------------------

    @property
    def work(self) -> Work:
        """The kernels' workspace: positions and rates of all frames, rows and cutset sums."""
        _ = self.residual
        return self.mechanism.work

    @property
    def orientations(self) -> list[Orientation]:
        """Orientation of every rotation node."""
        _ = self.residual
        return self.mechanism.R

    # -- equations -----------------------------------------------------------------------------

    @cached_property
    def M(self) -> AnyArray:
        """Mass matrix (n, n), what the residual has of each acceleration."""
        out = forward_each(self.residual, [{a: 1} for a in self.variables.a])
        for i in range(self.n):
            out[i, i:] = out[i:, i]
        return out

    @property
    def phi(self) -> AnyArray:
        """Constraints Φ (m,)."""
        return self.mechanism.residual[1]

    @cached_property
    def G(self) -> AnyArray:
        """Constraint Jacobian (m, n), what Φ̇ has of each velocity."""
        return forward_each(self.phi_dot, [{v: 1} for v in self.variables.v])

    @property
    def phi_dot(self) -> AnyArray:
        """Rates Φ̇ = G v + Φ_t (m,)."""
        return self.mechanism.rates[0]

    @property
    def phi_ddot(self) -> AnyArray:
        """Φ̈ (m,)."""
        return self.mechanism.rates[1]

    @cached_property
    def bias(self) -> AnyArray:
        """Φ̈ for v̇ = 0 (m,): the acceleration equation is G v̇ = -bias."""
        return array_of(self._at_rest(self.phi_ddot))

    @cached_property
    def F(self) -> AnyArray:
        """Applied and quadratic velocity forces (n,), all that the residual has besides v̇ and λ."""
        return array_of([-x for x in self._at_rest(self.residual)])

    def _at_rest(self, entries: AnyArray) -> list[Expr]:
        """Entries without accelerations and multipliers."""
        return substituted(entries, dict.fromkeys([*self.variables.a, *self.variables.lam], 0))

    @property
    def residual(self) -> AnyArray:
        """M v̇ + Gᵀλ - F (n,)."""
        return self.mechanism.residual[0]

    @property
    def energies(self) -> tuple[Expr, Expr, Expr]:
        """Kinetic energy, potential of gravity, springs and bushings, and strain energy."""
        return self.mechanism.energies

    def __repr__(self) -> str:
        return f"{self.numeric!r}, in symbols"

    def _repr_html_(self) -> str:
        from flexnet.formulation.symbolic.report import fragment  # which knows this page

        return fragment(self)

    # -- reading -------------------------------------------------------------------------------

    def read(self, entries: AnyArray | Expr) -> Any:
        """Write an entry, or a matrix of entries, as expressions of sympy."""
        import sympy as sp

        from flexnet.algebra.exchange import to_sympy

        if not isinstance(entries, np.ndarray):
            return to_sympy([entries], self._users)[0]
        shape = entries.shape if entries.ndim == 2 else (len(entries), 1)
        return sp.Matrix(*shape, to_sympy(entries.ravel(), self._users))


def _written(
    given: Mapping[str, Any], values: Mapping[Any, float]
) -> tuple[dict[Node, float], dict[Node, Any]]:
    """Symbols of a user with their values, and those of given expressions with what is assumed of them."""
    if not given and not values:
        return {}, {}
    import sympy as sp

    from flexnet.algebra.exchange import from_sympy  # loads sympy, which a run does without

    users = {s for e in given.values() for s in sp.sympify(e).free_symbols}
    return {from_sympy(s): float(x) for s, x in values.items()}, {from_sympy(s): s for s in users}


def symbolic(
    system: System | Equations,
    tree: str = "default",
    rotations: str | Mapping[str, str] = "quaternion",
    numbers: bool = False,
    given: Mapping[str, Any] | None = None,
    values: Mapping[Any, float] | None = None,
    **trees: Any,
) -> SymbolicEquations:
    """Formulate the equations of motion of a system in symbols.

    Parameters
    ----------
    system : the mechanism, or numeric equations whose trees and rows are to be taken over.
    tree, **trees : as in :func:`~flexnet.formulation.formulate`, where a System is given.
    rotations, numbers, given, values : as in :class:`SymbolicEquations`.
    """
    equations = system if isinstance(system, Equations) else formulate(system, tree, **trees)
    return SymbolicEquations(equations, rotations, numbers, given, values)
