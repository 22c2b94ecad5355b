"""From the wheel to the first picture: nothing installed, nothing compiled, no cache of any kind.

    python -m tests.benchmarks.from_wheel

The wheel is built, then the clock starts: pip installs it into a fresh environment with all it needs, the
four-bar that comes with it runs, and its first channel is drawn. Home, caches and bytecode are empty folders;
what pip downloads depends on the network and is in its line. The same run and picture again, last.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.benchmarks.table import ROOT, table

#: variables of the environment that would tell of another place, or keep Python from its bytecode
OTHERS = ("FLEXNET_", "PYTHON", "XDG_", "VIRTUAL_ENV", "MPL")


def seconds(words: Sequence[str | Path], folder: Path) -> tuple[float, float]:
    """Wall-clock and processor seconds (user and system) of a command in a home of its own."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(OTHERS)}
    kept |= {"HOME": str(home), "PIP_CACHE_DIR": str(home / "pip"), "OPENBLAS_NUM_THREADS": "1"}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(list(map(str, words)), cwd=folder, env=kept, check=True, capture_output=True)
    wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder: Path, say: Callable[[str], None]) -> None:
    """Print a line a step, all of them in an empty folder."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "fresh"], check=True)
    commands = folder / "fresh" / ("Scripts" if os.name == "nt" else "bin")
    steps = [
        ("`pip install` of the wheel with `[view]`", [commands / "pip", "install", f"{wheel}[view]"]),
        ("`flexnet examples run four_bar`", [commands / "flexnet", "examples", "run", "four_bar"]),
        ("`flexnet plot four_bar.h5`", [commands / "flexnet", "plot", "four_bar.h5"]),
    ]
    say("| step | wall clock [s] | processor [s] |")
    say("|---|---|---|")
    found = []
    for what, words in steps:
        found.append(seconds(words, folder))
        say(f"| {what} | {found[-1][0]:.1f} | {found[-1][1]:.1f} |")
    say(f"| together | {sum(x for x, _ in found):.1f} | {sum(x for _, x in found):.1f} |")
    for what, words in steps[1:]:
        wall, processor = seconds(words, folder)
        say(f"| {what} again | {wall:.2f} | {processor:.2f} |")


def main() -> None:
    """Measure, print and put the table on its page."""
    folder = TemporaryDirectory()
    with table("from wheel") as say:
        measure(Path(folder.name), say)
    folder.cleanup()


if __name__ == "__main__":
    main()
