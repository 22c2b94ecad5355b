"""The progress of a run on the terminal: time, step size, energy balance."""

import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from flexnet.integrators import Status


class ProgressLine:
    """A line that is rewritten while a run goes on; silent where nobody watches.

    Attributes
    ----------
    seconds : duration, s.
    """

    def __init__(self, end: float) -> None:
        self.end = end
        self.seconds = 0.0
        self._console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None
        self._last = (0.0, 0)

    def __enter__(self) -> "ProgressLine":
        self.seconds = -time.perf_counter()
        self._bar.start()
        self._task = self._bar.add_task("t = 0 s", total=1.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
        self.seconds += time.perf_counter()

    def update(self, status: "Status", rows: int, total: int, balance: float) -> None:
        """Show how far a run is; called after every block."""
        assert self._task is not None
        t, steps = self._last
        h = (status.t - t) / (status.steps - steps) if status.steps > steps else 0.0
        self._last = (status.t, status.steps)
        text = f"t = {status.t:.6g} s  h = {h:.2g} s  energy off by {balance:.2g} J"
        self._bar.update(self._task, completed=rows / max(total, 1), description=text)
