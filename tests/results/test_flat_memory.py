"""Memory does not grow with a result file: rows go to disk as they come, and a reader takes what is asked."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RUN = """
import sys
import flexnet as fx
from tests.benchmarks import chain

path, rows = sys.argv[1], int(sys.argv[2])
fx.simulate(chain.build(20), rows * 1e-3, 1e-3, tree="joint", out=path)
"""
READ = """
import sys
import flexnet as fx

results = fx.Results.open(sys.argv[1])
results.row(results.rows - 1)
"""
VERB = "import sys; sys.argv[0] = 'flexnet'; from flexnet.__main__ import main; main()"
#: a small process between: what a process had of its parent's memory before it began counts as its own
BETWEEN = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
VERBS = (
    ["info"],
    ["plot", "energy/total", "--out", "total.png"],
    ["plot", "state/q/joint19.angle", "--out", "coordinate.png"],
    ["view", "--out", "page.html"],
    ["export", "energy/total", "frames/rod19/position/x", "--out", "table.csv"],
)


def peak(folder, script, *arguments):
    """Most memory of a process of its own, MB."""
    command = [sys.executable, "-c", BETWEEN, script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return int(done.stdout) / (2**20 if sys.platform == "darwin" else 2**10)


@pytest.mark.slow
def test_five_times_the_file_takes_no_more_memory_to_write_to_read_or_to_show(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    small, large = tmp_path / "small.h5", tmp_path / "large.h5"
    peak(tmp_path, RUN, small, 10)  # compiled from here on
    written = [peak(tmp_path, RUN, small, 4000), peak(tmp_path, RUN, large, 20000)]
    grown = (large.stat().st_size - small.stat().st_size) / 2**20
    assert grown > 100
    assert written[1] - written[0] < 0.15 * grown
    assert peak(tmp_path, READ, large) - peak(tmp_path, READ, small) < 0.05 * grown
    for verb, *words in VERBS:
        few, many = (peak(tmp_path, VERB, verb, path, *words) for path in (small, large))
        assert many - few < 0.1 * grown, verb
