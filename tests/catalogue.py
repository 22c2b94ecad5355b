"""Every case of the project by name, rigid and flexible: loads ``cases/*.py`` as a user's run would."""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import flexnet as fx
from flexnet.graph import RULES

FOLDER = Path(__file__).parent.parent / "cases"
FLEXIBLE = (
    "four_bar", "leger_a05_flexible_slider_crank", "panel_deployment", "slider_crank_flexible",
    "spatial_slider_crank",
    "spatial_slider_crank_dynaflex", "spin_up_beam", "swing",
)  # fmt: skip
NAMES = sorted({path.stem for path in FOLDER.glob("*.py")} - set(FLEXIBLE))
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
    """Build a case."""
    return load(name).build(**parameters)
