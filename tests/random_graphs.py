"""Graphs of random mechanisms."""

from random import Random

from flexnet.graph import Edge, Kind, LinearGraph


def random_mechanism(rng: Random, bodies: int, loops: int, shuffled: bool = False) -> LinearGraph:
    """Graph of a random spatial mechanism: a random tree of bodies, then joints that close loops."""
    nodes, edges = ["G"], list[Edge]()
    kinds = [(0, 1), (0, 1), (1, 0), (0, 2), (0, 3), (1, 1), (2, 1)]
    for i in range(bodies):
        nodes.append(f"C{i}")
        edges.append(Edge(f"m{i}", "G", f"C{i}", Kind.BODY, 3, 3))

    def frame(body):
        nodes.append(f"N{len(nodes)}")
        start = "G" if body < 0 else f"C{body}"
        edges.append(Edge(f"r{len(nodes)}", start, nodes[-1], Kind.ARM, 0, 0, is_rigid=True))
        return nodes[-1]

    def join(a, b):
        kind = rng.choice([Kind.JOINT] * 6 + [Kind.VIRTUAL, Kind.FORCE])
        size = (3, 3) if kind is Kind.FORCE else rng.choice(kinds)
        edges.append(Edge(f"j{len(edges)}", frame(a), frame(b), kind, *size))

    for i in range(bodies):
        join(rng.randrange(-1, i) if i else -1, i)
    for _ in range(loops):
        join(*rng.sample(range(-1, bodies), 2))
    if shuffled:
        rng.shuffle(edges)
    return LinearGraph(tuple(nodes), tuple(edges), "G")
