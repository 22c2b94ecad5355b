"""Signatures with the names a reader knows: ``Array`` for what it is an alias of, no paths of libraries.

Paths of flexnet stay: they lead to the right page, and Sphinx does not show them.
"""

import re
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
    return {"parallel_read_safe": True}
