"""Which arguments a kernel writes to, read from its source: a read-only array is refused as one of them.

What is looked for is an assignment to an entry, ``x[i] = …`` or ``x.n = …``, of an argument, of a name that
stands for it or for a part of it (``row = x[i]``, ``for row in x``), or of an argument of a kernel it is
handed on to; of a tuple, all arrays must then be such as may be written to. Arrays that go to a function by
address are not followed: those of a handle count as written to when it is made.
"""

import ast
import linecache
from collections.abc import Callable, Collection, Iterator
from typing import Any

from flexnet.kernels.words import Word

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


_found: dict[Callable[..., Any], frozenset[int]] = {}


def written(function: Callable[..., Any]) -> frozenset[int]:
    """Places of the arguments to which a function writes."""
    if function not in _found:
        _found[function] = frozenset()  # of one that calls itself
        node = find_source(function)
        names = {argument.arg: frozenset([i]) for i, argument in enumerate(node.args.args)}
        for _ in range(3):  # a name may stand for one that is told of further down
            for place, value in _named(node):
                names[place] = names.get(place, frozenset()) | _stands_for(value, names)
        _found[function] = frozenset(i for x in _changed(node, function) for i in _stands_for(x, names))
    return _found[function]


def _stands_for(node: ast.expr, names: dict[str, frozenset[int]]) -> frozenset[int]:
    """Arguments that an expression is, or is a part of."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    if isinstance(node, ast.IfExp):
        return _stands_for(node.body, names) | _stands_for(node.orelse, names)
    return names.get(node.id, frozenset()) if isinstance(node, ast.Name) else frozenset()


def _named(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """Names that are given something, and what."""
    for node in ast.walk(function):
        if isinstance(node, ast.For):
            pairs = [(node.target, node.iter)]
        elif isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        else:
            continue
        for target, value in pairs:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                for one, its in zip(target.elts, value.elts, strict=False):
                    if isinstance(one, ast.Name):
                        yield one.id, its
            elif isinstance(target, ast.Name):
                yield target.id, value


def _changed(node: ast.FunctionDef, function: Callable[..., Any]) -> Iterator[ast.expr]:
    """What is written to: targets with an index, and what is handed on to a kernel that writes."""
    for part in ast.walk(node):
        targets: list[ast.expr] = []
        if isinstance(part, ast.Assign):
            targets = part.targets
        elif isinstance(part, ast.AugAssign):
            targets = [part.target]
        elif isinstance(part, ast.Call):
            yield from (part.args[i] for i in _changes(part.func, function) if i < len(part.args))
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(one, ast.Subscript | ast.Attribute):
                    yield one


def _changes(node: ast.expr, function: Callable[..., Any]) -> Collection[int]:
    """Places of the arguments to which what is called, by a name or by one of a module, writes."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        found = getattr(_meaning(node.value.id, function), node.attr, None)
    else:
        found = _meaning(node.id, function) if isinstance(node, ast.Name) else None
    if isinstance(found, Word):
        return found.changes
    inside = getattr(found, "function", None)
    return written(inside) if callable(inside) else ()


def _meaning(name: str, function: Callable[..., Any]) -> object:
    """What a name of a function is outside of it."""
    code = function.__code__
    if name in code.co_varnames:
        return None
    if name in code.co_freevars:
        return (function.__closure__ or ())[code.co_freevars.index(name)].cell_contents
    return function.__globals__.get(name)
