"""Where variants are computed: in this process, or in as many others as there are cores.

An execution is given a job and the variants that are left, and yields rows as they are finished. Worker
processes are told the job once and then variants, as many at once as take some hundredths of a second, so
that this process has little to do; they build, formulate and compile for themselves. One that dies is
replaced, and the variants it had are computed again, one at a time. Where this process has no
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
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

from flexnet.errors import FlexnetError
from flexnet.studies.job import Job, Row, batch_of
from flexnet.studies.parcel import packed, receive, send
from flexnet.studies.worker import copied

log = logging.getLogger("flexnet.study")

#: deaths of workers after which a variant is given up
TRIES = 3
#: batches that a worker has, the one it computes included, where a variant takes less time, s
AHEAD, SHORT = 2, 0.25
#: time that one batch should take, s
BATCH_SECONDS = 0.05
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
        parcel, news = packed(job), queue.SimpleQueue[tuple[_Worker, Any]]()
        left = _Left(deque(variants), self.count)
        start: Callable[[], _Process] = partial(_Copy, job)
        if why := why_no_copies():
            log.info("workers begin as processes of their own, which takes a second or two: %s", why)
            start = partial(_Other, parcel)
        started = [start() for _ in range(min(self.count, len(left.variants)))]
        # listening takes threads, and a process with threads is not copied
        workers = {_Worker(process, news) for process in started}
        try:
            while workers:
                worker, told = news.get()
                if isinstance(told, str):
                    raise FlexnetError(f"a worker process cannot begin: {told}")
                if told is None:
                    workers.remove(worker)
                    if (given_up := _lost(worker, left)) is not None:
                        yield given_up
                    if left.variants:
                        workers.add(_Worker(_Other(parcel), news))
                    continue
                rows: list[Row] = told
                if rows:
                    worker.given.popleft()
                    left.batch = batch_of(rows, BATCH_SECONDS)
                ahead = AHEAD if rows and rows[-1].seconds < SHORT else 1
                while left.variants and len(worker.given) < ahead:
                    worker.give(left.take())
                yield from rows
                if not worker.given:
                    workers.remove(worker)
                    worker.end()
        finally:
            for worker in workers:
                worker.process.kill()
                worker.end()


@dataclass(slots=True, eq=False)
class _Left:
    """Variants that no worker has yet.

    Attributes
    ----------
    workers : how many there are.
    batch : variants that are given at once.
    deaths : of workers, by the variant they had begun.
    """

    variants: deque[int]
    workers: int
    batch: int = 1
    deaths: dict[int, int] = field(default_factory=dict)

    def take(self) -> list[int]:
        """The next batch; towards the end smaller ones, and alone whatever was with a worker that died."""
        out = [self.variants.popleft()]
        most = min(self.batch, len(self.variants) // (2 * self.workers))
        while len(out) < most and out[0] not in self.deaths and self.variants[0] not in self.deaths:
            out.append(self.variants.popleft())
        return out


def _lost(worker: "_Worker", left: _Left) -> Row | None:
    """Put the variants of a dead worker back; a row if one killed too many."""
    code = worker.end()
    why = f"signal {-code}" if code < 0 else f"code {code}"
    if not worker.given:
        raise FlexnetError(f"a worker process ended before it began ({why}); what it said is above")
    begun, *others = worker.given
    left.variants.extendleft(index for batch in reversed(others) for index in reversed(batch))
    index, is_alone = begun[0], len(begun) == 1
    for each in begun:
        left.deaths[each] = left.deaths.get(each, 0) + is_alone
    if left.deaths[index] >= TRIES:
        return Row(index, reason=f"its worker process died {TRIES} times ({why})")
    which = f"variant {index} is" if is_alone else f"{len(begun)} variants from {index} on are"
    log.warning("a worker process died (%s); %s computed again", why, which)
    left.variants.extendleft(reversed(begun))
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
    """One process, and the batches it has."""

    def __init__(self, process: _Process, news: "queue.SimpleQueue[tuple[_Worker, Any]]") -> None:
        self.process, self.given = process, deque[list[int]]()
        self._is_over = False
        threading.Thread(target=self._listen, args=(news,), daemon=True).start()

    def give(self, batch: list[int]) -> None:
        """Hand over the next variants."""
        self.given.append(batch)
        # to a dead one nothing can be sent: who listens to it says that it is
        with suppress(OSError):
            send(self.process.numbers, pickle.dumps(batch))

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
