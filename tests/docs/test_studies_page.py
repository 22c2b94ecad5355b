"""The page on studies does what it says."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto_studies.md"


def test_every_python_block_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for text in re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        exec(compile(text, PAGE.name, "exec"), names)  # the page itself is under test
    assert names["data"].sizes["variant"] == 15
    assert (names["data"].failure == "").all()
    # the parameters that made the curve, in fewer runs than a search without derivatives takes
    assert names["found"].x == pytest.approx([6.0, 0.3], rel=1e-4)  # where scipy stops by itself
    assert len(names["runs"]) < 12
