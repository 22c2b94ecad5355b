"""The four steps: branch kinematics, constraints, virtual work, equations of motion."""

from flexnet.formulation.assembly import assemble
from flexnet.formulation.embedding import Embedding, embed
from flexnet.formulation.equations import Equations
from flexnet.formulation.formulate import formulate
from flexnet.formulation.reactions import Load, loads, reactions
from flexnet.formulation.snapshot import Snapshot, snapshot
from flexnet.formulation.state import Motion, Poses, State

__all__ = [
    "Embedding",
    "Equations",
    "Load",
    "Motion",
    "Poses",
    "Snapshot",
    "State",
    "assemble",
    "embed",
    "formulate",
    "loads",
    "reactions",
    "snapshot",
]
