"""Write the steps as text, LaTeX, a page of HTML, or paragraphs for pages."""

from html import escape
from typing import Any

import sympy as sp

from flexnet.errors import ModelError
from flexnet.formulation.symbolic.equations import SymbolicEquations
from flexnet.formulation.symbolic.steps import Line, Section, write_steps
from flexnet.formulation.symbolic.typeset import Paragraph, paragraphs
from flexnet.formulation.symbolic.writing import latex_left, to_latex, to_text

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
        for line in section.lines:
            out += _text_line(line)
        out.append("")
    return "\n".join(out)


def _text_line(line: Line) -> list[str]:
    if not line.left:
        return [f"  {line.label}", *([f"      {line.note}"] if line.note else [])]
    right = [to_text(e) for e in line.right]
    tail = f" {line.note}" if line.note.startswith("=") else ""
    out = [f"  {line.label}"]
    if len(right) == 9:
        rows = ["[" + ", ".join(right[3 * i : 3 * i + 3]) + "]" for i in range(3)]
        out += [f"      {line.left} = [{rows[0]},", f"        {rows[1]},", f"        {rows[2]}]"]
    elif len(right) == 1:
        out.append(f"      {line.left} = {right[0]}{tail}")
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
            out.append(r"\paragraph{}" + _words(line.label))
            if line.left:
                equals = " = 0" if line.note == "= 0" else ""
                out.append(r"\begin{equation*}\begin{split}")
                out.append(f"{latex_left(line.left)} = {_latex_right(line.right)}{equals}")
                out.append(r"\end{split}\end{equation*}")
            if line.note and line.note != "= 0":
                out.append(r"\emph{" + _words(line.note) + "}")
            out.append("")
    return "\n".join([*out, r"\end{document}", ""])


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
    for section in sections:
        out += [f"<h2>{escape(section.title)}</h2>", f"<p>{escape(section.about)}</p>", "<dl>"]
        for line in section.lines:
            out.append(f"<dt>{escape(line.label)}</dt>")
            if line.left:
                out.append(f"<dd>{_math(line)}</dd>")
            if line.note and line.note != "= 0":
                out.append(f'<dd class="note">{escape(line.note)}</dd>')
        out.append("</dl>")
    return "\n".join([*out, "</body></html>", ""])


def _math(line: Line) -> str:
    """Presentation MathML of an equation; browsers draw it without help."""
    texts = [_mathml(sp.sympify(e)) for e in line.right]
    if len(texts) > 1:
        rows = [texts[3 * i : 3 * i + 3] for i in range(3)] if len(texts) == 9 else [[x] for x in texts]
        cells = "".join("<mtr>" + "".join(f"<mtd>{x}</mtd>" for x in row) + "</mtr>" for row in rows)
        right = f"<mrow><mo>[</mo><mtable>{cells}</mtable><mo>]</mo></mrow>"
    else:
        right = texts[0]
    zero = "<mo>=</mo><mn>0</mn>" if line.note == "= 0" else ""
    return f"<math><mtext>{escape(line.left)}</mtext><mo>=</mo>{right}{zero}</math>"


def _mathml(e: Any) -> str:
    """Presentation MathML of an expression, symbols by their names."""
    if e.is_Symbol:
        return f"<mi>{escape(to_text(e))}</mi>"
    if e.is_Number:
        return f"<mn>{escape(str(e if not e.is_Float else float(e)))}</mn>"
    if e.is_Add:
        return "<mrow>" + _joined(e) + "</mrow>"
    if e.is_Mul:
        numerator, denominator = e.as_numer_denom()
        if denominator != 1:
            return f"<mfrac>{_mathml(numerator)}{_mathml(denominator)}</mfrac>"
        factor, rest = e.as_coeff_Mul()
        parts = ["<mo>-</mo>"] if factor < 0 else []
        parts += [] if abs(factor) == 1 else [_mathml(abs(factor))]
        parts += [_grouped(x) for x in (rest.args if rest.is_Mul else (rest,))]
        return "<mrow>" + "<mo>&#x2062;</mo>".join(parts) + "</mrow>"
    if e.is_Pow and e.exp == -1:
        return f"<mfrac><mn>1</mn>{_mathml(e.base)}</mfrac>"
    if e.is_Pow and e.exp.is_Rational and e.exp.q == 2 and e.exp.p == 1:
        return f"<msqrt>{_mathml(e.base)}</msqrt>"
    if e.is_Pow:
        return f"<msup>{_grouped(e.base)}{_mathml(e.exp)}</msup>"
    inside = "<mo>,</mo>".join(_mathml(x) for x in e.args)
    return f"<mrow><mi>{escape(e.func.__name__)}</mi><mo>(</mo>{inside}<mo>)</mo></mrow>"


def _joined(e: Any) -> str:
    out = ""
    for term in e.as_ordered_terms():
        factor, rest = term.as_coeff_Mul()
        if factor < 0:
            out += f"<mo>-</mo>{_grouped(-factor * rest)}"
        else:
            out += (f"<mo>+</mo>{_mathml(term)}") if out else _mathml(term)
    return out


def _grouped(e: Any) -> str:
    return f"<mrow><mo>(</mo>{_mathml(e)}<mo>)</mo></mrow>" if e.is_Add else _mathml(e)
