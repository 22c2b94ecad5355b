"""Explicit methods of high order: orders, rotations, constraints, rows between steps."""

import re

import numpy as np
import pytest

import flexnet as fx
from flexnet.checks.pendulum import exact, pendulum
from flexnet.integrators import Settings, begin
from flexnet.integrators.runge_kutta import tableau
from tests.catalogue import build as build_case

METHODS = {"rk4": (fx.rk4, 4), "dopri5": (fx.dopri5, 5), "dop853": (fx.dop853, 8)}


def run_pendulum(method, step, interval=1.0):
    """Rows of the pendulum by equal steps: any error is allowed."""
    settings = Settings(step, 1.0, interval, tolerance=1e9, largest=step)
    march = begin(pendulum(), method, settings)
    blocks = [march.start(), *march.blocks()]
    assert march.status.is_done
    return [np.concatenate([getattr(b, key) for b in blocks]) for key in ("t", "q", "v", "lam")]


def errors(rows):
    t, *found = rows
    return np.array([np.abs(a - b).max() for a, b in zip(found, exact(t), strict=True)])


@pytest.mark.parametrize("name", METHODS)
def test_positions_velocities_and_loads_converge_with_the_declared_order(name):
    make, order = METHODS[name]
    steps = {4: (1 / 16, 1 / 32, 1 / 64), 5: (1 / 8, 1 / 16, 1 / 32), 8: (1 / 4, 1 / 8, 1 / 16)}[order]
    found = np.array([errors(run_pendulum(make(), h)) for h in steps])
    slopes = np.log2(found[:-1] / found[1:])
    assert np.all(slopes.max(axis=0) > order - 0.4), slopes
    assert np.all(found[-1] < 1e-6), found


@pytest.mark.parametrize("name", METHODS)
def test_rows_between_steps_are_of_the_order_of_the_dense_output(name):
    make, order = METHODS[name]
    coarse, fine = (errors(run_pendulum(make(), h, 1 / 64)) for h in (1 / 8, 1 / 16))
    dense = {4: 4, 5: 4, 8: 7}[order]
    assert np.all(np.log2(coarse / fine) > dense - 0.5), (coarse, fine)


@pytest.mark.parametrize("name", METHODS)
def test_a_tableau_integrates_polynomials_up_to_its_order(name):
    t, order = tableau(name), METHODS[name][1]
    for k in range(order):
        assert t.b @ t.c**k == pytest.approx(1 / (k + 1), abs=1e-13)
    # Σ b_i a_ij c_j^(k-1) = 1/(k (k + 1)) (k + 1 ≤ order): trees of two levels
    for k in range(1, order):
        assert t.b @ t.A @ t.c ** (k - 1) == pytest.approx(1 / (k * (k + 1)), abs=1e-13)


@pytest.mark.parametrize("name", METHODS)
def test_the_estimate_sees_rates_that_follow_the_time_alone(name):
    """E Σ c^k of t^k is first seen below the order: of the classical rule of order 4 no k < 4 would be."""
    t, order = tableau(name), METHODS[name][1]
    seen = [k for k in range(order) if abs(t.E[0] @ t.c**k) > 1e-6]
    assert seen
    assert seen[0] > 0


@pytest.mark.parametrize("name", METHODS)
def test_a_charge_that_follows_the_time_alone_is_within_the_tolerance(name):
    """C u̇ = sin² 200 t: by the classical rule of order 4, 73 times the tolerance in silence."""
    s = fx.System("charged")
    s.current_source("I", s.ground, "a", lambda t: np.sin(200.0 * t) ** 2)
    s.capacitor("C", "a", s.ground, 1e-2)
    s.channel("u", fx.voltage("C"), "V")
    run = fx.simulate(s, 10.0, 0.01, METHODS[name][0](1e-3), interval=0.5)
    wanted = 50.0 * run.t - np.sin(400.0 * run.t) / 8.0
    assert np.abs(run.channel("u") - wanted).max() < 1e-3 * 500.0


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_spinning_top_keeps_energy_and_momentum_in_any_tree(tree):
    system = build_case("heavy_top")
    run = fx.simulate(system, 0.2, 1e-3, fx.dop853(), tree, tolerance=1e-11, interval=0.02)
    assert run.status.is_done
    assert run.energy_error < 1e-9 * np.abs(run["energy/kinetic"]).max()
    other = fx.simulate(system, 0.2, 1e-3, fx.dopri5(), "absolute_angular", tolerance=1e-9, interval=0.02)
    for path in [p for p in run.paths() if p.startswith("frames/") and p.endswith("position")]:
        assert np.abs(run[path] - other[path]).max() < 1e-9


def test_constraints_of_a_closed_loop_hold_to_round_off_at_every_row():
    run = fx.simulate(build_case("squeezer"), 0.01, 1e-5, fx.dop853(), tolerance=1e-9, interval=1e-4)
    assert run["constraints/position"].max() < 1e-14
    assert run["constraints/velocity"].max() < 1e-10 * np.abs(run["state/v"]).max()


def test_a_turn_of_more_than_half_within_a_step_is_refused_and_the_step_becomes_smaller():
    s = fx.System("spinner")
    body = s.rigid_body("body", 1.0, [1.0, 1.0, 1.0], angular_velocity=[0.0, 0.0, 10.0])
    s.floats(body)
    run = fx.simulate(s, 2.0, 1.0, fx.dop853(), "absolute", tolerance=1e-8, interval=2.0)
    w, _, _, z = run["frames/body/quaternion"][-1]
    assert abs(abs(w * np.cos(10.0) + z * np.sin(10.0)) - 1) < 1e-8


def test_the_tolerance_of_a_method_is_bounded():
    with pytest.raises(fx.FlexnetError, match="needs a tolerance between 1e-13"):
        fx.dop853(1e-20)


def damped(damping: float, lag: float) -> fx.System:
    """A pendulum of two links with a damper in its elbow and a controller that lags."""
    s = fx.System("damped", planar=True)
    s.gravity([0, -9.81])
    one = s.rigid_body("one", 1.0, 0.1, {"O": [0, 1.0]}, position=[0, -1.0])
    two = s.rigid_body("two", 0.2, 0.02, position=[0, -1.5])
    s.revolute("O", s.ground, one["O"])
    s.revolute("A", one, two)
    s.start("O", angle=0.5)
    s.torsional_spring("drag", joint="A", damping=damping)
    s.torque("motor", joint="O", torque=fx.quantity(-1.0, "N*m") * fx.lag(fx.joint_coordinate("O"), lag))
    return s


@pytest.mark.parametrize("method", [fx.rk4(1e-4), fx.dopri5(1e-6), fx.dop853(1e-6)], ids=lambda m: m.name)
@pytest.mark.parametrize(
    ("damping", "lag", "rate"),
    [(50.0, 0.3, 2500.0), (1e-3, 1e-3, 1000.0), (1e-3, 0.3, None), (0.1, 0.1, None)],
)
def test_a_stiff_motion_is_told_with_its_rate_and_what_to_do(method, damping, lag, rate, tmp_path):
    run = fx.simulate(damped(damping, lag), 2.0, 0.01, method, interval=0.1, out=tmp_path / "run.h5")
    words = r"the motion is stiff: (\d+) of (\d+) steps .* some (\S+) 1/s .* radau\(\) or hht\(\)"
    told = re.search(words, run.validity)
    assert (told is not None) == (rate is not None)
    if told is not None:
        assert float(told[3]) == pytest.approx(rate, rel=0.1)
        assert told[0] in fx.Results.open(run.path).status.message


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-7])
@pytest.mark.parametrize("make", [fx.rk4, fx.dopri5, fx.dop853])
def test_what_swings_fast_and_far_is_not_called_stiff(make, tolerance):
    s = damped(1e-3, 0.3)
    s.torsional_spring("fast", joint="A", stiffness=500.0)
    s.start("A", angle=0.3)
    assert "stiff" not in fx.simulate(s, 2.0, 0.01, make(tolerance), interval=0.1).validity


@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("make", [fx.rk4, fx.dopri5, fx.dop853])
def test_steps_are_never_longer_than_turns_can_be_counted(make, tree):
    """Two rotors against each other on a soft spring, φ̈ = -2k φ/J: steps over half a turn once lost it."""
    s = fx.System("rotors")
    rate, J, k = 3.0, 0.1, 5e-5
    a, b = (
        s.rigid_body(name, 1.0, [0.1, 0.1, J], rotation=fx.rotation("x", 0.4), angular_velocity=w)
        for name, w in zip("ab", np.outer([rate, -rate], fx.rotation("x", 0.4)[:, 2]), strict=True)
    )
    base = s.ground.frame("base", [0, 0, 0], rotation=fx.rotation("x", 0.4))
    s.revolute("A", base, a, axis="z")
    s.revolute("B", base, b, axis="z")
    s.torsional_spring("spring", tail=b, head=a, axis="z", stiffness=k)
    s.channel("angle", fx.joint_coordinate("A") - fx.joint_coordinate("B"), "rad")
    run = fx.simulate(s, 60.0, 1.0, make(1e-6), tree, interval=10.0)
    swing = (2 * k / J) ** 0.5
    assert run.channel("angle") == pytest.approx(2 * rate / swing * np.sin(swing * run.t), abs=1e-3)
    assert not run.warnings


@pytest.mark.parametrize("method", [fx.rk4(1e-6), fx.dopri5(), fx.dop853()], ids=lambda m: m.name)
def test_steps_that_are_rejected_turn_nothing(method):
    """A strip that hardly moves: its first steps are far too long, and end anywhere."""
    run = fx.simulate(build_case("roll_up", elements=2), 2e-3, 1e-3, method)
    assert np.abs(run["state/v"]).max() < 1e-6
    assert not any("half a turn" in warning for warning in run.warnings)
