"""Ctrl-C during a run: it stops between two blocks of output, so that nothing is half written."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interruption:
    """Notes Ctrl-C while its context is open; a second one acts at once.

    Python drops an interrupt that arrives while it tidies up (in a callback of a weak reference); one that
    is noted cannot be lost.
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._before: Any = None

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_asked = True
        signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self.is_asked:
            raise KeyboardInterrupt
