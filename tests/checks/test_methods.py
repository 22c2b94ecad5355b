"""Every registered method is what it declares; a method of one's own is one file."""

import numpy as np
import pytest
from typer.testing import CliRunner

import flexnet as fx
from flexnet.checks import check_method
from flexnet.cli.main import build_app
from flexnet.integrators import METHODS, OneStep, integrator
from tests.catalogue import build

CASE = '''"""A pendulum, and Heun's method to run it."""

import flexnet as fx

END, STEP = 0.5, 0.005


@fx.integrator
def heun(shift: float = 1.0) -> fx.OneStep:
    """Heun's method on the accelerations."""

    def step(e, t, q, v, h):
        a, _ = e.motion(t, q, v)
        a1, _ = e.motion(t + h, e.compose(q, h * v), v + h * a)
        return e.compose(q, h * v + 0.5 * h * h * a), v + 0.5 * h * shift * (a + a1)

    return fx.OneStep("heun", step, 2, {"shift": shift})


def build() -> fx.System:
    """A body on a pivot."""
    s = fx.System("swing", planar=True)
    s.gravity([0.0, -9.81])
    bob = s.rigid_body("bob", mass=1.0, inertia=0.1, frames={"pivot": [1.0, 0.0]}, position=[-1.0, 0.0])
    s.revolute("pivot", s.ground, bob["pivot"])
    return s
'''


def euler(e, t, q, v, h):
    a, _ = e.motion(t, q, v)
    return e.compose(q, h * v), v + h * a


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_the_order_it_declares_in_q_v_and_lambda(name):
    check_method(METHODS[name]())


@pytest.mark.slow
def test_a_step_in_python_is_a_method_with_the_order_it_declares():
    found = check_method(OneStep("euler", euler, 1))
    np.testing.assert_allclose(found.order, 1.0, atol=0.2)


def test_a_method_that_declares_too_much_is_refused():
    with pytest.raises(fx.FlexnetError, match="euler declares order 2 in q; measured on a pendulum: 1"):
        check_method(OneStep("euler", euler, 2))
    with pytest.raises(fx.FlexnetError, match="euler declares to keep the energy"):
        check_method(OneStep("euler", euler, 1, energy="keeps"))


def test_a_method_of_ones_own_follows_a_mechanism_with_loops_and_resumes(tmp_path):
    own, file = OneStep("euler", euler, 1), tmp_path / "a.h5"
    run = fx.simulate(build("slider_crank_leger"), 0.02, 1e-4, own, interval=0.001)
    wanted = fx.simulate(build("slider_crank_leger"), 0.02, 1e-4, fx.hht(), interval=0.001)
    scale = np.abs(wanted["state/q"]).max()
    np.testing.assert_allclose(run["state/q"], wanted["state/q"], atol=2e-3 * scale)
    for end in (0.01, 0.02):
        again = fx.simulate(
            build("slider_crank_leger"), end, 1e-4, own, interval=0.001, out=file, resume=end == 0.02
        )
    np.testing.assert_array_equal(again["state/q"], run["state/q"])


def test_a_method_of_ones_own_runs_from_the_command_line(tmp_path):
    case = tmp_path / "swing.py"
    case.write_text(CASE)

    def run(*words: str) -> str:
        words = ("run", str(case), "--out", str(tmp_path / "a.h5"), "--integrator", "heun", *words)
        return CliRunner().invoke(build_app(), words, catch_exceptions=False).output

    try:
        assert "with heun" in run("--parameter", "shift=1.0")
        assert fx.Results.open(tmp_path / "a.h5").settings["shift"] == 1.0
        with pytest.raises(fx.FlexnetError, match="heun has no parameter --rho; its parameter is --shift"):
            run("--rho", "0.5")
        assert "Heun's method on the accelerations" in run("--integrator", "?")
    finally:
        METHODS.pop("heun", None)


def test_a_step_that_fails_or_has_the_wrong_shape_is_named():
    def broken(e, t, q, v, h):
        return q[:1], v

    with pytest.raises(fx.FlexnetError, match=r"the step of broken gives shapes \(1,\)"):
        check_method(OneStep("broken", broken, 1))
    with pytest.raises(fx.FlexnetError, match=r"the step of bad at t = 0 s fails: ZeroDivisionError"):
        check_method(OneStep("bad", lambda e, t, q, v, h: 1 / 0, 1))


def test_a_tolerance_for_a_fixed_step_and_a_name_that_is_taken_are_refused():
    with pytest.raises(fx.FlexnetError, match="euler keeps a fixed step"):
        fx.simulate(build("simple_pendulum"), 0.1, 1e-3, OneStep("euler", euler, 1), tolerance=1e-4)

    def hht():
        return fx.hht()

    with pytest.raises(fx.FlexnetError, match="there already is an integrator 'hht'"):
        integrator(hht)
