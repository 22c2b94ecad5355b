"""Solve the equations of a network for everything but its states, block by block; states are made minimal.

The equations are matched with the unknowns and cut into blocks, each of which needs only those before it. A
linear block is solved here, once. Of a block with nonlinear laws the arguments of
the laws are algebraic states z, and the equations that are left when the linear unknowns are eliminated are
their rows. Where equations hold states alone (a loop of capacitors and voltage
sources, a cutset of inductors and current sources, coils or capacitors tied by a transformer) one state is
made to depend on the others, and the equations are written again.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexnet.errors import ModelError
from flexnet.networks.branch_chord import BranchChord, Lawful
from flexnet.networks.form import Form, Key, of_kind, replaced, total
from flexnet.typing import Array

#: pivots, and coefficients left by elimination, below this share of the largest are round-off
_ROUND_OFF = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """A network, solved for its unknowns.

    Attributes
    ----------
    system : the equations as they were written last.
    values : form of every unknown in x, u, du, z, n and 1.
    free : unknowns that are the algebraic states z.
    residuals : forms that are zero, as many as there are algebraic states, each with its edge.
    laws : in the order of the keys ``n``, with the form of their argument.
    """

    system: BranchChord
    values: dict[Key, Form]
    free: tuple[int, ...]
    residuals: tuple[tuple[str, Form], ...]
    laws: tuple[tuple[Lawful, Form], ...]

    @property
    def guesses(self) -> tuple[float, ...]:
        """Where a search for the algebraic states begins."""
        return tuple(self.system.guesses[w] for w in self.free)

    def form(self, written: Form) -> Form:
        """A form of the equations in states, drives and numbers."""
        return replaced(written, self.values)


class Tied(Exception):
    """Equations that hold no unknown: a state depends on others."""

    def __init__(self, form: Form, weights: dict[int, float]) -> None:
        """``weights`` : of the equations whose combination has no unknown."""
        self.form, self.weights = form, weights


def solve(write: Callable[[dict[int, Form]], BranchChord]) -> Solved:
    """Solve a network.

    Parameters
    ----------
    write : writes its equations, given which states depend on others and how.

    Raises
    ------
    ModelError
        Where the equations do not determine the unknowns, naming the edges.
    """
    dependent: dict[int, Form] = {}
    needless: set[int] = set()
    while True:
        system = write(dependent)
        try:
            return _blocks(system, needless)
        except Tied as tied:
            dependent = _demote(system, tied, dependent)
            sizes = {k: abs(x) for k, x in tied.weights.items()}
            needless.add(max(sizes, key=sizes.__getitem__))


def _demote(system: BranchChord, tied: Tied, dependent: dict[int, Form]) -> dict[int, Form]:
    """Let one state depend on the others of an equation."""
    found = of_kind(tied.form, "x")
    names = ", ".join(repr(name) for name in dict.fromkeys(system.equations[k][0] for k in tied.weights))
    if not found:
        why = "contradict each other" if tied.form else "leave something undetermined"
        raise ModelError(f"the equations of {names} {why}: the network has no single solution")
    largest = max(abs(tied.form["x", i]) for i in found)
    fit = [i for i in found if abs(tied.form["x", i]) > 1e-3 * largest]

    def keeps(i: int) -> tuple[bool, bool, int]:
        """States of the normal tree are kept, those somebody has given a start too, then the first."""
        s = system.states[i]
        is_branch = s.edge.name in system.normal.names
        return (is_branch == (s.kind != "through"), s.start is not None, -i)

    k = min(fit, key=keeps)
    form = total([(-1.0 / tied.form["x", k], {key: v for key, v in tied.form.items() if key != ("x", k)})])
    return {i: replaced(f, {("x", k): form}) for i, f in dependent.items()} | {k: form}


def _blocks(system: BranchChord, needless: set[int]) -> Solved:
    """Solve block by block; ``needless`` equations follow from the others."""
    kept = [k for k in range(len(system.equations)) if k not in needless]
    rows = [set(of_kind(system.equations[k][1], "w")) for k in kept]
    rows += [{law.argument, law.value} for law in system.laws]
    match = _matching(system, kept, rows)
    values: dict[Key, Form] = {}
    free: list[int] = []
    residuals: list[tuple[str, Form]] = []
    laws: list[tuple[Lawful, Form]] = []
    for block in _ordered(rows, match):
        inside = [system.laws[i - len(kept)] for i in block if i >= len(kept)]
        for w in dict.fromkeys(law.argument for law in inside if ("w", law.argument) not in values):
            values["w", w] = {("z", len(free)): 1.0}
            free.append(w)
        for law in inside:
            given: Form = {("n", len(laws)): 1.0}
            laws.append((law, values["w", law.argument]))
            if ("w", law.value) in values:
                residuals.append((law.edge, total([(1.0, values["w", law.value]), (-1.0, given)])))
            else:
                values["w", law.value] = given
        numbers = [kept[i] for i in block if i < len(kept)]
        lines = {k: replaced(system.equations[k][1], values) for k in numbers}
        own = [w for w in (match[i] for i in block) if ("w", w) not in values]
        left = eliminate(lines, own, values)
        residuals += [(system.equations[k][0], form) for k, form in left.items()]
    return Solved(system, values, tuple(free), tuple(residuals), tuple(laws))


def eliminate(lines: dict[int, Form], own: list[int], values: dict[Key, Form]) -> dict[int, Form]:
    """Solve linear equations for unknowns, by elimination with complete pivoting.

    Parameters
    ----------
    lines : equations by their numbers.
    own : their unknowns.
    values : forms of the unknowns that are known; those found are added.

    Returns
    -------
    equations that are left, and hold laws or algebraic states: by the number of one they come from.

    Raises
    ------
    Tied
        Where a combination of the equations holds states and drives alone, or nothing.
    """
    place = {w: j for j, w in enumerate(own)}
    A = np.zeros((len(lines), len(own)))
    rest: list[Form] = []
    for i, form in enumerate(lines.values()):
        for key, value in form.items():
            if key[0] == "w":
                A[i, place[key[1]]] = value
        rest.append({key: value for key, value in form.items() if key[0] != "w"})
    if A.shape == (1, 1) and A[0, 0]:
        values["w", own[0]] = total([(-1.0 / float(A[0, 0]), rest[0])])
        return {}
    r, c = _scales(A)
    pivots, R = _pivoted(r[:, None] * A * c)
    for i, j in pivots.items():
        parts = [(-float(c[j] * R[i, k] * r[k]), rest[k]) for k in np.flatnonzero(R[i])]
        values["w", own[j]] = total(parts)
    numbers, left = list(lines), dict[int, Form]()
    for i in sorted(set(range(len(lines))) - set(pivots)):
        tied = _tied(R[i] * r, numbers, rest)
        if not any(kind in ("z", "n") for kind, _ in tied.form):
            raise tied
        left[numbers[i]] = tied.form
    if len(pivots) < len(own):
        raise Tied({}, dict.fromkeys(numbers, 1.0))
    return left


def _scales(A: Array) -> tuple[Array, Array]:
    """Powers of two for rows and columns that leave entries about one."""
    size = np.abs(A).max(axis=1, initial=0.0)
    r = 1.0 / np.where(size > 0.0, size, 1.0)
    size = np.abs(r[:, None] * A).max(axis=0, initial=0.0)
    c = 1.0 / np.where(size > 0.0, size, 1.0)
    return np.ldexp(1.0, np.frexp(r)[1]), np.ldexp(1.0, np.frexp(c)[1])


def _pivoted(A: Array) -> tuple[dict[int, int], Array]:
    """Column of the pivot of every row that has one, and the row operations."""
    A, R = A.copy(), np.eye(len(A))
    pivots: dict[int, int] = {}
    rows, columns = list(range(A.shape[0])), list(range(A.shape[1]))
    while columns and rows:
        part = np.abs(A[np.ix_(rows, columns)])
        at = int(part.argmax())
        i, j = rows[at // len(columns)], columns[at % len(columns)]
        if part.flat[at] <= _ROUND_OFF:
            break
        R[i] /= A[i, j]
        A[i] /= A[i, j]
        others = [k for k in np.flatnonzero(A[:, j]) if k != i]
        R[others] -= np.outer(A[others, j], R[i])
        A[others] -= np.outer(A[others, j], A[i])
        A[others, j] = 0.0
        A[np.abs(A) < _ROUND_OFF * 1e-3] = 0.0
        pivots[i] = j
        rows.remove(i)
        columns.remove(j)
    R[np.abs(R) < _ROUND_OFF * 1e-3 * np.abs(R).max(axis=1, initial=0.0)[:, None]] = 0.0
    return pivots, R


def _tied(weights: Array, numbers: list[int], rest: list[Form]) -> "Tied":
    """What a combination of equations says of the states."""
    held = total((float(x), form) for x, form in zip(weights, rest, strict=True))
    size = max(
        (abs(x * v) for x, form in zip(weights, rest, strict=True) for v in form.values()), default=0.0
    )
    held = {key: v for key, v in held.items() if abs(v) > _ROUND_OFF * size}
    largest = np.abs(weights).max()
    used = {k: float(x) for k, x in zip(numbers, weights, strict=True) if abs(x) > 1e-9 * largest}
    return Tied(held, used)


def _matching(system: BranchChord, kept: list[int], rows: list[set[int]]) -> list[int]:
    """Unknown of every equation.

    Raises
    ------
    Tied
        Where equations are more than their unknowns.
    """
    from scipy.sparse import csr_array  # here: most systems have no network
    from scipy.sparse.csgraph import maximum_bipartite_matching

    n = len(system.unknowns)
    # 32 bits: scipy before 1.13 matches no others
    i = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row) for row in rows])
    j = np.array([w for row in rows for w in row], dtype=np.int32)
    graph = csr_array((np.ones(len(j)), (i, j)), shape=(len(rows), max(n, 1)))
    match = [int(w) for w in maximum_bipartite_matching(graph, perm_type="column")]
    bare = [k for k, w in enumerate(match) if w < 0]
    if bare:
        _tell_tied(system, kept, rows, match, bare[0])
    if len(rows) != n:
        lost = sorted(set(range(n)) - set(match))
        raise ModelError(f"the network does not determine the {system.unknowns[lost[0]]}")
    return match


def _tell_tied(
    system: BranchChord, kept: list[int], rows: list[set[int]], match: list[int], bare: int
) -> None:
    """Find a combination of the equations in excess that holds no unknown."""
    owner = {w: k for k, w in enumerate(match) if w >= 0}
    seen, stack = {bare}, [bare]
    while stack:
        for w in rows[stack.pop()]:
            if w in owner and owner[w] not in seen:
                seen.add(owner[w])
                stack.append(owner[w])
    chosen = sorted(kept[k] for k in seen if k < len(kept))
    if len(chosen) < len(seen):
        names = ", ".join(repr(e) for e in dict.fromkeys(system.equations[k][0] for k in chosen))
        raise ModelError(f"the equations of {names} are more than their unknowns, and nonlinear")
    own = sorted({w for k in seen for w in rows[k]})
    eliminate({k: system.equations[k][1] for k in chosen}, own, {})
    raise AssertionError("equations in excess of their unknowns were solved")


def _ordered(rows: list[set[int]], match: list[int]) -> list[list[int]]:
    """Blocks of equations that need each other, what they need before them (Tarjan, without recursion)."""
    owner = {w: k for k, w in enumerate(match)}
    needs = [[owner[w] for w in row if owner[w] != k] for k, row in enumerate(rows)]
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on: set[int] = set()
    out: list[list[int]] = []
    for root in range(len(rows)):
        if root in index:
            continue
        path = [(root, iter(needs[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while path:
            k, rest = path[-1]
            after = next(rest, None)
            if after is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[k])
                if low[k] == index[k]:
                    cut = stack.index(k)
                    out.append(sorted(stack[cut:]))
                    on -= set(stack[cut:])
                    del stack[cut:]
            elif after not in index:
                index[after] = low[after] = len(index)
                stack.append(after)
                on.add(after)
                path.append((after, iter(needs[after])))
            elif after in on:
                low[k] = min(low[k], index[after])
    return out
