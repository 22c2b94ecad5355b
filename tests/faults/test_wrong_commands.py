"""Wrong commands: exit code 2 and one sentence; made from the options of every verb."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from flexnet.cli.main import VERBS, _page, build_app, main
from tests.faults.test_every_writer import WRITTEN, command, told
from tests.faults.test_plain_writing import write_sample
from tests.faults.test_signals import takes_a_file

CASE = Path(__file__).parents[2] / "cases" / "simple_pendulum.py"
#: values that no option takes, whatever it is for
NONSENSE = ("fast", "nan", "-1", "\x1b[31m")


def verbs(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its words, and those of groups in groups."""
    for name, part in group.commands.items():
        words = (*before, name)
        if hasattr(part, "commands"):
            yield from verbs(part, words)
        else:
            yield words, part


COMMANDS = dict(verbs(typer.main.get_command(build_app())))


def wrong_commands() -> Iterator[Any]:
    for words, parts in COMMANDS.items():
        verb = " ".join(words)
        places = [p for p in parts.params if p.param_type_name == "argument"]
        start = [*words, *(["no_such_file.h5"] * len(places))]
        yield pytest.param([*start, "--no-such-option", "1"], id=f"{verb} unknown option")
        yield pytest.param([*words[:-1], "no_such_" + words[-1]], id=f"{verb} unknown verb")
        yield pytest.param([*start, *(["no_such_file.h5"] * 20)], id=f"{verb} too many")
        if any(p.required for p in places):
            yield pytest.param([*words], id=f"{verb} too few")
        if places:
            yield pytest.param(start, id=f"{verb} missing file")
            yield pytest.param([*words, *(["x" * 5000] * len(places))], id=f"{verb} long file")
        for option in parts.params:
            if option.param_type_name == "option" and option.name != "help":
                for value in () if option.is_flag else NONSENSE:
                    yield pytest.param(
                        [*start, option.opts[0], value], id=f"{verb} {option.opts[0]} {value!r}"
                    )
                if option.is_flag:
                    yield pytest.param([*start, f"{option.opts[0]}=yes"], id=f"{verb} {option.opts[0]}=yes")
                else:
                    yield pytest.param([*start, option.opts[0]], id=f"{verb} {option.opts[0]} without value")


def test_no_verb_is_forgotten() -> None:
    """The table descends into every group."""
    groups = {verb: page for verb in VERBS if isinstance(page := _page(verb), typer.Typer)}
    asked = set(COMMANDS)
    assert {words[0] for words in asked} == set(VERBS)
    for verb, group in groups.items():
        names = {
            (verb, typer.main.get_command_name(c.name or c.callback.__name__))
            for c in group.registered_commands
        }
        assert names <= asked
    assert groups


@pytest.mark.sweep(300)
@pytest.mark.parametrize("words", list(wrong_commands()))
def test_a_wrong_command_ends_with_code_2_and_a_sentence(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["flexnet", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2, said
    assert said.err.strip()
    assert "Traceback" not in said.err + said.out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ["--step", "nan"], ["--step", "0"], ["--step", "-1"], ["--end", "inf"], ["--end", "nan"],
        ["--tolerance", "nan"], ["--set", "no_such=1"], ["--set", "x"], ["--tree", "joints"],
        ["--integrator", "hth"], ["--engine", "numerical"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_wrong_run_ends_with_code_2_and_leaves_nothing(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["flexnet", "run", str(CASE), "--out", "a.h5", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2, said
    assert "Traceback" not in said.err + said.out
    assert not list(tmp_path.iterdir())


def told_commands() -> Iterator[Any]:
    """Nonsense for every option of a command that is right but for it."""
    written = {}
    for verb, option in WRITTEN:
        written.setdefault(tuple(verb.split()), (verb, option))
    for words, parts in COMMANDS.items():
        for option in parts.params:
            if option.param_type_name == "option" and option.name != "help" and not option.is_flag:
                for value in ("fast", "nan", "-1", "1e400", "\x1b[31m", "x" * 5000, ""):
                    key = written.get(words, (" ".join(words), ""))
                    yield pytest.param(key, option, value, id=f"{key[0]} {option.opts[0]} {value[:9]!r}")


@pytest.mark.slow
@pytest.mark.parametrize(("key", "option", "value"), list(told_commands()))
def test_nonsense_in_a_right_command_is_taken_or_refused_in_words(
    key: tuple[str, str],
    option: Any,
    value: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """What is a text may be anything; what is refused is told, and nothing that was there is lost."""
    monkeypatch.chdir(tmp_path)
    source = write_sample(tmp_path / "source.h5")
    if key[1]:
        words, _ = command(key, source, tmp_path)
    else:
        words = [*key[0].split(), *([str(source)] if takes_a_file(key[0]) else [])]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    code, said = told([*words, option.opts[0], value], monkeypatch, capsys)
    assert code in (0, 1, 2)
    if code == 2:
        assert said.strip()
        assert {path: path.read_bytes() for path in before} == before
