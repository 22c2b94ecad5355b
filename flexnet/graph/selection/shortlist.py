"""Trees worth measuring: those of every rule, and the neighbours of a pair of trees.

Two trees are neighbours if one becomes the other by exchanging a branch with a chord of whose f-circuit it is
a part. From any tree every other is reached by such exchanges.
"""

from collections.abc import Collection, Iterator

from flexnet.graph.linear_graph import Kind, LinearGraph
from flexnet.graph.selection.counts import count_trees
from flexnet.graph.selection.rule import RULES, Wishes, follow_rule
from flexnet.graph.tree import Tree

Pair = tuple[Tree, Tree]


def rule_trees(graph: LinearGraph, wishes: Wishes | None = None) -> dict[str, Pair]:
    """Trees of every rule by its name; of rules that agree the first, ``default`` before all."""
    out: dict[str, Pair] = {}
    for name in ("default", *(n for n in RULES if n != "default")):
        made = follow_rule(name, graph, wishes or Wishes())
        if not any(same(pair, (made.T, made.R)) for pair in out.values()):
            out[name] = (made.T, made.R)
    return out


def same(a: Pair, b: Pair) -> bool:
    """Whether two pairs have the same branches."""
    return all(set(x.names) == set(y.names) for x, y in zip(a, b, strict=True))


def neighbours(graph: LinearGraph, pair: Pair, require: Collection[str] = ()) -> list[tuple[str, Pair]]:
    """Pairs one exchange away, those with few coordinates, torques and forces first, then by name.

    Required branches stay.
    """
    T, R = pair
    found = [(f"T: {told}", (other, R)) for told, other in _exchanges(T, require)]
    found += [(f"R: {told}", (T, other)) for told, other in _exchanges(R, require)]

    def cost(item: tuple[str, Pair]) -> tuple[int, int, str]:
        count = count_trees(*item[1], graph)
        return count.n, count.torques + count.forces, item[0]

    return sorted(found, key=cost)


def _exchanges(tree: Tree, require: Collection[str]) -> Iterator[tuple[str, Tree]]:
    """Trees one exchange away; arms and what is required stay in, force elements stay out."""
    for chord in tree.chords:
        if chord.kind in (Kind.FORCE, Kind.DEPENDENT) or chord.is_chord:
            continue
        for name, _ in tree.circuit(chord)[1:]:
            if tree.graph.edge(name).kind is not Kind.ARM and name not in require:
                kept = (chord.name if n == name else n for n in tree.names)
                yield f"{chord.name} for {name}", Tree(tree.graph, tuple(kept))
