"""The source of a kernel as a syntax tree."""

import ast
import linecache
from collections.abc import Callable
from typing import Any

_files: dict[str, dict[int, ast.FunctionDef]] = {}


def find_source(function: Callable[..., Any]) -> ast.FunctionDef:
    """Syntax tree of a function."""
    code = function.__code__
    if code.co_filename not in _files:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
        _files[code.co_filename] = {
            min([node.lineno, *(d.lineno for d in node.decorator_list)]): node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
        }
    return _files[code.co_filename][code.co_firstlineno]
