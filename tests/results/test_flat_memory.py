"""Memory does not grow with a result file: rows go to disk as they come, and a reader takes what is asked."""

import subprocess
import sys

import pytest

RUN = """
import resource, sys
import flexnet as fx
from tests.benchmarks import chain

path, rows = sys.argv[1], int(sys.argv[2])
fx.simulate(chain.build(20), rows * 1e-3, 1e-3, tree="joint", out=path)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
READ = """
import resource, sys
import flexnet as fx

results = fx.Results.open(sys.argv[1])
results.row(results.rows - 1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(script, *arguments):
    """Most memory of a process of its own, MB."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024


@pytest.mark.slow
def test_five_times_the_file_takes_no_more_memory_to_write_or_to_read(tmp_path):
    small, large = tmp_path / "small.h5", tmp_path / "large.h5"
    peak(RUN, small, 10)  # compiled from here on
    written = [peak(RUN, small, 4000), peak(RUN, large, 20000)]
    grown = (large.stat().st_size - small.stat().st_size) / 2**20
    assert grown > 100
    assert written[1] - written[0] < 0.15 * grown
    assert peak(READ, large) - peak(READ, small) < 0.05 * grown
