"""What the pages say is true: the README runs, symbols exist."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "flexnet"
DOCS = ROOT / "docs"

sys.path.insert(0, str(DOCS / "extensions"))
from docstring_lists import convert  # noqa: E402  (found on the path set above)
from short_types import short  # noqa: E402


def table_rows(page: Path) -> list[list[str]]:
    """Cells of all table rows of a page, headings and rules left out."""
    lines = page.read_text().splitlines()
    rows = [line for line, after in zip(lines, [*lines[1:], ""], strict=True) if not after.startswith("|---")]
    return [
        [cell.strip() for cell in row.strip("|").split("|")] for row in rows if re.match(r"\| ?[^-]", row)
    ]


def test_the_example_of_the_readme_runs_and_ends_in_a_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code is not None
    assert code[1].count("\n") <= 30
    monkeypatch.chdir(tmp_path)
    exec(compile(code[1], "README.md", "exec"), {})
    assert "3 dynamic + 1 constraint = 4 equations" in capsys.readouterr().out
    for file in ("slider_crank.png", "slider_crank.html"):
        assert (tmp_path / file).stat().st_size > 10_000


def test_every_code_name_of_the_notation_exists() -> None:
    source = "\n".join(p.read_text() for p in PACKAGE.rglob("*.py"))
    rows = [row for row in table_rows(DOCS / "notation.md") if len(row) == 5]
    assert len(rows) > 40
    for row in rows:
        for name in re.findall(r"`([^`]+)`", row[1]):
            for word in name.split("."):
                assert re.search(rf"\b{re.escape(word)}\b", source), f"{name} is not in the code"


def test_a_section_of_a_docstring_becomes_a_list() -> None:
    lines = [
        "Do it, |x| small.", "", "Parameters", "----------", "a, b : first and", "    second.",
        "s : (n,) array", "    Positions.", "", "Returns", "-------", "nothing",
    ]  # fmt: skip
    assert [line for line in convert(lines) if line] == [
        "Do it, \\|x\\| small.", ".. rubric:: Parameters", "- **a, b** – first and", "  second.",
        "- **s** – (n,) array.", "  Positions.", ".. rubric:: Returns", "nothing",
    ]  # fmt: skip


def test_types_of_a_signature_are_those_a_reader_knows() -> None:
    array = "numpy.ndarray[tuple[typing.Any, ...], numpy.dtype[numpy.float64]]"
    given = f"(g: collections.abc.Sequence[float] | {array}, M: {array}, to: ~flexnet.system.body.Body)"
    assert short(given) == "(g: Vector, M: Array, to: ~flexnet.system.body.Body)"


def test_no_page_keeps_the_marks_of_a_merge() -> None:
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    marked = [page.name for page in pages if re.search(r"^(<{7}|>{7}) ", page.read_text(), re.M)]
    assert len(pages) > 40
    assert not marked
