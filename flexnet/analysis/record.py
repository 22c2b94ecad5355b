"""States that are already known as the columns of a run, and a run of its file."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.pieces import PARAMETER
from flexnet.analysis.recording import columns
from flexnet.analysis.run import Run
from flexnet.analysis.sink import FileSink, MemorySink, Scalar
from flexnet.errors import ResultError
from flexnet.formulation import Equations, Motion, State, formulate, snapshot
from flexnet.formulation.model_hash import model_hash
from flexnet.integrators import Outcome, Status
from flexnet.integrators.rows import WORKS
from flexnet.results import Results
from flexnet.system import System, in_pieces
from flexnet.typing import Array

_BLOCK = 256


def record(
    run: Run, states: Sequence[State], motions: Sequence[Motion], settings: Mapping[str, Scalar]
) -> None:
    """Write states and their accelerations and multipliers to the memory or the file of a run."""
    equations, reader = run.equations, ChannelReader(run.equations)
    work = _work(equations, states, motions)

    def block(first: int) -> dict[str, Array]:
        part = slice(first, first + _BLOCK)
        s, m = states[part], motions[part]
        rows = snapshot(
            equations,
            [x.t for x in s], [x.q for x in s], [x.v for x in s], [x.a for x in m], [x.lam for x in m],
        )  # fmt: skip
        return columns(equations, reader, rows, work[part], np.zeros((len(s), 2)))

    # a channel that cannot be read is refused before there is a file
    begun = [block(0)] if states else []
    sink = MemorySink(run) if run.path is None else FileSink(run, model_hash(equations), settings, {}, _BLOCK)
    with sink:
        for rows in chain(begun, map(block, range(_BLOCK, len(states), _BLOCK))):
            sink.append(rows)
        if not run.status.is_done:
            sink.finish("failed", str(run.status))


def _work(equations: Equations, states: Sequence[State], motions: Sequence[Motion]) -> Array:
    """Works since the first state, (rows, WORKS) J, by a spline of the power."""
    dae = equations.dae()
    power = np.zeros((len(states), WORKS))
    for row, state, motion in zip(power, states, motions, strict=True):
        equations.residual(state, motion.a, motion.lam)
        dae.power(dae.model, state.q, state.v, motion.lam, dae.work, row)
    if len(states) < 2:
        return np.zeros_like(power)
    from scipy.interpolate import CubicSpline

    t = np.array([state.t for state in states])
    out: Array = CubicSpline(t, power).antiderivative()(t)
    return out


def reopened(path: str | Path, system: System) -> Run:
    """Return the run of a result file, in the trees it was made with.

    Raises
    ------
    ResultError
        If the file is of another model, or has no rows.
    """
    results = Results.open(path)
    mechanism = results.mechanism()
    trees, pieces = mechanism.trees, mechanism.parameters.get(PARAMETER)
    system = in_pieces(system, pieces if isinstance(pieces, int) else None)
    if not results.rows:
        raise ResultError(f"{path}: no rows to recover stresses from")
    if set(trees["translation"]) - {edge.name for edge in system.mechanism.edges}:
        raise ResultError(f"{path}: its trees have edges that {system.name!r} does not have")
    equations = formulate(system, "default", trees["translation"], trees["rotation"])
    if results.attributes.get("model_hash") != model_hash(equations):
        raise ResultError(f"{path}: it was made with another model than {system.name!r} is now")
    return Run(equations, Status(Outcome.DONE, float(results.time[-1])), path=Path(path))
