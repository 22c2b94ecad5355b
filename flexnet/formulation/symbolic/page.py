"""Equations for pages: sections of labels, edges and elements of MathML that may break between terms."""

import re
from typing import TYPE_CHECKING, Any

import sympy as sp

from flexnet.errors import ModelError
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.lines import Line, Section
from flexnet.formulation.symbolic.mathml import Tree, left_tree, pieces
from flexnet.formulation.symbolic.steps import write_steps

if TYPE_CHECKING:
    from flexnet.networks.network import Network

#: plain data: title, about and lines of a section; label, edge, pieces and note of a line
Told = dict[str, object]
_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_EQUALS_ZERO: Tree = ["math", ["mo", "="], ["mn", "0"]]


def page_sections(equations: SymbolicEquations) -> list[Told]:
    """Sections as plain data for :func:`flexnet.view.write_page`: labels, edges and elements of MathML.

    Where no equation of motion is short enough, those of circuits and cutsets that it is made of stand there;
    a network has its own before them.
    """
    system = equations.numeric.system
    out = [_network_section(system.network)] if system.elements else []
    if not system.bodies:
        return out
    sections = write_steps(equations, "motion")
    if not any(line.groups for section in sections for line in section.lines):
        sections += [*write_steps(equations, "circuits"), *write_steps(equations, "cutsets")]
    return out + [_told(section, system.is_planar) for section in sections]


def _told(section: Section, is_planar: bool) -> Told:
    lines = list[Told]()
    before = ""
    for line in section.lines:
        own = _page_lines(line, is_planar)
        if line.label == before == "with":  # names of factors are explained below one word
            own[0]["label"] = ""
        lines, before = lines + own, line.label
    return {"title": section.title, "about": section.about, "lines": lines}


def _page_lines(line: Line, is_planar: bool) -> list[Told]:
    if line.groups:
        return _grouped_lines(line)
    told: Told = {"label": re.sub(r"lambda_(\d+)", lambda m: "λ" + m[1].translate(_DIGITS), line.label)}
    told |= {"edge": ""} | ({"note": line.note} if line.note not in ("", "= 0") else {})
    if not line.left:
        return [told]
    zero = [_EQUALS_ZERO] if line.note == "= 0" else []
    entries = [sp.sympify(e) for e in line.right]
    if len(entries) == 1:
        return [told | {"pieces": _side(left_tree(line.left), entries[0], zero)}]
    axes = ["x", "y", "z"] if len(entries) <= 3 else [str(i + 1) for i in range(len(entries))]
    rows: list[Told] = [
        {"label": "", "edge": "", "pieces": _side(["msub", left_tree(line.left), ["mtext", axis]], e, zero)}
        for axis, e in zip(axes, entries, strict=False)
        if not (is_planar and axis == "z" and e == 0)
    ]
    ends: list[Told] = [{"label": line.note, "edge": ""}] if "note" in told else []
    return [{**told, "note": ""}, *rows, *ends]


def _side(left: Tree, right: Any, zero: list[Tree]) -> list[Tree]:
    """An equation in pieces between which a line may end."""
    first, *rest = pieces(right)
    return [["math", left, ["mo", "="], *first[1:]], *rest, *zero]


def _grouped_lines(line: Line) -> list[Told]:
    edge = line.label.rpartition(".")[0]
    rows = list[Told]()
    for k, (word, e) in enumerate(line.groups):
        zero = [_EQUALS_ZERO] if k == len(line.groups) - 1 else []
        head = f"{line.label}: {word}" if k == 0 else word
        rows.append({"label": head, "edge": edge, "pieces": [*pieces(e, k > 0), *zero]})
    return rows


def _network_section(network: "Network") -> Told:
    """Cutsets, circuits, terminal equations and states of a network in its tree."""
    from flexnet.networks.symbolic import symbolic_network

    about = (
        f"In the tree {', '.join(network.tree.names)}: through variables τ of branches follow from those of "
        "the chords by cutsets, across variables α of chords from those of the branches by circuits; s is "
        "the variable of Laplace's transform, an index 0 a start value."
    )
    lines = list[Told]()
    try:
        own = symbolic_network(network)
        f, branches = own.branch_chord, own.tree.names
        rows = [("by cutsets", e, f"{e}.tau", f.through[e]) for e in branches]
        rows += [("by circuits", e, f"{e}.alpha", f.across[e]) for e in own.edges if e not in branches]
        rows += [("terminal equations", "", "", x) for x in f.equations]
        rows += [("state equations", e, f"{e}.x_dot", x) for e, x in own.state_equations.items()]
        before = ""
        for word, edge, name, e in rows:
            lines.append(
                {"label": word if word != before else "", "edge": edge} | _written(name, e, own.edges)
            )
            before = word
    except ModelError as error:
        lines.append({"label": f"no further in symbols: {error}", "edge": ""})
    return {"title": "Equations of the network", "about": about, "lines": lines}


def _written(name: str, e: Any, edges: tuple[str, ...]) -> Told:
    """A row of the network; its symbols are called as those of a mechanism are."""
    e = sp.sympify(e)
    letters = {f"{what}_{edge}": f"{edge}.{what}" for edge in edges for what in ("tau", "alpha", "x")}
    called = {y: sp.Symbol(letters[y.name]) for y in e.free_symbols if y.name in letters}
    is_rational = e.is_rational_function()
    right = (sp.factor_terms(sp.together(sp.expand(e))) if is_rational else e).xreplace(called)
    return {"pieces": _side(left_tree(name), right, []) if name else [*pieces(right), _EQUALS_ZERO]}
