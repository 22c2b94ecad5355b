"""Choosing spanning trees is choosing coordinates: one page a rule."""

from flexnet.graph.selection import (  # each enters its rules
    default,
    formulation_based,
    orders,
    variable_based,
)
from flexnet.graph.selection.counts import TreeCounts, count_trees, gruebler
from flexnet.graph.selection.explain import explain
from flexnet.graph.selection.rule import RULES, Counts, Domain, Growth, Selection, Step, Wishes, summary
from flexnet.graph.selection.select import select, select_trees

__all__ = [
    "RULES",
    "Counts",
    "Domain",
    "Growth",
    "Selection",
    "Step",
    "TreeCounts",
    "Wishes",
    "count_trees",
    "default",
    "explain",
    "formulation_based",
    "gruebler",
    "orders",
    "select",
    "select_trees",
    "summary",
    "variable_based",
]
