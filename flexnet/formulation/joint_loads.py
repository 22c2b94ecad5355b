"""Loads of joints and drivers as they are reported: what is not determined is NaN, whatever the tree."""

import numpy as np

from flexnet.formulation.equations import Equations
from flexnet.formulation.reactions import Load, loads, nodal_loads, shared_loads
from flexnet.formulation.self_stress import is_reached, self_stress
from flexnet.formulation.snapshot import Snapshot, snapshot
from flexnet.formulation.state import Motion, State


def reactions(
    equations: Equations, state: State, motion: Motion | None = None, shared: bool = False
) -> dict[str, Load]:
    """Loads of all joints and motion drivers at a state.

    Parameters
    ----------
    motion : accelerations and multipliers there; computed if left out.
    shared : where constraints are redundant, and the loads of a loop not determined, let the joints share
        them so that Σ F² + (T/L)² is least, L the length of the model: the same for every tree. Otherwise
        components that are not determined are NaN, the same ones in every tree;
        :func:`~flexnet.formulation.self_stress.undetermined` names them.
    """
    found = equations.motion(state) if motion is None else motion
    if shared:
        return shared_loads(equations, state, found)
    one = snapshot(equations, [state.t], [state.q], [state.v], [found.a], [found.lam])
    return {
        name: Load(load.force[0], load.torque[0]) for name, load in determined_loads(equations, one).items()
    }


def determined_loads(equations: Equations, rows: Snapshot) -> dict[str, Load]:
    """Loads of all joints and motion drivers at many instants, NaN in components that are not determined."""
    found = loads(equations, rows)
    for name, states in self_stress(equations, rows).items():
        force, torque = (
            np.where(is_reached(open_), np.nan, x)
            for x, open_ in ((found[name].force, states.force), (found[name].torque, states.torque))
        )
        found[name] = Load(force, torque)
    return found


def recorded_loads(equations: Equations, rows: Snapshot, shared: bool = False) -> dict[str, Load]:
    """Loads as a run records them: those that are not determined as NaN, or shared by least norm."""
    if shared and equations.redundant:
        return nodal_loads(equations, rows)
    return determined_loads(equations, rows)
