"""A case file is built with the parameters the user sets, or one sentence says why not."""

import os
from pathlib import Path

import pytest

import flexnet as fx
from flexnet.cli.case import build_case, load_case

PENDULUM = """
import flexnet as fx

def build(length: float = 1.0, label: str = "pendulum", planar: bool = True, offset=(0.0, 0.0)):
    s = fx.System(label, planar=planar)
    bob = s.rigid_body("bob", 1.0, 0.1 if planar else [0.1] * 3, {"pivot": [0, length]}, position=offset)
    s.revolute("pivot", s.ground, bob["pivot"])
    return s
"""


@pytest.fixture
def case(tmp_path: Path) -> Path:
    file = tmp_path / "pendulum.py"
    file.write_text(PENDULUM)
    return file


def test_a_case_is_built_with_its_own_values(case: Path) -> None:
    assert build_case(case).name == "pendulum"


def test_an_edit_within_a_second_is_seen_and_nothing_is_left_beside_a_case(case: Path, monkeypatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    then = case.stat().st_mtime
    build_case(case)
    case.write_text(PENDULUM.replace('"pendulum"', '"pendolum"'))
    os.utime(case, (then, then))
    assert build_case(case).name == "pendolum"
    assert list(case.parent.iterdir()) == [case]


def test_parameters_are_set_as_python_literals(case: Path) -> None:
    system = build_case(case, ["length=2", "label=long one", "planar=False", "offset=[1.0, -2e-1]"])
    assert system.name == "long one"
    assert not system.is_planar
    assert system.bodies["bob"]["pivot"].position[1] == 2.0
    assert system.bodies["bob"].position[1] == -0.2


def test_a_text_may_be_written_with_quotes(case: Path) -> None:
    assert build_case(case, ["label='a=b'"]).name == "a=b"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("lenght=2", "no parameter 'lenght'; did you mean 'length'"),
        ("zzz=2", "it has length, label, planar, offset"),
        ("length", "needs name=value"),
        ("=3", "needs name=value"),
        ("length=", "not a number"),
        ("length=two", "not a number"),
        ("length='2'", "must be a number, as in length=1.0"),
        ("length=True", "must be a number"),
        ("planar=1", "must be True or False"),
        ("offset=3", "must be a list"),
        ("length=__import__('os')", "not a number"),
    ],
)
def test_a_bad_setting_is_explained(case: Path, setting: str, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        build_case(case, [setting])


def test_a_parameter_is_not_set_twice(case: Path) -> None:
    with pytest.raises(fx.ModelError, match="set twice"):
        build_case(case, ["length=1", "length=2"])


def test_a_parameter_without_a_value_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "needy.py"
    file.write_text(PENDULUM.replace("length: float = 1.0", "length"))
    with pytest.raises(fx.ModelError, match="needs a value for 'length'"):
        build_case(file)
    assert build_case(file, ["length=1.0"]).bodies


def test_a_missing_file_suggests_its_neighbour(case: Path) -> None:
    with pytest.raises(fx.ModelError, match=r"no case file .*did you mean .*pendulum\.py"):
        load_case(case.with_name("pendulm.py"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", r"no function build\(\)"),
        ("build = 3\n", r"no function build\(\)"),
        ("def build(:\n", r"SyntaxError: .*line 1"),
        ("\n\n1 / 0\n", r"ZeroDivisionError: division by zero \(line 3\)"),
        ("import nothing_of_the_kind\n", "ModuleNotFoundError"),
        ("def build():\n    return 3\n", "must return a System, not int"),
        ("def build():\n    return {}['a']\n", r"build\(\) of .* fails: KeyError: 'a' \(line 2\)"),
    ],
)
def test_a_file_that_is_no_case_is_explained(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "case.py"
    file.write_text(text)
    with pytest.raises(fx.ModelError, match=message):
        build_case(file)


def test_a_file_that_is_not_python_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "case.txt"
    file.write_text("")
    with pytest.raises(fx.ModelError, match="not a Python file"):
        load_case(file)


def test_an_error_of_the_model_comes_through_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "case.py"
    file.write_text("import flexnet as fx\ndef build():\n    fx.System('s').rigid_body('b', -1.0, 0.0)\n")
    with pytest.raises(fx.ModelError, match="body 'b' has mass"):
        build_case(file)
