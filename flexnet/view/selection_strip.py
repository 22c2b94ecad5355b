"""A selection as a strip of drawings: a row for every tree grown, a panel for every edge that enters."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from flexnet.errors import GraphError
from flexnet.graph import Kind, LinearGraph, Selection, layout
from flexnet.graph.selection.rule import Domain, Growth
from flexnet.typing import Array
from flexnet.view.graph import compose
from flexnet.view.panel import Panel, make_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_selection(
    made: Selection, graph: LinearGraph, at: Mapping[str, Array] | None = None, title: str = ""
) -> "Figure":
    """Draw how trees were grown: what is in the tree after each step is bold.

    Parameters
    ----------
    made : trees and how a rule came to them.
    graph : graph of the whole mechanism.
    at : positions of the nodes in the mechanism, (2,) each; see :func:`flexnet.graph.layout`.
    title : written above the drawing.

    Raises
    ------
    GraphError
        If no edge was chosen: the trees were given.
    """
    grown = [growth for growth in made.growths if growth.steps]
    if not grown:
        raise GraphError("there are no steps to draw: both trees were given")
    T, R = make_panels(graph.without(Kind.DEPENDENT), made.T, made.R, layout(graph, at))
    panels = [
        panel for growth in grown for panel in _steps(growth, T if growth.domain is Domain.TRANSLATION else R)
    ]
    return compose(panels, title, max(len(growth.steps) for growth in grown))


def _steps(growth: Growth, whole: Panel) -> Iterator[Panel]:
    """The panel of a tree after each step and the arms that follow; curves and names stay where they are."""
    ends = [growth.names.index(step.branch) for step in growth.steps[1:]]
    for step, end in zip(growth.steps, [*ends, None], strict=True):
        inside = growth.names[:end]
        title = f"{growth.domain.value}-tree: {step.branch} enters, weight {step.weights[step.branch]}"
        yield replace(whole, title=title, bold=frozenset(inside))
