"""The same input gives the same bits, whatever the number of threads, and the same motion in any order."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexnet as fx
from flexnet.graph import RULES, select
from tests.catalogue import FLEXIBLE, NAMES, build

PROGRAM = """
from flexnet.fem import Body, Clamped, Material, Reduction, ShellRegion, ShellSection, TableOptions
from flexnet.fem.fingerprint import fingerprint
from flexnet.fem.table_builder import build_table
from flexnet.fem.table_file import _to_arrays
from flexnet.mesh import panel_mesh

mesh = panel_mesh(1.0, 0.5, 12, 8)
section = ShellSection.uniform(0.003, Material(E=2e11, nu=0.3, rho=7800.0))
body = Body(mesh, [ShellRegion("panel", section)], frames={})
print(fingerprint(_to_arrays(build_table(body, Reduction(Clamped(0), 6), TableOptions()))))
"""


def test_a_table_is_the_same_for_any_number_of_threads() -> None:
    found = set()
    for threads in ("1", "4"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


STEP, STEPS = 1e-4, 20
QUICK = (
    "double_pendulum",
    "leger_a01_four_bar",
    "leger_a08_3rpr",
    "leger_a12_parallel_manipulator",
    "squeezer",
)


def in_another_order(name: str, seed: int) -> fx.System:
    """A case as if its bodies, frames, components and start values had been created in another order."""
    made, chance = build(name), random.Random(seed)

    def mixed(named: dict[str, Any]) -> dict[str, Any]:
        return dict(chance.sample(list(named.items()), len(named)))

    made.bodies, made.components = mixed(made.bodies), mixed(made.components)
    made.starts = chance.sample(made.starts, len(made.starts))
    for body in (made.ground, *made.bodies.values()):
        body.frames = mixed(body.frames)
    return made


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE])
def test_every_rule_finds_the_same_trees_in_any_order_of_creation(name: str) -> None:
    graphs = [build(name).graph, *(in_another_order(name, seed).graph for seed in (1, 2))]
    for rule in RULES:
        made = [select(graph, rule) for graph in graphs]
        assert len({frozenset(m.T.names) for m in made}) == 1
        assert len({frozenset(m.R.names) for m in made}) == 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in [*NAMES, *FLEXIBLE]]
)
def test_the_order_of_creation_changes_round_off_alone(name: str) -> None:
    """Round-off of a position, ε L, is ε L/h in velocities and ε m L/h² in the loads of constraints."""
    system = build(name)
    run, *others = (
        fx.simulate(made, step=STEP, end=STEPS * STEP)
        for made in (system, in_another_order(name, 1), in_another_order(name, 2))
    )
    mass = sum(getattr(part, "mass", 0.0) for part in system.components.values())
    length = max(np.abs(run[f"frames/{f}/position"]).max() for f in system.frames if f != "ground")
    sizes = {
        "position": length,
        "velocity": length / STEP,
        "force": mass * length / STEP**2,
        "torque": mass * length**2 / STEP**2,
    }
    for other in others:
        assert other.data.keys() == run.data.keys()
        for path, column in run.data.items():
            size = sizes.get(path.split("/")[-1])
            if size is not None and path.startswith(("frames", "joints")):
                np.testing.assert_allclose(
                    other[path], column, rtol=1e-12, atol=1e-13 * size, err_msg=path, equal_nan=True
                )
