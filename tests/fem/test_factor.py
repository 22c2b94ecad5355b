"""Sparse factorisation: what it refuses, in words."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, eye_array, kron

from flexnet.errors import ModelError
from flexnet.fem.factor import factorise

# in a process of its own, whose memory ends 8 MB after the matrix: its factors take more
SCARCE = """
import resource
from tests.fem.test_factor import grid
from flexnet.errors import ModelError
from flexnet.fem.factor import factorise

A = grid(20)
factorise(grid(4))
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 8_000_000,) * 2)
try:
    factorise(A)
except ModelError as error:
    print(error)
"""


def grid(n):
    """Stiffness of springs between the n³ points of a grid."""
    line, one = diags_array([2.1, -1.0, -1.0], offsets=[0, 1, -1], shape=(n, n)), eye_array(n)
    return csr_array(kron(kron(line, one), one) + kron(kron(one, line), one) + kron(kron(one, one), line))


def test_a_solution_meets_its_equation():
    A = grid(6)
    b = np.cos(np.arange(216.0))
    assert A @ factorise(A).solve(b) == pytest.approx(b, abs=1e-12)


def test_a_free_part_is_a_singular_matrix():
    with pytest.raises(ModelError, match="free to move"):
        factorise(csr_array(np.diag([1.0, 0.0])))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and /proc are Linux's")
def test_factors_that_find_no_memory_are_one_sentence():
    done = subprocess.run([sys.executable, "-c", SCARCE], capture_output=True, text=True, timeout=120)
    assert "not enough memory for the factors of a matrix with 8,000 freedoms" in done.stdout, done.stderr
