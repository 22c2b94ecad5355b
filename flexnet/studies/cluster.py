"""Variants on the machines of a Dask cluster.

The job goes to every worker once; a task is a batch of variants that takes about a quarter of a second, and a
few more tasks than there are workers are under way, so that memory stays flat. Dask computes again what a
lost worker had to do, and is given again what one had done and not handed over; that it was lost is said.
"""

import asyncio
import concurrent.futures
import logging
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from flexnet.errors import FlexnetError
from flexnet.studies.job import Job, Row, batch_of
from flexnet.studies.parcel import packed, unpacked
from flexnet.studies.worker import alone

log = logging.getLogger("flexnet.study")

#: time that one task should take, s
BATCH_SECONDS = 0.25
#: tasks under way for each thread of the cluster
AHEAD = 3
#: time to wait for a scheduler, and between two looks at its workers, s
PATIENCE, LOOK = 10.0, 1.0
_jobs: dict[str, Job] = {}
# workspaces of equations are those of a process: one variant at a time
_one = threading.Lock()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Dask cluster.

    Attributes
    ----------
    address : of its scheduler, such as ``tcp://10.0.0.1:8786``.
    """

    address: str

    def rows(self, job: Job, variants: Iterable[int]) -> Iterator[Row]:
        """Rows in the order in which they are finished."""
        client = self._connected()
        try:
            yield from self._rows(client, job, iter(variants))
        finally:
            client.close()

    def _rows(self, client: Any, job: Job, left: Iterator[int]) -> Iterator[Row]:
        # a task and no scattered data: these die with the last worker that holds a copy
        parcel, name = client.submit(bytes, packed(job), pure=False), f"{id(job)}-{time.time_ns()}"
        watch, batch = _Watch(client), 1
        given: dict[str, list[int]] = {}
        finished = queue.SimpleQueue[Any]()

        def submit(indices: list[int]) -> None:
            if indices:
                future = client.submit(work, name, parcel, indices, pure=False)
                given[future.key] = indices
                future.add_done_callback(finished.put)

        for _ in range(AHEAD * max(watch.threads, 1)):
            submit(list(islice(left, batch)))
        while given:
            try:
                future = finished.get(timeout=LOOK)
            except queue.Empty:
                watch.look()
                continue
            indices = given.pop(future.key)
            rows = _result(future, indices)
            future.release()
            if rows is None:
                self._refuse_silence(client)
                submit(indices)
                continue
            batch = batch_of(rows, BATCH_SECONDS)
            submit(list(islice(left, batch)))
            watch.look()
            yield from rows

    def _refuse_silence(self, client: Any) -> None:
        """A scheduler that is gone is given nothing again."""
        if client.status != "running":
            raise FlexnetError(f"the Dask scheduler at {self.address!r} is no longer there")

    def _connected(self) -> Any:
        try:
            import distributed
        except ImportError as error:
            raise FlexnetError(f"{error.name} is not installed; try: pip install 'flexnet[study]'") from error
        connect: Any = distributed.Client
        try:
            return connect(self.address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise FlexnetError(
                f"there is no Dask scheduler at {self.address!r} ({type(error).__name__})"
            ) from error


def work(name: str, parcel: bytes, indices: list[int]) -> list[Row]:
    """Compute some variants; runs on a worker."""
    with _one:
        if name not in _jobs:
            _jobs.clear()
            job = unpacked(parcel)
            with alone():
                job.warm(indices[0])
            _jobs[name] = job
        return [_jobs[name].row(index) for index in indices]


def _result(future: Any, indices: list[int]) -> list[Row] | None:
    """Rows of a task; where it killed its workers, or could not be sent, they say so; None where lost."""
    try:
        if future.status == "finished":
            found: list[Row] = future.result(timeout=PATIENCE)
            return found
        error = future.exception(timeout=PATIENCE)
    except (TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError):
        return None
    text = " ".join(str(error).split())
    if type(error).__name__ == "KilledWorker":
        text = "its worker died several times"
    return [Row(index, reason=text or type(error).__name__) for index in indices]


class _Watch:
    """Says when a worker is lost, and when none is left."""

    def __init__(self, client: Any) -> None:
        self._client, self._at = client, 0.0
        self._known: set[str] = set()
        self.threads = 0
        self.look()

    def look(self) -> None:
        """Compare the workers with those of the last time, not more often than now and then."""
        now = time.monotonic()
        if now < self._at + LOOK:
            return
        self._at = now
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        self.threads = sum(int(w["nthreads"]) for w in workers.values())
        for lost in sorted(self._known - set(workers)):
            log.warning("the worker %s was lost; its variants are computed again", lost)
        if not workers and (self._known or not self.threads):
            log.warning("the cluster has no workers; waiting for some")
        self._known = set(workers)
