"""Torque that drives the four-bar: axial waves of the links, which pieces must carry."""

from itertools import pairwise

import numpy as np
import pytest

from tests.flexible.reference import run


@pytest.mark.slow
def test_the_torque_of_the_four_bar_converges_with_pieces():
    """Each halving of the pieces more than halves the difference, to 20 ms at a step that resolves them.

    Not by four: the start, rigid velocities in elastic links, sends a wave front through them.
    """
    torque = [
        run("four_bar", 0.02, 1e-6, tree="joint", pieces=p, elements=p, modes=0).channel("crank_torque")
        for p in (8, 16, 32)
    ]
    peak = np.abs(torque[-1]).max()
    first, second = (np.sqrt(np.mean((a - b) ** 2)) / peak for a, b in pairwise(torque))
    assert first / second > 2.0
    assert second < 0.02
