"""Members of new components, as their own tests say them; so a page and its test are all there is to add.

A test of a page says ``MEMBERS = {"screw": [{"pitch": 0.4}]}`` at its outermost level: by the name of the
builder, arguments of some members besides name, tail and head. It is read, not imported.
"""

import ast
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

from flexnet.components import BUILDERS

_SAID = re.compile(r"^MEMBERS = ", re.MULTILINE)


@cache
def _said() -> dict[str, list[dict[str, Any]]]:
    """What all tests say."""
    found: dict[str, list[dict[str, Any]]] = {}
    for page in sorted(Path(__file__).parent.glob("*/test_*.py")):
        text = page.read_text(encoding="utf-8")
        if _SAID.search(text):
            (said,) = (x for x in ast.parse(text).body if _is_said(x))
            found |= ast.literal_eval(said.value)
    return found


def _is_said(line: ast.stmt) -> bool:
    return isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "MEMBERS"


def makes(name: str, kind: type) -> bool:
    """Whether a builder makes components of a kind."""
    made = inspect.signature(BUILDERS[name]).return_annotation
    return isinstance(made, type) and issubclass(made, kind)


def members(kind: type) -> dict[str, list[dict[str, Any]]]:
    """Arguments of members of one kind by the names of their builders."""
    return {name: arguments for name, arguments in _said().items() if makes(name, kind)}
