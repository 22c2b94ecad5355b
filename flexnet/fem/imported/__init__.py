"""Bodies of other finite-element programs: their matrices, or their modes."""

from flexnet.fem.imported import abaqus, calculix, nastran
from flexnet.fem.imported.body import imported_body
from flexnet.fem.imported.model import READERS, ForeignModel
from flexnet.fem.imported.plain import export_body, export_table, imported_table, read_plain_body
from flexnet.fem.imported.substructure import Substructure

__all__ = [
    "imported_body",
    "imported_table",
    "export_body",
    "export_table",
    "read_plain_body",
    "ForeignModel",
    "Substructure",
    "READERS",
    "abaqus",
    "calculix",
    "nastran",
]
