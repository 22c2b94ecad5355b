"""``.. component-pages:: a-i``: the reference of the pages of the components' room, as it finds them."""

import pkgutil
from typing import Any

from docutils.nodes import Node
from sphinx.util.docutils import SphinxDirective

from flexnet import components


def pages() -> list[str]:
    """Modules of the room."""
    return [f"{components.__name__}.{page.name}" for page in pkgutil.iter_modules(components.__path__)]


class ComponentPages(SphinxDirective):
    """One ``automodule`` a page, of those whose names begin with the letters given."""

    required_arguments = 1

    def run(self) -> list[Node]:
        """Expand."""
        first, last = self.arguments[0].split("-")
        asked = [page for page in pages() if first <= page.rpartition(".")[2][0] <= last]
        lines = "\n".join(f".. automodule:: {page}" for page in asked)
        return list(self.parse_text_to_nodes(lines))


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("component-pages", ComponentPages)
    return {"parallel_read_safe": True}
