"""Operation counts of the equations after common subexpressions are taken out, as Léger counts them."""

from collections.abc import Iterable
from dataclasses import dataclass

from flexnet.algebra import Expr, Node, tape
from flexnet.algebra.scalar import DIV, MUL, SUM, children, terms
from flexnet.formulation.symbolic.equations import SymbolicEquations


@dataclass(frozen=True, slots=True)
class Counts:
    """Operations of a set of assignments.

    Attributes
    ----------
    additions : additions and subtractions.
    multiplications : multiplications and divisions; a whole power is repeated multiplication.
    functions : calls of sine, cosine, square root and the like.
    """

    additions: int = 0
    multiplications: int = 0
    functions: int = 0

    @property
    def total(self) -> int:
        """All operations."""
        return self.additions + self.multiplications + self.functions

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.functions + other.functions,
        )

    def __str__(self) -> str:
        return (
            f"{self.total} operations: {self.additions} additions, {self.multiplications} multiplications, "
            f"{self.functions} function calls"
        )


def count_node(x: Node) -> Counts:
    """Operations of one node; signs are free."""
    if x.op == SUM:
        scaled = sum(abs(c) != 1 for c, _ in terms(x))
        return Counts(len(terms(x)) - 1 + (x.args[0] != 0), scaled)
    return Counts(multiplications=1) if x.op in (MUL, DIV) else Counts(functions=1)


def count_expressions(outputs: Iterable[Expr], constant: Iterable[Node] = ()) -> Counts:
    """Operations of expressions, each intermediate result once; what follows from constants alone is free."""
    free = set(constant)
    total = Counts()
    for x in tape(outputs, free):
        if free and all(y in free for y in children(x)):
            free.add(x)
        else:
            total += count_node(x)
    return total


def count_operations(equations: SymbolicEquations, fold: bool = True) -> Counts:
    """Operations of one evaluation of M, G, F and the bias of Φ̈: what an explicit integrator asks for.

    Parameters
    ----------
    fold : parameters are numbers, and what follows from them alone is computed beforehand.
    """
    e = equations
    wanted = [*_lower(e), *e.G.ravel(), *e.F, *e.bias]
    return count_expressions(wanted, equations.parameters.values if fold else ())


def _lower(equations: SymbolicEquations) -> list[Expr]:
    """Entries of M on and below the diagonal."""
    return [equations.M[i, j] for i in range(equations.n) for j in range(i + 1)]
