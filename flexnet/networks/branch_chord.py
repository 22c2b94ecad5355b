"""The branch-chord equations of a network in any tree, with its terminal equations, as linear forms.

    τ_b = -A_c τ_c,     α_c = A_cᵀ α_b                                             GTM (20), (21), (13)

Unknown are the across variables of branches and the through variables of chords that nothing prescribes, the
rates of the states, and the arguments and values of nonlinear laws: every edge brings one equation.
"""

from dataclasses import dataclass, field

from flexnet.errors import ModelError
from flexnet.graph import Tree
from flexnet.networks.element import Element, Law, Port, StateName
from flexnet.networks.form import ONE, Form, total
from flexnet.signals import Known, Number, Signal


@dataclass(frozen=True, slots=True)
class Lawful:
    """A nonlinear law: unknown ``value`` is what it gives for unknown ``argument``."""

    edge: str
    function: Law
    argument: int
    value: int


@dataclass(slots=True)
class BranchChord:
    """All equations of a network in one tree.

    Attributes
    ----------
    elements : of the network.
    tree : the equations are written in.
    normal : the normal tree, whose branches have the places.
    dependent : states that follow from others, and how.
    states : all, dependent ones included.
    drives : signals that drive it, in the order of the keys ``u``.
    equations : forms that are zero, with the name of the edge that brings each.
    unknowns : what every unknown is, for messages.
    rates : unknown that is the rate of a state.
    laws : nonlinear laws; each is an equation besides.
    guesses : where a search for the parameter of a law begins.
    across, through, place : forms of the variables of every edge; of a place, ``across`` is its rate.
    """

    elements: tuple[Element, ...]
    tree: Tree
    normal: Tree
    dependent: dict[int, Form]
    states: list[StateName] = field(default_factory=list)
    drives: list[Signal] = field(default_factory=list)
    equations: list[tuple[str, Form]] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    rates: dict[int, int] = field(default_factory=dict)
    laws: list[Lawful] = field(default_factory=list)
    guesses: dict[int, float] = field(default_factory=dict)
    across: dict[str, Form] = field(default_factory=dict)
    through: dict[str, Form] = field(default_factory=dict)
    place: dict[str, Form] = field(default_factory=dict)
    _branches: frozenset[str] = frozenset()
    _where: dict[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.states = state_names(self.elements, self.normal)
        self._branches = frozenset(self.tree.names)
        self._where = {(s.edge.name, s.kind): i for i, s in enumerate(self.states)}
        for i, s in enumerate(self.states):
            if i not in self.dependent:
                self.rates[i] = len(self.unknowns)
                self.unknown(f"rate of {s.label}")
        for e in self.elements:
            for signal in e.signals:
                self.drive(signal)
        self._write_places()
        self._write_variables()
        self._write_topology()
        for e in self.elements:
            e.terminal(self)
        for i, s in enumerate(self.states):
            if s.kind == "place" and i not in self.dependent:
                edge = s.edge.name
                self.equation(edge, (1.0, self.rate(edge, "place")), (-1.0, self.across[edge]))

    # -- what elements ask for -------------------------------------------------------------------

    def unknown(self, name: str) -> Form:
        """A new unknown."""
        self.unknowns.append(name)
        return {("w", len(self.unknowns) - 1): 1.0}

    def is_branch(self, edge: str) -> bool:
        """Whether an edge is in the tree."""
        return edge in self._branches

    def state(self, edge: str, kind: str) -> Form:
        """A state, or what it depends on."""
        i = self._where[edge, kind]
        return self.dependent.get(i, {("x", i): 1.0})

    def rate(self, edge: str, kind: str) -> Form:
        """Rate of a state: unknown, or that of what it depends on."""
        i = self._where[edge, kind]
        if i not in self.dependent:
            return {("w", self.rates[i]): 1.0}
        parts: list[tuple[float, Form]] = []
        for (kind, j), value in self.dependent[i].items():
            if kind == "x":
                parts.append((value, {("w", self.rates[j]): 1.0}))
            elif kind in ("u", "du"):
                parts.append((value, self._next(kind, j, edge)))
        return total(parts)

    def drive(self, signal: Signal | None) -> Form:
        """A signal."""
        if signal is None:
            return {}
        if isinstance(signal, Number):
            return {ONE: signal.value} if signal.value else {}
        for i, known in enumerate(self.drives):
            if known is signal:
                return {("u", i): 1.0}
        self.drives.append(signal)
        return {("u", len(self.drives) - 1): 1.0}

    def drive_rate(self, signal: Signal, edge: str) -> Form:
        """Rate of a signal that is a known function of time."""
        if isinstance(signal, Number):
            return {}
        ((kind, i),) = self.drive(signal)
        return self._next(kind, i, edge)

    def _next(self, kind: str, i: int, edge: str) -> Form:
        """Rate of a drive, or of its rate."""
        if not isinstance(self.drives[i], Known):
            raise ModelError(
                f"{edge!r} is tied to a source that follows a signal, and would need the rate of it; put a"
                " resistance between them"
            )
        return {("du" if kind == "u" else "ddu", i): 1.0}

    def parameter(self, edge: str, guess: float) -> Form:
        """An unknown that laws are functions of."""
        self.guesses[len(self.unknowns)] = guess
        return self.unknown(f"parameter of {edge}")

    def law(self, edge: str, function: Law, parameter: Form) -> Form:
        """What a law gives for a parameter."""
        n = self.unknown(f"law of {edge}")
        ((_, at),), ((_, to),) = parameter, n
        self.laws.append(Lawful(edge, function, at, to))
        return n

    def equation(self, edge: str, *parts: tuple[float, Form]) -> None:
        """An equation: a sum of forms is zero."""
        self.equations.append((edge, total(parts)))

    def identity(self, edge: str, kind: str, form: Form) -> None:
        """A state is what the topology says it is."""
        self.equation(edge, (1.0, form), (-1.0, self.state(edge, kind)))

    # -- topology --------------------------------------------------------------------------------

    def _write_places(self) -> None:
        """Place across every edge: sums along the normal tree; of a spring in it, unknown."""
        owner: dict[str, tuple[Element, Port]] = {p.name: (e, p) for e in self.elements for p in e.ports}
        at: dict[str, Form] = {self.tree.graph.datum: {}}
        for branch in self.normal.branches:
            e, p = owner[branch.edge.name]
            if not p.domain.has_places:
                continue
            said = self.state(p.name, "place") if e.keeps_place else e.place_of(self)
            own = self.unknown(f"place of {p.name}") if said is None else said
            at[branch.child] = total([(1.0, at[branch.parent]), (-float(branch.sign), own)])
        for _, p in owner.values():
            if p.domain.has_places:
                self.place[p.name] = total([(1.0, at[p.tail]), (-1.0, at[p.head])])

    def _write_variables(self) -> None:
        """Across variables of branches and through variables of chords."""
        for e in self.elements:
            for k, p in enumerate(e.ports):
                if self.is_branch(p.name):
                    known = e.across_of(self, k)
                    unknown = f"{p.domain.across} of {p.name}"
                    self.across[p.name] = self.unknown(unknown) if known is None else known
                else:
                    known = e.through_of(self, k)
                    unknown = f"{p.domain.through} of {p.name}"
                    self.through[p.name] = self.unknown(unknown) if known is None else known

    def _write_topology(self) -> None:
        """Through variables of branches and across variables of chords, by cutsets and circuits."""
        currents: dict[str, list[tuple[float, Form]]] = {name: [] for name in self.tree.names}
        for chord in self.tree.chords:
            found = [(-float(sign), name) for name, sign in self.tree.circuit(chord)[1:]]
            self.across[chord.name] = total((a, self.across[name]) for a, name in found)
            for a, name in found:
                currents[name].append((-a, self.through[chord.name]))
        for name, parts in currents.items():
            self.through[name] = total(parts)


def state_names(elements: tuple[Element, ...], normal: Tree) -> list[StateName]:
    """Storages of the network, then places of the branches of the normal tree."""
    branches = set(normal.names)
    places = [
        StateName(p, "place", e.place_start)
        for e in elements
        for p in e.ports
        if p.domain.has_places and p.name in branches and e.keeps_place
    ]
    return [*(s for e in elements for s in e.states), *places]
