"""A worker process of a study: :func:`main`, or of a copy of the study's own process :func:`copied`.

It reads a job, then the numbers of variants, from standard input, and writes rows to standard output. First
of all it has everything compiled, while no other worker of this machine does: what one has made the others
find in the cache. A copy has the job, and all that is imported, already.
"""

import os
import pickle
import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from flexnet.cache import folder_of
from flexnet.store.lock import try_lock
from flexnet.studies.job import Job, Row, told
from flexnet.studies.parcel import receive, send

#: time between two looks at whether another worker has done compiling, s
_LOOK = 0.05


def main() -> None:
    """Work until the input ends."""
    # what a case prints goes where errors go: rows have standard output for themselves
    out = os.dup(1)
    os.dup2(2, 1)
    # a study that was killed listens no more: nothing is left to say, nor to do
    with suppress(BrokenPipeError), os.fdopen(out, "wb") as stream:
        try:
            job: Job | None = receive(sys.stdin.buffer)
        except Exception as error:
            send(stream, pickle.dumps(told(error)))
            return
        if job is not None:
            _work(job, sys.stdin.buffer, stream)


def copied(job: Job, numbers: int, rows: int, handles: Path) -> NoReturn:
    """Work as a copy of the process of a study.

    Parameters
    ----------
    numbers, rows : the pipes it has for itself.
    handles : where the system lists what is open.
    """
    code = 1
    try:
        os.setsid()  # Ctrl-C is for the study
        for what in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(what, signal.SIG_DFL)
        # what else is open is not ours: a lock on a file would live as long as this copy
        nowhere = os.open(os.devnull, os.O_RDWR)
        for handle in [int(link.name) for link in handles.iterdir()]:
            if handle not in (1, 2, numbers, rows, nowhere):
                os.dup2(nowhere, handle, inheritable=False)
        os.dup2(2, 1)
        # as in processes of their own, no two copies draw the same numbers
        random.seed()
        np.random.seed()  # noqa: NPY002  (the generator that users' functions may use)
        with os.fdopen(numbers, "rb") as given, os.fdopen(rows, "wb") as out:
            _work(job, given, out)
        code = 0
    finally:
        os._exit(code)  # whatever it was copied in the middle of does not go on here


def _work(job: Job, given: IO[bytes], out: IO[bytes]) -> None:
    is_warm = False
    none: list[Row] = []
    send(out, pickle.dumps(none))  # it is there
    while (batch := receive(given)) is not None:
        if not is_warm:
            with alone():
                job.warm(batch[0])
            is_warm = True
        send(out, pickle.dumps([job.row(index) for index in batch]))


@contextmanager
def alone() -> Iterator[None]:
    """Be the only worker of this machine and user in here; where that cannot be, go on all the same."""
    handle = -1
    with suppress(OSError):
        folder = folder_of("studies")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder / "compiling", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while handle >= 0 and not try_lock(handle):
            time.sleep(_LOOK)
        yield
    finally:
        if handle >= 0:
            os.close(handle)
