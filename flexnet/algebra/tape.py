"""Tapes: what outputs rest on, in an order in which it can be computed; what a program takes and gives."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexnet.algebra.scalar import EXTERN, INPUT, Expr, Node, children, rebuilt, split
from flexnet.typing import AnyArray


def tape(outputs: Iterable[Expr], known: Collection[Node] = ()) -> list[Node]:
    """Nodes the outputs rest on, each after those it needs; inputs and known nodes are not listed.

    The order depends on the outputs alone: what an output needs stands right before it.
    """
    done: set[Node] = set(known)
    out: list[Node] = []
    for output in outputs:
        stack = [output] if type(output) is Node else []
        while stack:
            x = stack[-1]
            if x in done or x.op == INPUT:
                stack.pop()
                continue
            waiting = [y for y in children(x) if y.op != INPUT and y not in done]
            if waiting:
                stack += reversed(waiting)
            else:
                stack.pop()
                done.add(x)
                out.append(x)
    return out


def inputs_of(outputs: Iterable[Expr], known: Collection[Node] = ()) -> list[Node]:
    """Inputs, and known nodes, that outputs ask for, in the order in which they are met."""
    given, found = set(known), dict[Node, None]()
    wanted = [x for x in outputs if type(x) is Node]
    for x in tape(wanted, given):
        found |= dict.fromkeys(y for y in children(x) if y.op == INPUT or y in given)
    return list(found | dict.fromkeys(x for x in wanted if x.op == INPUT or x in given))


def mapped(
    outputs: Iterable[Expr],
    change: Callable[[Node], Expr | None],
    number: Callable[[float], Expr] | None = None,
) -> list[Expr]:
    """Outputs with some nodes exchanged: ``change`` gives what stands for a node, None where it stays.

    ``number`` gives what stands for a number that is no exponent and not exact: the number if left out.
    """
    done: dict[Node, Expr] = {}
    wanted = list(outputs)

    def new(x: Node) -> Expr:
        if x not in done:
            other = change(x)
            done[x] = (x if x.op == INPUT else rebuilt(x, new, number)) if other is None else other
        return done[x]

    for x in tape(wanted):
        new(x)
    plain = number or (lambda x: x)
    return [new(x) if type(x) is Node else plain(x) if isinstance(x, float) else x for x in wanted]


def substituted(outputs: Iterable[Expr], swap: Mapping[Node, Expr]) -> list[Expr]:
    """Outputs with nodes exchanged for others."""
    return mapped(outputs, swap.get)


def reach(outputs: Iterable[Expr]) -> list[frozenset[Node]]:
    """Inputs each output rests on."""
    memo: dict[Node, frozenset[Node]] = {}

    def of(x: Expr) -> frozenset[Node]:
        if type(x) is not Node:
            return frozenset()
        return frozenset((x,)) if x.op == INPUT else memo[x]

    wanted = list(outputs)
    for x in tape(wanted):
        memo[x] = frozenset().union(*(of(y) for y in children(x)))
    return [of(x) for x in wanted]


def uses(outputs: Iterable[Expr], known: Collection[Node] = ()) -> dict[Node, int]:
    """How often each node is asked for; a factor in front does not count as a node."""
    count: dict[Node, int] = {}
    wanted = list(outputs)
    for x in tape(wanted, known):
        if split(x)[1] is x:
            for y in children(x):
                y = split(y)[1] if y not in known else y
                count[y] = count.get(y, 0) + 1
    for x in wanted:
        if type(x) is Node:
            y = split(x)[1] if x not in known else x
            count[y] = count.get(y, 0) + 1
    return count


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A function of numbers and arrays.

    Attributes
    ----------
    name : of the function.
    inputs : of each argument its node if it is a number, its entries if it is an array; a table of functions
        has no entries.
    outputs : entries of each array the function fills; None where one is left as it is.
    sums : those outputs whose entries are added to what stands there.
    """

    name: str
    inputs: Mapping[str, Node | list[Node]]
    outputs: Mapping[str, AnyArray]
    sums: frozenset[str] = frozenset()

    @property
    def entries(self) -> list[tuple[str, tuple[int, ...], Expr]]:
        """Every entry of the outputs: array, place and expression."""
        return [
            (array, where, entries[where])
            for array, entries in self.outputs.items()
            for where in np.ndindex(*entries.shape)
        ]

    @property
    def results(self) -> list[Expr]:
        """Expressions of all entries."""
        return [e for _, _, e in self.entries]

    @property
    def given(self) -> list[Node]:
        """Nodes that are given: all entries of the arguments."""
        return [x for entries in self.inputs.values() for x in as_list(entries)]

    @property
    def has_externs(self) -> bool:
        """Whether a function of a table is called."""
        return any(x.op == EXTERN for x in tape(self.results, self.given))


def as_list(entries: Any) -> list[Node]:
    """Entries of an argument."""
    return [entries] if type(entries) is Node else list(entries)


def array_of(entries: Iterable[Expr]) -> AnyArray:
    """Expressions as an array of one axis."""
    found = list(entries)
    out = np.empty(len(found), dtype=object)
    out[:] = found
    return out
