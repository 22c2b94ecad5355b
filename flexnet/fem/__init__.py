"""Finite elements: materials, beams, shells, assembly, analyses, reduction, tables of flexible bodies."""
