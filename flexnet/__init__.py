"""flexnet: flexible multibody dynamics from linear graphs.

Everything a case script needs is here; a name is imported when it is first used, so that importing
flexnet costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_ROOMS = {
    "flexnet.errors": (
        "AssemblyError", "ConvergenceError", "FileFormatError", "FlexnetError", "GraphError", "MeshError",
        "ModelError",
    ),
    "flexnet.system": (
        "Body", "System", "acceleration", "angular_velocity", "force", "joint_coordinate", "joint_rate",
        "position", "torque", "velocity",
    ),
    "flexnet.components": (
        "TimeLike", "constant", "cycloidal", "euler", "expression", "from_callable", "harmonic", "polynomial",
        "ramp", "rotation", "smooth_step", "table",
    ),
    "flexnet.graph": (
        "Edge", "Kind", "LinearGraph", "Tree", "circuit_equation", "cutset_equation", "f_circuit", "f_cutset",
        "incidence", "rotation_circuit_equation", "select_trees",
    ),
    "flexnet.formulation": (
        "Equations", "Load", "Poses", "State", "assemble", "embed", "formulate", "reactions",
    ),
    "flexnet.integrators": ("Status", "generalised_alpha", "hht"),
    "flexnet.analysis": ("Run", "simulate"),
    "flexnet.results": ("Results",),
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"flexnet has no {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
