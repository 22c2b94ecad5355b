"""Positions of the nodes for a drawing a person can read."""

from collections.abc import Mapping

import networkx as nx
import numpy as np

from flexnet.graph.linear_graph import LinearGraph
from flexnet.typing import Array


def layout(graph: LinearGraph, at: Mapping[str, Array] | None = None) -> dict[str, Array]:
    """Place the nodes in the plane.

    Parameters
    ----------
    graph : the graph to draw.
    at : where the nodes are in the mechanism, if known, (2,) each: the drawing then keeps the shape of
        the mechanism and only pushes apart nodes that would lie on one another.

    Returns
    -------
    dict of node -> (2,) array, in a square of about unit side.
    """
    net = nx.Graph()
    net.add_nodes_from(graph.nodes)
    net.add_edges_from((e.tail, e.head) for e in graph.edges)
    start = None
    if at is not None:
        rng = np.random.default_rng(0)
        points = np.array([at[node] for node in graph.nodes], dtype=float)
        size = max(float(np.ptp(points, axis=0).max()), 1e-12)
        jitter = 0.02 * rng.standard_normal(points.shape)
        start = dict(zip(graph.nodes, (points - points.mean(axis=0)) / size + jitter, strict=True))
    placed = nx.kamada_kawai_layout(net, pos=start, scale=0.5)
    return {node: np.asarray(xy) for node, xy in placed.items()}
