"""The pages of the reference, written from the package when the documentation is: nobody keeps a list.

A room has a page, or as many as it needs to stay small: its modules that define what the room offers
(``__all__``), and for rooms whose modules are pages of a registry all of them. Modules beside the rooms share
one.
"""

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import flexnet

#: characters of source that a page describes at most; a module with more has a page of its own
MOST = 40_000
#: rooms whose every module is a page of a registry
REGISTRIES = ("components",)
#: what is run rather than imported
COMMANDS = ("cli", "__main__")


def write_pages(folder: Path) -> None:
    """Write the pages, and nothing where they are as they should be."""
    folder.mkdir(exist_ok=True)
    wanted = dict(pages())
    for old in folder.glob("*.md"):
        if old.stem not in wanted:
            old.unlink()
    for name, text in wanted.items():
        file = folder / f"{name}.md"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def pages() -> Iterator[tuple[str, str]]:
    """Name and text of every page."""
    alone = []
    for found in pkgutil.iter_modules(flexnet.__path__):
        if found.name in COMMANDS:
            continue
        if not found.ispkg:
            alone.append(f"flexnet.{found.name}")
            continue
        room = import_module(f"flexnet.{found.name}")
        for k, names in enumerate(_parts(_modules(room)), start=1):
            title = found.name if k == 1 else f"{found.name}, part {k}"
            about = (room.__doc__ or "").strip().split("\n")[0] if k == 1 else ""
            yield f"{found.name}_{k}" if k > 1 else found.name, _page(title, about, names)
    yield "beside_the_rooms", _page("beside the rooms", "Modules that every room may know.", alone)


def _modules(room: ModuleType) -> list[str]:
    """Modules of a room that define what it offers."""
    inside = [m.name for m in pkgutil.walk_packages(room.__path__, f"{room.__name__}.") if not m.ispkg]
    if room.__name__.rpartition(".")[2] in REGISTRIES:
        return inside
    offered = {getattr(getattr(room, name), "__module__", "") for name in getattr(room, "__all__", ())}
    return [name for name in inside if name in offered]


def _parts(names: list[str]) -> Iterator[list[str]]:
    """Modules in order, as many a page as it can hold."""
    page, size = list[str](), 0
    for name in names:
        weight = _weight(name)
        if page and size + weight > MOST:
            yield page
            page, size = [], 0
        page.append(name)
        size += weight
    if page:
        yield page


def _weight(name: str) -> int:
    file = Path(inspect.getfile(import_module(name)))
    stub = file.with_suffix(".pyi")  # what is made when it runs is told there
    return (stub if stub.exists() else file).stat().st_size


def _page(title: str, about: str, names: list[str]) -> str:
    modules = "\n".join(f".. automodule:: {name}" for name in names)
    return f"# {title.capitalize()}\n\n{about}\n\n```{{eval-rst}}\n{modules}\n```\n"


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", lambda app, _config: write_pages(Path(app.srcdir) / "api"))
    return {"parallel_read_safe": True}
