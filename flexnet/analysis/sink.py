"""Where the rows of an analysis go: into memory or into a result file."""

from collections.abc import Mapping
from types import TracebackType
from typing import Protocol

import numpy as np

from flexnet.analysis.recording import make_layout, make_mechanism
from flexnet.analysis.run import Run
from flexnet.errors import ResultError
from flexnet.results import Results, ResultWriter
from flexnet.typing import Array

Scalar = str | int | float
#: rows for which there is room in memory before they are put on disk
_ROOM = 1024


class Sink(Protocol):
    """Takes columns block by block; leaving its context closes it.

    Attributes
    ----------
    balance : what the energy balance leaves over at the last row, J.
    """

    balance: float

    def __enter__(self) -> "Sink":
        """Open."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close and say how it ended."""
        ...

    def append(self, rows: dict[str, Array], memory: Mapping[str, Array] | None = None) -> None:
        """Add rows, and what the integrator needs to go on after the last of them, if it could."""
        ...

    def finish(self, state: str, message: str) -> None:
        """Say how the analysis ended, where it did not reach its end."""
        ...


class MemorySink:
    """Keep all columns in memory; they are in the run when the context is left."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.balance, self._start = 0.0, np.nan
        self._blocks: list[dict[str, Array]] = []

    def __enter__(self) -> "MemorySink":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        keys = self._blocks[0] if self._blocks else ()
        self.run.data = {key: np.concatenate([b[key] for b in self._blocks]) for key in keys}

    def append(self, rows: dict[str, Array], memory: Mapping[str, Array] | None = None) -> None:
        """Add rows."""
        self._blocks.append(rows)
        self._start, self.balance = _balance(self._start, rows)

    def finish(self, state: str, message: str) -> None:
        """Nothing to write down: the status of the run says it."""


class FileSink:
    """Write every block to a result file.

    Parameters
    ----------
    run : with the equations and the path.
    digest : hash of the model, shown again by a run that resumes.
    settings : of the analysis; see :func:`check_resumable`.
    memory : what the integrator needs to go on, by name.
    block : rows that are put on disk together, at least.
    kept : rows of the file to go on with; a new file if None.
    may_overwrite : whether a new file may replace a regular file that is no result file.
    """

    def __init__(
        self,
        run: Run,
        digest: str,
        settings: Mapping[str, Scalar],
        memory: Mapping[str, Array],
        block: int,
        kept: int | None = None,
        may_overwrite: bool = False,
    ) -> None:
        assert run.path is not None
        self.balance, self._start = 0.0, np.nan
        self._block, self._waiting = block, 0
        room = max(block, _ROOM)
        layout = make_layout(run.equations, {name: len(x) for name, x in memory.items() if len(x)})
        if kept is not None:
            first = Results.open(run.path).row(0)
            self._start = float(first["energy/total"] - first["energy/work"] - first["energy/scheme"])
            self._writer = ResultWriter.resume(
                run.path,
                digest,
                rows=kept,
                settings=settings,
                layout=layout,
                block=room,
                flush_seconds=np.inf,
            )
            return
        self._writer = ResultWriter.create(
            run.path,
            layout,
            case=run.equations.system.name,
            mechanism=make_mechanism(run.equations),
            model_hash=digest,
            settings=settings,
            block=room,
            flush_seconds=np.inf,
            may_overwrite=may_overwrite,
        )

    def __enter__(self) -> "FileSink":
        self._writer.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.__exit__(kind, error, trace)

    def append(self, rows: dict[str, Array], memory: Mapping[str, Array] | None = None) -> None:
        """Add rows; as soon as a block is full they are put on disk, and a kill loses none of them."""
        self._writer.append(rows)
        if memory:
            self._writer.remember({name: x for name, x in memory.items() if len(x)})
        self._waiting += len(rows["time"])
        if self._waiting >= self._block:
            self._writer.flush()
            self._waiting = 0
        self._start, self.balance = _balance(self._start, rows)

    def finish(self, state: str, message: str) -> None:
        """Write how the analysis ended."""
        self._writer.finish(state, message)


def check_resumable(results: Results, digest: str, settings: Mapping[str, Scalar]) -> None:
    """Refuse to go on with another model or other settings than a file was begun with.

    Raises
    ------
    ResultError
        Naming what has changed.
    """
    refused = f"{results.path}: cannot be resumed, "
    stored = results.settings
    # why a method was taken does not change what it does
    free = ("method_because",) if settings.get("tolerance") else ("method_because", "end")
    if results.attributes.get("model_hash") != digest:
        raise ResultError(f"{refused}the model has changed; run it from the start into a new file")
    if stored.get("channels", "") != settings.get("channels", "") and "period" in stored:
        raise ResultError(
            f"{refused}its channels record something else now; ask for the same, or run into a new file"
        )
    for key in (*settings, *(k for k in stored if k not in settings)):
        if key not in free and stored.get(key) != settings.get(key):
            before, now = (x.get(key, "not set") for x in (stored, settings))
            raise ResultError(
                f"{refused}{key} was {before} and is now {now};"
                " use the same settings, or run from the start into a new file"
            )
    if results.attributes["schema_version"] == 1:
        raise ResultError(f"{refused}an earlier flexnet wrote it; run it from the start into a new file")


def _balance(start: float, rows: dict[str, Array]) -> tuple[float, float]:
    """Energy at the start, and what the balance leaves over at the last row."""
    energy = rows["energy/total"] - rows["energy/work"] - rows["energy/scheme"]
    start = float(energy[0]) if np.isnan(start) else start
    return start, float(energy[-1] - start)
