"""Docstring sections as lists: ``name : what it is`` is a name and its meaning, not a type to link.

Sections underlined with dashes become rubrics. Items of the sections in ``LISTS`` become list items, their
indented lines joined to them; what stands in another section is left as it is. Bars in a sentence are
absolute values, not substitutions.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

LISTS = {"Attributes", "Parameters", "Raises"}
_ITEM = re.compile(r"^(?P<name>[\w*]\S*(?:, [\w*]\S*)*)(?: : ?(?P<text>.*))?$")


def convert(lines: list[str]) -> list[str]:
    """Convert the lines of one docstring."""
    out: list[str] = []
    section, is_literal = "", False
    for title, line in _walk(lines):
        if line.strip() and not line.startswith(" "):
            is_literal = line.endswith("::")
        if not (is_literal and line.startswith(" ")):
            line = _escaped(line)
        if title:
            section = title
            out += ["", f".. rubric:: {title}", ""]
        elif section not in LISTS or not line.strip():
            out.append(line)
        elif line.startswith(" "):
            out.append(f"  {line.strip()}")
        else:
            out.append(_item(line))
    return [_ended(line, after) for line, after in pairwise([*out, ""])]


def _escaped(line: str) -> str:
    """Bars as bars, but in code."""
    pieces = line.split("``")
    return "``".join(p if k % 2 else p.replace("|", "\\|") for k, p in enumerate(pieces))


def _walk(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Lines with the title of the section that begins there."""
    under = [re.fullmatch(r"-{3,}", line.strip()) is not None for line in [*lines, ""]]
    for k, line in enumerate(lines):
        if line.strip() and under[k + 1]:
            yield line.strip(), ""
        elif not under[k]:
            yield "", line


def _item(line: str) -> str:
    match = _ITEM.match(line)
    if match is None:
        return f"- {line}"
    name = match["name"].replace("*", "\\*")
    return f"- **{name}**" + (f" – {match['text']}" if match["text"] else "")


def _ended(line: str, after: str) -> str:
    """End the first line of an item where the next one begins a new sentence."""
    begins = line.startswith("- ") and after.startswith("  ") and after.strip()[:1].isupper()
    return f"{line}." if begins and line[-1] not in ".,:;" else line


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""

    def process(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
        lines[:] = convert(lines)

    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True}
