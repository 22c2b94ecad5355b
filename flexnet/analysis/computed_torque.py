"""Computed torque: what motors must do so that joints follow known functions of time.

Drivers take the place of the motors. With their rows G_d v̇ = ẅ and multipliers λ_d the driven mechanism has

    M v̇ = F - Gᵀ λ - G_dᵀ λ_d                                                                      (1)

and the motors that act on the same coordinates, E = G_dᵀ, make it the same motion where

    M v̇ = F - Gᵀ λ + E u,     u(t) = -λ_d(t)                                                       (2)

so that u, known over the whole motion before it begins, is a feed-forward: with the right model and start it
needs no controller, and beside one it leaves it what the model does not know.
"""

from collections.abc import Mapping
from copy import copy

import numpy as np

from flexnet.analysis.kinematics import kinematics
from flexnet.analysis.run import Run
from flexnet.analysis.simulate import simulate
from flexnet.components import TimeFunction, TimeLike, as_time_function
from flexnet.errors import ModelError
from flexnet.formulation import formulate, refuse_states
from flexnet.signals import ANGLES, Known, Measure, Signal, coordinate_of, known, si_unit
from flexnet.system import Channel, System


def computed_torque(
    system: System, wanted: Mapping[str, TimeLike], end: float, step: float, tree: str = "default"
) -> dict[str, Known]:
    """Find the torques and forces that make joints follow known functions of time.

    Parameters
    ----------
    system : the mechanism without its motors, open or closed. The same with ``modes=0`` leaves out what
        flexible bodies do; itself is the whole: bodies then swing while the joints follow.
    wanted : function of time of each joint, rad or m; its rate and acceleration are needed, too. The motion
        begins where they do, whatever ``start`` says of these joints.
    end : of the motion, s; from there on the last values are held, which is right at rest.
    step : between values, s; between them a cubic spline. Where freedoms are left besides the joints, such as
        those of flexible bodies, it is that of the integration.
    tree : name of a tree rule.

    Returns
    -------
    dict
        A signal for each joint, N m or N, positive along its coordinate: for ``actuator``, alone or added
        to a controller.

    Raises
    ------
    ModelError
        If a joint has no single coordinate, or its function follows from the state; if the mechanism has
        states or events of its own.
    """
    if not wanted:
        raise ModelError("a computed torque needs the functions of time that joints follow; none is given")
    driven = _driven(system, wanted)
    equations = formulate(driven, tree)
    refuse_states(equations, "the computed torque")
    first = equations.initial.t
    if not (end > first and 0.0 < step <= end - first):
        raise ModelError(f"a computed torque from {first:g} to {end} s has no steps of {step} s")
    count = max(3, round((end - first) / step))  # a cubic spline has four values
    if equations.n_v > equations.m:
        run = simulate(equations, end, (end - first) / count)
    else:
        run = kinematics(equations, np.linspace(first, end, count + 1))
    return {channel.name: _signal(run, channel) for channel in driven.asked}


def _driven(system: System, wanted: Mapping[str, TimeLike]) -> System:
    """The system with drivers in place of motors; it itself is not changed."""
    if system.events:
        raise ModelError(
            f"a computed torque knows its motion beforehand, but {system.name!r} has the event"
            f" {system.events[0].name!r}; give the mechanism without"
        )
    out = copy(system)
    out.components = dict(system.components)
    out.starts = [start for start in system.starts if start.joint not in wanted]
    out.asked = []
    for joint, given in wanted.items():
        what = f"computed torque of {joint!r}"
        coordinate, function = coordinate_of(system, joint, what), _function(given, what)
        if coordinate in ANGLES:
            out.motion(_driver(joint), joint=joint, angle=function)
        else:
            out.motion(_driver(joint), joint=joint, displacement=function)
        out.channel(joint, Measure("effort", _driver(joint), coordinate=coordinate))
    return out


def _driver(joint: str) -> str:
    return f"wanted_{joint}"


def _function(given: TimeLike, what: str) -> TimeFunction:
    if isinstance(given, Known) and given.order == 0:
        return given.of_time
    if isinstance(given, Signal):
        raise ModelError(f"{what}: a signal that is no known function of time cannot be followed")
    return as_time_function(given, what)


def _signal(run: Run, channel: Channel) -> Known:
    """What was recorded as a cubic spline that keeps its last value."""
    from scipy.interpolate import CubicSpline

    t, u = run.t, run.channel(channel.name)
    if not np.isfinite(u).all():
        raise ModelError(f"computed torque of {channel.name!r}: redundant constraints leave its share open")
    c = np.hstack([CubicSpline(t, u).c, [[0.0], [0.0], [0.0], [u[-1]]]])  # (4, pieces), highest power first
    x = [*t.tolist(), 2.0 * t[-1] - t[-2]]
    return known(TimeFunction("spline", (*x, *c.T.ravel().tolist())), si_unit(channel.measure))
