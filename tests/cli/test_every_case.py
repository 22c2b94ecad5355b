"""Every case, through the command line: both engines, all methods, all ready-made trees, a few steps."""

from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.cli.main import build_app
from flexnet.errors import FlexnetError
from flexnet.graph import select_trees
from flexnet.integrators import METHODS
from flexnet.integrators.alpha_corrector import SHARE
from tests.catalogue import FLEXIBLE, FOLDER, NAMES, NETWORKS, TREES, build, load

STEP = {"squeezer": 1e-5}
#: engines differ by the round-off of a residual; near singular positions and in stiff modes it grows
AGREED = 1e-6


def step_of(name: str) -> float:
    """Step of a case."""
    return getattr(load(name), "STEP", STEP.get(name, 1e-3))


def span_of(name: str, method: str) -> float:
    """Time between rows: a step, or a tenth of it where a method chooses steps of its own."""
    return step_of(name) * (1.0 if METHODS[method]().traits.is_fixed else 0.1)


def run(name: str, engine: str, method: str, tree: str, out: Path) -> fx.Results:
    """Run a case for five steps."""
    h = span_of(name, method)
    options = {"step": h, "end": 5 * h, "interval": h, "engine": engine, "integrator": method, "tree": tree}
    words = ["run", str(FOLDER / f"{name}.py"), "--out", str(out)]
    for key, value in options.items():
        words += [f"--{key}", str(value)]
    outcome = CliRunner().invoke(build_app(), words)
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    assert outcome.exit_code == 0, outcome.output
    return fx.Results.open(out)


def allowed(name: str, method: str, tree: str, one: fx.Results) -> dict[str, float]:
    """How far engines may differ in a channel whose size tells nothing.

    Ten times what it moves by where the start is moved by one ulp of the sizes of the coordinates: the
    tension of a blade that hardly turns yet is 1e-12 N, one ulp of its length strains it by 5e-8 N. Or
    what two correctors may leave, SHARE of the error of the step each; half the step tells ¾ of that error.
    """
    h = span_of(name, method)
    off = dict.fromkeys((c.name for c in one.channels()), 0.0)
    for ulps, step, share in ((1.0, h, 10.0), (0.0, h / 2, 2 * SHARE / 0.75)):
        e = fx.formulate(build(name), tree)
        start, signs = e.initial, np.random.default_rng(0).choice([-1.0, 1.0], e.n_q + e.n_z)
        moved = ulps * np.finfo(float).eps * signs
        z = e.z_of(start)
        e.initial = fx.State(
            start.t, start.q + moved[: e.n_q] * e.q_sizes, start.v, z + moved[e.n_q :] * np.abs(z)
        )  # fmt: skip
        beside = fx.simulate(e, 5 * h, step, METHODS[method](), interval=h, engine="numeric")
        for key in off:
            gap = np.abs(beside.channel(key) - one.read(f"channels/{key}"))
            off[key] = max(off[key], share * float(np.nanmax(gap, initial=0.0)))
    return off


def disagreements(name: str, method: str, tree: str, folder: Path) -> list[str]:
    """Channels in which the engines disagree.

    Numbers of less than an ulp of an ulp beside others of their unit are none: a motor that sticks turns by
    1e-32 rad, and its voltage of 1e-37 V is that of one engine alone.
    """
    one, other = (run(name, e, method, tree, folder / f"{tree}_{e}.h5") for e in ("numeric", "symbolic"))
    found = list[str]()
    far = dict[str, tuple[float, float]]()
    largest = defaultdict[str, float](float)
    unit = {c.name: c.unit for c in one.channels()}
    for channel in unit:
        a, b = (np.asarray(results.read(f"channels/{channel}")) for results in (one, other))
        # what is not determined is so by both
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            found.append(f"{method} {tree} {channel}: determined by one engine alone")
            continue
        size = np.nanmax(np.abs(a), initial=0.0)
        off = np.nanmax(np.abs(a - b), initial=0.0)
        largest[unit[channel]] = max(largest[unit[channel]], size)
        if off > AGREED * size:
            far[channel] = off, size
    limit = allowed(name, method, tree, one) if far else {}
    return found + [
        f"{method} {tree} {channel}: {off:.2e} of {size:.2e}, {limit[channel]:.2e} allowed"
        for channel, (off, size) in far.items()
        if off > AGREED * size + limit[channel] + np.finfo(float).eps ** 2 * largest[unit[channel]]
    ]


@cache
def different_trees(name: str) -> tuple[str, ...]:
    """The first of the tree rules that choose the same trees for a case: its run is theirs."""
    graph = build(name).mechanism
    chosen = {tuple(frozenset(t.names) for t in select_trees(graph, rule)): rule for rule in reversed(TREES)}
    return tuple(rule for rule in TREES if rule in chosen.values())


def is_refused(name: str, method: str) -> bool:
    """Whether a method declares that it cannot run a case."""
    traits, dae = METHODS[method]().traits, fx.formulate(build(name)).dae()
    return (dae.events is not None and not traits.has_events) or (
        bool(dae.is_algebraic.any()) and bool(traits.no_algebraic)
    )


@pytest.mark.parametrize(
    ("name", "method", "tree"),
    [("squeezer", "hht", "default"), ("heavy_top", "energy_preserving", "absolute")],
)
def test_a_case_runs_by_both_engines_and_they_agree(name, method, tree, tmp_path):
    assert not disagreements(name, method, tree, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE, *NETWORKS])
def test_every_case_runs_by_both_engines_and_all_methods_in_every_tree_and_they_agree(name, tmp_path):
    found: list[str] = []
    for method in METHODS:
        if is_refused(name, method):
            for engine in ("numeric", "symbolic"):
                with pytest.raises(FlexnetError, match=r"take hht|those that do not are"):
                    run(name, engine, method, "default", tmp_path / "refused.h5")
            continue
        for tree in different_trees(name):
            try:
                found += disagreements(name, method, tree, tmp_path)
            except (AssertionError, FlexnetError) as error:  # go on: what else fails tells of the cause
                found.append(f"{method} {tree}: {str(error).strip().splitlines()[0]}")
    assert not found, "\n".join(found)
