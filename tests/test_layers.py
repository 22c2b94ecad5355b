"""A room imports only the rooms its column of docs/architecture.md names, and a library lives in one room."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "flexnet"

PLAN = re.compile(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
ROWS = PLAN.findall((PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8"))

EVERYWHERE = {"errors", "typing", "units", "validation"}
KNOWS = {room: set(re.findall(r"\w+", knows)) for room, knows, _ in ROWS}
OWNER: dict[str, set[str]] = {}
for room, _, owns in ROWS:
    for library in re.findall(r"\w+", owns):
        OWNER.setdefault(library, set()).add(room)


def imports_of(path: Path) -> list[tuple[str, int]]:
    """Absolute module names imported anywhere in a file, with their lines."""
    found: list[tuple[str, int]] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            found.append((node.module or "", node.lineno))
    return found


def test_the_plan_names_every_room_and_nothing_else() -> None:
    there = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert set(KNOWS) <= there
    assert set().union(*KNOWS.values()) <= set(KNOWS)
    assert {"h5py", "matplotlib", "sympy", "llvmlite", "typer"} <= set(OWNER)


FILES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE or p.stem in KNOWS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_the_rooms_it_may_know(path: Path) -> None:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    room = parts[0]
    assert room in KNOWS, f"room {room!r} is not in the plan"
    for name, line in imports_of(path):
        top, *rest = name.split(".")
        if top == "flexnet":
            other = rest[0] if rest else "flexnet"
            allowed = {room, *EVERYWHERE, *KNOWS[room]}
            assert other in allowed, f"{path}:{line}: {room} may not import {other}"
        elif top in OWNER:
            assert room in OWNER[top], f"{path}:{line}: {top} belongs to {OWNER[top]}"
