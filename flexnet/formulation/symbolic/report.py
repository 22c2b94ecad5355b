"""Write the steps as text, LaTeX, a page of HTML, or paragraphs of a PDF."""

import re
import textwrap
from html import escape
from typing import Any

import sympy as sp

from flexnet.errors import ModelError
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.lines import Line, Section
from flexnet.formulation.symbolic.mathml import left_tree, pieces, to_mathml, tree
from flexnet.formulation.symbolic.steps import write_steps
from flexnet.formulation.symbolic.typeset import Paragraph, latex_lines, paragraphs
from flexnet.formulation.symbolic.writing import latex_left, text_name, to_text

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

#: columns of a line of text
COLUMNS = 110


def _text(title: str, sections: list[Section]) -> str:
    out = [title, "=" * len(title), ""]
    for section in sections:
        out += [section.title, "-" * len(section.title), *_filled(section.about, 0, 0), ""]
        before = ""
        for line in section.lines:
            # names of factors are explained below one word
            out += _text_line(line)[1 if line.label == before == "with" else 0 :]
            before = line.label
        out.append("")
    return "\n".join(out)


def _filled(text: str, indent: int = 6, hanging: int = 4) -> list[str]:
    """Lines of a text; one ends before a sign between terms, and not after it."""
    kept = re.sub(r" ([-+=]) ", " \\1\0", text)
    lines = textwrap.wrap(
        kept, COLUMNS, initial_indent=" " * indent, subsequent_indent=" " * (indent + hanging),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace("\0", " ") for line in lines]


def _text_line(line: Line) -> list[str]:
    label = _filled(line.label, 2)
    if line.groups:
        width = max(len(word) for word, _ in line.groups) + 2
        grouped = [x for word, e in line.groups for x in _filled(f"{word:<{width}}{to_text(e)}", 6, width)]
        return [*label, *grouped, f"      {'':<{width}}= 0"]
    if not line.left:
        return label + (_filled(line.note) if line.note else [])
    right = [to_text(e) for e in line.right]
    tail = f" {line.note}" if line.note.startswith("=") else ""
    out = label
    if len(right) == 9:
        rows = ["[" + ", ".join(right[3 * i : 3 * i + 3]) + "]" for i in range(3)]
        out += _filled(f"{line.left} = [{rows[0]},") + _filled(f"{rows[1]},", 8) + _filled(f"{rows[2]}]", 8)
    elif len(right) == 1:
        out += _filled(f"{text_name(line.left)} = {right[0]}{tail}")
    else:
        out += _filled(f"{line.left} = [{', '.join(right)}]")
    if line.note and not tail:
        out += _filled(f"({line.note})")
    return out


# -- LaTeX -------------------------------------------------------------------------------------


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
            elif line.left:
                out += _latex_equation(line)
            if line.note and line.note != "= 0":
                out.append(r"\emph{" + _words(line.note) + "}")
            out.append("")
    return "\n".join([*out, r"\end{document}", ""])


def _latex_equation(line: Line) -> list[str]:
    """An equation; one that is long goes over several lines, a vector or a matrix then by its components."""
    left, zero = latex_left(line.left), " = 0" if line.note == "= 0" else ""
    sides = [latex_lines(e) for e in line.right]
    if any(len(side) > 1 for side in sides):
        second = "xyz" if len(sides) == 9 else ("",)
        names = [f"_{{{axis}{other}}}" for axis in "xyz" for other in second] if len(sides) > 1 else [""]
        rows = [
            text
            for name, (first, *rest) in zip(names, sides, strict=False)
            for text in (f"{left if not name else '[' + left + ']' + name} &= {first}", *rest)
        ]
        rows = [row if "&=" in row else rf"&\quad {row}" for row in rows]
        return [r"\begin{align*}", "\\\\\n".join(rows) + zero, r"\end{align*}"]
    texts = [side[0] for side in sides]
    if line.label == "with":
        return [f"${left} = {texts[0]}$"]
    table = [texts[3 * i : 3 * i + 3] for i in range(3)] if len(texts) == 9 else [[x] for x in texts]
    inside = r" \\ ".join(" & ".join(row) for row in table)
    right = r"\begin{bmatrix}" + inside + r"\end{bmatrix}" if len(texts) > 1 else texts[0]
    return [r"\begin{equation*}\begin{split}", f"{left} = {right}{zero}", r"\end{split}\end{equation*}"]


def _latex_groups(line: Line) -> list[str]:
    """Groups below each other, what they are beside them; a long sum goes over several lines."""
    rows: list[tuple[str, str]] = []
    for word, e in line.groups:
        for k, text in enumerate(latex_lines(e)):
            sign = "" if text.startswith(("-", "{}")) or not rows else r"\quad " if k else "+"
            rows.append((f"&{sign}{text}", "" if k else f"&&\\text{{{word}}}"))
    rows[-1] = (rows[-1][0] + "=0", rows[-1][1])
    return [r"\begin{align*}", "\\\\\n".join(text + word for text, word in rows), r"\end{align*}"]


_SPECIAL = {
    "δ": r"$\delta$",
    "λ": r"$\lambda$",
    "Φ": r"$\Phi$",
    "ᵀ": "$^T$",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
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
mtable { --ink: linear-gradient(currentColor 0 0); border: solid; border-width: 0 1px; padding: 0 .3em;
  background: var(--ink) 0 0, var(--ink) 0 100%, var(--ink) 100% 0, var(--ink) 100% 100%;
  background-size: .4em 1px; background-repeat: no-repeat; margin-left: .3em; }
"""
# fonts of few browsers have brackets that grow: those of matrices are drawn


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
    if len(line.right) == 1:
        return _side(line.left, line.right[0], line.note)
    if sum(sp.sympify(e).count_ops() for e in line.right) <= FITS:
        return to_mathml(_table(line))
    second = "xyz" if len(line.right) == 9 else ("",)
    names = [f"{axis}{other}" for axis in "xyz" for other in second]
    sides = (_side(line.left, e, "", name) for name, e in zip(names, line.right, strict=False))
    return "".join(f"<div>{side}</div>" for side in sides)


#: operations of a vector or a matrix in brackets; the components of longer ones stand below each other
FITS = 40


def _side(left: str, right: Any, note: str, component: str = "") -> str:
    """An equation whose lines end between terms."""
    name = ["msub", left_tree(left), ["mtext", component]] if component else left_tree(left)
    first, *rest = pieces(sp.sympify(right))
    zero = [["math", ["mo", "="], ["mn", "0"]]] if note == "= 0" else []
    return " ".join(map(to_mathml, (["math", name, ["mo", "="], *first[1:]], *rest, *zero)))


def _table(line: Line) -> list[Any]:
    """A vector or a matrix; its brackets are drawn by the style of the page."""
    entries = [tree(sp.sympify(e)) for e in line.right]
    rows = [entries[3 * i : 3 * i + 3] for i in range(3)] if len(entries) == 9 else [[x] for x in entries]
    table = ["mtable", *(["mtr", *(["mtd", x] for x in row)] for row in rows)]
    return ["math", left_tree(line.left), ["mo", "="], table]
