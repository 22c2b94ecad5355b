"""Analyses: forward dynamics, kinematics, inverse dynamics, statics, linearisation, energy audit."""

from flexnet.analysis.audit import Audit, Breach, audit
from flexnet.analysis.bode import Bode, Transfer, bode, transfer
from flexnet.analysis.computed_torque import computed_torque
from flexnet.analysis.inverse_dynamics import InverseDynamics, inverse_dynamics
from flexnet.analysis.kinematics import kinematics
from flexnet.analysis.linear_system import LinearSystem, linear_system
from flexnet.analysis.linearise import Linearisation, linearise
from flexnet.analysis.load_path import Critical, LoadPath, load_path
from flexnet.analysis.looking import Page, compare, draw_graph, export, plot, view
from flexnet.analysis.measured import Measured, measure_trees
from flexnet.analysis.mode_animation import animate_mode
from flexnet.analysis.operating_point import OperatingPoint, operating_point
from flexnet.analysis.reference import Reference, check
from flexnet.analysis.run import Run
from flexnet.analysis.simulate import choose, simulate
from flexnet.analysis.small_motion import Mode
from flexnet.analysis.stability import Stability, Verdict
from flexnet.analysis.statics import Equilibrium, branches, equilibrium
from flexnet.analysis.tree_contest import Budget, Timing

__all__ = [
    "Audit",
    "Breach",
    "Budget",
    "Critical",
    "Bode",
    "Equilibrium",
    "InverseDynamics",
    "LinearSystem",
    "Linearisation",
    "LoadPath",
    "Measured",
    "Mode",
    "OperatingPoint",
    "Page",
    "Reference",
    "Run",
    "Stability",
    "Timing",
    "Transfer",
    "Verdict",
    "animate_mode",
    "audit",
    "bode",
    "branches",
    "check",
    "choose",
    "compare",
    "computed_torque",
    "draw_graph",
    "equilibrium",
    "export",
    "inverse_dynamics",
    "kinematics",
    "linear_system",
    "linearise",
    "load_path",
    "measure_trees",
    "operating_point",
    "plot",
    "simulate",
    "transfer",
    "view",
]
