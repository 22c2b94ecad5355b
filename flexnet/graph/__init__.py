"""Linear graphs, their matrices, trees and tree selection. No mechanics lives here."""

from flexnet.graph.domain import DOMAINS, Domain, scalar_domain
from flexnet.graph.layout import layout
from flexnet.graph.linear_graph import Edge, Kind, LinearGraph
from flexnet.graph.matrices import (
    TopologicalMatrix,
    circuit_equation,
    cutset_equation,
    f_circuit,
    f_cutset,
    incidence,
    rotation_circuit_equation,
)
from flexnet.graph.normal_tree import (
    ACROSS_DRIVER,
    ACROSS_STORAGE,
    BETWEEN,
    THROUGH_DRIVER,
    THROUGH_STORAGE,
    normal_tree,
)
from flexnet.graph.selection import (
    RULES,
    Selection,
    TreeCounts,
    count_trees,
    explain,
    gruebler,
    select,
    select_trees,
    summary,
)
from flexnet.graph.tree import Branch, Tree

__all__ = [
    "ACROSS_DRIVER",
    "ACROSS_STORAGE",
    "BETWEEN",
    "DOMAINS",
    "RULES",
    "THROUGH_DRIVER",
    "THROUGH_STORAGE",
    "Branch",
    "Domain",
    "Edge",
    "Kind",
    "LinearGraph",
    "Selection",
    "TopologicalMatrix",
    "Tree",
    "TreeCounts",
    "circuit_equation",
    "count_trees",
    "cutset_equation",
    "explain",
    "f_circuit",
    "f_cutset",
    "gruebler",
    "incidence",
    "layout",
    "normal_tree",
    "rotation_circuit_equation",
    "scalar_domain",
    "select",
    "select_trees",
    "summary",
]
