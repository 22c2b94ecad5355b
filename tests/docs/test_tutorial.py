"""The tutorial does what it says."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flexnet.cli.main import build_app

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
#: the case file each page begins with, and the files it leaves
PAGES = {
    "tutorial": ("slider_crank", "slider_crank.png slider_crank.gif mode.gif piston.csv faster.h5"),
    "tutorial_flexible": ("flexible_pendulum", "flexible_pendulum.h5 tip.png flexible_pendulum.gif"),
}


def blocks(page: Path = PAGE) -> list[tuple[str, str]]:
    """Language and text of every block of a page, in order."""
    return re.findall(r"```(python|console)\n(.*?)```", page.read_text(), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_line_of_a_tutorial_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    case, left = PAGES[name]
    first = True
    for language, text in blocks(PAGE.with_stem(name)):
        if language == "python":
            if first:
                Path(f"{case}.py").write_text(text)
            first = False
            exec(compile(text, name, "exec"), names)  # the page itself is under test
            continue
        for line in text.splitlines():
            verb, *arguments = line.removeprefix("$ flexnet ").split()
            made = CliRunner().invoke(build_app(), [verb, *arguments])
            assert made.exit_code == 0, f"{line}\n{made.output}\n{made.exception!r}"
    for file in left.split():
        assert Path(file).stat().st_size > 1000


def test_the_tutorial_counts_equations_right():
    import flexnet as fx

    names: dict[str, object] = {}
    exec(compile(blocks()[0][1], str(PAGE), "exec"), names)
    build = names["build"]
    assert callable(build)
    counts = {tree: fx.formulate(build(), tree) for tree in ("joint", "absolute")}
    assert [(e.n_v, e.m) for e in counts.values()] == [(3, 2), (9, 8)]


def test_the_demo_makes_every_file_that_its_page_shows_and_that_it_names():
    text = (PAGE.parents[1] / "Makefile").read_text()
    recipes = dict(re.findall(r"^(demo[a-z-]*):.*\n((?:\t.*\n)+)", text, flags=re.MULTILINE))
    assert recipes.keys() == {"demo", "demo-squeezer", "demo-four-bar"}
    made = recipes.pop("demo-squeezer") + recipes.pop("demo-four-bar")
    page = (PAGE.parent / "demo_page.py").read_text()
    named = re.findall(r"\w+\.(?:h5|png|gif|svg|html)", page + recipes.pop("demo"))
    for name in set(named) - {"demo.html"}:
        assert f"--out {name}" in made or f" {name}" in made or f"--out {Path(name).stem}\n" in made, name
