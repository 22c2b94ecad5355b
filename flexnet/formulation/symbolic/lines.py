"""Lines of a report of equations, and how much of an expression is written in one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from flexnet.algebra import Expr, Node, tape
from flexnet.algebra.exchange import to_sympy
from flexnet.algebra.scalar import children, split, symbol
from flexnet.algebra.tape import uses
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.motion import written_size
from flexnet.formulation.symbolic.writing import tidy

#: an expression with more operations than this is multiplied out, and if it then has more products than
#: LEGIBLE it is written with intermediate names; one with more operations than TOO_LONG is not tried
READABLE, LEGIBLE, TOO_LONG = 150, 40, 5000
#: symbols of an intermediate result that is written wherever it comes
FEW = 3


@dataclass(slots=True)
class Line:
    """One line of a report: words, or an equation ``left = right`` with a name.

    Attributes
    ----------
    label : name of the equation, or the words themselves.
    left : left side as text; empty for words.
    right : right side as expressions of sympy, one or a vector; entries that would fill pages are nodes until
        all lines are known and their intermediate results get names.
    note : what to know about it.
    groups : of an equation whose terms are grouped and sum to zero: word and expression of each group.
    """

    label: str
    left: str = ""
    right: tuple[Any, ...] = ()
    note: str = ""
    groups: tuple[tuple[str, Any], ...] = ()


@dataclass(slots=True)
class Section:
    """A step: heading, what it does, and its lines."""

    step: str
    title: str
    about: str
    lines: list[Line] = field(default_factory=list)


def read(entries: Iterable[Expr]) -> tuple[Any, ...]:
    """Expressions, or nodes where they would fill pages."""
    wanted = list(entries)
    return tuple(wanted if written_size(wanted) > READABLE else to_sympy(wanted))


def tidied(equations: SymbolicEquations, entry: Expr) -> tuple[Any, ...]:
    """An entry with its squares of cosines taken out, where it is short then."""
    size = written_size([entry])
    if size <= READABLE:
        return (tidy(to_sympy([entry])[0]),)
    if size <= TOO_LONG:
        (polynomial,) = equations.expansion.read([entry])
        if len(polynomial) <= LEGIBLE:
            return tuple(to_sympy([equations.expansion.write(polynomial)]))
    return (entry,)


def name_results(lines: list[Line]) -> list[Line]:
    """Give names to intermediate results of entries that are still nodes, and write these in them.

    What comes once and is short stays where it is.
    """
    long = [x for line in lines for x in line.right if type(x) is Node]
    times = uses(long)
    names: dict[Node, Any] = {}
    size: dict[Node, int] = {}
    added: list[Line] = []
    for x in tape(long):
        size[x] = sum(size.get(y, 1) for y in children(x))
        is_factored = split(x)[1] is not x  # a number in front stays in front
        if not is_factored and (size[x] > LEGIBLE or (times[x] > 1 and size[x] > FEW)):
            (right,) = to_sympy([x], names)
            if right.is_Atom:  # what is left of it is a number or a name
                names[x], size[x] = right, 1
                continue
            names[x], size[x] = to_sympy([symbol(f"z{len(added)}")])[0], 1
            added.append(Line("with", names[x].name, (right,)))
    for line in lines:
        line.right = tuple(to_sympy([x], names)[0] if type(x) is Node else x for x in line.right)
    return added


#: functions of x = φ² in rotations by an angle φ; primes are derivatives by φ
TURNS = {
    "turn_f1": "(1 - cos φ)/φ²", "turn_f2": "(φ - sin φ)/φ³", "turn_g1": "f₁'/φ", "turn_g2": "f₂'/φ",
    "turn_c": "(1 - φ/2 cot φ/2)/φ²", "turn_w": "cos φ/2", "turn_s": "(sin φ/2)/φ",
}  # fmt: skip


def explained(lines: list[Line]) -> list[Line]:
    """What the functions are that lines use and that no textbook has by these names."""
    used = {f.func.__name__ for line in lines for x in line.right for f in sp.sympify(x).atoms(sp.Function)}
    return [Line(f"{name}(φ²) = {TURNS[name]}") for name in TURNS if name in used]
