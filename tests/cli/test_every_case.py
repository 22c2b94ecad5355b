"""Every case, through the command line: both engines, all methods, all ready-made trees, a few steps."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.graph import select_trees
from flexnet.integrators import METHODS
from tests.catalogue import FLEXIBLE, FOLDER, NAMES, TREES, build, load

STEP = {"squeezer": 1e-5}
#: engines differ by the round-off of a residual; near singular positions and in stiff modes it grows
AGREED = 1e-6


def run(name: str, engine: str, method: str, tree: str, out: Path) -> fx.Results:
    """Run a case for five steps."""
    h = getattr(load(name), "STEP", STEP.get(name, 1e-3))
    options = {"step": h, "end": 5 * h, "interval": h, "engine": engine, "integrator": method, "tree": tree}
    words = ["run", str(FOLDER / f"{name}.py"), "--out", str(out)]
    for key, value in options.items():
        words += [f"--{key}", str(value)]
    outcome = CliRunner().invoke(build_app(), words)
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == 0, outcome.output
    return fx.Results.open(out)


def check(name: str, method: str, tree: str, folder: Path) -> None:
    one, other = (run(name, e, method, tree, folder / f"{tree}_{e}.h5") for e in ("numeric", "symbolic"))
    for channel in (c.name for c in one.channels()):
        a, b = (np.asarray(results.read(f"channels/{channel}")) for results in (one, other))
        # what is not determined is so by both
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b), channel)
        size = max(np.nanmax(np.abs(a), initial=0.0), 1e-6)
        assert np.nanmax(np.abs(a - b), initial=0.0) <= AGREED * size, (tree, channel)


@cache
def different_trees(name: str) -> tuple[str, ...]:
    """The first of the tree rules that choose the same trees for a case: its run is theirs."""
    graph = build(name).graph
    chosen = {tuple(frozenset(t.names) for t in select_trees(graph, rule)): rule for rule in reversed(TREES)}
    return tuple(rule for rule in TREES if rule in chosen.values())


@pytest.mark.parametrize(
    ("name", "method", "tree"),
    [("squeezer", "hht", "default"), ("heavy_top", "energy_preserving", "absolute")],
)
def test_a_case_runs_by_both_engines_and_they_agree(name, method, tree, tmp_path):
    check(name, method, tree, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE])
def test_every_case_runs_by_both_engines_in_every_tree_and_they_agree(name, method, tmp_path):
    if build(name).events and not METHODS[method]().traits.has_events:
        pytest.skip(f"{method} refuses events")
    for tree in different_trees(name):
        check(name, method, tree, tmp_path)
