"""The four steps: branch kinematics, constraints, virtual work, equations of motion."""

from flexnet.formulation.assembly import assemble
from flexnet.formulation.body_energy import BodyEnergy, body_energy
from flexnet.formulation.embedding import Embedding, embed
from flexnet.formulation.equations import Equations
from flexnet.formulation.formulate import as_equations, formulate, refuse_states, refuse_trees
from flexnet.formulation.functions import GRAVITY
from flexnet.formulation.joint_loads import determined_loads, reactions, recorded_loads
from flexnet.formulation.metric import Metric, magnitudes, metric
from flexnet.formulation.reactions import Load, arm_loads, loads
from flexnet.formulation.redundancy import branching_freedom, condition
from flexnet.formulation.report import Report, compare_trees, format_tree_table, report, tree_table
from flexnet.formulation.self_stress import is_reached, self_stress, undetermined
from flexnet.formulation.snapshot import Snapshot, snapshot
from flexnet.formulation.state import Motion, Poses, State
from flexnet.formulation.symmetry import Momenta, kept_momenta, momenta, symmetry

__all__ = [
    "GRAVITY",
    "BodyEnergy",
    "Embedding",
    "Equations",
    "Load",
    "Metric",
    "Momenta",
    "Motion",
    "Poses",
    "Report",
    "Snapshot",
    "State",
    "arm_loads",
    "as_equations",
    "assemble",
    "body_energy",
    "branching_freedom",
    "determined_loads",
    "recorded_loads",
    "compare_trees",
    "condition",
    "embed",
    "format_tree_table",
    "formulate",
    "is_reached",
    "kept_momenta",
    "loads",
    "magnitudes",
    "metric",
    "momenta",
    "reactions",
    "refuse_states",
    "refuse_trees",
    "report",
    "self_stress",
    "snapshot",
    "symmetry",
    "tree_table",
    "undetermined",
]
