"""Theorems of the energy schemes: balance, constraints, order, dissipation, switching."""

from functools import cache

import numpy as np
import pytest

import flexnet as fx
from flexnet.errors import FlexnetError
from tests.catalogue import build
from tests.energy.study import end_errors, ring, swing_errors, swing_runs
from tests.energy.systems import (
    CONSERVATIVE,
    LARGE,
    ROTATING,
    busy,
    conservative,
    oscillator,
    pendulum,
    slider_crank,
)
from tests.mechanisms import MECHANISMS

TREES = ("joint", "absolute", "default")
SCHEMES = (fx.energy_preserving(), fx.energy_decaying(0.5), fx.energy_decaying(0.0))
IDS = ("preserving", "decaying", "decaying at once")
#: steps that resolve the motion badly
COARSE = {
    "double pendulum": 0.02, "triple pendulum": 0.01, "heavy top": 2e-3, "slider-crank": 0.02,
    "free beam": 0.01,
}  # fmt: skip


@cache
def formulated(name: str, tree: str) -> fx.Equations:
    return fx.formulate({**CONSERVATIVE, "busy": busy}[name](), tree)


@cache
def large_steps(name: str, tree: str, scheme: object) -> fx.Run:
    h = COARSE.get(name, 0.01)
    return fx.simulate(formulated(name, tree), 250 * h, h, scheme)


@pytest.mark.parametrize("scheme", SCHEMES, ids=IDS)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", [*CONSERVATIVE, "busy"])
class TestEveryTree:
    """250 large steps of every mechanism with every tree."""

    def test_energy_changes_by_the_work_done_and_nothing_else(self, name, tree, scheme):
        run = large_steps(name, tree, scheme)
        assert run.energy_error < 1e-11 * fx.audit(run).scale

    def test_constraints_hold_at_position_and_velocity_level(self, name, tree, scheme):
        run = large_steps(name, tree, scheme)
        v = max(1.0, np.abs(run["state/v"]).max())
        assert run["constraints/position"].max() < 1e-14
        assert run["constraints/velocity"].max() < 1e-12 * v

    def test_constraints_do_no_work_in_any_step(self, name, tree, scheme):
        run = large_steps(name, tree, scheme)
        assert np.abs(np.diff(run["energy/constraints"])).max() < 1e-12 * fx.audit(run).scale

    def test_the_scheme_never_adds_energy(self, name, tree, scheme):
        steps = np.diff(large_steps(name, tree, scheme)["energy/scheme"])
        if scheme.stages == 1:
            assert np.all(steps == 0.0)
        else:
            assert np.all(steps <= 0.0)
            assert np.any(steps < 0.0)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("scheme", SCHEMES, ids=IDS)
@pytest.mark.parametrize("name", ROTATING)
def test_positions_velocities_and_multipliers_are_of_second_order(name, scheme):
    end, h = ROTATING[name]
    _, errors = end_errors(formulated(name, "absolute"), end, (h / 2, h / 4, h / 8), scheme)
    orders = np.log2(errors[:-1] / errors[1:])
    assert orders == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7, 1.0])
class TestOscillator:
    """A mass on a spring: everything is known."""

    def decay(self, rho: float, omega: float, steps: int) -> np.ndarray:
        run = fx.simulate(oscillator(omega), float(steps), 1.0, fx.energy_decaying(rho))
        return np.sqrt(run["energy/total"] / run["energy/total"][0])

    def test_the_spectral_radius_at_infinity_is_the_one_asked_for(self, rho):
        amplitude = self.decay(rho, 1e4, 3)
        assert amplitude[1] == pytest.approx(rho, abs=1e-3)
        assert amplitude[2] == pytest.approx(rho**2, abs=2e-3)

    @pytest.mark.parametrize("omega", [0.3, 1.0, 3.0, 10.0])
    def test_the_spectral_radius_is_that_of_the_derivation(self, rho, omega):
        gamma = fx.energy_decaying(rho).gamma
        z = 1j * omega
        R = (1 + (1 - 2 * gamma) * z + (0.5 - 2 * gamma + gamma**2) * z**2) / (1 - gamma * z) ** 2
        assert self.decay(rho, omega, 4)[1:] == pytest.approx(abs(R) ** np.arange(1, 5), rel=1e-6)


def test_a_damped_oscillator_decays_as_the_midpoint_rule_says():
    h, omega, c = 0.1, 3.0, 0.4
    run = fx.simulate(oscillator(omega, c), 5.0, h, fx.energy_preserving())
    A = np.array([[0, 1], [-(omega**2), -c]])
    step = np.linalg.solve(np.eye(2) - h / 2 * A, np.eye(2) + h / 2 * A)
    x = np.linalg.matrix_power(step, 50) @ [1.0, 0.0]
    assert [run["state/q"][-1, 0], run["state/v"][-1, 0]] == pytest.approx(x, abs=1e-12)
    assert run["energy/damping"][-1] == pytest.approx(
        run["energy/total"][-1] - run["energy/total"][0], rel=1e-12
    )


def test_stiff_modes_stay_bounded_and_slow_ones_keep_their_amplitude():
    """Two masses: 2π rad/s and 1e5 rad/s, a step of 1e-3 s, 100 periods of the slow one."""
    s = fx.System("stiff", planar=True)
    a = s.rigid_body("a", 1.0, 1.0, position=[1.0, 0])
    b = s.rigid_body("b", 1e-3, 1.0, position=[2.001, 0])
    s.prismatic("guide", s.ground, a)
    s.prismatic("link", a, b)
    s.spring("slow", s.ground, a, stiffness=(2 * np.pi) ** 2, axis="x")
    s.spring("fast", a, b, stiffness=1e7, free_length=1.0, axis="x")
    s.start("guide", displacement=1.0)
    s.start("link", displacement=1.001)
    equations = fx.formulate(s, "joint")
    for scheme in (fx.energy_preserving(), fx.energy_decaying(0.0)):
        run = fx.simulate(equations, 100.0, 1e-3, scheme, interval=0.05)
        slow, fast = run["state/q"][:, 0], run["state/q"][:, 1] - 1.0
        assert np.abs(fast).max() < 1.5e-3
        assert np.abs(slow[-40:]).max() == pytest.approx(np.abs(slow[:40]).max(), rel=0.01)
        if scheme.stages == 2:
            assert np.abs(fast[1:]).max() < 1e-5
        assert run.energy_error < 1e-10 * run["energy/total"][0]


def test_linear_momentum_and_spin_of_a_free_rigid_body_are_kept():
    s = fx.System("stone")
    stone = s.rigid_body("stone", 2.0, [1.0, 1.0, 0.4], velocity=[1, 2, 3], angular_velocity=[1, 0.5, 9])
    s.free("flight", s.ground, stone)
    run = fx.simulate(s, 20.0, 0.05, fx.energy_preserving())
    v = run["frames/stone/velocity"]
    assert np.abs(v - v[0]).max() < 1e-13
    spin = run["state/v"][:, -1]
    assert np.abs(spin - spin[0]).max() < 1e-12


def test_schemes_take_turns_and_the_balance_goes_on():
    legs = [(0.0, fx.hht()), (0.5, fx.energy_preserving()), (1.0, fx.energy_decaying(0.2))]
    run = fx.simulate(slider_crank(), 1.5, 0.005, legs)
    assert run.status.steps == 300
    assert run.t == pytest.approx(0.005 * np.arange(301))
    total = run["energy/total"]
    assert np.abs(np.diff(total[102:201])).max() < 1e-12
    assert np.all(np.diff(total[201:]) <= 1e-12 * run["energy/kinetic"].max())
    assert abs(run["energy/scheme"][99]) == 0.0
    assert run.energy_error < 0.02 * run["energy/kinetic"].max()


def test_a_run_of_schemes_in_turn_is_resumed(tmp_path):
    legs = [(0.0, fx.hht()), (0.1, fx.energy_preserving())]
    out = tmp_path / "a.h5"
    whole = fx.simulate(slider_crank(), 0.3, 0.005, legs, out=tmp_path / "whole.h5", block=10)
    fx.simulate(slider_crank(), 0.2, 0.005, legs, out=out, block=10)
    rest = fx.simulate(slider_crank(), 0.3, 0.005, legs, out=out, resume=True, block=10)
    assert rest["state/q"] == pytest.approx(whole["state/q"], abs=1e-9)
    assert rest["energy/total"] == pytest.approx(whole["energy/total"], abs=1e-9)


def test_a_preserving_run_is_resumed_as_if_it_had_not_stopped(tmp_path):
    out = tmp_path / "a.h5"
    whole = fx.simulate(slider_crank(), 0.3, 0.005, fx.energy_preserving(), block=10)
    fx.simulate(slider_crank(), 0.2, 0.005, fx.energy_preserving(), out=out, block=10)
    rest = fx.simulate(slider_crank(), 0.3, 0.005, fx.energy_preserving(), out=out, resume=True, block=10)
    assert np.array_equal(rest["state/q"], whole["state/q"])
    assert np.array_equal(rest["energy/total"], whole["energy/total"])


@pytest.mark.parametrize("scheme", SCHEMES[:2], ids=IDS[:2])
def test_an_adaptive_step_reaches_the_tolerance_and_keeps_the_balance(scheme):
    equations = formulated("slider-crank", "absolute")
    exact = fx.simulate(equations, 2.0, 0.01, fx.reference(1e-12), interval=2.0)
    for tolerance in (1e-3, 1e-4):
        run = fx.simulate(equations, 2.0, 0.01, scheme, tolerance=tolerance, interval=0.1)
        assert np.abs(run["state/q"][-1] - exact["state/q"][-1]).max() < 2 * tolerance
        assert run.energy_error < 1e-11 * run["energy/kinetic"].max()
        assert run["constraints/velocity"].max() < 1e-12


def test_a_step_chosen_by_energy_is_small_where_the_energy_needs_it():
    method = fx.energy_preserving(control="energy")
    run = fx.simulate(
        formulated("double pendulum", "joint"), 3.0, 0.01, method, tolerance=1e-3, interval=0.05
    )
    assert run.energy_error < 1e-11 * run["energy/kinetic"].max()
    steps = run["solver/step"][1:]
    assert steps.max() > 2 * steps.min()


def test_a_mechanism_at_rest_stays_at_rest():
    s = pendulum(1)
    s.start("pin0", angle=-np.pi / 2)
    for scheme in SCHEMES:
        run = fx.simulate(s, 1.0, 0.01, scheme)
        assert np.abs(run["state/v"]).max() < 1e-6


def test_bad_settings_are_refused_in_words():
    with pytest.raises(FlexnetError, match="between 0 and 1, got 2"):
        fx.energy_decaying(2.0)
    with pytest.raises(FlexnetError, match="'error' or 'energy'"):
        fx.energy_preserving(control="size")
    with pytest.raises(FlexnetError, match="no scheme is given for the start"):
        fx.simulate(oscillator(), 1.0, 0.1, [(0.5, fx.hht())])
    with pytest.raises(FlexnetError, match="at least one"):
        fx.simulate(oscillator(), 1.0, 0.1, [])


def check_drift(name: str, tree: str, steps: int, every: int) -> None:
    """Energy, constraint work and constraints over many steps at which HHT-α loses a tenth, or stops."""
    h = LARGE[name]
    made = conservative(name, tree)
    end = made.initial.t + steps * h
    run = fx.simulate(made, end, h, fx.energy_preserving(), interval=every * h)
    found = fx.audit(run)
    assert len(run.t) == steps // every + 1
    assert np.abs(found.total - found.total[0]).max() < 1e-10 * found.scale
    assert np.abs(np.diff(found.constraints)).max() < 1e-12 * every * found.scale
    assert found.position.max() < 1e-13
    assert found.velocity.max() < 1e-12 * max(1.0, np.abs(run["state/v"]).max())


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_energy_does_not_drift_at_steps_too_large_for_hht(name, tree):
    check_drift(name, tree, 2000 if "swing" not in name else 500, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LARGE if "swing" not in name])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_energy_does_not_drift_in_a_hundred_thousand_steps(name, tree):
    check_drift(name, tree, 100_000, 50)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("scheme", SCHEMES, ids=IDS)
def test_a_panel_with_modes_up_to_1e5_rad_s_rings_at_a_step_of_1e_3_s(scheme):
    """Of 0.01 J in every mode bending leaves 5e-5 in a membrane mode, by shortening; of 1e-6 J 5e-7."""
    amplitude, omega, energy = ring(scheme, 1e-3, 100.0, start=1e-6)
    assert omega.max() > 1e5
    assert amplitude[-100:, :2] == pytest.approx(1.0, abs=0.01)
    assert np.all(np.diff(energy) <= 1e-12 * energy[0])
    assert energy.max() <= energy[0] * (1 + 1e-12)
    if scheme.stages == 2:
        assert amplitude[-1, 3:].max() < 1e-6


@pytest.mark.parametrize("scheme", SCHEMES, ids=IDS)
def test_a_ringing_panel_that_turns_keeps_its_balance(scheme):
    amplitude, _, energy = ring(scheme, 1e-3, 10.0, is_hinged=True)
    # strain and vibration share what is there
    assert 0.01 * amplitude.max() ** 2 < 2 * energy[0]
    assert energy.max() <= energy[0] * (1 + 1e-11)
    if scheme.stages == 1:
        assert energy == pytest.approx(energy[0], rel=1e-11)


@pytest.fixture(scope="module")
def runs() -> dict[str, fx.Run]:
    return swing_runs(1e-3, 1.0)


@pytest.mark.slow
class TestSwing:
    """The swing of Bauchau, Damilano and Theron at a step of 1 ms."""

    @pytest.mark.slow
    def test_events_to_the_snap_are_those_of_the_reference(self, runs):
        for name in ("preserving", "decaying, ρ∞ = 0.5"):
            assert max(swing_errors(runs[name], 0.64).values()) < 0.01

    def test_energy_is_kept_or_falls_where_the_trapezoidal_rule_does_not_get_through(self, runs):
        kept, falling, other = runs.values()
        scale = kept["energy/total"].max()
        after = kept["energy/total"][kept.t >= 0.2565]
        assert np.abs(after - after[0]).max() < 1e-10 * scale
        assert np.diff(falling["energy/total"][falling.t >= 0.2565]).max() < 1e-12 * scale
        assert kept.t[-1] == pytest.approx(1.0)
        assert falling.t[-1] == pytest.approx(1.0)
        assert other.t[-1] < 0.999 or other["energy/total"].max() > 1.1 * scale

    def test_constraints_do_no_work(self, runs):
        for name in ("preserving", "decaying, ρ∞ = 0.5"):
            work = np.abs(np.diff(runs[name]["energy/constraints"]))
            assert work.max() < 1e-12 * fx.audit(runs[name]).scale


@pytest.mark.sweep(10)
@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular", "default"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_small_steps_agree_with_hht_on_every_mechanism_and_tree(name, tree):
    h, steps = {"squeezer": (1e-5, 100)}.get(name, (1e-3, 60))
    made = fx.formulate(MECHANISMS[name](), tree)
    run = fx.simulate(made, steps * h, h, fx.energy_preserving())
    other = fx.simulate(made, steps * h, h / 4, fx.hht(0.0), interval=h)
    v = max(1.0, np.abs(run["state/v"]).max())
    assert run["state/q"] == pytest.approx(other["state/q"], abs=1e-4)
    assert run["constraints/position"].max() < 1e-13
    assert run["constraints/velocity"].max() < 1e-12 * v
    # a spring that is wound up holds more than what goes round in so short a time
    assert run.energy_error < 1e-11 * max(fx.audit(run).scale, np.abs(run["energy/total"]).max())


@pytest.mark.parametrize("scheme", SCHEMES, ids=IDS)
def test_a_motion_from_rest_under_forces_that_nearly_balance_is_of_second_order(scheme):
    """The Stewart platform: work and potential of a step are hundreds of times its kinetic energy."""
    made = fx.formulate(build("leger_a11_stewart"), "joint")
    exact = fx.simulate(made, 0.02, 1e-3, fx.reference(1e-11), interval=0.02)["energy/kinetic"][-1]
    run = fx.simulate(made, 0.02, 1e-3, scheme, interval=0.02)
    assert run["energy/kinetic"][-1] == pytest.approx(exact, rel=2e-5)


@pytest.mark.parametrize("scheme", SCHEMES, ids=IDS)
def test_a_motion_from_rest_beside_fast_drivers_is_the_same_in_every_tree(scheme):
    """The nutation of the rotor begins at rest while its drivers, branches of a tree, hold all the energy."""
    ends = [
        fx.simulate(fx.formulate(build("pendulating_rotor"), tree), 0.02, 1e-3, scheme)["channels/T_1"]
        for tree in ("joint", "variable_based")
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-7 * np.abs(ends[0]).max())


def test_one_ulp_in_the_start_stays_one_where_corrections_end_in_round_off():
    """Their quotient once asked for a new matrix, or not, and the end is projected along its answer: 1e-6."""
    ends = []
    for ulps in (0.0, 1.0):
        e = fx.formulate(build("cylinder_boom"), "gtm")
        signs = np.random.default_rng(0).choice([-1.0, 1.0], e.n_q)
        moved = e.initial.q + ulps * np.finfo(float).eps * signs * e.q_sizes
        e.initial = fx.State(e.initial.t, moved, e.initial.v, e.z_of(e.initial))
        run = fx.simulate(e, 1e-3, 5e-4, fx.energy_preserving(), newton=1e-14)
        ends.append(run.channel("cylinder.C2.pressure")[-1])
    assert ends[1] == pytest.approx(ends[0], rel=1e-10)
