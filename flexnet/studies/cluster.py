"""Variants on the machines of a Dask cluster.

The job goes to every worker once; a task is a batch of variants that takes about a second, for each task is
some twenty messages between a study, its scheduler and a worker, and towards the end a part of that, so that
all workers end together. Every thread of the cluster has one more task than it computes, and memory stays
flat. Dask computes again what a lost worker had to do, and is given again what one had done and not handed
over; that it was lost is said.
"""

import asyncio
import concurrent.futures
import logging
import pickle
import queue
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from flexnet.errors import FlexnetError
from flexnet.studies.job import Job, Row, batch_of
from flexnet.studies.parcel import packed, unpacked
from flexnet.studies.worker import alone

log = logging.getLogger("flexnet.study")

#: time that a task should take, and towards the end still, s
BATCH_SECONDS, LEAST_SECONDS = 1.0, 0.1
#: tasks under way for each thread of the cluster
AHEAD = 2
#: time to wait for a scheduler, and between two looks at its workers, s
PATIENCE, LOOK = 10.0, 1.0
#: time after which a cluster that has lost all its workers is given up, s
DESERTED = 300.0
_jobs: dict[str, Job] = {}


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
            yield from self._rows(client, job, deque(variants))
        finally:
            client.close()

    def _rows(self, client: Any, job: Job, left: deque[int]) -> Iterator[Row]:
        # a task and no scattered data: these die with the last worker that holds a copy
        parcel, name = client.submit(bytes, packed(job), pure=False), f"{id(job)}-{time.time_ns()}"
        watch, most, least = _Watch(client), 1, 1
        given: dict[str, list[int]] = {}
        finished = queue.SimpleQueue[Any]()

        def submit(indices: list[int]) -> None:
            future = client.submit(work, name, parcel, indices, pure=False)
            given[future.key] = indices
            future.add_done_callback(finished.put)

        while left or given:
            while left and len(given) < AHEAD * watch.threads:
                size = min(most, max(least, len(left) // (2 * watch.threads)), len(left))
                submit([left.popleft() for _ in range(size)])
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
            most, least = batch_of(rows, BATCH_SECONDS), batch_of(rows, LEAST_SECONDS)
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


async def work(name: str, parcel: bytes, indices: list[int]) -> bytes:
    """Compute some variants; runs on a worker, rows come back as one parcel.

    Not in a thread of Dask's: into these its profiler looks a hundred times a second, for which they must
    stop, and that made variants a seventh slower.
    """
    return await asyncio.get_running_loop().run_in_executor(_thread(), _computed, name, parcel, indices)


@cache
def _thread() -> concurrent.futures.Executor:
    """The thread that computes: workspaces of equations are those of a process, one variant at a time."""
    from distributed import threadpoolexecutor

    # its threads do not keep a worker that is closed, as those of the standard library do
    executor: Any = threadpoolexecutor.ThreadPoolExecutor
    made: concurrent.futures.Executor = executor(1, thread_name_prefix="flexnet")
    return made


def _computed(name: str, parcel: bytes, indices: list[int]) -> bytes:
    if name not in _jobs:
        _jobs.clear()
        job = unpacked(parcel)
        with alone():
            job.warm(indices[0])
        _jobs[name] = job
    return pickle.dumps([_jobs[name].row(index) for index in indices])


def _result(future: Any, indices: list[int]) -> list[Row] | None:
    """Rows of a task; where it killed its workers, or could not be sent, they say so; None where lost."""
    try:
        if future.status == "finished":
            found: list[Row] = unpacked(future.result(timeout=PATIENCE))
            return found
        error = future.exception(timeout=PATIENCE)
    except (TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError):
        return None
    text = " ".join(str(error).split())
    if type(error).__name__ == "KilledWorker":
        text = "its worker died several times"
    return [Row(index, reason=text or type(error).__name__) for index in indices]


class _Watch:
    """Says when a worker is lost, and when none is left; does not wait for ever for others in their place.

    Attributes
    ----------
    threads : of all workers, one at least.
    """

    def __init__(self, client: Any) -> None:
        self._client, self._at = client, 0.0
        self._known: set[str] = set()
        self._lost_all = False
        self._none_since = 0.0
        self.threads = 1
        self.look()

    def look(self) -> None:
        """Compare the workers with those of the last time, not more often than now and then.

        Raises
        ------
        FlexnetError
            If there were workers and have been none for long, or the scheduler is gone.
        """
        now = time.monotonic()
        if now < self._at + LOOK:
            return
        self._at = now
        try:
            workers: dict[str, int] = self._client.nthreads()
        except (OSError, asyncio.CancelledError) as error:
            raise FlexnetError("the Dask scheduler is no longer there") from error
        self.threads = max(sum(workers.values()), 1)
        for lost in sorted(self._known - set(workers)):
            log.warning("the worker %s was lost; its variants are computed again", lost)
        self._lost_all = not workers and (self._lost_all or bool(self._known))
        self._known = set(workers)
        if workers:
            self._none_since = 0.0
        elif not self._none_since:
            self._none_since = now
            log.warning("the cluster has no workers; waiting for some")
        elif self._lost_all and now > self._none_since + DESERTED:
            raise FlexnetError(
                f"the cluster lost its last worker, and none has come for {DESERTED:g} s; "
                "what is finished and was kept in a file is gone on with by resume"
            )
