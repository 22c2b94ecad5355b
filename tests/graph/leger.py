"""Léger's graphs as linear graphs, and the ties of a selection."""

import json
from collections.abc import Iterator
from pathlib import Path

from flexnet.graph import Edge, Kind, LinearGraph

TRACES = json.loads((Path(__file__).parent.parent / "data" / "leger_tree_traces.json").read_text())
del TRACES["provenance"]

#: symbol -> kind, translation, rotation (Léger, table C.1)
TABLE_C1 = {
    "h": (Kind.JOINT, 0, 1), "s": (Kind.JOINT, 1, 0), "u": (Kind.JOINT, 0, 2), "b": (Kind.JOINT, 0, 3),
    "p": (Kind.JOINT, 2, 1), "vp": (Kind.VIRTUAL, 2, 1), "td": (Kind.FORCE, 3, 3), "fd": (Kind.FORCE, 3, 3),
    "md": (Kind.DRIVER, 0, 0), "m": (Kind.BODY, 3, 3), "fm": (Kind.BODY, 3, 3), "r": (Kind.ARM, 0, 0),
    "fr": (Kind.ARM, 0, 0),
}  # fmt: skip


def make_graph(edges: dict[str, tuple[str, str, str]], datum: str = "G") -> LinearGraph:
    """Graph of edges given as name -> (symbol, tail, head)."""
    made = tuple(
        Edge(name, tail, head, *TABLE_C1[symbol], is_rigid=symbol == "r")
        for name, (symbol, tail, head) in edges.items()
    )
    nodes = dict.fromkeys([datum, *(end for e in made for end in (e.tail, e.head))])
    return LinearGraph(tuple(nodes), made, datum)


def graph_of_trace(name: str) -> LinearGraph:
    """One of the fifteen graphs."""
    return make_graph(TRACES[name]["graph"])


def without_arms(graph: LinearGraph, names: tuple[str, ...]) -> frozenset[str]:
    """Branches that are no arms."""
    return frozenset(n for n in names if graph.edge(n).kind is not Kind.ARM)


class Ties:
    """Takes one of equal edges as a script says; the first when the script has ended."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script, self.met = script, list[int]()

    def __call__(self, names):
        k = self.script[len(self.met)] if len(self.met) < len(self.script) else 0
        self.met.append(len(names))
        return names[k]


def every_tie(select, most: int = 4000) -> Iterator:
    """What a selection gives under every choice between equal edges.

    Parameters
    ----------
    select : function of a tie rule.
    most : choices tried at most.
    """
    todo: list[tuple[int, ...]] = [()]
    for _ in range(most):
        if not todo:
            return
        script = todo.pop()
        tie = Ties(script)
        yield select(tie)
        for k in range(len(script), len(tie.met)):
            todo += [(*script, *[0] * (k - len(script)), i) for i in range(1, tie.met[k])]
