"""Forward dynamics: from a System to a motion, in memory or in a result file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexnet.analysis.channels import ChannelReader
from flexnet.analysis.recording import columns, make_layout, make_mechanism, model_hash
from flexnet.errors import ConvergenceError, ResultError
from flexnet.formulation import Equations, Snapshot, formulate, snapshot
from flexnet.integrators import Alpha, Integration, Settings, Status, hht
from flexnet.integrators import alpha_loop as loop
from flexnet.results import Results, ResultWriter
from flexnet.system import System
from flexnet.typing import Array

#: called after every block with the run's status, the rows written and the rows to come
Progress = Callable[[Status, int, int, float], None]


@dataclass(slots=True)
class Run:
    """A motion and how it was found.

    Attributes
    ----------
    equations : the equations that were integrated.
    status : how the run ended.
    data : columns by path, such as ``state/q`` or ``channels/x``; empty if they went to a file.
    path : the result file, if one was written.
    """

    equations: Equations
    status: Status
    data: dict[str, Array] = field(default_factory=dict)
    path: Path | None = None

    @property
    def t(self) -> Array:
        """Times, (rows,) s."""
        return self["time"]

    def channel(self, name: str) -> Array:
        """A channel, (rows,)."""
        return self[f"channels/{name}"]

    def __getitem__(self, path: str) -> Array:
        if self.path is not None:
            return np.asarray(Results.open(self.path).read(path))
        if path not in self.data:
            raise ResultError(f"the run has no column {path!r}")
        return self.data[path]

    @property
    def energy_error(self) -> float:
        """Largest |E - E₀ - W| over the run, J: what the energy balance leaves over."""
        balance = self["energy/total"] - self["energy/work"]
        return float(np.abs(balance - balance[0]).max())


def simulate(
    system: System | Equations,
    end: float,
    step: float,
    method: Alpha | None = None,
    tree: str = "default",
    interval: float | None = None,
    tolerance: float | None = None,
    project: bool = False,
    newton: float = 1e-10,
    out: str | Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    throw: bool = True,
    block: int = 256,
) -> Run:
    """Simulate a mechanism.

    Parameters
    ----------
    system : the mechanism, or equations already formulated.
    end : time to stop at, s.
    step : fixed step, or the first of an adaptive run, s.
    method : HHT-α with α = -0.1 if left out.
    tree : ready-made tree, where a System is given.
    interval : time between output rows, s; every step if left out.
    tolerance : wanted error at the end (m, rad); makes the step adaptive.
    project : project velocities on their constraints after every step.
    out : result file; in memory if left out.
    resume : go on from the last row of ``out``.
    progress : told of every block.
    throw : raise :class:`ConvergenceError` when a step fails; otherwise look at ``run.status``.
    """
    equations = system if isinstance(system, Equations) else formulate(system, tree)
    method = hht() if method is None else method
    settings = Settings(step, end, interval, tolerance, newton, project, block=block)
    integration = Integration(equations.dae(), method, settings)
    run = Run(equations, integration.status, path=None if out is None else Path(out))
    sink = _MemorySink(run) if out is None else _FileSink(run, integration, resume)
    with sink:
        for rows, done in _blocks(equations, integration, sink.is_new):
            sink.append(rows)
            run.status = integration.status
            if progress is not None:
                progress(integration.status, done, integration.total_rows, sink.balance)
        run.status = integration.status
        if not run.status.is_done:
            sink.fail(str(run.status))
    if throw and not run.status.is_done:
        raise ConvergenceError(f"{equations.system.name}: {run.status}")
    return run


def _blocks(
    equations: Equations, integration: Integration, is_new: bool
) -> Iterator[tuple[dict[str, Array], int]]:
    reader = ChannelReader(equations)
    if is_new:
        y = integration.state
        first = snapshot(equations, [y.clock[loop.T]], [y.q], [y.v], [y.vdot], [y.lam])
        zero = np.zeros((1, 2))
        yield _with_memory(columns(equations, reader, first, zero, zero), integration), 0
    for block in integration.blocks():
        if len(block.t):
            rows: Snapshot = snapshot(equations, block.t, block.q, block.v, block.a, block.lam)
            data = columns(equations, reader, rows, block.work, block.solver)
            yield _with_memory(data, integration), integration.rows


_MEMORY = ("a", "vdot", "lam", "vdot_old", "lam_old", "vdot_older", "lam_older", "clock", "counts")


def _with_memory(data: dict[str, Array], integration: Integration) -> dict[str, Array]:
    """Add what the integrator remembers at the end of a block; other rows hold NaN."""
    n = len(data["time"])
    for name in _MEMORY:
        value = np.asarray(getattr(integration.state, name), dtype=float)
        memory = np.full((n, len(value)), np.nan)
        memory[-1] = value
        data[f"solver/memory/{name}"] = memory
    return data


class _MemorySink:
    """Keep all columns in memory."""

    is_new = True

    def __init__(self, run: Run) -> None:
        self.run = run
        self.blocks: list[dict[str, Array]] = []
        self.balance = 0.0
        self._start = np.nan

    def __enter__(self) -> "_MemorySink":
        return self

    def __exit__(self, *_: object) -> None:
        keys = [k for k in self.blocks[0] if not k.startswith("solver/memory")]
        self.run.data = {key: np.concatenate([b[key] for b in self.blocks]) for key in keys}

    def append(self, rows: dict[str, Array]) -> None:
        self.blocks.append(rows)
        self._start, self.balance = _balance(self._start, rows)

    def fail(self, message: str) -> None:
        """Nothing to write down: the status says it."""


class _FileSink:
    """Write every block to a result file."""

    def __init__(self, run: Run, integration: Integration, resume: bool) -> None:
        assert run.path is not None
        self.run, self.integration = run, integration
        self.balance, self._start = 0.0, np.nan
        equations, method, settings = run.equations, integration.method, integration.settings
        digest = model_hash(equations, method, settings.step)
        self.is_new = not (resume and run.path.exists())
        if self.is_new:
            memory = {name: len(getattr(integration.state, name)) for name in _MEMORY}
            self.writer = ResultWriter.create(
                run.path,
                make_layout(equations, {k: n for k, n in memory.items() if n}),
                case=equations.system.name,
                mechanism=make_mechanism(equations),
                model_hash=digest,
                settings={"name": method.name, "step": settings.step, "end": settings.end},
            )
        else:
            self._restore(Results.open(run.path))
            self.writer = ResultWriter.resume(run.path, digest)

    def _restore(self, results: Results) -> None:
        """Set the integrator to the last row of a file."""
        row, y = results.row(-1), self.integration.state
        first = results.row(0)
        self._start = float(first["energy/total"] - first["energy/work"])
        y.q[:], y.v[:] = row["state/q"], row["state/v"]
        for name in _MEMORY:
            value = getattr(y, name)
            if len(value):
                value[:] = row[f"solver/memory/{name}"]
        self.integration.rows = results.rows - 1
        if not np.isclose(y.clock[loop.T], row["time"], rtol=1e-12, atol=0):
            raise ResultError(
                f"{self.run.path}: its last row is not the end of a block; it cannot be resumed"
            )

    def __enter__(self) -> "_FileSink":
        self.writer.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.writer.__exit__(*error)  # type: ignore[arg-type]

    def append(self, rows: dict[str, Array]) -> None:
        data = {k: v for k, v in rows.items() if not (k.startswith("solver/memory") and v.shape[1] == 0)}
        self.writer.append(data)
        self.writer.flush()
        self._start, self.balance = _balance(self._start, rows)

    def fail(self, message: str) -> None:
        self.writer.finish("failed", message)


def _balance(start: float, rows: dict[str, Array]) -> tuple[float, float]:
    """Energy at the start, and what the balance leaves over at the last row."""
    energy = rows["energy/total"] - rows["energy/work"]
    start = float(energy[0]) if np.isnan(start) else start
    return start, float(energy[-1] - start)
