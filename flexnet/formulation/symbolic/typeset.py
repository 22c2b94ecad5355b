"""Expressions as rows of pieces, between which a line may end: formulas for pages of a given width.

A piece is LaTeX of the small kind that plots understand: no environments, brackets as plain letters where
what is between them may go over lines.
"""

import re
from typing import Any

import sympy as sp

from flexnet.formulation.symbolic.lines import Line, Section
from flexnet.formulation.symbolic.writing import latex_left, to_latex

#: an expression whose LaTeX is not longer than this is one piece
SHORT = 60
#: LaTeX of an expression that goes over several lines of a document, and letters that are seen on one of them
WIDE, SEEN = 300, 75

Paragraph = tuple[str, tuple[str, ...]]


def paragraphs(sections: list[Section]) -> list[Paragraph]:
    """Sections as paragraphs: ``heading``, ``words``, ``label``, ``formula`` and ``note``."""
    out: list[Paragraph] = []
    for section in sections:
        out += [("heading", (section.title,)), ("words", (section.about,))]
        for line in section.lines:
            out.append(("label", (line.label,)))
            if line.left or line.groups:
                out += [("formula", row) for row in _formulas(line)]
            if line.note and line.note != "= 0":
                out.append(("note", (line.note,)))
    return out


def _formulas(line: Line) -> list[tuple[str, ...]]:
    """Formulas of a line: one, or one for each row of a vector or a matrix."""
    if line.groups:
        rows = [
            (("{}+" if k else "") + r"\mathrm{" + word + r":}\;\;", *pieces(e))
            for k, (word, e) in enumerate(line.groups)
        ]
        return [*rows[:-1], (*rows[-1], "{}=0")]
    left = latex_left(line.left)
    zero = ("{}=0",) if line.note == "= 0" else ()
    if len(line.right) == 1:
        return [(f"{left}=", *pieces(line.right[0]), *zero)]
    if len(line.right) == 9:
        return [
            (f"{left}[{i + 1}]=", r"(\,", *_listed(line.right[3 * i : 3 * i + 3]), r"\,)") for i in range(3)
        ]
    return [(f"{left}[{axis}]=", *pieces(e)) for axis, e in zip("xyz", line.right, strict=True)]


def _listed(entries: tuple[Any, ...]) -> list[str]:
    out: list[str] = []
    for i, e in enumerate(entries):
        row = pieces(e)
        out += [*row[:-1], row[-1] + (r",\;\;" if i < len(entries) - 1 else "")]
    return out


def latex_lines(e: Any) -> list[str]:
    """LaTeX of an expression, in lines that a document has room for."""
    whole = to_latex(e)
    if len(whole) <= WIDE:
        return [whole]
    out = [""]
    for piece in pieces(sp.sympify(e)):
        if out[-1] and _seen(out[-1]) + _seen(piece) > SEEN:
            out.append("")
        out[-1] += piece
    return out


def _seen(text: str) -> int:
    """Letters of LaTeX that are seen, roughly."""
    return len(re.sub(r"\\(?:mathrm|left|right|operatorname|d?dot)|[{}_^\\,\s]", "", text))


def pieces(e: Any) -> list[str]:
    """Pieces of an expression."""
    text = _latex(e)
    if len(text) <= SHORT or e.is_Atom:
        return [text]
    if e.is_Add:
        return _sum(e)
    if e.is_Mul:
        return _product(e)
    if e.is_Pow and e.exp.is_Integer and e.exp > 0 and e.base.is_Add:
        return _bracketed(e.base, f"^{{{e.exp}}}")
    if isinstance(e, sp.Function) and len(e.args) == 1:
        row = pieces(e.args[0])
        name = e.func.__name__.replace("_", r"\_")
        return [rf"\mathrm{{{name}}}({row[0]}", *row[1:-1], f"{row[-1]})"] if len(row) > 1 else [text]
    return [text]


def _sum(e: Any) -> list[str]:
    out: list[str] = []
    for term in e.as_ordered_terms():
        factor, rest = term.as_coeff_Mul()
        row = pieces(-factor * rest if factor < 0 else term)
        sign = "-" if factor < 0 else "+" if out else ""
        # an empty group makes the sign one between terms, with its spaces
        out += [("{}" if out else "") + sign + row[0], *row[1:]]
    return out


def _product(e: Any) -> list[str]:
    above, below = sp.fraction(e)
    if below != 1:
        return [*_bracketed(above), r"\,/\,", *_bracketed(below)]
    factor, rest = e.as_coeff_Mul()
    out = ["-"] if factor < 0 else []
    if abs(factor) != 1:
        out.append(_latex(abs(factor)))
    for x in rest.args if rest.is_Mul else (rest,):
        row = _bracketed(x) if x.is_Add else pieces(x)
        out += [r"\," + row[0] if out and out != ["-"] else row[0], *row[1:]]
    return out if out[0] != "-" else ["-" + out[1], *out[2:]]


def _bracketed(e: Any, after: str = "") -> list[str]:
    row = pieces(e)
    if not e.is_Add:
        return [*row[:-1], row[-1] + after]
    return ["(" + row[0], *row[1:-1], row[-1] + ")" + after] if len(row) > 1 else [f"({row[0]}){after}"]


def _latex(e: Any) -> str:
    """LaTeX without what plots do not know: names of operators are upright letters."""
    return re.sub(r"\\operatorname\{(\w+?)(_\{\d\})?\}", r"\\mathrm{\1}\2", to_latex(e))
