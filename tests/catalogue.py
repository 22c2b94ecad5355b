"""Every case of the project by name, rigid and flexible: loads ``cases/*.py`` as a user's run would."""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import flexnet as fx
from flexnet.components import BUILDERS
from flexnet.graph import RULES
from flexnet.system import System, in_pieces  # with the builders of all rooms

FOLDER = Path(__file__).parent.parent / "cases"
#: cases with elements of a network, alone or beside a mechanism
NETWORKS = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if any(
        f"s.{name}(" in path.read_text()
        for name, make in BUILDERS.items()
        if hasattr(System, name) and make.__module__.startswith("flexnet.networks")
    )
)
#: cases with flexible bodies, but for those with networks
FLEXIBLE = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if ".flexible_body(" in path.read_text() and path.stem not in NETWORKS
)
NAMES = sorted({path.stem for path in FOLDER.glob("*.py")} - {*FLEXIBLE, *NETWORKS})
#: cases in the plane, as their text says: to build one takes seconds where its tables are formulas
PLANAR = [name for name in (*NAMES, *FLEXIBLE) if "planar=" in (FOLDER / f"{name}.py").read_text()]
TREES = tuple(RULES)


@cache
def load(name: str) -> ModuleType:
    """Import a case file."""
    spec = importlib.util.spec_from_file_location(f"cases.{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(name: str, **parameters: Any) -> fx.System:
    """Build a case, its beams in the pieces that a run is of: these have graph, trees and images."""
    return in_pieces(load(name).build(**parameters))


def is_held_by_joints(system: fx.System) -> bool:
    """Whether a joint holds every body: sections of an exact beam are held by the forces between them."""
    joints = [part for part in system.components.values() if part.kind is fx.Kind.JOINT]
    return set(system.bodies) <= {frame.body for part in joints for frame in (part.tail, part.head)}
