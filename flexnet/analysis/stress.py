"""Stresses in a flexible body along a motion."""

from typing import TYPE_CHECKING

import numpy as np

from flexnet.analysis.run import Run
from flexnet.analysis.statics import Equilibrium
from flexnet.components import FlexibleBody
from flexnet.errors import ModelError, ResultError
from flexnet.typing import Array, Vector

if TYPE_CHECKING:
    from flexnet.fem import Body as FiniteElementBody
    from flexnet.fem import Recovered


def stress(
    run: Run | Equilibrium, name: str, times: Vector | None = None, body: "FiniteElementBody | None" = None
) -> "dict[str, Recovered]":
    """Recover section forces of beams and stresses of shells from the elastic coordinates.

    Parameters
    ----------
    run : the motion, or an equilibrium: one row.
    name : of the flexible body.
    times : where stresses are wanted, s; at every row if left out. Between rows, elastic coordinates follow a
        cubic through their values and rates.
    body : the finite-element body, where the system was given a ready table.

    Returns
    -------
    by name of the element group: :class:`~flexnet.fem.BeamForces` or :class:`~flexnet.fem.ShellStress`; the
    first axis of their arrays is the time.

    Notes
    -----
    Stresses are elastic (without the damping part) and contain what the modes contain: the tension of a
    spinning blade needs an axial mode or an attachment mode.
    """
    from flexnet.fem import recover  # here: most runs need no stresses

    if not isinstance(run, Run | Equilibrium):
        raise ModelError(f"stress needs what simulate() or equilibrium() returns, not {type(run).__name__}")
    part = run.equations.system.components.get(name)
    if not isinstance(part, FlexibleBody):
        raise ModelError(f"there is no flexible body {name!r} in {run.equations.system.name!r}")
    made = part.body if body is None else body
    if made is None:
        raise ModelError(f"flexible body {name!r} came as a table, which has no sections; give its body too")
    output = part.table.output
    if len(output.nodes) != len(made.mesh.nodes):
        raise ModelError(
            f"the table of {name!r} knows {len(output.nodes)} nodes, its body has {len(made.mesh.nodes)}"
        )
    return recover(made, nodal(part, _elastic(run, name, part.table.m, times)))


def nodal(part: FlexibleBody, elastic: Array) -> Array:
    """Displacements and rotations of all nodes, (rows, 6n), of elastic coordinates (rows, m)."""
    output, m = part.table.output, part.table.m
    shapes = np.empty((len(output.nodes), 6, m))
    shapes[output.nodes, :3], shapes[output.nodes, 3:] = output.translation, output.rotation
    return np.asarray(elastic @ shapes.reshape(-1, m).T)


def _elastic(run: Run | Equilibrium, name: str, m: int, times: Vector | None) -> Array:
    """Elastic coordinates of a body at the wanted times, (rows, m)."""
    if isinstance(run, Equilibrium):
        start = run.equations.coordinates.elastic[name].q
        return run.state.q[None, start : start + m]
    x = run[f"bodies/{name}/elastic"]
    if times is None:
        return x
    from scipy.interpolate import CubicHermiteSpline

    wanted, t = np.atleast_1d(np.asarray(times, dtype=float)), run.t
    if wanted.min() < t[0] or wanted.max() > t[-1]:
        raise ResultError(f"stresses are wanted outside the run, which goes from {t[0]:g} to {t[-1]:g} s")
    place = run.equations.coordinates.elastic[name].v
    out: Array = CubicHermiteSpline(t, x, run["state/v"][:, place : place + m])(wanted)
    return out
