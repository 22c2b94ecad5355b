"""``.. case-gallery::``: every example with its picture, its story, its command and its source."""

from pathlib import Path
from textwrap import indent
from typing import Any, ClassVar

from docutils.nodes import Node
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from flexnet.examples import Example, examples

DOCS = Path(__file__).parents[1]


def entry(example: Example) -> str:
    """Section of an example, in reStructuredText."""
    sources = [f":download:`cases/{example.name}.py </../cases/{example.name}.py>`"]
    sources += [f":download:`{file.name} </../cases/references/{file.name}>`" for file in example.references]
    return "\n".join(
        [
            f".. _case-{example.name}:",
            "",
            example.title,
            "-" * (len(example.title) + 20),
            "",
            *_picture(example),
            ".. container:: story",
            "",
            "   ::",
            "",
            indent(example.story.partition("\n")[2].strip("\n"), "       "),
            "",
            ".. code-block:: console",
            "",
            f"   $ flexnet examples run {example.name}",
            f"   $ flexnet view {example.name}.h5 --open",
            f"   $ flexnet examples copy {example.name} && flexnet equations {example.name}.py",
            "",
            *_verdict(example),
            ", ".join(sources),
            "",
        ]
    )


def _verdict(example: Example) -> list[str]:
    """What ``flexnet verify`` said of it, as its table has it: its channels, and the nearest to its limit."""
    page = (DOCS / "verification.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line[:1] == "|"]
    own = [row for row in rows if len(row) == 6 and row[0] == example.name]
    if not own:
        return []
    share = {k: _number(row[3]) / _number(row[4]) for k, row in enumerate(own) if _number(row[4])}
    *_, reference, channel, error, limit, _ = own[max(share, key=share.__getitem__)] if share else own[0]
    outside = sum(row[5] != "within" for row in own)
    said = "all within" if not outside else f"{outside} not within"
    worst = f"nearest to its limit: {channel} beside {reference}, {error} of {limit}"
    return [f":doc:`flexnet verify <verification>`: {len(own)} channels, {said}; {worst}.", ""]


def _number(cell: str) -> float:
    """The number a cell begins with; zero if none."""
    try:
        return float(cell.split()[0])
    except (ValueError, IndexError):
        return 0.0


def _picture(example: Example) -> list[str]:
    """Its poses, if ``make pictures`` has drawn them since it came."""
    file = f"/images/gallery/{example.name}.webp"
    if not (DOCS / file[1:]).exists():
        return []
    return [f".. image:: {file}", f"   :alt: {example.name} in a few poses", ""]


class CaseGallery(SphinxDirective):
    """One section an example; those whose name begins with ``only``, or not with ``but``."""

    option_spec: ClassVar[dict[str, Any]] = {"only": directives.unchanged, "but": directives.unchanged}

    def run(self) -> list[Node]:
        """Expand."""
        only, but = self.options.get("only", ""), self.options.get("but")
        found = [e for e in examples() if e.name.startswith(only) and not (but and e.name.startswith(but))]
        text = "\n".join(entry(example) for example in found)
        return list(self.parse_text_to_nodes(text, allow_section_headings=True))


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("case-gallery", CaseGallery)
    return {"parallel_read_safe": True}
