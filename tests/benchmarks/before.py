"""Old and new in turns: ``python -m tests.benchmarks.before CHECKOUT [rounds]``, some minutes.

CHECKOUT is another checkout of the project, such as ``git worktree add ../before COMMIT``, with an
environment of its own in ``.venv`` if it needs other packages. Mechanisms without signals, states and events,
as that checkout states them (rods on bushings as this one does), run by both. In a round both live at once on
one core and take turns, some hundredths of a second each, so that whatever slows the machine slows both; what
counts is the least processor time of a turn, which nothing but the code makes longer. Rounds differ by where
processes lie in memory.
"""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.benchmarks.table import ROOT, commit_of, table

#: file and arguments of a mechanism, its tree, step [s] and how many steps a turn has
CASES = {
    "double_pendulum": ("cases/double_pendulum.py", {}, "joint", 1e-3, 4000),
    "leger_a01_four_bar": ("cases/leger_a01_four_bar.py", {}, "joint", 1e-3, 4000),
    "leger_a02_five_bar": ("cases/leger_a02_five_bar.py", {}, "joint", 1e-3, 3000),
    "squeezer": ("cases/squeezer.py", {}, "joint", 1e-5, 1500),
    "leger_a11_stewart": ("cases/leger_a11_stewart.py", {}, "joint", 1e-3, 1000),
    "heavy_top": ("cases/heavy_top.py", {}, "absolute", 1e-3, 2000),
    "four_bar": ("cases/four_bar.py", {}, "default", 1e-5, 400),
    "panel_deployment": ("cases/panel_deployment.py", {}, "default", 1e-2, 400),
    "chain of 10": ("tests/benchmarks/chain.py", {"N": 10}, "joint", 1e-3, 1000),
    "chain of 50": ("tests/benchmarks/chain.py", {"N": 50}, "joint", 1e-3, 200),
    "chain of 200": ("tests/benchmarks/chain.py", {"N": 200}, "absolute", 1e-3, 60),
    "rods on bushings": ("tests/benchmarks/bushings.py", {}, "joint", 1e-4, 200),
    "rods on bushings, absolute": ("tests/benchmarks/bushings.py", {}, "absolute", 1e-4, 200),
}

#: turns of each in a round
TURNS = 60

_WORKER = """
import json, sys
from runpy import run_path
from time import process_time
import flexnet as fx
from flexnet.integrators import Settings, begin
sys.path.insert(0, sys.argv[1])
ready = {}
for name, (file, keys, tree, step, steps) in json.loads(sys.argv[2]).items():
    ready[name] = fx.formulate(run_path(file)["build"](**keys), tree).dae(), step, steps
for line in sys.stdin:
    dae, step, steps = ready[line.strip()]
    march = begin(dae, fx.hht(), Settings(step, steps * step, interval=steps * step))
    start = process_time()
    for _ in march.blocks():
        pass
    print(json.dumps((process_time() - start, march.status.iterations / march.status.steps)), flush=True)
"""


class Worker:
    """A checkout that takes turns."""

    def __init__(self, checkout: Path, stating: Path, core: int) -> None:
        own = checkout / ".venv/bin/python"
        cases = {
            name: (str(stating / file if (stating / file).exists() else ROOT / file), *how)
            for name, (file, *how) in CASES.items()
        }
        python = own if own.exists() else sys.executable
        self._process = subprocess.Popen(
            [python, "-P", "-W", "ignore", "-c", _WORKER, stating, json.dumps(cases)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env=os.environ | {"PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
        os.sched_setaffinity(self._process.pid, {core})

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def turn(self, name: str) -> tuple[float, float]:
        """Processor time of a turn [s] and iterations a step."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{name}\n")
        seconds, iterations = json.loads(self._process.stdout.readline())
        return seconds, iterations


def measure(before: Path, number: int) -> dict[str, tuple[float, float, float]]:
    """One round: new over old, iterations a step of old and of new, of every case."""
    core = sorted(os.sched_getaffinity(0))[number % len(os.sched_getaffinity(0))]
    found = {}
    with ExitStack() as stack:
        old, new = (stack.enter_context(Worker(checkout, before, core)) for checkout in (before, ROOT))
        for name in CASES:
            turns = [(old.turn(name), new.turn(name)) for _ in range(TURNS)]
            least = [min(turn[who][0] for turn in turns) for who in (0, 1)]
            found[name] = least[1] / least[0], turns[0][0][1], turns[0][1][1]
    return found


def main(before: str, rounds: str = "5") -> None:
    """New over old of every case: the median of the rounds, and the least and the largest."""
    other = Path(before).resolve()
    measured = [measure(other, number) for number in range(int(rounds) + 1)][1:]  # the first one compiles
    with table("before") as say:
        iterations = f"iterations a step: {commit_of(other)}, now"
        say(f"| case | tree | step [s] | {iterations} | time over before (least, most) |")
        say("|---" * 5 + "|")
        for name, (_, _, tree, step, _) in CASES.items():
            ratios = sorted(of[name][0] for of in measured)
            _, old, new = measured[0][name]
            spread = f"{median(ratios):.3f} ({ratios[0]:.3f}, {ratios[-1]:.3f})"
            say(f"| {name} | {tree} | {step:g} | {old:.2f}, {new:.2f} | {spread} |")


if __name__ == "__main__":
    main(*sys.argv[1:3])
