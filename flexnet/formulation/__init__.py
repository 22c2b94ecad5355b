"""The four steps: branch kinematics, constraints, virtual work, equations of motion."""

from flexnet.formulation.assembly import assemble
from flexnet.formulation.embedding import Embedding, embed
from flexnet.formulation.equations import Equations
from flexnet.formulation.formulate import formulate
from flexnet.formulation.reactions import Load, reactions
from flexnet.formulation.state import Motion, Poses, State

__all__ = [
    "Embedding",
    "Equations",
    "Load",
    "Motion",
    "Poses",
    "State",
    "assemble",
    "embed",
    "formulate",
    "reactions",
]
