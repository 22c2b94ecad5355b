"""The symbolic engine: the same System and trees, as equations that can be read, exported and compiled."""

from flexnet.formulation.symbolic.compiled import symbolic_dae
from flexnet.formulation.symbolic.counts import Counts, count_operations
from flexnet.formulation.symbolic.embedding import SymbolicEmbedding, symbolic_embedding
from flexnet.formulation.symbolic.equations import SymbolicEquations, symbolic
from flexnet.formulation.symbolic.lines import Section
from flexnet.formulation.symbolic.motion import Motion, MotionEquation, motion_form
from flexnet.formulation.symbolic.program import (
    EXPORTS,
    Evaluator,
    make_program,
    make_programs,
    to_c,
    to_fortran,
    to_python,
)
from flexnet.formulation.symbolic.reactions import SymbolicLoad, driver_loads, symbolic_reactions
from flexnet.formulation.symbolic.report import equations_report, page_sections, report_paragraphs
from flexnet.formulation.symbolic.steps import write_steps
from flexnet.formulation.symbolic.structure import Structure, structure

__all__ = [
    "EXPORTS",
    "Counts",
    "Evaluator",
    "Motion",
    "MotionEquation",
    "Section",
    "Structure",
    "SymbolicEmbedding",
    "SymbolicEquations",
    "SymbolicLoad",
    "count_operations",
    "driver_loads",
    "equations_report",
    "make_program",
    "make_programs",
    "motion_form",
    "page_sections",
    "report_paragraphs",
    "structure",
    "symbolic",
    "symbolic_dae",
    "symbolic_embedding",
    "symbolic_reactions",
    "to_c",
    "to_fortran",
    "to_python",
    "write_steps",
]
