"""A worker process of a study: :func:`main` is all it does.

It reads a job, then the numbers of variants, from standard input, and writes rows to standard output. First
of all it has everything compiled, while no other worker of this machine does: what one has made the others
find in the cache.
"""

import os
import pickle
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from flexnet.cache import folder_of
from flexnet.store.lock import try_lock
from flexnet.studies.job import Job, told
from flexnet.studies.parcel import receive, send

#: time between two looks at whether another worker has done compiling, s
_LOOK = 0.05


def main() -> None:
    """Work until the input ends."""
    # what a case prints goes where errors go: rows have standard output for themselves
    out = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(out, "wb") as stream:
        _work(stream)


def _work(out: IO[bytes]) -> None:
    try:
        job: Job | None = receive(sys.stdin.buffer)
        is_warm = False
        send(out, pickle.dumps(True))
    except Exception as error:
        send(out, pickle.dumps(told(error)))
        return
    while job is not None and (index := receive(sys.stdin.buffer)) is not None:
        if not is_warm:
            with alone():
                job.warm(index)
            is_warm = True
        send(out, pickle.dumps(job.row(index)))


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
