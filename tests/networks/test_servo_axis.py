"""The one-axis drive of the Modelica Standard Library: control, op-amps, motor, stiction and gear in one.

Figures: ``modelica/MAP-LIB_ReferenceResults``, branch v4.1.0, commit 6db6c501, RobotR3.OneAxis, single rows.
An independent solution of the same equations is within 8e-7 of the range of a column; twice that is asked.
"""

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import build, load

#: range of the published columns
RANGES = {
    "x": 13.115, "twist": 0.4003, "twist_rate": 26.216, "angle": 2.0955, "speed": 3.1678,
    "capacitor": 478.56, "current": 7.3657,
}  # fmt: skip
PUBLISHED = {
    0.3008: (
        7.82924389287, -0.115992272912, 0.0825179224347, 0.451260954353, 3.0099090311, -310.244054965,
        3.42156708299,
    ),
    1.0048: (
        -5.02187014398, 0.086880232438, -9.17361140032, 2.09530076565, -0.0600472383188, 53.6399250653,
        -1.07082635122,
    ),
    1.3568: (
        0.535136616498, -0.000808032660658, 0.0430659323834, 2.09404631874, 0.000262837899861,
        -22.1313723773, 0.442493355638,
    ),
    1.4976: (
        0.841953923528, 6.42883849824e-06, 0.00221659309902, 2.0941798803, 0.00100299615723, -21.5374299893,
        0.42978276927,
    ),
}  # fmt: skip
#: the rotor slips, reverses, sticks, slips back, sticks, slips
STICTION = (0.00065, 0.99792, 1.09345, 1.09892, 1.12785, 1.35362)


@pytest.fixture(scope="module")
def run() -> fx.Run:
    return fx.simulate(build("servo_axis"), load("servo_axis").END, 2e-4, fx.radau(), interval=6.4e-3)


def test_the_drive_has_the_published_motion(run: fx.Run) -> None:
    for time, row in PUBLISHED.items():
        k = int(np.abs(run.t - time).argmin())
        for (name, size), value in zip(RANGES.items(), row, strict=True):
            assert run.channel(name)[k] == pytest.approx(value, abs=2 * 8e-7 * size), (time, name)


def test_the_bearing_sticks_and_slips_when_the_published_one_does(run: fx.Run) -> None:
    found = [e.t for e in run.events if e.name.startswith("bearing")]
    assert found == pytest.approx(STICTION, abs=5e-6)


@pytest.mark.slow
def test_steps_of_high_order_do_not_shrink_for_the_round_off_of_the_current_loop(run: fx.Run) -> None:
    """v_C follows the difference of two large numbers over 4 µs; 1.7 million steps, were it not seen."""
    own = fx.simulate(build("servo_axis"), load("servo_axis").END, 4e-4, fx.dop853(), interval=6.4e-3)
    assert own.status.steps < 30_000
    assert "round-off of the forces" in own.validity
    for name, size in RANGES.items():
        np.testing.assert_allclose(own.channel(name), run.channel(name), rtol=0, atol=2 * 8e-7 * size)


def test_tellegen_s_sum_is_zero_and_machine_and_rotor_exchange_the_same_power(run: fx.Run) -> None:
    v = np.array([run.channel(f"{edge}.voltage") for edge in run.equations.system.network.ports])
    i = np.array([run.channel(f"{edge}.current") for edge in run.equations.system.network.ports])
    assert np.abs((v * i).sum(axis=0)).max() < 1e-12 * np.abs(v * i).max()
