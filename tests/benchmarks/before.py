"""Old and new in turns: ``python -m tests.benchmarks.before CHECKOUT [rounds]``, some three minutes.

CHECKOUT is another checkout of the project, such as ``git worktree add ../before COMMIT``. Mechanisms
without signals, states and events run by both, each round in a process of its own; iterations a step, and
processor time of the compiled loop.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from tests.benchmarks.table import ROOT, commit_of, table

#: cases, their trees and how many of their own steps are taken
CASES = (
    ("double_pendulum", "joint", 4000), ("leger_a01_four_bar", "joint", 4000),
    ("leger_a02_five_bar", "joint", 4000), ("squeezer", "joint", 4000), ("leger_a11_stewart", "joint", 1000),
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
    out[name] = min(best[1:]), march.status.iterations / march.status.steps
print(json.dumps(out))
"""


def measure(checkout: Path) -> dict[str, tuple[float, float]]:
    """Seconds, the best of three, and iterations a step of every case by the code of a checkout."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _MEASURE, json.dumps(CASES)], cwd=checkout, check=True,
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(checkout)},
    )  # fmt: skip
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main(before: str, rounds: str = "5") -> None:
    """New over old of every case: the median of the rounds, and the least and the largest."""
    other = Path(before).resolve()
    for checkout in (other, ROOT):
        measure(checkout)  # compiled from here on
    turns = [(measure(other), measure(ROOT)) for _ in range(int(rounds))]
    with table("before") as say:
        say(f"| case | tree | iterations a step: {commit_of(other)}, now | time over before (least, most) |")
        say("|---" * 4 + "|")
        for name, tree, _ in CASES:
            (old, new), ratios = turns[0], sorted(b[name][0] / a[name][0] for a, b in turns)
            spread = f"{median(ratios):.3f} ({ratios[0]:.3f}, {ratios[-1]:.3f})"
            say(f"| {name} | {tree} | {old[name][1]:.2f}, {new[name][1]:.2f} | {spread} |")


if __name__ == "__main__":
    main(*sys.argv[1:3])
