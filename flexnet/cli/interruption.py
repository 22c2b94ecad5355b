"""A command that is asked to end says so in one sentence and ends with 128 and the number of the signal."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from flexnet.patience import ENDINGS

#: who asks
_ASKING = {
    "SIGINT": "the user",
    "SIGTERM": "the system (SIGTERM)",
    "SIGHUP": "the end of its terminal (SIGHUP)",
}
_AGAIN = 0.02  # s after which a signal that was lost is sent again


class Stopped(BaseException):
    """A signal that asks for the end; no Exception, so that nobody takes it for an error of theirs.

    Attributes
    ----------
    number : of the signal.
    left : what there is to say about files.
    """

    def __init__(self, number: int, left: str = "no file is left half written") -> None:
        self.number, self.left = number, left

    def __str__(self) -> str:
        return f"stopped by {_ASKING[signal.Signals(self.number).name]}"


@contextmanager
def stoppable() -> Iterator[None]:
    """Let signals raise :class:`Stopped` inside, and turn it into a sentence and an exit code.

    A library may turn what is raised amid its code into another error, and Python drops what is raised while
    it tidies up: the first is told as what it was, the second is raised again.
    """
    asked: list[Stopped] = []
    unraisable = sys.unraisablehook

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(Stopped(number))
        raise asked[-1]

    def lost(what: Any) -> None:
        if isinstance(what.exc_value, Stopped):
            threading.Timer(_AGAIN, _send, (what.exc_value.number,)).start()
        else:
            unraisable(what)

    before = _install(stop)
    sys.unraisablehook = lost
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        if not asked:
            raise
        sys.stderr.write(f"error: {asked[0]}; {asked[0].left}\n")
        sys.exit(128 + asked[0].number)
    finally:
        sys.unraisablehook = unraisable
        for number, handler in before.items():
            signal.signal(number, handler)


def _send(number: int) -> None:
    """Send a signal to the main thread: one that another thread receives does not wake it from a wait."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        os.kill(os.getpid(), number)


def _install(handler: Any) -> dict[int, Any]:
    """Handle the signals that are not ignored on purpose, as by nohup; returns what handled them before."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    before = {n: signal.getsignal(n) for n in ENDINGS if signal.getsignal(n) is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, handler)
    return before
