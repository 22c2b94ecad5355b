"""Forward dynamics: from a System to a motion, in memory or in a result file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.recording import columns, model_hash
from flexnet.analysis.run import Run
from flexnet.analysis.sink import FileSink, MemorySink, Scalar, Sink, check_resumable
from flexnet.dae import Dae
from flexnet.errors import ConvergenceError, FlexnetError, ResultError
from flexnet.formulation import Equations, State, formulate, snapshot
from flexnet.integrators import March, Method, Outcome, Settings, Status, begin, hht, relay
from flexnet.results import Results
from flexnet.system import System
from flexnet.typing import Array

#: called after every block with the run's status, the rows written, the rows in all and what the
#: energy balance leaves over, J
Progress = Callable[[Status, int, int, float], None]


def simulate(
    system: System | Equations,
    end: float,
    step: float,
    method: Method | Sequence[tuple[float, Method]] | None = None,
    tree: str = "default",
    interval: float | None = None,
    tolerance: float | None = None,
    project: bool = False,
    newton: float = 1e-10,
    out: str | Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    throw: bool = True,
    block: int | None = None,
    engine: str = "numeric",
) -> Run:
    """Simulate a mechanism.

    Parameters
    ----------
    system : the mechanism, or equations already formulated.
    end : time to reach, s; where it lies between two output rows, the run goes on to the later one.
    step : fixed step, or the first of an adaptive run, s.
    method : HHT-α with α = -0.1 if left out; a list of ``(time, scheme)`` for schemes in turn.
    tree : name of a tree rule, where a System is given.
    interval : time between output rows, s; every step if left out.
    tolerance : wanted error at the end (m, rad); makes the step adaptive.
    project : project velocities on their constraints after every step.
    newton : error the corrector may leave, m or rad.
    out : result file; in memory if left out.
    resume : go on from the last row of ``out``, if it exists.
    progress : told of every block.
    engine : ``"numeric"``, or ``"symbolic"`` for the equations of this mechanism as compiled code.
    throw : raise :class:`ConvergenceError` when a step fails; otherwise look at ``run.status``.
    block : output rows between two writes to disk; chosen from the settings if left out.

    Raises
    ------
    ConvergenceError
        If a step fails: names the time, the worst equation and what to try. What was found is kept.
    ResultError
        If a file cannot be resumed: another model, other settings.
    StorageError
        If the file cannot be written.
    """
    equations = system if isinstance(system, Equations) else formulate(system, tree)
    method = _as_method(method)
    settings = Settings(step, end, interval, tolerance, newton, project, block=block)
    integration = begin(make_dae(equations, engine), method, settings)
    run = Run(equations, integration.status, path=None if out is None else Path(out))
    reader = ChannelReader(equations)
    is_new = not (resume and run.path is not None and run.path.exists())
    told = _settings(method, settings) | ({} if engine == "numeric" else {"engine": engine})
    with _open(run, told, integration, reader, is_new) as sink:
        for rows, done in _blocks(equations, integration, reader, is_new, engine != "numeric"):
            sink.append(rows, integration.memory)
            run.status = integration.status
            if progress is not None:
                progress(run.status, done, integration.total_rows, sink.balance)
        run.status = integration.status
        if not run.status.is_done:
            sink.finish("failed", str(run.status))
    if throw and not run.status.is_done:
        raise ConvergenceError(f"{equations.system.name}: {run.status}")
    return run


def _as_method(method: Method | Sequence[tuple[float, Method]] | None) -> Method:
    """HHT where none is given; a list of schemes as schemes in turn."""
    if method is None:
        return hht()
    if isinstance(method, str):
        raise FlexnetError(f"the method is an integrator, such as fx.hht(), not the text {method!r}")
    return relay(method) if isinstance(method, Sequence) else method


def make_dae(equations: Equations, engine: str) -> Dae:
    """The equations behind the protocol of the integrators, by one of the two engines."""
    if engine == "numeric":
        return equations.dae()
    if engine == "symbolic":
        from flexnet.formulation.symbolic import symbolic_dae  # sympy is loaded only when it is asked for

        return symbolic_dae(equations)
    raise FlexnetError(f"there is no engine {engine!r}; there are numeric and symbolic")


def _blocks(
    equations: Equations, integration: March, reader: ChannelReader, is_new: bool, is_generated: bool
) -> Iterator[tuple[dict[str, Array], int]]:
    """Columns of every block, the start first, and the output rows there are after it."""
    start = [integration.start()] if is_new else []
    last = equations.initial
    for block in chain(start, integration.blocks()):
        if len(block.t):
            last = State(float(block.t[-1]), block.q[-1], block.v[-1])
        if is_generated and integration.status.outcome is Outcome.NOT_A_NUMBER:
            _ask_laws(equations, integration.status.t + integration.settings.step, last)
        # before the kernels are used again
        integration.status = _with_law(equations, integration.status)
        if len(block.t):
            rows = snapshot(equations, block.t, block.q, block.v, block.a, block.lam)
            yield columns(equations, reader, rows, block.work, block.solver), integration.rows


def _open(run: Run, told: dict[str, Scalar], integration: March, reader: ChannelReader, is_new: bool) -> Sink:
    """The place the rows go to; a file that is resumed puts the integrator back to its last row."""
    if run.path is None:
        return MemorySink(run)
    digest = model_hash(run.equations)
    size = max(integration.settings.rows_per_block, 1024)
    if is_new:
        return FileSink(run, digest, told, integration.memory, size)
    results = Results.open(run.path)
    check_resumable(results, digest, told)
    _restore(run, integration, reader, results)
    return FileSink(run, digest, told, integration.memory, size, results.row(0))


def _settings(method: Method, s: Settings) -> dict[str, Scalar]:
    """What decides the motion beside the model, as written in a result file."""
    told: dict[str, Scalar] = {"name": method.name, **method.parameters, "step": s.step, "end": s.end}
    if s.interval is not None:
        told["interval"] = s.interval
    if s.tolerance is not None:
        told["tolerance"] = s.tolerance
    return {**told, "newton": s.newton, "project": int(s.project), "block": s.rows_per_block}


def _restore(run: Run, integration: March, reader: ChannelReader, results: Results) -> None:
    """Set the integrator to the last row of a file."""
    row = results.row(-1)
    empty = np.zeros(0)
    memory = {name: row.get(f"solver/memory/{name}", empty) for name in integration.memory}
    if any(np.isnan(value).any() for value in memory.values()):
        raise ResultError(f"{run.path}: cannot be resumed, its last row was not the end of a block")
    integration.restore(row.get("state/q", empty), row.get("state/v", empty), memory, results.rows - 1)
    if not np.isclose(integration.t, row["time"], rtol=1e-12, atol=1e-15):
        raise ResultError(
            f"{run.path}: cannot be resumed, the run failed between two output rows;"
            " run it from the start with other settings"
        )
    reader.go_on({c.name: float(row[f"channels/{c.name}"]) for c in run.equations.system.channels})


def _ask_laws(equations: Equations, t: float, last: State) -> None:
    """Evaluate the users' laws near the state a run failed at: generated code leaves no trace of them."""
    dae, n, m = equations.dae(), equations.n_v, equations.m
    r, phi, a, lam = np.zeros(n), np.zeros(m), np.zeros(n), np.zeros(m)
    dae.residual(dae.model, t, last.q, last.v, a, lam, dae.work, r, phi)


def _with_law(equations: Equations, status: Status) -> Status:
    """Name the user's law that gave no number, if one did."""
    law = equations.why_no_number() if status.outcome is Outcome.NOT_A_NUMBER else ""
    return replace(status, equation=law) if law else status
