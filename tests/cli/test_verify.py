"""``flexnet verify`` runs cases beside their references, and a broken case fails it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.cli.verify import check_cases, find_cases
from flexnet.errors import FileFormatError, FlexnetError, ModelError
from tests.catalogue import FOLDER

QUICK_RETURN = (FOLDER / "quick_return.py").read_text()
TURNING = """
import numpy as np
import flexnet as fx

def build(rate=2.0):
    s = fx.System("turning", planar=True)
    bar = s.rigid_body("bar", 1.0, 0.1, {"A": [-0.5, 0]}, position=[0.5, 0])
    s.revolute("A", s.ground, bar["A"])
    s.start("A", angle=0.0, rate=rate)
    s.channel("x", fx.position(bar, "x"), "m")
    return s

REFERENCES = [
    fx.Reference(source="circle", file="circle.csv", tolerances=("0.05:max",), end=1.0, step=0.01),
]
"""


def run(*arguments: object, code: int = 0) -> str:
    outcome = CliRunner().invoke(build_app(), ["verify", *map(str, arguments), "--jobs", "1"])
    if isinstance(outcome.exception, FlexnetError):
        raise outcome.exception
    assert outcome.exit_code == code, outcome.output
    return outcome.output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "turning.py").write_text(TURNING)
    (tmp_path / "circle.csv").write_text("# x of a circle\nt [s],x [mm]\n0,500\n0.5,270.151152934\n")
    (tmp_path / "plain.py").write_text(TURNING.partition("REFERENCES")[0])
    return tmp_path


def test_a_case_is_held_against_its_file_in_its_units(folder):
    said = run(folder, "--out", folder / "results")
    assert "within" in said
    assert "mm" in said
    assert "plain" not in said
    assert (folder / "results" / "turning_0.h5").is_file()
    assert run(folder / "turning.py")


def test_a_closed_form_is_a_reference_and_a_broken_case_fails(tmp_path):
    case = tmp_path / "quick_return.py"
    case.write_text(QUICK_RETURN)
    assert "all 2 curves of 1 cases are within" in run(case)
    case.write_text(QUICK_RETURN.replace("rocker: float = 3.5", "rocker: float = 3.501"))
    said = run(case, code=1)
    assert "EXCEEDED" in said
    assert "1 of 1 cases fail: quick_return" in said


def test_a_case_that_cannot_run_fails_in_words(folder):
    (folder / "circle.csv").unlink()
    assert "no such file" in run(folder, code=1)
    (folder / "turning.py").write_text(TURNING.replace("end=1.0", "end=0.2"))
    (folder / "circle.csv").write_text("t [s],x [m]\n0.5,0.27\n")
    assert "no rows in the interval" in run(folder, code=1)


def test_the_page_gets_the_new_table(folder):
    page = folder / "page.md"
    page.write_text("before\n<!-- table of flexnet verify -->\nold\n<!-- end of table -->\nafter\n")
    run(folder, "--update", page)
    text = page.read_text()
    assert "| turning | circle | x |" in text
    assert "old" not in text
    assert text.startswith("before\n")
    assert text.endswith("-->\nafter\n")
    page.write_text("no table")
    with pytest.raises(FileFormatError, match="no table"):
        run(folder, "--update", page)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"file": "a.csv", "curve": dict}, "either a file or a curve"),
        ({"tolerances": (), "file": "a.csv"}, "no tolerance"),
        ({"source": " ", "file": "a.csv"}, "where it comes from"),
    ],
)
def test_a_reference_must_be_whole(words, message):
    given = {"source": "book", "tolerances": ("1%",), "end": 1.0, "step": 0.1} | words
    with pytest.raises(ModelError, match=message):
        fx.Reference(**given)


def test_a_folder_without_references_is_refused(folder):
    (folder / "turning.py").unlink()
    with pytest.raises(ModelError, match="names a reference"):
        run(folder)
    (folder / "plain.py").write_text(TURNING.partition("REFERENCES")[0] + "REFERENCES = 3\n")
    with pytest.raises(ModelError, match=r"not a list of fx\.Reference"):
        run(folder)


def test_every_reference_of_the_cases_is_at_hand_and_the_cases_that_must_have_one_do():
    files = find_cases([FOLDER])
    assert {"squeezer", "heavy_top", "simple_pendulum", "n_four_bar", "quick_return"} <= {
        f.stem for f in files
    }


@pytest.mark.slow
def test_all_cases_are_within_their_tolerances():
    rows = check_cases(find_cases([FOLDER]), jobs=2)
    assert [row for row in rows if not row.is_within] == []
