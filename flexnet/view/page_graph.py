"""The linear graph of a result file: built again from its edges, drawn, with its cutsets and circuits."""

from flexnet.errors import FlexnetError, GraphError
from flexnet.graph import Kind, LinearGraph, Tree, layout
from flexnet.graph.linear_graph import Edge
from flexnet.graph.matrices import f_cutset
from flexnet.results import EdgeRecord, Mechanism
from flexnet.typing import Array
from flexnet.view.panel import STROKES, Panel, in_order, make_panel, make_panels, names_of

_KINDS = {
    "body": Kind.BODY, "arm": Kind.ARM, "joint": Kind.JOINT, "driver": Kind.DRIVER, "force": Kind.FORCE,
    "dependent": Kind.DEPENDENT,
}  # fmt: skip
#: a drawing with more edges than this takes long to route and cannot be read
MOST_EDGES = 400


def linear_graph(mechanism: Mechanism) -> LinearGraph:
    """The graph of a mechanism, with what its drawing needs.

    Raises
    ------
    GraphError
        If the file does not say in which graphs its edges are, or they are no graph.
    """
    if not mechanism.symbols:
        raise GraphError("the file was written before graphs could be drawn from it; run the case again")
    moving = (e for e in mechanism.edges if e.role != "network")
    return LinearGraph(mechanism.nodes, tuple(_edge(e, mechanism) for e in moving), "ground")


def network_graph(mechanism: Mechanism) -> LinearGraph | None:
    """The graph of the scalar networks beside a mechanism, or alone; None where there is none."""
    edges = tuple(
        Edge(e.name, e.tail, e.head, Kind.NETWORK, None, None) for e in mechanism.edges if e.role == "network"
    )
    nodes = dict.fromkeys(node for e in edges for node in (e.tail, e.head))
    return LinearGraph(tuple(nodes | {"ground": None}), edges, "ground") if edges else None


def _edge(e: EdgeRecord, mechanism: Mechanism) -> Edge:
    symbol = mechanism.symbols[e.name]
    kind = Kind.VIRTUAL if e.is_virtual else _KINDS[e.role]
    t, r = (0 if letter in symbol.graphs else None for letter in "TR")
    return Edge(e.name, e.tail, e.head, kind, t, r, symbol.is_rigid)


def told_graph(mechanism: Mechanism) -> dict[str, object]:
    """Drawing of the T- and R-graph, and cutset or circuit of every edge, as plain data.

    A graph that cannot be drawn is a sentence under ``"why"``.
    """
    made: dict[str, object] = {}
    if (net := network_graph(mechanism)) is not None and len(net.edges) <= MOST_EDGES:
        tree = Tree(net, mechanism.trees["network"])
        made["N"] = _panel(make_panel("network, tree in bold", net, tree, layout(net))) | _sets(tree)
    if all(e.role == "network" for e in mechanism.edges):
        return made or {"why": "the model has no edges"}
    try:
        if len(mechanism.edges) > 4 * MOST_EDGES:
            raise GraphError(f"a graph of {len(mechanism.edges)} edges is too large to be drawn")
        graph = linear_graph(mechanism)
        T = Tree(graph.translational, mechanism.trees["translation"])
        R = Tree(graph.rotational, mechanism.trees["rotation"])
    except (FlexnetError, KeyError) as error:
        return made | {"why": str(error)}
    shown = graph.without(Kind.DEPENDENT)
    if len(shown.edges) > MOST_EDGES:
        return made | {"why": f"a graph of {len(shown.edges)} edges is too large to be drawn"}
    panels = make_panels(shown, T, R, layout(shown))
    both = {key: _panel(panel) | _sets(tree) for key, panel, tree in zip("TR", panels, (T, R), strict=True)}
    return both | made


def _panel(panel: Panel) -> dict[str, object]:
    texts = names_of(panel)
    return {
        "title": panel.title,
        "nodes": {n: _pair(p) for n, p in panel.router.nodes.items()},
        "outlines": {body: [_pair(p) for p in polygon] for body, polygon in panel.outlines.items()},
        "edges": [
            {
                "name": e.name, "kind": e.kind.value, "colour": STROKES[e.kind].colour,
                "is_branch": e.name in panel.bold, "is_dashed": STROKES[e.kind].line != "-",
                "points": [_pair(p) for p in panel.router.curves[e.name]],
            }
            for e in in_order(panel.graph)
        ],
        "texts": [
            {
                "text": t.text, "of": t.owner, "on": "edge" if t.is_of_edge else "node",
                "at": _pair(t.centre), "size": t.style["fontsize"],
                "colour": t.style["color"], "weight": t.style.get("weight", "normal"),
            }
            for t in texts
        ],
    }  # fmt: skip


def _sets(tree: Tree) -> dict[str, object]:
    """Edges with their signs: the cutset of every branch, the circuit of every chord."""
    matrix = f_cutset(tree)
    cutsets = {
        branch: [[name, int(sign)] for name, sign in zip(matrix.columns, row, strict=True) if sign]
        for branch, row in zip(matrix.rows, matrix.values, strict=True)
    }
    circuits = {
        chord.name: [list(step) for step in tree.circuit(chord)]
        for chord in tree.chords
        if chord.kind is not Kind.DEPENDENT
    }
    return {"cutsets": cutsets, "circuits": circuits}


def _pair(point: Array) -> list[float]:
    return [round(float(point[0]), 3), round(float(point[1]), 3)]
