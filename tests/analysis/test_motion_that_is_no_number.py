"""A driver that gives no number ends the run in words, also where drivers hold every freedom."""

import math

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import ConvergenceError


def driven(f):
    s = fx.System("driven", planar=True)
    rod = s.rigid_body("rod", 1.0, 1 / 12, {"top": [0, 0.5]})
    s.revolute("pin", s.ground, rod["top"])
    s.motion("turn", joint="pin", angle=fx.from_callable(f))
    s.channel("angle", fx.joint_coordinate("pin"), "rad")
    return s


@pytest.mark.parametrize("f", [lambda t: math.nan if t > 0.05 else 0.0, lambda t: 0.0 if t < 0.05 else 1 / 0])
def test_a_run_whose_motion_becomes_no_number_fails_and_keeps_the_rows_before(f):
    with pytest.raises(ConvergenceError, match=r"not a number.*law of turn|law of turn.*not a number"):
        fx.simulate(driven(f), 0.1, 1e-2, interval=1e-2)
    run = fx.simulate(driven(f), 0.1, 1e-2, interval=1e-2, throw=False)
    assert not run.status.is_done
    assert np.isfinite(run.channel("angle")).all()
