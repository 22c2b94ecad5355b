"""Each variant of a study equals its single run bit for bit: every method, both engines, every tree."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexnet as fx
from flexnet.graph import RULES
from flexnet.integrators import METHODS
from tests import catalogue

ROOT = Path(__file__).parents[2]
#: step [s], and the parameter that varies
CASES: dict[str, tuple[float, str, tuple[float, ...]]] = {
    "leger_a01_four_bar": (1e-3, "torque", (60.0, 75.0, 60.0)),
    "squeezer": (1e-5, "stiffness", (4000.0, 4530.0, 4000.0)),
    "slider_crank_flexible": (2e-6, "speed", (140.0, 150.0, 140.0)),
    "bouncing_ball": (1e-3, "height", (0.004, 0.006, 0.004)),
    "motor_four_bar": (1e-4, "R", (0.4, 0.5, 0.4)),
}
#: how a variant is run: case, method, tree, engine, whether by tolerance
How = tuple[str, str, str, str, bool]
#: in a process of its own, which has seen no other variant: bits of the end of the first one
ALONE = """
import sys
from tests.studies.test_single_runs import bits, run, system
how = eval(sys.argv[1])
print(bits(run(system(how), how)))
"""


def ways() -> Iterator[How]:
    """Every method on every case it can run, in both engines; every tree by one method."""
    for case in CASES:
        for name, make in METHODS.items():
            traits = make().traits
            if case == "bouncing_ball" and not traits.has_events:
                continue
            for engine in ("numeric", "symbolic"):
                if traits.is_fixed:
                    yield case, name, "default", engine, False
                if traits.is_adaptive:
                    yield case, name, "default", engine, True
        for rule in [rule for rule in RULES if rule != "default"]:
            yield case, "hht", rule, "numeric", False


WAYS = list(ways())


def options(how: How) -> dict[str, Any]:
    case, name, tree, engine, is_adaptive = how
    step = CASES[case][0]
    out = {"end": 40 * step, "step": step, "method": METHODS[name](), "tree": tree, "engine": engine}
    return out | ({"tolerance": 1e-5, "interval": 10 * step} if is_adaptive else {})


def system(how: How, index: int = 0) -> fx.System:
    _, name, values = CASES[how[0]]
    return catalogue.load(how[0]).build(**{name: values[index]})


def run(model: fx.System, how: How) -> fx.Run:
    return fx.simulate(model, **options(how))


def everything(found: fx.Run) -> np.ndarray:
    """Every number of the motion at its end, as a study keeps it."""
    return np.concatenate([found[f"state/{key}"][-1].ravel() for key in ("q", "v", "a", "lambda")])


def bits(found: fx.Run) -> str:
    return everything(found).tobytes().hex()


def check(how: How, workers: int = 1) -> str:
    """Variants of a study beside runs of the same systems; bits of the first one."""
    _, name, values = CASES[how[0]]
    build = catalogue.load(how[0]).build
    data = fx.study(build, {name: list(values)}, {"all": everything}, workers=workers, **options(how))
    assert (data.failure == "").all(), data.failure.values
    for index in range(len(values)):
        assert data["all"].values[index].tobytes().hex() == bits(run(system(how, index), how)), index
    assert not np.array_equal(data["all"].values[0], data["all"].values[1])
    return str(data["all"].values[0].tobytes().hex())


@pytest.mark.sweep(3)
@pytest.mark.parametrize("how", WAYS, ids=lambda how: "-".join(map(str, how)))
def test_a_variant_equals_its_single_run_bit_for_bit(how: How) -> None:
    check(how)


@pytest.mark.slow
@pytest.mark.parametrize("how", WAYS[:: len(WAYS) // 12], ids=lambda how: "-".join(map(str, how)))
def test_a_variant_in_a_worker_equals_a_run_in_a_process_of_its_own(how: How) -> None:
    found = check(how, workers=2)
    alone = subprocess.run(
        [sys.executable, "-c", ALONE, repr(how)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert alone.stdout.split()[-1] == found
