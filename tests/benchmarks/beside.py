"""An older checkout beside this one: iterations a step and processor time, in turns.

``git worktree add ../old 54926da`` and ``python -m tests.benchmarks.beside ../old [turns [case …]]``; each
turn is a process of its own in either, so that what one leaves in memory does not help the other.
"""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

#: case and step, s: the tables of docs/performance.md
CASES = {
    "squeezer": 1e-5,
    "leger_a01_four_bar": 1e-3,
    "leger_a02_five_bar": 1e-3,
    "leger_a11_stewart": 1e-3,
    "heavy_top": 1e-3,
    "double_pendulum": 1e-3,
    "four_bar": 1e-4,
    "panel_deployment": 1e-3,
}
STEPS, RUNS, TURNS = 500, 3, 4
WORKER = """
import importlib.util, json, sys, time
import flexnet as fx
out = {}
for name, h in json.loads(sys.argv[1]).items():
    spec = importlib.util.spec_from_file_location(name, f"cases/{name}.py")
    case = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(case)
    made, times = fx.formulate(case.build()), []
    for _ in range(1 + int(sys.argv[3])):
        began = time.process_time()
        run = fx.simulate(made, int(sys.argv[2]) * h, h, interval=50 * h)
        times.append(time.process_time() - began)
    out[name] = run.status.iterations / run.status.steps, min(times[1:])
print(json.dumps(out))
"""


def turn(root: Path, names: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Iterations a step and the least processor time [s] of every case in a checkout."""
    words = [sys.executable, "-W", "ignore", "-c", WORKER, json.dumps(names), str(STEPS), str(RUNS)]
    told = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    return dict(json.loads(told.stdout.splitlines()[-1]))


def main() -> None:
    """Print one line a case: iterations a step and processor time, old and new, and the ratio of times."""
    old, new = Path(sys.argv[1]).resolve(), Path(__file__).parents[2]
    count, wanted = int((sys.argv[2:] or [TURNS])[0]), sys.argv[3:] or list(CASES)
    names = {n: CASES[n] for n in wanted if all((r / "cases" / f"{n}.py").exists() for r in (old, new))}
    turns = [(turn(old, names), turn(new, names)) for _ in range(count)]
    print(f"{'case':<24}{'iterations a step':>20}{'ms':>18}{'new/old':>10}")  # noqa: T201
    for name in names:
        before, after = turns[0][0][name], turns[0][1][name]
        ratio = median(b[name][1] / a[name][1] for a, b in turns)
        ms = [1e3 * min(t[k][name][1] for t in turns) for k in (0, 1)]
        rates = f"{before[0]:>12.2f}{after[0]:>8.2f}"
        print(f"{name:<24}{rates}{ms[0]:>10.1f}{ms[1]:>8.1f}{ratio:>10.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
