"""Formulations of a linear network in symbols: nodal, branch-chord, tableau; all must agree.

Every edge has one terminal equation, linear in its across variable α, its through variable τ and, by s, their
rates; what is stored at the start enters as Laplace's transform has it: C(s α - α₀) = τ.

    nodal          A τ = 0, α = Aᵀ α_n and the terminal equations in α, τ, α_n                 GTM (4), (14)
    branch-chord   τ_b = -A_c τ_c, α_c = A_cᵀ α_b in the terminal equations: unknown α_b, τ_c   GTM (20), (21)
    tableau        A τ = 0 with τ of conductances put in; unknown α_n and the τ that are left   GTM (48)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from flexnet.errors import ModelError
from flexnet.graph import BETWEEN, THROUGH_DRIVER, Tree, f_cutset, incidence
from flexnet.networks.element import Element
from flexnet.networks.network import Network

s = sp.Symbol("s")


@dataclass(frozen=True, eq=False)
class Formulation:
    """Linear equations M X = b.

    Attributes
    ----------
    name : of the formulation.
    unknowns : X, symbols.
    equations : expressions that are zero.
    across, through : variables of every edge in the unknowns.
    """

    name: str
    unknowns: tuple[sp.Symbol, ...]
    equations: tuple[sp.Expr, ...]
    across: dict[str, sp.Expr]
    through: dict[str, sp.Expr]

    @cached_property
    def matrix(self) -> sp.Matrix:
        """M."""
        return sp.linear_eq_to_matrix(list(self.equations), list(self.unknowns))[0]

    @cached_property
    def right(self) -> sp.Matrix:
        """Right-hand side b."""
        return sp.linear_eq_to_matrix(list(self.equations), list(self.unknowns))[1]

    @cached_property
    def solution(self) -> dict[sp.Symbol, sp.Expr]:
        """X."""
        found = self.matrix.LUsolve(self.right)
        return {x: sp.cancel(sp.together(v)) for x, v in zip(self.unknowns, found, strict=True)}

    def value(self, edge: str, kind: str = "across") -> sp.Expr:
        """A variable of an edge in drives, parameters, start values and s."""
        table = self.across if kind == "across" else self.through
        return sp.cancel(sp.together(table[edge].subs(self.solution)))


@dataclass(frozen=True, eq=False)
class Written:
    """Letters of one element, in given variables of all edges.

    Attributes
    ----------
    element : whose; its letter is called as it is.
    alpha, tau : variables of every edge.
    rates : where not None, rates are symbols, and the kind of every variable whose rate was asked for is
        kept here by the name of its edge; else they are Laplace's transforms, s α - α₀.
    """

    element: Element
    alpha: dict[str, Any]
    tau: dict[str, Any]
    rates: dict[str, str] | None = None

    @property
    def parameter(self) -> sp.Symbol:
        """What the element's number is called."""
        return sp.Symbol(self.element.name)

    drive = parameter

    def across(self, k: int = 0) -> sp.Expr:
        """α of edge k."""
        return self.alpha[self.element.ports[k].name]

    def through(self, k: int = 0) -> sp.Expr:
        """τ of edge k."""
        return self.tau[self.element.ports[k].name]

    def across_rate(self, k: int = 0) -> sp.Expr:
        """Rate of α of edge k."""
        return self._rate(k, self.across(k), "across")

    def through_rate(self, k: int = 0) -> sp.Expr:
        """Rate of τ of edge k."""
        return self._rate(k, self.through(k), "through")

    def _rate(self, k: int, value: sp.Expr, kind: str) -> sp.Expr:
        name = self.element.ports[k].name
        if self.rates is None:
            return s * value - sp.Symbol(f"{name}_0")
        self.rates[name] = kind
        return sp.Symbol(f"rate_{name}")

    @property
    def rows(self) -> list[sp.Expr]:
        """Terminal equations."""
        found = self.element.linear(self)
        if found is None:
            e = self.element
            raise ModelError(f"{e.noun} {e.name!r} has a law of its own: its network is not linear")
        return found


@dataclass(frozen=True, eq=False)
class SymbolicNetwork:
    """A linear network in symbols: an element's parameter is called as the element is.

    Attributes
    ----------
    network : it stands for.
    tree : of the branch-chord equations; the network's own if left out.
    """

    network: Network
    tree: Tree

    @cached_property
    def parameters(self) -> dict[sp.Symbol, Any]:
        """Number of every symbol that stands for a constant."""
        out: dict[sp.Symbol, Any] = {}
        for e in self.network.elements:
            if e.parameter is not None:
                out[sp.Symbol(e.name)] = e.parameter
            for state in e.states:
                out[sp.Symbol(f"{state.edge.name}_0")] = state.start or 0.0
        return out

    def terminal(self, across: dict[str, Any], through: dict[str, Any]) -> list[sp.Expr]:
        """Terminal equations of all edges in given variables."""
        return [x for e in self.network.elements for x in Written(e, across, through).rows]

    @cached_property
    def edges(self) -> tuple[str, ...]:
        """Names of all edges."""
        return tuple(self.network.ports)

    def _symbols(self, what: str, names: Any) -> dict[str, sp.Symbol]:
        return {name: sp.Symbol(f"{what}_{name}") for name in names}

    @cached_property
    def nodal(self) -> Formulation:
        """2e + b equations in α, τ and α_n."""
        graph = self.network.graph
        nodes = [n for n in graph.nodes if n != graph.datum]
        alpha, tau = self._symbols("alpha", self.edges), self._symbols("tau", self.edges)
        at = self._symbols("n", nodes)
        A = incidence(graph)
        rows = [
            sum(int(A.values[A.rows.index(n), k]) * tau[e] for k, e in enumerate(A.columns)) for n in nodes
        ]
        for k, e in enumerate(A.columns):
            drop = sum(int(A.values[A.rows.index(n), k]) * at[n] for n in nodes)
            rows.append(alpha[e] - drop)
        rows += self.terminal(alpha, tau)
        unknowns = (*alpha.values(), *tau.values(), *at.values())
        return Formulation("nodal", unknowns, tuple(map(sp.expand, rows)), alpha, tau)

    @cached_property
    def branch_chord(self) -> Formulation:
        """Terminal equations in α of the branches and τ of the chords: e equations."""
        cut = f_cutset(self.tree)
        b = len(cut.rows)
        chords, A_c = cut.columns[b:], cut.values[:, b:]
        across: dict[str, Any] = dict(self._symbols("alpha", cut.rows))
        through: dict[str, Any] = dict(self._symbols("tau", chords))
        unknowns = (*across.values(), *through.values())
        for i, name in enumerate(cut.rows):
            through[name] = -sum(int(A_c[i, j]) * through[c] for j, c in enumerate(chords))
        for j, name in enumerate(chords):
            across[name] = sum(int(A_c[i, j]) * across[n] for i, n in enumerate(cut.rows))
        rows = self.terminal(across, through)
        return Formulation("branch-chord", unknowns, tuple(map(sp.expand, rows)), across, through)

    @cached_property
    def tableau(self) -> Formulation:
        """A τ = 0 with what follows from α_n put in, and terminal equations of the τ that are left."""
        graph = self.network.graph
        nodes = [n for n in graph.nodes if n != graph.datum]
        at: dict[str, Any] = dict(self._symbols("n", nodes)) | {graph.datum: sp.Integer(0)}
        across = {p.name: at[p.tail] - at[p.head] for p in self.network.ports.values()}
        through, left, rows = dict[str, Any](), list[sp.Symbol](), list[sp.Expr]()
        for e in self.network.elements:
            for p in e.ports:
                through[p.name] = sp.Symbol(f"tau_{p.name}")
            own = Written(e, across, through).rows
            given = sp.diff(own[0], through[e.ports[0].name])
            if len(e.ports) == 1 and e.order in (BETWEEN, THROUGH_DRIVER) and given != 0:
                tau = through[e.name]
                through[e.name] = sp.expand(tau - own[0] / given)
            else:
                left += [through[p.name] for p in e.ports]
                rows += own
        A = incidence(graph)
        balances = [
            sum(int(A.values[A.rows.index(n), k]) * through[e] for k, e in enumerate(A.columns))
            for n in nodes
        ]
        unknowns = (*(at[n] for n in nodes), *left)
        return Formulation("tableau", unknowns, tuple(map(sp.expand, [*balances, *rows])), across, through)

    def transfer(self, output: str, source: str, kind: str = "across") -> sp.Expr:
        """Transfer function from a source to a variable of an edge, of s; everything else is at rest."""
        value = self.tableau.value(output, kind)
        drive = sp.Symbol(source)
        return sp.factor(sp.cancel(sp.diff(value, drive)))

    @cached_property
    def state_equations(self) -> dict[str, sp.Expr]:
        """Rate of every state in states and drives, from the branch-chord equations (GTM (36))."""
        f, kinds = self.branch_chord, dict[str, str]()
        rows = [x for e in self.network.elements for x in Written(e, f.across, f.through, kinds).rows]
        rates = [sp.Symbol(f"rate_{name}") for name in kinds]
        rows += [
            (f.across if kind == "across" else f.through)[name] - sp.Symbol(f"x_{name}")
            for name, kind in kinds.items()
        ]
        M, b = sp.linear_eq_to_matrix(rows, [*f.unknowns, *rates])
        if M.rank() < M.cols:
            raise ModelError(
                "states of the network depend on each other: its state equations are not written"
            )
        found = M.LUsolve(b)
        n = len(f.unknowns)
        return {name: sp.simplify(found[n + k]) for k, name in enumerate(kinds)}


def symbolic_network(network: Network, tree: Tree | None = None) -> SymbolicNetwork:
    """A linear network in symbols, its branch-chord equations in a tree."""
    for e in network.elements:
        anything = {p.name: sp.Symbol("x") for p in e.ports}
        _ = Written(e, anything, anything).rows
    return SymbolicNetwork(network, network.tree if tree is None else tree)
