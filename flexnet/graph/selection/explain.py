"""A selection told in words: which edge entered which tree, at which weight, and what it was preferred to."""

from flexnet.graph.linear_graph import Kind, LinearGraph
from flexnet.graph.selection.rule import Growth, Selection, Step


def explain(made: Selection, graph: LinearGraph) -> list[str]:
    """Tell a selection step by step; arms, which are no choice, and force elements are left out."""
    forces = {e.name for e in graph.edges if e.kind is Kind.FORCE}
    lines = []
    for growth in made.growths:
        lines.append(f"{growth.domain.value}-tree:")
        lines += [f"  {_told(step, growth, forces)}" for step in growth.steps]
    return lines + list(made.notes)


def _told(step: Step, growth: Growth, forces: set[str]) -> str:
    """One edge enters; the three lightest of the others with their weights."""
    own = step.weights[step.branch]
    others = [(w, name) for name, w in step.weights.items() if name != step.branch and name not in forces]
    text = f"{step.branch} enters the {growth.domain.value}-tree: weight {own}"
    nearest = ", ".join(f"{name} was {w}" for w, name in sorted(others, key=lambda x: x[0])[:3])
    return f"{text}; {nearest}" if nearest else text
