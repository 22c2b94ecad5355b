"""A network as its elements make it: its graph, its trees, and every variable of every edge as a signal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

from flexnet.errors import GraphError, ModelError
from flexnet.graph import DOMAINS, Domain, Edge, Kind, LinearGraph, Tree, normal_tree
from flexnet.networks.branch_chord import BranchChord
from flexnet.networks.element import DATUM, Element, Port
from flexnet.networks.form import Form, Key
from flexnet.networks.power import added, powers, stored
from flexnet.networks.solve import Solved, solve
from flexnet.signals import Block, Known, Number, Signal, leaves
from flexnet.signals.signal import Formula, Measured
from flexnet.units import parse_unit
from flexnet.validation import nearest

Measuring = TypeVar("Measuring", bound=Callable[..., "Variable"])
#: what can be measured of networks, by its name; a page of a domain enters its own
MEASURES: dict[str, Callable[..., "Variable"]] = {}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Variable(Signal):
    """A variable of an edge, or what is across from a node to the datum.

    Attributes
    ----------
    domain : name of the domain.
    kind : ``across``, ``through`` or, of a place, ``rate``.
    edge, node : of which; one of them is empty.
    """

    domain: str
    kind: str
    edge: str = ""
    node: str = ""
    needs: ClassVar[tuple[Signal, ...]] = ()

    @property
    def unit(self) -> str:
        """SI unit."""
        d = DOMAINS[self.domain]
        if self.kind == "rate":
            return f"{d.across_unit}/s"
        return d.across_unit if self.kind == "across" else d.through_unit

    @property
    def dimension(self) -> Measured:
        """Powers of length, mass and time; charges and temperatures are pure numbers."""
        return parse_unit(self.unit).dimension


def measure(make: Measuring) -> Measuring:
    """Enter a function that makes a variable: flexnet has it under its name."""
    MEASURES[make.__name__] = make
    return make


def measured(domain: Domain, kind: str, edge: str = "", node: str = "") -> Variable:
    """A variable of an edge, or of a node against the datum."""
    if bool(edge) == bool(node) or (node and kind == "through"):
        raise ModelError(
            f"a measure of the {domain.name} domain needs the name of an edge, or node= that of a node"
        )
    return Variable(domain.name, kind, edge, node)


@dataclass(frozen=True)
class Network:
    """Elements, and what follows from them.

    Attributes
    ----------
    elements : in the order in which they were added.
    branches : of the tree the equations are written in; the normal tree if left out.
    """

    elements: tuple[Element, ...]
    branches: tuple[str, ...] = ()

    @cached_property
    def ports(self) -> dict[str, Port]:
        """Every edge by its name."""
        return {p.name: p for e in self.elements for p in e.ports}

    @cached_property
    def graph(self) -> LinearGraph:
        """The graph of all scalar domains, which meet at the datum.

        Raises
        ------
        ModelError
            On a node that two domains share, or a part without a way to the datum.
        """
        domains: dict[str, str] = {}
        for p in self.ports.values():
            for node in (p.tail, p.head):
                if node != DATUM and domains.setdefault(node, p.domain.name) != p.domain.name:
                    raise ModelError(
                        f"{p.name!r} is {p.domain.name} and ends at node {node!r}, which is {domains[node]}"
                    )
        edges = [
            Edge(p.name, p.tail, p.head, Kind.NETWORK, None, None, domain=p.domain.name, order=e.order)
            for e in self.elements
            for p in e.ports
        ]
        _check_datum(list(domains), edges)
        return LinearGraph((*domains, DATUM), tuple(edges), DATUM)

    @cached_property
    def normal(self) -> Tree:
        """The normal tree.

        Raises
        ------
        ModelError
            On a loop of across drivers or a cutset of through drivers.
        """
        try:
            return normal_tree(self.graph)
        except GraphError as error:
            raise ModelError(str(error)) from error

    @cached_property
    def tree(self) -> Tree:
        """The tree the equations are written in."""
        return Tree(self.graph, self.branches) if self.branches else self.normal

    @cached_property
    def solved(self) -> Solved:
        """The network, solved for its unknowns."""
        return solve(lambda dependent: BranchChord(self.elements, self.tree, self.normal, dependent))

    @cached_property
    def _starts(self) -> dict[int, float]:
        """Start of every independent state."""
        system = self.solved.system
        return {i: system.states[i].start or 0.0 for i in system.rates}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Starts that somebody has given and nothing uses: of states that follow from others."""
        system = self.solved.system
        tied = [s for i, s in enumerate(system.states) if i in system.dependent and s.start is not None]
        return tuple(
            f"the start of {s.edge.name!r} is not used: what it stores follows from other states and sources"
            for s in tied
        )

    @cached_property
    def block(self) -> Block | None:
        """States of the network and their rates, then algebraic states and what is zero; None without any."""
        solved, states = self.solved, list(self._starts)
        names = [solved.system.states[i] for i in states]
        if not states and not solved.free:
            return None

        def rate(*z: Signal) -> tuple[Signal, ...]:
            own = _Signals(solved, self._keys(z))
            rates = [own.signal(solved.values["w", solved.system.rates[i]]) for i in states]
            return (*rates, *(own.signal(form) for _, form in solved.residuals))

        texts = [solved.system.unknowns[w].split(" of ", 1) for w in solved.free]
        labels = (*(s.label for s in names), *(f"{edge}.{what}" for what, edge in texts))
        units = (*(_unit(s.edge.domain, s.kind) for s in names), *("",) * len(solved.free))
        dimensions = tuple(parse_unit(unit or "1").dimension for unit in units)
        starts = (*self._starts.values(), *solved.guesses)
        if not solved.free:
            return Block("network", "network", starts, dimensions, rate, labels, units=units)
        masses = (1.0,) * len(states) + (0.0,) * len(solved.free)
        return Block("network", "network", starts, dimensions, rate, labels, masses, units)

    def _keys(self, z: Sequence[Signal]) -> dict[Key, Signal]:
        """Keys of the states, in the order of the block."""
        n = len(self._starts)
        keys: dict[Key, Signal] = {("x", i): s for i, s in zip(self._starts, z[:n], strict=True)}
        return keys | {("z", k): s for k, s in enumerate(z[n:])}

    @cached_property
    def _signals(self) -> "_Signals":
        block = self.block
        return _Signals(self.solved, self._keys(() if block is None else block.states))

    @cached_property
    def variables(self) -> dict[tuple[str, str], Signal]:
        """Every variable (edge, kind) as a signal of plain SI numbers in the sense of its domain."""
        out: dict[tuple[str, str], Signal] = {}
        system = self.solved.system
        for name, p in self.ports.items():
            sense = float(p.domain.sense)
            forms = {"through": (1.0, system.through[name])}
            if p.domain.has_places:
                forms |= {"across": (sense, system.place[name]), "rate": (sense, system.across[name])}
            else:
                forms["across"] = (sense, system.across[name])
            for kind, (factor, form) in forms.items():
                out[name, kind] = self._signals.signal(self.solved.form(form), factor)
        return out

    @cached_property
    def powers(self) -> tuple[Signal, Signal, Signal]:
        """Power that sources, ports to a mechanism and dissipation bring, W."""
        return powers(self.elements, self.variables)

    @cached_property
    def stored(self) -> Signal:
        """Energy that all storages hold, J."""
        return stored(self.elements, self.variables)

    @property
    def signals(self) -> list[Signal]:
        """All it rests on: states, and what drives it."""
        block = self.block
        own = [] if block is None else list(block.states)
        return [*own, *(s for e in self.elements for s in e.signals)]

    def signal(self, variable: Variable) -> Signal:
        """What a variable of an edge or of a node is computed from."""
        if variable.edge:
            return self.variables[variable.edge, variable.kind]
        terms: list[Signal] = []
        for branch in self.normal.path(variable.node):
            p = self.ports[branch.edge.name]
            toward = -1.0 if branch.sign > 0 else 1.0  # drop from the child to the parent
            terms.append(toward * float(p.domain.sense) * self.variables[p.name, variable.kind])
        return added(terms)

    def check(self, variable: Variable, what: str) -> None:
        """Refuse a variable of what is not there, or of another domain."""
        if variable.edge:
            if variable.edge not in self.ports:
                hint = nearest(variable.edge, self.ports)
                raise ModelError(f"{what} measures {variable.edge!r}, which is no edge of a network{hint}")
            own = self.ports[variable.edge].domain.name
            if own != variable.domain:
                raise ModelError(f"{what} measures {variable.edge!r} in {variable.unit}, but it is {own}")
        elif variable.node not in self.graph.nodes:
            hint = nearest(variable.node, self.graph.nodes)
            raise ModelError(f"{what} measures node {variable.node!r}, which is in no network{hint}")


class _Signals:
    """Forms as signals."""

    def __init__(self, solved: Solved, keys: dict[Key, Signal]) -> None:
        # plain SI numbers: the forms keep the units
        self.keys: dict[Key, Signal] = {key: Formula("add", (s,), None) for key, s in keys.items()}
        drives = solved.system.drives
        for i, drive in enumerate(drives):
            self.keys["u", i] = drive
            if isinstance(drive, Known):
                self.keys["du", i] = drive.rate
                self.keys["ddu", i] = drive.rate.rate
        for i, (law, argument) in enumerate(solved.laws):
            self.keys["n", i] = law.function(self.signal(argument))

    def signal(self, form: Form, factor: float = 1.0) -> Signal:
        """A form, times a number, as a signal."""
        numbers = ((key, factor * value) for key, value in form.items())
        return added([Number(x) if key[0] == "1" else _times(x, self.keys[key]) for key, x in numbers])


def _times(number: float, signal: Signal) -> Signal:
    return signal if number == 1.0 else Number(number) * signal


def _unit(domain: Domain, kind: str) -> str:
    if kind == "through":
        return domain.through_unit
    return f"{domain.across_unit}/s" if kind == "across" and domain.has_places else domain.across_unit


def _check_datum(nodes: Sequence[str], edges: Sequence[Edge]) -> None:
    """Refuse a part of the network without a way to the datum."""
    neighbours: dict[str, list[str]] = {n: [] for n in (*nodes, DATUM)}
    for e in edges:
        neighbours[e.tail].append(e.head)
        neighbours[e.head].append(e.tail)
    seen, stack = {DATUM}, [DATUM]
    while stack:
        for n in neighbours[stack.pop()]:
            if n not in seen:
                seen.add(n)
                stack.append(n)
    lost = [n for n in nodes if n not in seen]
    if lost:
        own = [e for e in edges if e.tail in lost]
        raise ModelError(
            f"the {own[0].domain} network of {', '.join(repr(e.name) for e in own[:4])} floats: none of its"
            f" nodes ({', '.join(map(repr, lost[:4]))}) is connected to the ground; connect one to it"
        )


def variables_in(signals: Sequence[Signal]) -> list[Variable]:
    """Variables of networks that signals are computed from."""
    return [leaf for leaf in leaves(signals) if isinstance(leaf, Variable)]
