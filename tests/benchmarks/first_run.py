"""What a first run costs: processor seconds of the command line on an empty cache, and on a full one.

    python -m tests.benchmarks.first_run

Each line is one process: first on a cache that has what the lines above it left, then again, the least of
three, when all is there. The first of all reads every module without bytecode, as after an installation
without it.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

CASES = Path(__file__).parents[2] / "cases"
#: what is new to the cache, and the words of the command
RUNS = (
    ("numeric", ["simple_pendulum.py", "--engine", "numeric"]),
    ("energy scheme", ["simple_pendulum.py", "--engine", "numeric", "--integrator", "energy_preserving"]),
    ("flexible body", ["four_bar.py", "--engine", "numeric"]),
    ("Stewart symbolic", ["leger_a11_stewart.py", "--engine", "symbolic"]),
)
STEPS = ("--step", "1e-4", "--end", "1e-3", "--out", "run.h5", "--fresh")


def seconds(words: list[str], folder: Path) -> float:
    """Processor seconds, user and system, of one ``flexnet run``; Python keeps its bytecode, as it does."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "flexnet", "run", str(CASES / words[0]), *words[1:], *STEPS],
        cwd=folder,
        env=kept
        | {
            "FLEXNET_CACHE": str(folder / "cache"),
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        },
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line a run."""
    sys.stdout.write("what is new        first    again   [s of processor time]\n")
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cache").mkdir(mode=0o700)
        for what, words in RUNS:
            first, again = seconds(words, folder), min(seconds(words, folder) for _ in range(3))
            sys.stdout.write(f"{what:17s} {first:6.2f}   {again:6.2f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
