"""The symbolic engine: the same System and trees, as equations that can be read, exported and compiled."""

from flexnet.formulation.symbolic.embedding import SymbolicEmbedding, symbolic_embedding
from flexnet.formulation.symbolic.equations import SymbolicEquations, symbolic
from flexnet.formulation.symbolic.program import (
    Evaluator,
    Program,
    make_programs,
    to_c,
    to_fortran,
    to_python,
)
from flexnet.formulation.symbolic.reactions import SymbolicLoad, driver_loads, symbolic_reactions

__all__ = [
    "Evaluator",
    "Program",
    "SymbolicEmbedding",
    "SymbolicEquations",
    "SymbolicLoad",
    "driver_loads",
    "make_programs",
    "symbolic",
    "symbolic_embedding",
    "symbolic_reactions",
    "to_c",
    "to_fortran",
    "to_python",
]
