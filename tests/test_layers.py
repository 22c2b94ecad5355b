"""A room imports only the rooms its column of docs/architecture.md names, and a library lives in one room."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "flexnet"

EVERYWHERE = {"errors", "typing", "units", "validation"}
KNOWS = {
    "errors": set(),
    "typing": set(),
    "units": set(),
    "validation": set(),
    "notebook": set(),
    "door": set(),
    "graph": set(),
    "mesh": {"store"},
    "algebra": {"cache", "machine"},
    "cache": set(),
    "machine": set(),
    "kernels": {"cache", "machine"},
    "dae": set(),
    "independent": set(),
    "coupled": set(),
    "patience": set(),
    "store": set(),
    "fem": {"mesh", "cache", "store", "kernels"},
    "components": {"algebra", "graph", "fem"},
    "signals": {"algebra", "components", "graph"},
    "networks": {"algebra", "components", "graph", "signals"},
    "system": {"graph", "components", "fem", "networks", "notebook", "signals", "view"},
    "formulation": {
        "algebra", "cache", "signals", "system", "graph", "components", "kernels", "dae", "independent",
        "coupled", "networks",
    },
    "integrators": {"dae", "kernels", "independent", "coupled"},
    "results": {"patience", "store"},
    "analysis": {
        "cache", "formulation", "integrators", "results", "signals", "system", "components", "graph", "dae",
        "fem", "independent", "networks", "notebook", "view",
    },
    "checks": {
        "algebra", "components", "dae", "fem", "formulation", "graph", "integrators", "kernels", "system",
    },
    "view": {"results", "graph", "store"},
    "examples": set(),
    "studies": {"analysis", "cache", "formulation", "integrators", "store", "system"},
    "cli": {
        "cache", "examples", "graph", "mesh", "fem", "components", "system", "formulation", "dae",
        "integrators", "networks", "patience", "store", "results", "analysis", "studies", "view",
    },
}  # fmt: skip
OWNER = {
    "meshio": {"mesh"},
    "h5py": {"store", "mesh"},
    "matplotlib": {"view"},
    "typer": {"cli"},
    "rich": {"cli"},
    "sympy": {"algebra", "formulation", "fem", "networks"},
    "llvmlite": {"machine"},
    "distributed": {"studies"},
    "h5netcdf": {"studies"},
    "zarr": {"studies"},
}


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
