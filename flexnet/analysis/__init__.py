"""Analyses: forward dynamics, kinematics, statics, linearisation."""

from flexnet.analysis.simulate import Run, simulate

__all__ = ["Run", "simulate"]
