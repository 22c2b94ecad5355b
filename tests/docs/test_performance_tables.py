"""Tables of speed are written by the commands that measure them, where the page has a place for them."""

import re

import pytest

from tests.benchmarks.table import PAGE, put, table

BENCHMARKS = PAGE.parents[1] / "tests" / "benchmarks"


def test_every_table_that_is_measured_has_its_place_and_every_place_is_measured():
    measured = [
        name
        for path in BENCHMARKS.glob("*.py")
        for name in re.findall(r"with table\(\s*\"([^\"]+)\"", path.read_text())
    ]
    pages = [page.read_text() for page in sorted(PAGE.parent.rglob("*.md"))]
    places = re.findall(r"<!-- table: (.+?) -->\n(?s:.*?)<!-- end of \1 -->", "\n".join(pages))
    assert sorted(measured) == sorted(places)


def test_the_readme_says_what_the_table_of_mechanisms_does():
    """``python -m tests.benchmarks`` writes both."""
    rows = PAGE.read_text().partition("<!-- table: mechanisms -->")[2].partition("<!-- end of")[0]
    ratios = [float(line.split("|")[5]) for line in rows.splitlines() if re.match(r"\| [\w-]+.*\d \|", line)]
    (commit,) = re.findall(r"commit (\w+)", rows)
    said = (PAGE.parents[1] / "README.md").read_text()
    assert f"take {min(ratios):.0f} to {max(ratios):.0f} times as many steps" in said
    assert f"measured at commit {commit}:" in said


def test_a_table_says_where_it_comes_from_and_leaves_the_rest_of_its_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("above\n\n<!-- table: a -->\nold\n<!-- end of a -->\n\nbelow\n")
    for _ in range(2):  # written anew, not added to
        with table("a", page=page) as say:
            say("| x |")
            say("|---|")
    text = page.read_text()
    assert re.fullmatch(
        r"above\n\n<!-- table: a -->\n\n\*Measured \d{4}-\d\d-\d\d, commit .*\*\n\n\| x \|\n\|---\|\n\n"
        r"<!-- end of a -->\n\nbelow\n",
        text,
    )


def test_a_part_of_a_table_is_not_written_and_a_table_without_a_place_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    with table("a", is_whole=False, page=page) as say:
        say("| x |")
    assert page.read_text() == "nothing\n"
    with pytest.raises(ValueError, match="no table 'a'"):
        put("a", ["| x |"], page)
