"""Driven motions begin consistent in position, rate and acceleration, or are refused in a sentence."""

import logging

import numpy as np
import pytest
import sympy as sp

import flexnet as fx

TREES = ("joint", "absolute")
t = sp.Symbol("t")


def driven(angle, **start) -> fx.System:
    """A rod on a driven pin."""
    s = fx.System("driven", planar=True)
    rod = s.rigid_body("rod", 1.0, 0.1, {"end": [-0.5, 0]}, **start)
    s.revolute("pin", s.ground, rod["end"])
    s.motion("drive", joint="pin", angle=angle)
    return s


MOTIONS = {
    "polynomial": (fx.polynomial(0.3, 1.0, 0.5, 2.0), lambda x: 1.0 + 12 * x),
    "smooth step": (fx.smooth_step(0.0, 1.0, duration=0.5), lambda x: 480 * x * (1 - 2 * x) * (1 - 4 * x)),
    "cycloidal": (fx.cycloidal(0.0, 1.0, 0.5), lambda x: 8 * np.pi * np.sin(4 * np.pi * x)),
    "table": (fx.table([0.0, 0.1, 0.2, 0.3], [0.0, 0.1, 0.15, 0.1]), lambda x: -50.0 * x),
    "expression": (sp.sin(3 * t) ** 2, lambda x: 18 * np.cos(6 * x)),
}


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", MOTIONS)
def test_the_driving_torque_is_right_from_the_first_row_on(name, tree):
    """A motion that begins with a jump of its third derivative once left 20 % at the first step."""
    angle, acceleration = MOTIONS[name]
    run = fx.simulate(driven(angle), 2e-3, 1e-4, tree=tree)
    exact = (0.1 + 0.25) * acceleration(run.t)
    found = run["joints/drive/torque"][:, 2]
    if name == "table":  # its second derivative is what the table leaves to the spline
        exact = found[0] + (found[-1] - found[0]) * run.t / run.t[-1]
    np.testing.assert_allclose(found, exact, atol=2e-3 * np.abs(exact).max() + 1e-9)


@pytest.mark.parametrize(
    ("angle", "text"),
    [
        (abs, "rate of driver 'drive' jumps at the start: it is 0 there and 1 just after"),
        (lambda x: abs(x) ** 0.5, "rate of driver 'drive' jumps"),
        (sp.sqrt(t), "rate of driver 'drive' jumps at the start: it is inf"),
        (t ** sp.Rational(3, 2), "acceleration of driver 'drive' jumps at the start: it is inf"),
        (
            fx.from_callable(lambda x: max(x, 0) ** 2, lambda x: 2 * max(x, 0), lambda x: 2.0 * (x > 0)),
            "acceleration of driver 'drive' jumps at the start: it is 0 there and 2 just after",
        ),
    ],
)
@pytest.mark.parametrize("tree", TREES)
def test_a_motion_that_begins_with_a_jump_is_refused(angle, text, tree):
    with pytest.raises(fx.AssemblyError, match=text):
        fx.formulate(driven(angle), tree)


@pytest.mark.parametrize(
    "angle",
    [lambda x: 0.3 + x + x * x, fx.smooth_step(0.0, 1.0, duration=1e-3), 1e6 * t, fx.harmonic(1e-6, 1e4)],
)
def test_a_motion_that_begins_smoothly_is_taken_however_fast_or_small(angle):
    assert fx.formulate(driven(angle)).initial is not None


def test_a_velocity_that_was_given_and_cannot_be_kept_is_said(caplog):
    with caplog.at_level(logging.WARNING, logger="flexnet"):
        fx.formulate(driven(fx.polynomial(0.3, 1.0), angular_velocity=[0, 0, 7.0], velocity=[0, 3.5, 0]))
    assert "'rod' starts with the velocity" in caplog.text
    assert "not, as given, with [0.  3.5 0. ] and [0. 0. 7.]" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="flexnet"):
        fx.formulate(driven(fx.polynomial(0.3, 1.0), angular_velocity=[0, 0, 1.0]))
    assert not caplog.text


def test_a_steady_motion_is_not_called_rough_for_its_round_off():
    assert not fx.simulate(driven(fx.polynomial(0.3, 1.0)), 1e-3, 1e-4, tree="joint").warnings
