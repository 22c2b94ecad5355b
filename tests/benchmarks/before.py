"""Old and new in turns: ``python -m tests.benchmarks.before CHECKOUT [rounds]``, some three minutes.

CHECKOUT is another checkout of the project, such as ``git worktree add /tmp/before COMMIT``. Mechanisms
without signals, states and events run by both, each round in a process of its own; processor time of the
compiled loop.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from tests.benchmarks.table import ROOT

#: cases, their trees and how many of their own steps are taken
CASES = (
    ("leger_a01_four_bar", "joint", 4000), ("squeezer", "joint", 4000), ("leger_a11_stewart", "joint", 1000),
    ("heavy_top", "absolute", 4000), ("four_bar", "default", 2000), ("panel_deployment", "default", 1000),
)  # fmt: skip

_MEASURE = """
import importlib, json, sys
from time import process_time
import flexnet as fx
from flexnet.integrators import Settings, begin
out = {}
for name, tree, steps in json.loads(sys.argv[1]):
    case = importlib.import_module("cases." + name)
    equations, step = fx.formulate(case.build(), tree), getattr(case, "STEP", 1e-3)
    best = []
    for _ in range(4):
        march = begin(equations.dae(), fx.hht(), Settings(step, steps * step, interval=steps * step))
        start = process_time()
        for _ in march.blocks():
            pass
        best.append(process_time() - start)
    out[name] = min(best[1:])
print(json.dumps(out))
"""


def measure(checkout: Path) -> dict[str, float]:
    """Seconds of every case by the code of a checkout, the best of three."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, json.dumps(CASES)], cwd=checkout, check=True, capture_output=True,
        text=True, env=os.environ | {"PYTHONPATH": str(checkout)},
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(before: str, rounds: str = "5") -> None:
    """Print new over old of every case: the median of the rounds, and the least and the largest."""
    other = Path(before).resolve()
    for checkout in (other, ROOT):
        measure(checkout)  # compiled from here on
    turns = [(measure(other), measure(ROOT)) for _ in range(int(rounds))]
    for name, tree, _ in CASES:
        ratios = sorted(new[name] / old[name] for old, new in turns)
        sys.stdout.write(
            f"{name}, {tree}: {median(ratios):.3f} of before ({ratios[0]:.3f} to {ratios[-1]:.3f})\n"
        )


if __name__ == "__main__":
    main(*sys.argv[1:3])
