"""Methods by which a System adds components, made from the registry of their builders.

``builders.pyi`` tells type checkers and editors the same; :func:`stub` writes it from the pages
(``make stubs``), and a test holds it to them.
"""

import ast
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from flexnet.components import Component, Frame
from flexnet.errors import ModelError
from flexnet.networks import BUILDERS, Element  # with those of that room and of signals
from flexnet.system.body import Body

End: TypeAlias = Body | Frame
#: what a System is built of
Part = TypeVar("Part", Component, Element)


class Builders:
    """What every component's page lets a System do."""

    def _add(self, part: Part) -> Part:
        raise NotImplementedError


def as_frame(end: Any) -> Frame:
    """The frame a component ends at: that of a body, or the frame itself."""
    if isinstance(end, Body):
        return end.origin
    if isinstance(end, Frame):
        return end
    raise ModelError(f"a component ends at a body or a frame, not at {end!r}")


def _ends(kind: Any) -> Any:
    """What a user may give where a page asks for a frame."""
    return {Frame: End, Frame | None: End | None}.get(kind, kind)


def _method(make: Callable[..., Component]) -> Callable[..., Component]:
    """A method that makes a component and adds it."""
    signature = inspect.signature(make)
    asks = "system" in signature.parameters
    given = [p for p in signature.parameters.values() if p.name != "system"]
    is_end = [_ends(p.annotation) is not p.annotation for p in given]
    ends = {p.name for p, is_one in zip(given, is_end, strict=True) if is_one}

    def method(self: Builders, *arguments: Any, **named: Any) -> Component:
        placed = list(arguments)
        for i, (value, is_one) in enumerate(zip(arguments, is_end, strict=False)):
            if is_one and value is not None:
                placed[i] = as_frame(value)
        for name in ends & named.keys():
            if named[name] is not None:
                named[name] = as_frame(named[name])
        first = (self,) if asks else ()
        return self._add(make(*first, *placed, **named))

    self_first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    users = [p.replace(annotation=_ends(p.annotation)) for p in given]
    method.__signature__ = signature.replace(parameters=[self_first, *users])  # type: ignore[attr-defined]
    method.__name__, method.__doc__ = make.__name__, make.__doc__
    method.__qualname__ = f"System.{make.__name__}"
    return method


for _name, _make in BUILDERS.items():
    setattr(Builders, _name, _method(_make))


def stub() -> str:
    """Text of ``builders.pyi``."""
    imports = {
        "flexnet.components.component": {"Component"},
        "flexnet.components.frame": {"Frame"}, "flexnet.networks.element": {"Element"},
        "flexnet.system.body": {"Body"}, "typing": {"TypeAlias", "TypeVar"}
    }  # fmt: skip
    methods = []
    for make in BUILDERS.values():
        page = ast.parse(inspect.getsource(inspect.getmodule(make)))  # type: ignore[arg-type]
        node = next(x for x in page.body if isinstance(x, ast.FunctionDef) and x.name == make.__name__)
        methods.append(_stub_of(node))
        used = {x.id for a in _annotations(node) for x in ast.walk(a) if isinstance(x, ast.Name)}
        for line in page.body:
            if isinstance(line, ast.ImportFrom):
                found = {a.name for a in line.names} & used - {"Mechanism"}
                imports.setdefault(str(line.module), set()).update(found)
        own = {x.name for x in page.body if isinstance(x, ast.ClassDef)} | {"UserLaw"}
        imports.setdefault(make.__module__, set()).update(own & used)
    lines = [
        f"from {room} import {', '.join(sorted(names))}" for room, names in sorted(imports.items()) if names
    ]
    head = ['"""Written by ``make stubs`` from the pages of the components."""', "", *lines]
    end = [
        "",
        "End: TypeAlias = Body | Frame",
        'Part = TypeVar("Part", Component, Element)',
        "",
        "def as_frame(end: object) -> Frame: ...",
        "def stub() -> str: ...",
    ]
    base = ["", "class Builders:", "    def _add(self, part: Part) -> Part: ..."]
    return "\n".join([*head, *end, *base, *methods, ""])


def _annotations(node: ast.FunctionDef) -> list[ast.expr]:
    arguments = [*node.args.args, *([node.args.kwarg] if node.args.kwarg else [])]
    return [a.annotation for a in arguments if a.annotation is not None] + (
        [node.returns] if node.returns else []
    )


def _stub_of(node: ast.FunctionDef) -> str:
    """A method as type checkers read it."""
    for name in ast.walk(node.args):
        if isinstance(name, ast.Name) and name.id == "Frame":
            name.id = "End"
    if node.args.args[0].arg == "system":
        del node.args.args[0]
    node.args.args.insert(0, ast.arg("self"))
    assert node.returns is not None
    head = f"def {node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}:"
    text = ast.get_docstring(node, clean=True) or ""
    body = "\n".join(f"        {line}" if line else "" for line in text.splitlines()).strip()
    end = "\n        " if "\n" in body else ""
    return f'    {head}\n        """{body}{end}"""'
