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


@dataclass(frozen=True, slots=True)
class Structure:
    """What is seen without solving anything.

    Attributes
    ----------
    filled : share of the entries of M that are not zero.
    constant : names of velocities whose row of M is constant.
    cyclic : names of coordinates no equation contains.
    """

    filled: float
    constant: tuple[str, ...]
    cyclic: tuple[str, ...]


def structure(equations: SymbolicEquations) -> Structure:
    """Sparsity, constant rows of M and cyclic coordinates."""
    x = equations.variables
    names = equations.numeric.coordinates.v_names
    inputs = _inputs(equations, equations.M.ravel())
    filled = sum(e != 0 for e in equations.M.ravel()) / max(equations.M.size, 1)
    moving = {*x.q, *(s for f in equations.known.symbols.values() for s in f)}
    constant = tuple(
        names[i]
        for i in range(equations.n)
        if not set().union(*inputs[i * equations.n :][: equations.n]) & moving
    )
    used: set[Expr] = set()
    for entry in _inputs(
        equations, [*equations.M.ravel(), *equations.F, *equations.phi, *equations.G.ravel()]
    ):
        used |= entry
    scalars = {v: x.place[q] for q, v in equations.numeric.coordinates.scalars}
    cyclic = tuple(names[i] for i in range(equations.n) if i in scalars and scalars[i] not in used)
    return Structure(filled, constant, cyclic)


def _inputs(equations: SymbolicEquations, entries: Iterable[Expr]) -> list[set[Expr]]:
    """Inputs each entry rests on."""
    lines = equations.tape.lines
    memo: dict[Expr, set[Expr]] = {}
    for name, e in lines.items():
        memo[name] = set().union(*(memo.get(s, {s}) for s in e.free_symbols))
    return [set().union(*(memo.get(s, {s}) for s in e.free_symbols)) for e in entries]
