"""Analyses: forward dynamics, kinematics, statics, linearisation."""

from flexnet.analysis.reference import Reference, check
from flexnet.analysis.simulate import Run, simulate

__all__ = ["Reference", "Run", "check", "simulate"]
