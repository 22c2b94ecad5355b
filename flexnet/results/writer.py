"""Writing of result files: rows are collected in blocks and put on disk in a way that survives a kill."""

import json
import time as clock
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import TracebackType

import numpy as np

from flexnet.errors import ResultError
from flexnet.patience import Patience
from flexnet.results.layout import SCHEMA, ResultLayout
from flexnet.results.mechanism import Mechanism
from flexnet.store import RecordReader, RecordWriter
from flexnet.typing import AnyArray, Array

STATUSES = ("running", "finished", "interrupted", "failed")
Scalar = str | int | float


class ResultWriter:
    """A result file being written.

    Create it with :meth:`create` or :meth:`resume`, use it as a context manager, :meth:`append` rows.
    Leaving the context writes the status: ``finished``, ``interrupted`` (Ctrl-C) or ``failed``.

    Examples
    --------
    >>> layout = ResultLayout(channels=(ChannelSpec("angle", "rad"),), energies=())  # doctest: +SKIP
    >>> with ResultWriter.create("pendulum.h5", layout, case="pendulum") as writer:  # doctest: +SKIP
    ...     writer.append({"time": t, "channels/angle": angle, ...})
    """

    __slots__ = (
        "_block", "_filled", "_flush_seconds", "_flushed_at", "_last_time", "_memory", "_record", "_work",
    )  # fmt: skip

    def __init__(self, record: RecordWriter, last_time: float, block: int, flush_seconds: float) -> None:
        self._record = record
        self._block = block
        self._flush_seconds = flush_seconds
        self._flushed_at = clock.monotonic()
        self._last_time = last_time
        self._filled = 0
        self._memory: tuple[int, Mapping[str, Array]] | None = None
        self._work = {c.path: np.empty((block, *c.shape), dtype=c.dtype) for c in record.columns}

    @classmethod
    def create(
        cls,
        path: str | Path,
        layout: ResultLayout,
        *,
        case: str = "",
        mechanism: Mechanism | None = None,
        model_hash: str = "",
        settings: Mapping[str, Scalar] | None = None,
        attributes: Mapping[str, Scalar] | None = None,
        block: int = 1024,
        flush_seconds: float = 2.0,
        may_overwrite: bool = False,
    ) -> "ResultWriter":
        """Create a result file; an older result file at the same place is replaced.

        Parameters
        ----------
        path : path of the file; its folder must exist.
        layout : what each row holds.
        case : name of the case.
        mechanism : enough to draw the mechanism again.
        model_hash : hash that a resumed run must show again; that of the mechanism if not given.
        settings : integrator settings, stored as JSON text.
        attributes : further root attributes.
        block : rows collected in memory before they are put on disk.
        flush_seconds : rows are put on disk at least this often, s.
        may_overwrite : whether a regular file that is no result file may be replaced too.

        Raises
        ------
        StorageError
            If the path cannot be written, holds something else, or another run is writing it.
        """
        root = {
            "flexnet_version": _version(),
            "case": case,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "integrator": json.dumps(dict(settings or {})),
            "model_hash": model_hash or (mechanism.fingerprint() if mechanism else ""),
            **(attributes or {}),
        }
        trees = {"model": mechanism.to_tree()} if mechanism else {}
        record = RecordWriter.create(
            path, SCHEMA, layout.columns(), root, trees, layout.memory, may_overwrite=may_overwrite
        )
        return cls(record, -np.inf, block, flush_seconds)

    @classmethod
    def resume(
        cls,
        path: str | Path,
        model_hash: str,
        *,
        rows: int | None = None,
        settings: Mapping[str, Scalar] | None = None,
        layout: ResultLayout | None = None,
        block: int = 1024,
        flush_seconds: float = 2.0,
    ) -> "ResultWriter":
        """Reopen a result file to append after its last complete row, or after the first so many.

        Raises
        ------
        ResultError
            If the file was written by another model, is complete, or holds other columns than ``layout``.
        FileFormatError
            If the file is not a readable result file.
        StorageError
            If another run is writing it.
        """
        reader = RecordReader(path, SCHEMA)
        stored = reader.attributes().get("model_hash", "")
        if stored != model_hash:
            raise ResultError(
                f"{path}: cannot be resumed, the model has changed (hash {str(stored)[:12]} in the file, "
                f"{model_hash[:12]} now); run it from the start into a new file"
            )
        there, wanted = ({(c.path, c.shape) for c in x.columns()} for x in (reader, layout or reader))
        if other := sorted(there ^ wanted):
            raise ResultError(
                f"{path}: cannot be resumed, {other[0][0]!r} is not in it, or no longer wanted or of another"
                " size; run it from the start into a new file"
            )
        changed = {} if settings is None else {"integrator": json.dumps(dict(settings))}
        record = RecordWriter.reopen(path, SCHEMA, rows, changed)
        last = slice(record.rows - 1, record.rows)
        last_time = float(reader.read("time", last)[0]) if record.rows else -np.inf
        return cls(record, last_time, block, flush_seconds)

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._record.path

    @property
    def rows(self) -> int:
        """Rows appended, on disk or still in memory."""
        return self._record.rows + self._filled

    @property
    def last_time(self) -> float:
        """Time of the last row, s; minus infinity before the first."""
        return self._last_time

    def append(self, rows: Mapping[str, AnyArray]) -> None:
        """Append rows; the arrays are copied and may be used again.

        Parameters
        ----------
        rows : for every column of the layout its path and an array whose first axis counts rows;
            columns without entries may be left out or have no entries.

        Raises
        ------
        ResultError
            If a column is missing, unknown or of the wrong shape, or time does not increase.
        StorageError
            If the disk refuses; rows flushed before stay readable.
        """
        count = self._checked(rows)
        start = 0
        while start < count:
            size = min(self._block - self._filled, count - start)
            for path, work in self._work.items():
                work[self._filled : self._filled + size] = rows[path][start : start + size]
            self._filled += size
            start += size
            if self._filled == self._block:
                self.flush()
        if self._filled and clock.monotonic() - self._flushed_at > self._flush_seconds:
            self.flush()

    def remember(self, memory: Mapping[str, Array]) -> None:
        """Keep, with the next rows put on disk, what the integrator needs to go on after the last row."""
        self._memory = self.rows - 1, {name: x.copy() for name, x in memory.items()}

    def flush(self) -> None:
        """Put every appended row on disk; a kill after this loses none of them, and a signal waits for it."""
        if self._filled:
            block = {path: work[: self._filled] for path, work in self._work.items()}
            with Patience():  # rows that are on disk but still counted as waiting would be written twice
                self._record.append(block, self._memory)
                self._filled, self._memory = 0, None
        self._flushed_at = clock.monotonic()

    def finish(self, status: str, message: str = "") -> None:
        """Flush, write how the run ended and close the file.

        Parameters
        ----------
        status : one of :data:`STATUSES`.
        message : one sentence: where it stopped, why, what to try.
        """
        if status not in STATUSES:
            raise ResultError(f"status {status!r} is not one of {', '.join(STATUSES)}")
        with Patience():
            self.flush()
            self._record.set_status(status, message)
            self._record.close()

    def __enter__(self) -> "ResultWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._record.is_closed:
            return
        if error is None:
            self.finish("finished")
        elif not isinstance(error, Exception):  # Ctrl-C, or another wish to end
            self.finish("interrupted", str(error) or "stopped by the user")
        else:
            self.finish("failed", str(error))

    def _checked(self, rows: Mapping[str, AnyArray]) -> int:
        """Check the shapes of a block and that time goes on; return its number of rows."""
        missing = self._work.keys() - rows.keys()
        if missing:
            raise ResultError(f"{self.path}: rows lack {', '.join(sorted(missing))}")
        count = len(rows["time"])
        for path, array in rows.items():
            work = self._work.get(path)
            if work is None and array.size:
                raise ResultError(f"{self.path}: {path!r} is not in the layout of the file")
            if work is not None and array.shape != (count, *work.shape[1:]):
                expected = (count, *work.shape[1:])
                raise ResultError(f"{self.path}: {path} has shape {array.shape}, expected {expected}")
        times = np.concatenate([[self._last_time], rows["time"]])
        if not (np.diff(times) > 0).all() or not np.isfinite(times[1:]).all():
            raise ResultError(f"{self.path}: output times do not increase after t = {self._last_time} s")
        self._last_time = float(times[-1])
        return count


def _version() -> str:
    try:
        return metadata.version("flexnet")
    except metadata.PackageNotFoundError:
        return "uninstalled"
