"""Through variables in symbols: the load of every joint and driver, with v̇ and λ in it.

The formulas are those of :mod:`~flexnet.formulation.sensed_loads`.
"""

from dataclasses import dataclass

from flexnet.algebra import Expr, Vec, dot
from flexnet.components import RotationDriver
from flexnet.errors import ModelError
from flexnet.formulation.reactions import leans_on_virtual
from flexnet.formulation.sensed_loads import SensedLoads
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.graph import Kind


@dataclass(frozen=True, slots=True, eq=False)
class SymbolicLoad:
    """What a joint or driver does to its head.

    Attributes
    ----------
    force : on the head, at the origin of the head frame, in ground axes, N.
    torque : on the head about that point, in ground axes, N m.
    """

    force: Vec
    torque: Vec


def symbolic_reactions(equations: SymbolicEquations) -> dict[str, SymbolicLoad]:
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
    _, sums = equations.balance
    k, rows = equations.kinematics, equations.rows
    loads = SensedLoads(
        numeric.packer, sums.force.__getitem__, sums.torque.__getitem__,
        lambda i: (rows[i].wrenches[0].force, rows[i].wrenches[0].head), equations.variables.lam,
        lambda i: k.r[i].axes[0], lambda i, j: k.t[i].driven[j][0],
    )  # fmt: skip
    return {p.name: SymbolicLoad(*loads.load(p.name)) for p in parts}


def driver_loads(equations: SymbolicEquations) -> dict[str, Expr]:
    """Torque of every rotation driver about its axis, with v̇ and λ in it."""
    found = symbolic_reactions(equations)
    out: dict[str, Expr] = {}
    for part in equations.numeric.parts:
        if isinstance(part, RotationDriver):
            tail = equations.kinematics.R[equations.numeric.packer.body_index(part.tail)]
            u = tail.place(part.tail.rotation).vector(part.axis)
            out[part.name] = dot(u, found[part.name].torque)
    return out
