"""Through variables in symbols: the load of every joint and driver, with v̇ and λ in it.

A joint in the cotree has its multipliers, a joint in a tree its cutset sum (GTM eq. 78, 84); where a
driver rides on a joint, it takes the part in the joint's motion space.
"""

from dataclasses import dataclass

from flexnet.algebra import ZERO3, Expr, Vec, dot, minus, negative, plus, times
from flexnet.components import RotationDriver, TranslationDriver
from flexnet.errors import ModelError
from flexnet.formulation.reactions import leans_on_virtual, on_joint
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
    _, loads = equations.balance
    force, torque = {p.name: ZERO3 for p in parts}, {p.name: ZERO3 for p in parts}
    for e in equations.kinematics.t:
        if e.name in force:
            force[e.name] = times(-e.sign, loads.force[e.child])
    for b in equations.kinematics.r:
        if b.name in torque:
            torque[b.name] = times(-b.sign, loads.torque[b.child])
    _add_multipliers(equations, force, torque)
    _split(equations, force, torque)
    return {p.name: SymbolicLoad(force[p.name], torque[p.name]) for p in parts}


def _add_multipliers(equations: SymbolicEquations, force: dict[str, Vec], torque: dict[str, Vec]) -> None:
    axes = {b.name: b.axes for b in equations.kinematics.r}
    for chord, lam in zip(equations.rows, equations.variables.lam, strict=True):
        name = chord.row.component.name
        if chord.v >= 0:
            joint = str(getattr(chord.row.component, "joint", ""))
            own = times(lam, axes[joint][0])
            torque[joint] = plus(torque[joint], own)
            torque[name] = plus(torque[name], negative(own))
        else:
            first = chord.wrenches[0]
            force[name] = plus(force[name], times(-lam, first.force))
            torque[name] = plus(torque[name], times(-lam, first.head))


def _split(equations: SymbolicEquations, force: dict[str, Vec], torque: dict[str, Vec]) -> None:
    numeric = equations.numeric
    for branch, e in zip(numeric.T.branches, equations.kinematics.t, strict=True):
        part = on_joint(numeric, branch)
        if isinstance(part, TranslationDriver):
            own = plus(ZERO3, *(times(dot(d, force[part.name]), d) for d, _ in e.driven))
            _hand_over(force, str(part.joint), part.name, own)
    for branch, b in zip(numeric.R.branches, equations.kinematics.r, strict=True):
        part = on_joint(numeric, branch)
        if isinstance(part, RotationDriver):
            u = b.axes[0]
            own = times(dot(u, torque[part.name]), u)
            _hand_over(torque, str(part.joint), part.name, own)


def _hand_over(
    loads: dict[str, Vec], joint: str, driver: str, own: Vec
) -> None:  # fmt: skip
    """Give the joint what is not the driver's own."""
    loads[joint] = plus(loads[joint], minus(loads[driver], own))
    loads[driver] = own


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
