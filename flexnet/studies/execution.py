"""Where variants are computed: in this process, or in as many others as there are cores.

An execution is given a job and the variants that are left, and yields rows as they are finished. Worker
processes are told the job once and then one variant after the other; they build, formulate and compile for
themselves. One that dies is replaced, and the variant it had is computed again.
"""

import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from flexnet.errors import FlexnetError
from flexnet.studies.job import Job, Row
from flexnet.studies.parcel import packed, receive, send

log = logging.getLogger("flexnet.study")

#: deaths of workers after which a variant is given up
TRIES = 3
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Execution(Protocol):
    """A way to compute variants."""

    def rows(self, job: Job, variants: Iterable[int]) -> Iterator[Row]:
        """Rows of the variants, in the order in which they are finished."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """One variant after the other, in this process."""

    def rows(self, job: Job, variants: Iterable[int]) -> Iterator[Row]:
        """Rows in the order of the variants."""
        for index in variants:
            yield job.row(index)


@dataclass(frozen=True, slots=True)
class Processes:
    """Worker processes of this machine.

    Attributes
    ----------
    count : how many.
    """

    count: int

    def rows(self, job: Job, variants: Iterable[int]) -> Iterator[Row]:
        """Rows in the order in which they are finished."""
        parcel, left, news = packed(job), deque(variants), queue.SimpleQueue[tuple[_Worker, Any]]()
        deaths: dict[int, int] = {}
        workers = {_Worker(parcel, news) for _ in range(min(self.count, len(left)))}
        try:
            while workers:
                worker, told = news.get()
                if isinstance(told, str):
                    raise FlexnetError(f"a worker process cannot begin: {told}")
                if isinstance(told, Row):
                    yield told
                elif told is None:
                    workers.remove(worker)
                    if (given_up := _lost(worker, left, deaths)) is not None:
                        yield given_up
                    if left:
                        workers.add(_Worker(parcel, news))
                    continue
                if left:
                    worker.give(left.popleft())
                else:
                    workers.remove(worker)
                    worker.end()
        finally:
            for worker in workers:
                worker.process.kill()
                worker.end()


def _lost(worker: "_Worker", left: deque[int], deaths: dict[int, int]) -> Row | None:
    """Put the variant of a dead worker back; a row if it killed too many."""
    worker.end()
    code = worker.process.returncode
    why = f"signal {-code}" if code < 0 else f"code {code}"
    if worker.index is None:
        raise FlexnetError(f"a worker process ended before it began ({why}); what it said is above")
    index = worker.index
    deaths[index] = deaths.get(index, 0) + 1
    if deaths[index] >= TRIES:
        return Row(index, reason=f"its worker process died {TRIES} times ({why})")
    log.warning("a worker process died (%s); variant %d is computed again", why, index)
    left.appendleft(index)
    return None


class _Worker:
    """One process, and the variant it has."""

    def __init__(self, parcel: bytes, news: "queue.SimpleQueue[tuple[_Worker, Any]]") -> None:
        self.index: int | None = None
        self._is_over = False
        environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
        environment["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from flexnet.studies.worker import main; main()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            start_new_session=True,  # Ctrl-C is for the study: it ends its workers itself
        )  # fmt: skip
        self._send(parcel)
        threading.Thread(target=self._listen, args=(news,), daemon=True).start()

    def give(self, index: int) -> None:
        """Hand over the next variant."""
        self.index = index
        self._send(pickle.dumps(index))

    def end(self) -> None:
        """Let it go."""
        assert self.process.stdin is not None
        self._is_over = True
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait()

    def _send(self, parcel: bytes) -> None:
        assert self.process.stdin is not None
        # to a dead one nothing can be sent: who listens to it says that it is
        with suppress(OSError):
            send(self.process.stdin, parcel)

    def _listen(self, news: "queue.SimpleQueue[tuple[_Worker, Any]]") -> None:
        """Pass on whatever it says, and at last that there is no more."""
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            while (told := receive(stream)) is not None:
                news.put((self, told))
        if not self._is_over:
            news.put((self, None))


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
