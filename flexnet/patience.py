"""Signals that wait: what must not be cut in two is finished before Ctrl-C or another wish to end is heeded.

Python hands a signal to its handler between any two steps of a program. One that raises there cuts a block
of rows in two, or is turned into another error inside the HDF5 library. So while a file is being written
signals are noted, and raised again when that is done.
"""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

#: signals that ask a program to end, as far as this system has them
ENDINGS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Patience:
    """Notes signals while its context is open, and raises the last of them again when it is left.

    Parameters
    ----------
    is_short : whether only the first signal waits, and a second one acts at once.

    Notes
    -----
    A signal that nobody handles keeps its effect: the process dies, as by a kill. In another thread than the
    main one, which alone receives signals, there is nothing to do.
    """

    __slots__ = ("_asked", "_before", "_is_short")

    def __init__(self, is_short: bool = False) -> None:
        self._is_short = is_short
        self._before: dict[int, Any] = {}
        self._asked = 0

    def __enter__(self) -> "Patience":
        if threading.current_thread() is threading.main_thread():
            for number in ENDINGS:
                before = signal.getsignal(number)
                if callable(before):
                    self._before[number] = before
                    signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asked, self._asked = self._asked, 0
        self._restore()
        if asked:
            signal.raise_signal(asked)

    def check(self) -> None:
        """Heed a signal that was noted."""
        if self._asked:
            self.__exit__(None, None, None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._asked = number
        if self._is_short:
            self._restore()

    def _restore(self) -> None:
        while self._before:
            number, before = self._before.popitem()
            signal.signal(number, before)
