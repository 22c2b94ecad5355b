"""SECURITY.md: every promise names tests that hold it, and they are there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line.strip("|").split(" | ")
    for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]
#: files of faults that hold other promises: of docs/architecture.md
ELSEWHERE = {"test_determinism.py"}


@cache
def functions_of(path: Path) -> dict[str, ast.FunctionDef]:
    """Tests of a file by name."""
    found = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name: node for node in found if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip()[:50])
def test_every_promise_names_tests_that_hold_it(row: list[str]) -> None:
    promise, held = row
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", held)
    assert promise.strip()
    assert named, promise
    assert re.sub(r"`tests/[\w/]+\.py::test_\w+`|[, ]", "", held) == "", "a promise is held by tests alone"
    for file, name in named:
        test = functions_of(ROOT / file)[name]
        assert any(isinstance(node, ast.Assert | ast.With | ast.Call) for node in ast.walk(test))
        skipped = [ast.unparse(mark) for mark in test.decorator_list if "skip" in ast.unparse(mark)]
        assert not [mark for mark in skipped if "skipif" not in mark], f"{name} never runs"


def test_every_file_of_faults_holds_a_promise() -> None:
    named = {file for row in ROWS for file in re.findall(r"tests/faults/(test_\w+\.py)::", row[1])}
    assert named == {path.name for path in (ROOT / "tests" / "faults").glob("test_*.py")} - ELSEWHERE
    assert len(ROWS) > 30
