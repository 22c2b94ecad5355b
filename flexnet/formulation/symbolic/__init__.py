"""The symbolic engine: the same System and trees, as equations that can be read, exported and compiled.

What writes them for readers loads sympy, which a run does without: :mod:`.report`, :mod:`.steps` and
:mod:`.motion`.
"""

from flexnet.formulation.symbolic.compiled import symbolic_dae
from flexnet.formulation.symbolic.counts import Counts, count_operations
from flexnet.formulation.symbolic.embedding import SymbolicEmbedding, symbolic_embedding
from flexnet.formulation.symbolic.equations import SymbolicEquations, symbolic
from flexnet.formulation.symbolic.program import (
    EXPORTS,
    Evaluator,
    make_program,
    make_programs,
    to_c,
    to_fortran,
    to_python,
)
from flexnet.formulation.symbolic.reactions import driver_loads, symbolic_reactions
from flexnet.formulation.symbolic.structure import Structure, structure

__all__ = [
    "EXPORTS",
    "Counts",
    "Evaluator",
    "Structure",
    "SymbolicEmbedding",
    "SymbolicEquations",
    "count_operations",
    "driver_loads",
    "make_program",
    "make_programs",
    "structure",
    "symbolic",
    "symbolic_dae",
    "symbolic_embedding",
    "symbolic_reactions",
    "to_c",
    "to_fortran",
    "to_python",
]
