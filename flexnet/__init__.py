"""flexnet: flexible multibody dynamics from linear graphs.

Everything a case script needs is here; a name is imported when it is first used, so that importing
flexnet costs nothing.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__version__ = "0.2.0"

_ROOMS = {
    "flexnet.errors": (
        "AssemblyError", "ConvergenceError", "FileFormatError", "FlexnetError", "GraphError", "MeshError",
        "ModelError", "ResultError", "StorageError",
    ),
    "flexnet.system": (
        "Body", "ExactBeam", "System", "acceleration", "angle", "angular_acceleration", "angular_velocity",
        "deflection", "energy", "force", "joint_coordinate", "joint_rate", "node_position", "position",
        "strain", "stress", "torque", "velocity",
    ),
    "flexnet.components": (
        "Action", "ForceElement", "Joint", "Row", "Terminal", "TimeLike", "accelerogram", "constant",
        "cycloidal", "euler", "expression",
        "from_callable", "harmonic", "polynomial", "ramp", "rotation", "smooth_step", "table",
    ),
    "flexnet.signals": (
        "Block", "Signal", "algebraic", "attach", "dead_zone", "derivative", "detach", "function", "impact",
        "integral", "known", "lag", "limit", "lock", "lookup", "mode", "pid", "quantity", "rate_limit",
        "record", "release", "reset", "state_space", "stop", "time", "transfer_function", "where",
    ),
    "flexnet.networks.electrical": ("current", "voltage"),
    "flexnet.networks.hydraulic": ("flow", "pressure"),
    "flexnet.networks.magnetic": ("flux_rate", "magnetic_tension"),
    "flexnet.networks.mechanical": (
        "line_displacement", "line_force", "line_velocity", "shaft_angle", "shaft_speed", "shaft_torque",
    ),
    "flexnet.networks.thermal": ("heat_flow", "temperature"),
    "flexnet.graph": (
        "Edge", "Kind", "LinearGraph", "Tree", "circuit_equation", "cutset_equation", "f_circuit", "f_cutset",
        "incidence", "rotation_circuit_equation", "select_trees",
    ),
    "flexnet.formulation": (
        "Equations", "Load", "Poses", "Report", "State", "assemble", "compare_trees", "embed",
        "formulate", "format_tree_table", "kept_momenta", "reactions", "report",
    ),
    "flexnet.fem": (
        "AverageLink", "BeamForces", "BeamRegion", "BeamSection", "Clamped", "FlexTable", "Free", "Held",
        "Material", "ModalDamping",
        "Orthotropic", "Piezo", "Pinned", "Ply", "PointMass", "Pressure", "Rayleigh", "RigidLink",
        "RodSection", "ShellRegion", "ShellSection", "ShellStress", "SolidRegion", "SolidStress",
        "Spread", "Temperature", "Tripod", "beam_body",
        "box", "circle", "export_body", "export_table", "i_section", "imported_body", "imported_table",
        "mesh_body", "panel_body", "read_table", "rectangle", "tube", "write_table",
    ),
    "flexnet.mesh": ("Mesh", "beam_mesh", "block_mesh", "panel_mesh", "polyline_mesh", "read_mesh"),
    "flexnet.fem.beam.polynomial": ("PolynomialBeam",),
    "flexnet.integrators": (
        "OneStep", "Status", "acceleration_level", "dop853", "dopri5", "energy_decaying", "energy_preserving",
        "generalised_alpha", "hht", "integrator", "radau", "reference", "relay", "rk4",
    ),
    "flexnet.analysis": (
        "Bode", "Equilibrium", "InverseDynamics", "LinearSystem", "Linearisation", "LoadPath", "Mode",
        "OperatingPoint", "Reference", "Transfer",
        "Run", "Stability", "Verdict", "animate_mode", "audit", "bode", "branches", "compare",
        "computed_torque", "draw_graph", "equilibrium", "export", "inverse_dynamics",
        "kinematics",
        "linear_system", "linearise", "load_path", "measure_trees", "operating_point", "plot", "simulate",
        "transfer",
    ),
    "flexnet.units": ("deg", "unit"),
    "flexnet.results": ("Results",),
    "flexnet.results.rainflow": ("rainflow",),
    "flexnet.results.readers": ("read_channels",),
    "flexnet.studies": ("Fit", "Misfit", "sensitivities", "study"),
    "flexnet.view": ("write_graph",),
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    """Import a public name on first use; from then on it checks what it is given."""
    if name in _HOME:
        found = getattr(import_module(_HOME[name]), name)
    else:
        found = _method(name)
        if found is None:
            hint = "" if name.startswith("_") else import_module("flexnet.validation").nearest(name, __all__)
            raise AttributeError(f"flexnet has no {name!r}{hint}")
    globals()[name] = import_module("flexnet.door").guarded(found)
    return globals()[name]


def _method(name: str) -> Any:
    """An integrator or a measure whose page has entered it, of flexnet or of the user."""
    if name.startswith("_") or not name.isidentifier() or find_spec(f"flexnet.{name}") is not None:
        return None  # a room: Python imports it next
    found = import_module("flexnet.integrators").METHODS.get(name)
    return import_module("flexnet.networks").MEASURES.get(name) if found is None else found


def __dir__() -> list[str]:
    return __all__
