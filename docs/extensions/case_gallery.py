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
            "",
            ", ".join(sources),
            "",
        ]
    )


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
