"""A law that divides by zero within a run is named, with the time, whichever way the run fails there."""

import re

import pytest
from pendulums import pendulum

import flexnet as fx

POLES = {
    "of time, traced": lambda x, v, t: 1.0 / (0.3 - t) ** 2,
    "of time, in Python": lambda x, v, t: 1.0 / (0.3 - t) if t != 0.3 else 1 / 0,
    "of place, traced": lambda x, v, t: -1.0 / (x - 0.2),
}


def stopped(law, method=None, **how) -> str:
    s = pendulum(0.5)
    s.torsional_spring("spring", joint="pivot", law=law)
    run = fx.simulate(s, 0.5, 1e-3, method and getattr(fx, method)(), throw=False, **how)
    assert not run.status.is_done, str(run.status)
    return str(run.status)


DOP = {"method": "dop853", "tolerance": 1e-6}


@pytest.mark.parametrize(
    ("pole", "how"),
    [*((pole, {}) for pole in POLES), ("of time, in Python", DOP), ("of place, traced", DOP),
     ("of place, traced", {"tolerance": 1e-6})],
    ids=str,
)  # fmt: skip
def test_a_pole_is_named_with_its_time(pole, how):
    said = stopped(POLES[pole], **how)
    assert "law of spring" in said
    assert float(re.findall(r"t = ([\d.]+) s", said)[-1]) == pytest.approx(0.3, abs=4e-3)
