"""Choosing spanning trees is choosing coordinates: one page a rule.

Every page of this folder is read when the folder is, and enters its rules in :data:`RULES`.
"""

import pkgutil
from importlib import import_module

from flexnet.graph.selection.counts import TreeCounts, count_trees, gruebler
from flexnet.graph.selection.rule import RULES, Counts, Domain, Growth, Selection, Step, Wishes, summary
from flexnet.graph.selection.select import explain, select, select_trees

for _page in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_page.name}")

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
    "explain",
    "gruebler",
    "select",
    "select_trees",
    "summary",
]
