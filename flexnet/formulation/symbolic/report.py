"""Write the steps as text, LaTeX, a page of HTML, or paragraphs of a PDF."""

from html import escape
from typing import Any

import sympy as sp

from flexnet.errors import ModelError
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.lines import Line, Section
from flexnet.formulation.symbolic.mathml import left_tree, pieces, to_mathml, tree
from flexnet.formulation.symbolic.steps import write_steps
from flexnet.formulation.symbolic.typeset import Paragraph, paragraphs
from flexnet.formulation.symbolic.writing import latex_left, text_name, to_latex, to_text

FORMATS = ("text", "latex", "html", "pdf")


def equations_report(equations: SymbolicEquations, step: str = "all", format: str = "text") -> str:
    """The steps of the formulation in words and equations.

    Parameters
    ----------
    step : one of :data:`~flexnet.formulation.symbolic.steps.STEPS`, or ``all``.
    format : ``text``, ``latex`` (a whole document) or ``html`` (one page, equations as MathML).
    """
    writers = {"text": _text, "latex": _latex, "html": _html}
    if format not in writers:
        raise ModelError(f"there is no format {format!r}; there are {', '.join(FORMATS)}")
    return writers[format](equations.numeric.system.name, write_steps(equations, step))


def report_paragraphs(equations: SymbolicEquations, step: str = "all") -> list[Paragraph]:
    """The same as paragraphs of words and formulas, for :func:`flexnet.view.write_pages`."""
    return paragraphs(write_steps(equations, step))


# -- text --------------------------------------------------------------------------------------


def _text(title: str, sections: list[Section]) -> str:
    out = [title, "=" * len(title), ""]
    for section in sections:
        out += [section.title, "-" * len(section.title), section.about, ""]
        before = ""
        for line in section.lines:
            # names of factors are explained below one word
            out += _text_line(line)[1 if line.label == before == "with" else 0 :]
            before = line.label
        out.append("")
    return "\n".join(out)


def _text_line(line: Line) -> list[str]:
    if line.groups:
        width = max(len(word) for word, _ in line.groups) + 2
        rows = [f"      {word:<{width}}{to_text(e)}" for word, e in line.groups]
        return [f"  {line.label}", *rows, f"      {'':<{width}}= 0"]
    if not line.left:
        return [f"  {line.label}", *([f"      {line.note}"] if line.note else [])]
    right = [to_text(e) for e in line.right]
    tail = f" {line.note}" if line.note.startswith("=") else ""
    out = [f"  {line.label}"]
    if len(right) == 9:
        rows = ["[" + ", ".join(right[3 * i : 3 * i + 3]) + "]" for i in range(3)]
        out += [f"      {line.left} = [{rows[0]},", f"        {rows[1]},", f"        {rows[2]}]"]
    elif len(right) == 1:
        out.append(f"      {text_name(line.left)} = {right[0]}{tail}")
    else:
        out.append(f"      {line.left} = [{', '.join(right)}]")
    if line.note and not tail:
        out.append(f"      ({line.note})")
    return out


# -- LaTeX -------------------------------------------------------------------------------------


def _latex_right(right: tuple[Any, ...]) -> str:
    texts = [to_latex(e) for e in right]
    if len(texts) == 1:
        return texts[0]
    rows = [texts[3 * i : 3 * i + 3] for i in range(3)] if len(texts) == 9 else [[x] for x in texts]
    return r"\begin{bmatrix}" + r" \\ ".join(" & ".join(row) for row in rows) + r"\end{bmatrix}"


def _latex(title: str, sections: list[Section]) -> str:
    out = [
        r"\documentclass{article}", r"\usepackage{amsmath}", r"\allowdisplaybreaks",
        r"\begin{document}", r"\section*{" + _words(title) + "}",
    ]  # fmt: skip
    for section in sections:
        out += [r"\subsection*{" + _words(section.title) + "}", _words(section.about), ""]
        for line in section.lines:
            if line.label != "with":
                out.append(r"\paragraph{}" + _words(line.label))
            if line.groups:
                out += _latex_groups(line)
            elif line.label == "with":
                out.append(f"${latex_left(line.left)} = {_latex_right(line.right)}$")
            elif line.left:
                equals = " = 0" if line.note == "= 0" else ""
                out.append(r"\begin{equation*}\begin{split}")
                out.append(f"{latex_left(line.left)} = {_latex_right(line.right)}{equals}")
                out.append(r"\end{split}\end{equation*}")
            if line.note and line.note != "= 0":
                out.append(r"\emph{" + _words(line.note) + "}")
            out.append("")
    return "\n".join([*out, r"\end{document}", ""])


def _latex_groups(line: Line) -> list[str]:
    """Groups below each other, what they are beside them; a long sum goes over several lines."""
    rows: list[tuple[str, str]] = []
    for word, e in line.groups:
        terms = e.as_ordered_terms() if len(to_latex(e)) > WIDE else [e]
        for k, term in enumerate(terms):
            text = to_latex(term)
            sign = "" if text.startswith("-") or not rows else "+"
            rows.append((f"&{sign}{text}", "" if k else f"&&\\text{{{word}}}"))
    rows[-1] = (rows[-1][0] + "=0", rows[-1][1])
    return [r"\begin{align*}", r"\\".join(text + word for text, word in rows), r"\end{align*}"]


#: LaTeX of a group that is broken between its terms
WIDE = 300

_SPECIAL = {
    "δ": r"$\delta$",
    "λ": r"$\lambda$",
    "Φ": r"$\Phi$",
    "ᵀ": "$^T$",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
}


def _words(text: str) -> str:
    """Words with what LaTeX needs escaped."""
    return "".join(_SPECIAL.get(c, c) for c in text)


# -- HTML --------------------------------------------------------------------------------------

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h2 { border-bottom: 1px solid #ccc; margin-top: 2.5rem; }
dt { margin-top: 1rem; color: #333; } dd { overflow-x: auto; margin: .3rem 0 0 1.5rem; }
.note { color: #666; font-style: italic; } math { font-size: 1.1em; }
"""


def _html(title: str, sections: list[Section]) -> str:
    out = [
        "<!doctype html>", '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>", f"<h1>{escape(title)}</h1>",
    ]  # fmt: skip
    return "\n".join([*out, *_sections(sections), "</body></html>", ""])


def fragment(equations: SymbolicEquations) -> str:
    """Part of a page of HTML, for a notebook."""
    return "\n".join(_sections(write_steps(equations, "motion")))


def _sections(sections: list[Section]) -> list[str]:
    out = []
    for section in sections:
        out += [f"<h2>{escape(section.title)}</h2>", f"<p>{escape(section.about)}</p>", "<dl>"]
        for line in section.lines:
            out.append(f"<dt>{escape(line.label)}</dt>")
            if line.left or line.groups:
                out.append(f"<dd>{_math(line)}</dd>")
            if line.note and line.note != "= 0":
                out.append(f'<dd class="note">{escape(line.note)}</dd>')
        out.append("</dl>")
    return out


def _math(line: Line) -> str:
    """Presentation MathML of an equation; browsers draw it without help."""
    if line.groups:
        rows = []
        for k, (word, e) in enumerate(line.groups):
            terms = " ".join(to_mathml(piece) for piece in pieces(e, k > 0))
            rows.append(f'<div>{terms} <span class="note">{escape(word)}</span></div>')
        return "".join(rows) + "<div>" + to_mathml(["math", ["mo", "="], ["mn", "0"]]) + "</div>"
    return to_mathml(_equation(line))


def _equation(line: Line) -> list[Any]:
    """An equation ``left = right`` as an element."""
    entries = [tree(sp.sympify(e)) for e in line.right]
    right = entries[0]
    if len(entries) > 1:
        rows = [entries[3 * i : 3 * i + 3] for i in range(3)] if len(entries) == 9 else [[x] for x in entries]
        table = ["mtable", *(["mtr", *(["mtd", x] for x in row)] for row in rows)]
        right = ["mrow", ["mo", "["], table, ["mo", "]"]]
    zero = [["mo", "="], ["mn", "0"]] if line.note == "= 0" else []
    return ["math", left_tree(line.left), ["mo", "="], right, *zero]
