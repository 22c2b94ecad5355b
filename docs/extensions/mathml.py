r"""Formulas as MathML, written when the pages are: nothing is fetched, nothing runs in the reader's browser.

``\tag{n}`` becomes the number at the right margin.
"""

import re
from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

_TAG = re.compile(r"\\tag\{([^}]*)\}")
# words the converter does not know, and what it does
_WORDS = {r"\tfrac": r"\frac", r"\dfrac": r"\frac", r"\bigl": r"\big", r"\bigr": r"\big", r"\textstyle": ""}


def mathml(latex: str, display: str) -> str:
    """Convert a formula."""
    if r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    latex = latex.replace("{aligned}", "{align*}")  # as the converter calls it
    known = re.sub(r"\\[a-zA-Z]+", lambda m: _WORDS.get(m[0], m[0]), latex)
    return str(convert(known, display=display))


def _inline(self: Any, node: Any) -> None:
    self.body.append(mathml(node.astext(), "inline"))
    raise SkipNode


def _block(self: Any, node: Any) -> None:
    latex = node.astext()
    numbers = _TAG.findall(latex) or ([node["number"]] if node.get("number") else [])
    number = ", ".join(f"({n})" for n in numbers)
    ids = "".join(f'<span id="{name}"></span>' for name in node.get("ids", []))
    made = mathml(_TAG.sub("", latex), "block")
    self.body.append(f'<div class="formula">{ids}{made}<span>{number}</span></div>\n')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
