"""Drawings: of graphs now, of results later. Headless; matplotlib is imported when something is drawn."""

from flexnet.view.graph import draw_graph, write_graph

__all__ = ["draw_graph", "write_graph"]
