"""Linear graphs, their matrices, trees and tree selection. No mechanics lives here."""

from flexnet.graph.equations import circuit_equation, cutset_equation, rotation_circuit_equation
from flexnet.graph.layout import layout
from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.matrices import TopologicalMatrix, f_circuit, f_cutset, incidence
from flexnet.graph.selection import CHOICES, select_trees
from flexnet.graph.tree import Branch, Tree

__all__ = [
    "CHOICES",
    "Branch",
    "Edge",
    "Kind",
    "LinearGraph",
    "TopologicalMatrix",
    "Tree",
    "circuit_equation",
    "cutset_equation",
    "f_circuit",
    "f_cutset",
    "incidence",
    "layout",
    "rotation_circuit_equation",
    "select_trees",
]
