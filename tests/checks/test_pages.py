"""A method, an export format and a tree rule are one file each; the docs show these files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.case import load_page
from flexnet.cli.main import build_app
from flexnet.graph import RULES
from flexnet.integrators import METHODS
from flexnet.results.export import FORMATS
from tests.catalogue import FOLDER, build

PAGES = Path(__file__).parent / "pages"


@pytest.fixture(autouse=True)
def registries(monkeypatch):
    """What a page enters is forgotten after the test."""
    kept = [(registry, dict(registry)) for registry in (METHODS, RULES, FORMATS)]
    yield
    for registry, before in kept:
        registry.clear()
        registry.update(before)


def flexnet(page: str, *words: object) -> str:
    words = ("--page", PAGES / f"{page}.py", *words)
    result = CliRunner().invoke(build_app(), [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_page_brings_a_method(tmp_path):
    times = ("--step", 0.01, "--end", 0.1, "--interval", 0.05, "--out", tmp_path / "a.h5")
    assert "with heun" in flexnet(
        "heun", "run", FOLDER / "simple_pendulum.py", "--integrator", "heun", *times
    )


def test_a_page_brings_an_export_format(tmp_path):
    result, table = tmp_path / "a.h5", tmp_path / "a.md"
    fx.simulate(build("simple_pendulum"), 0.1, 0.01, out=result)
    flexnet("markdown", "export", result, "x", "--format", "markdown", "--out", table)
    lines = table.read_text().splitlines()
    assert lines[:2] == ["| time [s] | x [m] |", "| --- | --- |"]
    assert len(lines) == 2 + 11


def test_a_page_brings_a_tree_rule_and_the_motion_does_not_depend_on_it():
    load_page(PAGES / "drivers_first.py")
    trees = ("drivers_first", "default")
    own, usual = (fx.simulate(build("leger_a01_four_bar"), 0.01, 1e-3, tree=tree) for tree in trees)
    names = [name for name in usual.data if name.startswith("frames/")]
    assert names
    for name in names:
        np.testing.assert_allclose(own[name], usual[name], atol=1e-5)


@pytest.mark.parametrize("page", sorted(p.name for p in PAGES.glob("*.py")))
def test_the_docs_show_the_page_as_it_is(page):
    text = (Path(fx.__file__).parent.parent / "docs" / "howto_add.md").read_text()
    assert (PAGES / page).read_text() in text


@dataclass(frozen=True, slots=True, eq=False)
class Spoiled(fx.ForceElement):
    """A law of a user, written wrongly in the ways that are met."""

    stiffness: float
    way: str = ""

    def law(self, motion, p, t):
        if self.way == "numpy":
            return fx.Action(force=(np.tanh(motion.d[0]), 0, 0))
        if self.way == "field":
            return fx.Action(force=(p.stifness * motion.d[0], 0, 0))
        return fx.Action(force=("a", 0, 0))


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("numpy", r"law of 'f' cannot be traced \(TypeError: .* functions of flexnet\.algebra: sqrt, tanh"),
        ("field", r"law of 'f' asks for p\.stifness, which is no field of Spoiled \(stiffness, way\)"),
        ("text", r"law of 'f' gives the force \('a', 0, 0\); expected three numbers or expressions"),
    ],
)
def test_a_law_that_cannot_be_traced_is_told_why_and_what_to_do(way, said):
    s = fx.System("s")
    bob = s.rigid_body("bob", 1.0, [0.1, 0.1, 0.1], position=[1.0, 0.0, 0.0])
    s.floats(bob)
    s.add(Spoiled("f", s.ground.origin, bob.origin, 2.0, way))
    with pytest.raises(fx.ModelError, match=said):
        fx.formulate(s)
