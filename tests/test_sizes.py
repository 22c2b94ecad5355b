"""A page is one idea: files below 350 lines, functions below 60; what is longer is listed with its reason."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "flexnet"
LINES, BODY = 350, 60

#: files that are longer; a file that shrinks leaves the list
LONG_FILES = {
    "system/builders.pyi": "written by `make stubs`",
}
#: functions whose lines, without docstring, are more
LONG_FUNCTIONS = {
    "analysis/simulate.py:simulate": "arguments of a run, and their checks in one place",
    "integrators/alpha_corrector.py:step": "one iteration: predict, correct, judge; its parts are functions",
}


def lines_of(function: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    first = function.body[0]
    has_text = ast.get_docstring(function) is not None
    text = (first.end_lineno or 0) - first.lineno + 1 if has_text else 0
    return (function.end_lineno or 0) - function.lineno + 1 - text


def test_no_file_is_longer_than_a_page_of_one_idea() -> None:
    files = [path for kind in ("*.py", "*.pyi") for path in PACKAGE.rglob(kind)]
    long = {str(p.relative_to(PACKAGE)) for p in files if len(p.read_text().splitlines()) > LINES}
    assert not long - set(LONG_FILES), "split these by concept, or give the reason here"
    assert not set(LONG_FILES) - long, "these have become short: take them off the list"


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{path.relative_to(PACKAGE)}:{node.name}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and lines_of(node) > BODY
    }
    assert not long - set(LONG_FUNCTIONS), "divide these, or give the reason here"
    assert not set(LONG_FUNCTIONS) - long, "these have become short: take them off the list"
