"""A command that is asked to end does so with a sentence and a documented code, and cuts nothing in two."""

import signal
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FrameType
from typing import Any, get_type_hints

import numpy as np
import pytest

import flexnet as fx
from flexnet.cli import console
from flexnet.cli.interruption import Stopped, stoppable
from flexnet.cli.main import VERBS
from flexnet.patience import Patience
from flexnet.results import reader
from flexnet.store import draft, plain
from tests.faults.test_every_writer import WRITTEN, command, told, write_sample
from tests.faults.test_kills import Count, small

#: a command for every verb: those that write, and those that only tell
WRITING = {verb.split()[0] for verb, _ in WRITTEN}
COMMANDS = {f"{verb} --{option}": (verb, option) for verb, option in WRITTEN} | {
    verb: (verb, "") for verb in VERBS if verb not in WRITING
}
SAMPLE = {"run --out", "export --out", "info"}


def takes_a_file(verb: str) -> bool:
    """Whether a verb is told what to look at."""
    page = getattr(import_module(f"flexnet.cli.{verb}"), verb)
    return any("ArgumentInfo" in str(hint) for hint in get_type_hints(page, include_extras=True).values())


def asking(function: Callable[..., Any], number: int) -> Callable[..., Any]:
    """A function that is asked to end when it is done."""

    def asked(*arguments: object, **named: object) -> object:
        made = function(*arguments, **named)
        signal.raise_signal(number)
        return made

    return asked


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in SAMPLE else pytest.mark.slow) for n in COMMANDS]
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_every_verb_ends_with_a_sentence_and_the_code_of_the_signal(
    name, number, tmp_path, monkeypatch, capsys
):  # fmt: skip
    """The signal comes when a draft was made, or where nothing is written, a file read or a word said."""
    monkeypatch.chdir(tmp_path)
    key, source = COMMANDS[name], write_sample(tmp_path / "source.h5")
    if key[0] == "clean":
        monkeypatch.setenv("FLEXNET_CACHE", str(tmp_path / "cache"))
    words, out = command(key, source, tmp_path) if key[1] else ([key[0]], tmp_path / "none")
    if not key[1] and takes_a_file(key[0]):
        words.append(str(source))
    before = out.read_bytes() if out.exists() else None
    told_at = ((reader, "RecordReader"), (console, "_console"))
    for page, function in ((draft, "create"), (plain, "create")) if key[1] else told_at:
        monkeypatch.setattr(page, function, asking(getattr(page, function), number))
    code, said = told(words, monkeypatch, capsys)
    assert code == 128 + number
    # a bar that ends may leave an empty line (rich before 15)
    lines = [line for line in said.splitlines() if line and not line.startswith("compiling")]
    assert lines == [said.splitlines()[-1]]
    assert said.splitlines()[-1].startswith("error: stopped by")
    if key == ("run", "out"):  # it began before the signal was heeded
        assert fx.Results.open(out).status.state == "interrupted"
    else:
        assert (out.read_bytes() if out.exists() else None) == before
    assert not list(tmp_path.rglob("*.part*"))


@pytest.fixture
def stops() -> Iterator[list[int]]:
    """Signals that ask for the end raise here what they raise in a command."""
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        raise Stopped(number)

    before = {n: signal.signal(n, stop) for n in (signal.SIGINT, signal.SIGTERM)}
    yield asked
    for number, handler in before.items():
        signal.signal(number, handler)


class Asking(Count):
    """Sends a signal at a line of the store instead of dying there."""

    def __call__(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if self.part not in f"{frame.f_code.co_filename}:{frame.f_code.co_name}":
            return None
        self.lines += event == "line"
        if self.lines == self.last and event == "line":
            signal.raise_signal(signal.SIGTERM)
        return self


def test_a_signal_at_any_line_of_a_flush_leaves_every_row_once_and_says_who_stopped_it(tmp_path, stops):
    path, times = tmp_path / "a.h5", np.arange(1.0, 9.0)
    for line in range(1, 180, 9):
        writer = small(path)
        rows = {c.path: times[5:].reshape(3, *c.shape) for c in writer._record.columns}
        sys.settrace(Asking(line, "record_writer.py"))
        try:
            with writer:
                writer.append(rows)
        except Stopped:
            pass
        finally:
            sys.settrace(None)
        left = fx.Results.open(path)
        assert left.damage() == ()
        assert left.rows >= 5
        np.testing.assert_array_equal(left.time, times[: left.rows])
        assert (left.status.state, left.status.message) in (
            ("finished", ""),
            ("interrupted", "stopped by the system (SIGTERM)"),
        )
        path.unlink()
    assert len(stops) > 15


def twice(patience: Patience, done: list[str]) -> None:
    with patience:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        done.append("whole")


def test_what_waits_is_heeded_after_the_block_and_a_second_signal_at_once_where_that_is_wished(stops):
    done: list[str] = []
    with pytest.raises(Stopped):
        twice(Patience(), done)
    assert done == ["whole"]
    with pytest.raises(Stopped):
        twice(Patience(is_short=True), done)
    assert done == ["whole"]


def test_what_is_ignored_on_purpose_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stoppable(), Patience():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def ended(work: Callable[[], object]) -> int:
    """Exit code of a command that does something."""
    with pytest.raises(SystemExit) as caught, stoppable():
        work()
    return int(caught.value.code or 0)


def test_a_signal_that_python_drops_while_it_tidies_up_is_raised_again(capsys):
    class Untidy:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def work() -> None:
        Untidy()
        signal.pause()

    assert ended(work) == 130
    assert capsys.readouterr().err.startswith("error: stopped by the user")


def test_an_error_that_a_library_makes_of_a_signal_is_told_as_the_signal(capsys):
    def work() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except Stopped:
            raise SystemError("returned a result with an exception set") from None

    assert ended(work) == 143
    assert "SystemError" not in capsys.readouterr().err
