"""Operation counts of the equations after common subexpressions are taken out, as Léger counts them."""

from collections.abc import Iterable
from dataclasses import dataclass

from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.tape import Expr, needed


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


def count_expression(e: Expr) -> Counts:
    """Operations of one expression; signs are free."""
    if e.is_Atom:
        return Counts()
    total = sum((count_expression(x) for x in e.args), Counts())
    if e.is_Add:
        return total + Counts(additions=len(e.args) - 1)
    if e.is_Mul:
        factors = [x for x in e.args if x not in (1, -1)]
        return total + Counts(multiplications=len(factors) - 1)
    if e.is_Pow:
        if e.exp.is_Integer:
            # x⁻ⁿ is n - 1 multiplications and a division
            n = int(e.exp)
            return total + Counts(multiplications=n - 1 if n > 0 else -n)
        return total + Counts(functions=1)
    return total + Counts(functions=1)


def count_operations(
    equations: SymbolicEquations, outputs: Iterable[Expr] | None = None, fold: bool = True
) -> Counts:
    """Operations of one evaluation of the equations.

    Parameters
    ----------
    outputs : entries to count; M, G, F and the bias of Φ̈ if left out: what an explicit integrator asks for.
    fold : parameters are numbers, and what follows from them alone is computed beforehand.
    """
    if outputs is None:
        e = equations
        outputs = [*_lower(e), *e.G.ravel(), *e.F, *e.bias]
    wanted = list(outputs)
    lines = equations.tape.lines
    constant = set(equations.parameters.values) if fold else set()
    total = sum((count_expression(x) for x in wanted), Counts())
    for name in needed(lines, wanted):
        if fold and lines[name].free_symbols <= constant:
            constant.add(name)
        else:
            total += count_expression(lines[name])
    return total


def _lower(equations: SymbolicEquations) -> list[Expr]:
    """Entries of M on and below the diagonal."""
    return [equations.M[i, j] for i in range(equations.n) for j in range(i + 1)]
