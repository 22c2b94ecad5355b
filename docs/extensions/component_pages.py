"""``.. component-pages::``: the reference of every page of the components' room, as the room finds them."""

import pkgutil
from typing import Any

from docutils.nodes import Node
from sphinx.util.docutils import SphinxDirective

from flexnet import components


def pages() -> list[str]:
    """Modules of the room."""
    return [f"{components.__name__}.{page.name}" for page in pkgutil.iter_modules(components.__path__)]


class ComponentPages(SphinxDirective):
    """One ``automodule`` a page."""

    def run(self) -> list[Node]:
        """Expand."""
        lines = "\n".join(f".. automodule:: {page}" for page in pages())
        return list(self.parse_text_to_nodes(lines))


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("component-pages", ComponentPages)
    return {"parallel_read_safe": True}
