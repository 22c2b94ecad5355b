"""What is said on the terminal: plain text from files stays plain, tables are not cut when piped."""

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from flexnet.errors import FlexnetError
from flexnet.validation import needs

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 160  # columns that the widest table needs
PIPED_WIDTH = 250  # columns of a table that does not go to a terminal


def printable(text: str) -> str:
    """Return a text in which nothing can steer the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(text: str, style: str = "") -> None:
    """Print a text on standard output."""
    _print(sys.stdout, (text, style))


def remark(text: str) -> None:
    """Print a text on standard error, where it does not get into equations or code that are piped on."""
    _print(sys.stderr, (text, ""))


def can_draw(asked: object) -> bool:
    """Whether the picture that a verb draws beside its table can be drawn; if not, it is said why.

    Raises
    ------
    FlexnetError
        If it cannot, and was asked for.
    """
    try:
        needs("matplotlib", "view", "pictures")
    except FlexnetError as missing:
        if asked is not None:
            raise
        remark(f"no picture: {missing}")
        return False
    return True


def complain(text: str) -> None:
    """Print an error on standard error, in one line."""
    _print(sys.stderr, ("error: ", "bold red"), (" ".join(text.split()), ""))


class _Saying(logging.Handler):
    """Says what is logged, or remarks it."""

    def __init__(self, is_remark: bool) -> None:
        logging.Handler.__init__(self)
        self._is_remark = is_remark

    def emit(self, record: logging.LogRecord) -> None:
        if self._is_remark:
            remark(record.getMessage())
        else:
            say(record.getMessage(), "yellow")


@contextmanager
def told(logger: str, is_remark: bool = False) -> Iterator[None]:
    """Say what a logger is told while the block runs, or remark it; a block within says nothing twice."""
    log, handler = logging.getLogger(logger), _Saying(is_remark)
    if any(isinstance(known, _Saying) for known in log.handlers):
        yield
        return
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def show_table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], title: str = "") -> None:
    """Print a table of texts."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=printable(title) or None, title_justify="left", header_style="bold")
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell), style=_style(cell)) for cell in row))
    _console().print(table)


def is_narrow() -> bool:
    """Say whether a wide table would have to be folded."""
    return _console().width < WIDE


def _style(cell: str) -> str:
    return {"within": "green", "EXCEEDED": "bold red"}.get(cell, "")


def _print(stream: TextIO | None, *parts: tuple[str, str]) -> None:
    """Print texts, each in its style, as one line; what is piped needs nobody who knows of styles."""
    if stream is None:
        return  # closed by who called the program
    if not is_styled(stream):
        stream.write("".join(printable(text) for text, _ in parts) + "\n")
        stream.flush()
        return
    from rich.file_proxy import FileProxy
    from rich.text import Text

    if isinstance(stream, FileProxy):  # progress is shown: what is written comes above it, not behind it
        stream.write("".join(printable(text) for text, _ in parts) + "\n")
        return
    line = Text.assemble(*((printable(text), style) for text, style in parts))
    _console(stream).print(line, soft_wrap=True)


def is_styled(stream: TextIO | None) -> bool:
    """Whether a stream goes to a terminal, or to what wants to be taken for one."""
    wishes = os.environ.get("FORCE_COLOR"), os.environ.get("TTY_COMPATIBLE")
    return stream is not None and (stream.isatty() or any(wishes))


def _console(stream: TextIO | None = None) -> "Console":
    from rich.console import Console

    stream = stream or sys.stdout
    return Console(file=stream, width=None if stream.isatty() else PIPED_WIDTH, highlight=False)
