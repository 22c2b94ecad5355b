"""Where variants are computed: in this process, or in as many others as there are cores.

An execution is given a job and the variants that are left, and yields rows as they are finished. Worker
processes are told the job once and then one variant after the other; they build, formulate and compile for
themselves. One that dies is replaced, and the variant it had is computed again. Where this process has no
threads, and the system (Linux) lets it know, workers begin as copies of it, which have nothing to import;
else, and as replacements, they are processes of their own.
"""

import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

from flexnet.errors import FlexnetError
from flexnet.studies.job import Job, Row
from flexnet.studies.parcel import packed, receive, send
from flexnet.studies.worker import copied

log = logging.getLogger("flexnet.study")

#: deaths of workers after which a variant is given up
TRIES = 3
#: variants a worker has beside the one it computes, and itself, where one takes less time, s
AHEAD, SHORT = 2, 0.25
#: threads and open files of this process, where the system lists them
TASKS, HANDLES = Path("/proc/self/task"), Path("/proc/self/fd")
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
        start: Callable[[], _Process] = partial(_Copy, job)
        if why := why_no_copies():
            log.info("workers begin as processes of their own, which takes a second or two: %s", why)
            start = partial(_Other, parcel)
        started = [start() for _ in range(min(self.count, len(left)))]
        # listening takes threads, and a process with threads is not copied
        workers = {_Worker(process, news) for process in started}
        try:
            while workers:
                worker, told = news.get()
                if isinstance(told, str):
                    raise FlexnetError(f"a worker process cannot begin: {told}")
                ahead = 1
                if isinstance(told, Row):
                    worker.given.popleft()
                    ahead = AHEAD if told.seconds < SHORT else 1
                    yield told
                elif told is None:
                    workers.remove(worker)
                    if (given_up := _lost(worker, left, deaths)) is not None:
                        yield given_up
                    if left:
                        workers.add(_Worker(_Other(parcel), news))
                    continue
                while left and len(worker.given) < ahead:
                    worker.give(left.popleft())
                if not worker.given:
                    workers.remove(worker)
                    worker.end()
        finally:
            for worker in workers:
                worker.process.kill()
                worker.end()


def _lost(worker: "_Worker", left: deque[int], deaths: dict[int, int]) -> Row | None:
    """Put the variants of a dead worker back; a row if the one it had begun killed too many."""
    code = worker.end()
    why = f"signal {-code}" if code < 0 else f"code {code}"
    if not worker.given:
        raise FlexnetError(f"a worker process ended before it began ({why}); what it said is above")
    index, *others = worker.given
    left.extendleft(reversed(others))
    deaths[index] = deaths.get(index, 0) + 1
    if deaths[index] >= TRIES:
        return Row(index, reason=f"its worker process died {TRIES} times ({why})")
    log.warning("a worker process died (%s); variant %d is computed again", why, index)
    left.appendleft(index)
    return None


class _Process(Protocol):
    """A process that is told numbers and answers rows."""

    numbers: IO[bytes]
    rows: IO[bytes]

    def kill(self) -> None:
        """End it at once."""
        ...

    def wait(self) -> int:
        """Wait for its end; a signal that ended it is a negative number."""
        ...


class _Other:
    """A process of its own."""

    def __init__(self, parcel: bytes) -> None:
        environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
        environment["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from flexnet.studies.worker import main; main()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            start_new_session=True,  # Ctrl-C is for the study: it ends its workers itself
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.numbers: IO[bytes] = self._process.stdin
        self.rows: IO[bytes] = self._process.stdout
        with suppress(OSError):
            send(self.numbers, parcel)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self) -> int:
        """Wait for its end; a signal that ended it is a negative number."""
        return self._process.wait()


class _Copy:
    """A copy of this process, which has imported and compiled everything already."""

    def __init__(self, job: Job) -> None:
        (given, numbers), (rows, found) = os.pipe(), os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            copied(job, given, found, HANDLES)
        os.close(given)
        os.close(found)
        self.numbers: IO[bytes] = os.fdopen(numbers, "wb")
        self.rows: IO[bytes] = os.fdopen(rows, "rb")
        self._code: int | None = None

    def kill(self) -> None:
        """End it at once."""
        if self._code is None:
            os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end; a signal that ended it is a negative number."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._code


def why_no_copies() -> str:
    """Why this process cannot be copied; empty where it can: it has no thread but this one, none of BLAS."""
    if not (TASKS.is_dir() and HANDLES.is_dir()):
        return "this system does not list the threads and open files of a process"
    count = len(list(TASKS.iterdir()))
    if count > 1:
        return f"this one has {count} threads (those of BLAS are not begun with OPENBLAS_NUM_THREADS=1)"
    return ""


class _Worker:
    """One process, and the variants it has."""

    def __init__(self, process: _Process, news: "queue.SimpleQueue[tuple[_Worker, Any]]") -> None:
        self.process, self.given = process, deque[int]()
        self._is_over = False
        threading.Thread(target=self._listen, args=(news,), daemon=True).start()

    def give(self, index: int) -> None:
        """Hand over the next variant."""
        self.given.append(index)
        # to a dead one nothing can be sent: who listens to it says that it is
        with suppress(OSError):
            send(self.process.numbers, pickle.dumps(index))

    def end(self) -> int:
        """Let it go."""
        self._is_over = True
        with suppress(OSError):
            self.process.numbers.close()
        return self.process.wait()

    def _listen(self, news: "queue.SimpleQueue[tuple[_Worker, Any]]") -> None:
        """Pass on whatever it says, and at last that there is no more."""
        with self.process.rows as stream:
            while (told := receive(stream)) is not None:
                news.put((self, told))
        if not self._is_over:
            news.put((self, None))


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
