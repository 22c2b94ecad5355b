"""The progress of a run on the terminal: time, step size, energy balance."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from flexnet.cli.console import is_styled

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
        self._shown = _bar() if is_styled(sys.stderr) else None
        self._last = (0.0, 0)

    def __enter__(self) -> "ProgressLine":
        self.seconds = -time.perf_counter()
        if self._shown is not None:
            self._shown[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown[0].stop()
        self.seconds += time.perf_counter()

    def update(self, status: "Status", rows: int, total: int, balance: float) -> None:
        """Show how far a run is; called after every block."""
        if self._shown is None:
            return
        bar, task = self._shown
        t, steps = self._last
        h = (status.t - t) / (status.steps - steps) if status.steps > steps else 0.0
        self._last = (status.t, status.steps)
        text = f"t = {status.t:.6g} s  h = {h:.2g} s  energy off by {balance:.2g} J"
        bar.update(task, completed=rows / max(total, 1), description=text)


def _bar() -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    return bar, bar.add_task("t = 0 s", total=1.0)
