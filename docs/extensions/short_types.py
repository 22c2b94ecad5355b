"""Signatures with the names a reader knows: ``Array`` for what it is an alias of, no paths of libraries.

Paths of flexnet stay: they lead to the right page, and Sphinx does not show them.
"""

import re
import sys
from typing import Any

_ARRAYS = {"float64": "Array", "int64": "IntArray", "bool": "BoolArray", "Any": "AnyArray"}
_PATH = re.compile(r"(?<![\w'\"/.])(?!~?flexnet\.)(?:~?[A-Za-z_]\w*\.)+(?=[A-Za-z_])")
_ARRAY = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]")


def short(signature: str) -> str:
    """Shorten the types of a signature."""
    bare = _PATH.sub("", signature)
    named = _ARRAY.sub(lambda m: _ARRAYS.get(m[1], "AnyArray"), bare)
    return named.replace("Sequence[float] | Array", "Vector")


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""

    def process(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, args: Any, returns: Any) -> Any:
        return (short(args) if args else args, short(returns) if returns else returns)

    app.connect("autodoc-process-signature", process)
    # attributes and aliases have no signature that could be asked for: how autodoc writes their types
    from sphinx.util.typing import stringify_annotation as written

    def shortened(*what: Any, **how: Any) -> str:
        return short(written(*what, **how))

    for name, module in list(sys.modules.items()):
        if name.startswith("sphinx.ext.autodoc") and getattr(module, written.__name__, None) is written:
            setattr(module, written.__name__, shortened)
    return {"parallel_read_safe": True}
