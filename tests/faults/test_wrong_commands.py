"""Wrong commands: exit code 2 and one sentence; made from the options of every verb."""

import sys
from pathlib import Path

import pytest
import typer.main

from flexnet.cli.main import build_app, main

COMMANDS = typer.main.get_command(build_app()).commands  # type: ignore[attr-defined]
CASE = Path(__file__).parents[2] / "cases" / "simple_pendulum.py"


def wrong_commands() -> list:
    found = []
    for verb, command in COMMANDS.items():
        places = [p for p in command.params if p.param_type_name == "argument"]
        start = [verb, *(["no_such_file.h5"] * len(places))]
        found.append(pytest.param([*start, "--no-such-option", "1"], id=f"{verb} unknown option"))
        found.append(pytest.param(["no_such_" + verb], id=f"{verb} unknown verb"))
        if places:
            found.append(pytest.param(start, id=f"{verb} missing file"))
            found.append(pytest.param([verb, *(["x" * 5000] * len(places))], id=f"{verb} long file"))
        for option in command.params:
            if option.param_type_name == "option" and option.name != "help" and not option.is_flag:
                for value in ("fast", "nan", "-1", "\x1b[31m"):
                    words = [*start, option.opts[0], value]
                    found.append(pytest.param(words, id=f"{verb} {option.opts[0]} {value!r}"))
    return found


@pytest.mark.parametrize("words", wrong_commands())
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
