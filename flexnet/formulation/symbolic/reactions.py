"""Through variables in symbols: the load of every joint and driver, with v̇ and λ in it.

The formulas are those of :mod:`~flexnet.formulation.sensed_loads`.
"""

from flexnet.algebra import Expr, Vec, array_of, dot
from flexnet.components import RotationDriver
from flexnet.errors import ModelError
from flexnet.formulation.reactions import Load, leans_on_virtual
from flexnet.formulation.sensed_loads import SensedLoads
from flexnet.formulation.symbolic.branches import vector
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.graph import Kind
from flexnet.kernels.model import ROW_FORCE, ROW_HEAD


def loads_of(equations: SymbolicEquations) -> SensedLoads:
    """Formulas of the loads, of the cutsets and rows of these equations."""
    w = equations.work

    def unit(i: int) -> tuple[Vec, Vec]:
        return vector(w.row[i, ROW_FORCE:]), vector(w.row[i, ROW_HEAD:])

    return SensedLoads(
        equations.numeric.packer, lambda i: vector(w.force[i]), lambda i: vector(w.torque[i]), unit,
        equations.variables.lam, lambda i: vector(w.u[i, 0]), lambda i, j: vector(w.e[i, j]),
    )  # fmt: skip


def symbolic_reactions(equations: SymbolicEquations) -> dict[str, Load]:
    """Loads of all joints and motion drivers, as entries of the tape.

    Raises
    ------
    ModelError
        If a virtual joint is a branch that holds a direction: its cutset tells only the sum of what the
        real joints of the loop carry. Choose a tree without it.
    """
    numeric = equations.numeric
    if leans_on_virtual(numeric):
        raise ModelError("a virtual joint in the tree holds a direction; loads need a tree without it")
    parts = [p for p in numeric.parts if p.kind in (Kind.JOINT, Kind.DRIVER)]
    loads = loads_of(equations)
    return {p.name: Load(*map(array_of, loads.load(p.name))) for p in parts}


def driver_loads(equations: SymbolicEquations) -> dict[str, Expr]:
    """Torque of every rotation driver about its axis, with v̇ and λ in it."""
    found = symbolic_reactions(equations)
    out: dict[str, Expr] = {}
    for part in equations.numeric.parts:
        if isinstance(part, RotationDriver):
            tail = equations.orientations[equations.numeric.packer.body_index(part.tail)]
            u = tail.place(part.tail.rotation).vector(part.axis)
            out[part.name] = dot(u, list(found[part.name].torque))
    return out
