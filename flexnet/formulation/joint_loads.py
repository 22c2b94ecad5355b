"""Loads of joints and drivers as they are reported: what is not determined is NaN, whatever the tree."""

from collections.abc import Iterator, Sequence

import numpy as np

from flexnet.components import Component, FlexibleBody
from flexnet.errors import ModelError
from flexnet.formulation.equations import Equations
from flexnet.formulation.reactions import Load, leans_on_virtual, loads, nodal_loads, shared_loads
from flexnet.formulation.self_stress import is_reached, self_stress, undetermined
from flexnet.formulation.snapshot import Snapshot, snapshot
from flexnet.formulation.state import Motion, State
from flexnet.graph import Kind
from flexnet.signals import Measure, Signal, states_of


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


def refuse_open_loads(equations: Equations) -> None:
    """Refuse loads of joints that act, or that events watch, where the mechanism does not determine them.

    Raises
    ------
    ModelError
        Naming the joint and the components, or the virtual joint in whose trees loads do not show.
    """
    acting: list[Signal] = [*equations.system.acting, *equations.states.rates]
    measures = [leaf for leaf in states_of(acting)[1] if isinstance(leaf, Measure)]
    found, stressed = list(_sensed(equations, measures)), list(_stressed(equations, measures))
    if stressed and leans_on_virtual(equations):
        raise ModelError(
            f"the stress of {stressed[0].target!r} cannot be fed back in trees whose virtual joint holds a"
            " direction: take trees without it"
        )
    if stressed:
        _refuse_open_stresses(equations, stressed)
    if not found:
        return
    name = found[0].target
    if leans_on_virtual(equations):
        raise ModelError(
            f"the {found[0].kind} of {name!r} cannot be fed back in trees whose virtual joint holds a"
            " direction: take trees without it"
        )
    opened = undetermined(equations, equations.initial)
    for m in found:
        open_ = [what for what in opened.get(m.target, ()) if what.startswith(m.kind)]
        along = m.along
        if along is not None:
            open_ = [what for what in open_ if abs(along["xyz".index(what[-1])]) > 1e-12]
        if open_:
            raise ModelError(
                f"the {m.kind} of {m.target!r} cannot be fed back: redundant constraints leave its"
                f" {', '.join(open_)} open; make the mechanism statically determined"
            )


def _refuse_open_stresses(equations: Equations, stressed: Sequence[Measure]) -> None:
    """Refuse stresses of flexible bodies on which redundant constraints leave a load open."""
    opened = undetermined(equations, equations.initial)
    for m in stressed:
        for name in opened:
            part = equations.packer.by_name[name]
            if m.target in (part.tail.body, part.head.body):
                raise ModelError(
                    f"the stress of {m.target!r} cannot be fed back: redundant constraints leave the load of"
                    f" {name!r} on it open; make the mechanism statically determined"
                )


def _stressed(equations: Equations, measures: Sequence[Measure]) -> Iterator[Measure]:
    """Stresses of flexible bodies among what acting signals rest on."""
    for leaf in measures:
        if leaf.kind == "stress" and isinstance(equations.packer.by_name.get(leaf.target), FlexibleBody):
            yield leaf


def _sensed(equations: Equations, measures: Sequence[Measure]) -> Iterator[Measure]:
    """Loads of joints and drivers among what acting signals rest on."""
    for leaf in measures:
        if leaf.kind in ("force", "torque"):
            part: Component | None = equations.packer.by_name.get(leaf.target)
            if part is not None and part.kind in (Kind.JOINT, Kind.DRIVER):
                yield leaf
