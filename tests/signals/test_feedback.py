"""First-order states: closed forms, orders, trees, engines, files, Newton's matrix."""

import numpy as np
import pytest
from plants import J, K, rotor, rotor_exact, slider_crank, state_of

import flexnet as fx
from flexnet.errors import FlexnetError


@pytest.mark.parametrize(
    "method",
    [
        fx.hht(),
        fx.generalised_alpha(0.8),
        fx.hht(0.0),
        fx.acceleration_level(),
        fx.energy_preserving(),
        fx.energy_decaying(0.0),
    ],
    ids=lambda m: m.name,
)
def test_a_pid_loop_follows_the_matrix_exponential_with_order_two_in_every_state(method):
    exact = rotor_exact(0.5)
    errors = [np.abs(state_of(fx.simulate(rotor(), 0.5, h, method)) - exact) for h in (2e-3, 1e-3, 5e-4)]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(errors[-1] < 3e-5 * np.abs(exact).max())
    # one state may pass zero of its error: the norm of all of them does not
    norms = [np.linalg.norm(e) for e in errors]
    assert np.allclose(np.log2(np.array(norms[:-1]) / norms[1:]), 2.0, atol=0.1), slopes


@pytest.mark.parametrize("method", [fx.reference(), fx.dop853(1e-10)], ids=lambda m: m.name)
def test_methods_of_high_order_meet_the_matrix_exponential(method):
    run = fx.simulate(rotor(), 0.5, 1e-3, method, interval=0.5)
    assert state_of(run) == pytest.approx(rotor_exact(0.5), abs=1e-9)


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_controlled_loop_of_bodies_moves_the_same_by_high_order_and_by_small_steps(tree):
    a = fx.simulate(slider_crank(), 0.3, 1e-3, fx.dop853(1e-9), tree, interval=0.1)
    b = fx.simulate(slider_crank(), 0.3, 1e-4, fx.hht(-0.05), tree, interval=0.1)
    assert a.channel("place") == pytest.approx(b.channel("place"), abs=1e-6)
    assert a.channel("motor") == pytest.approx(b.channel("motor"), rel=1e-4, abs=1e-4)


def test_an_adaptive_run_meets_its_tolerance():
    run = fx.simulate(rotor(), 0.5, 1e-4, tolerance=1e-5)
    assert state_of(run)[0] == pytest.approx(rotor_exact(0.5)[0], abs=3e-5)


def test_feedback_is_in_newtons_matrix_so_that_one_iteration_a_step_suffices():
    run = fx.simulate(rotor(), 0.5, 1e-3)
    assert run.status.iterations <= 1.1 * run.status.steps


@pytest.mark.parametrize("tree", ["default", "absolute"])
def test_newtons_matrix_holds_the_derivatives_of_rates_and_signals(tree):
    equations = fx.formulate(slider_crank(), tree)
    dae = equations.dae()
    rng, n = np.random.default_rng(1), dae.n_v
    q, v = np.empty(dae.n_q), rng.normal(size=n)
    dae.compose(dae.model, dae.q, 0.1 * rng.normal(size=n), q)
    zero, c_q, c_v = np.zeros(n), 0.3, 0.7

    def signals(dq, dv):
        moved = np.empty(dae.n_q)
        dae.compose(dae.model, q, dq, moved)
        dae.residual(
            dae.model, 0.2, moved, v + dv, zero, np.zeros(dae.m), dae.work, np.zeros(n), np.zeros(dae.m)
        )
        return equations.work.signals.copy(), np.array(equations.model.states[:, 1])

    values, weights = signals(zero, zero)
    M, G = np.zeros((n, n)), np.zeros((dae.m, n))
    dae.matrices(dae.model, dae.work, c_q, c_v, M, G)
    frozen = equations.n_v
    h = 1e-6
    for k in range(n):
        e = np.zeros(n)
        e[k] = h
        # rates of frames at other places are left out of the matrix: take them at these
        place = (signals(c_q * e, zero)[0] - signals(-c_q * e, zero)[0]) / (2 * h)
        speed = (signals(zero, c_v * e)[0] - signals(zero, -c_v * e)[0]) / (2 * h)
        wanted = -(weights * (place + speed)[1:])
        wanted[k - frozen if k >= frozen else 0] += weights[k - frozen] if k >= frozen else 0.0
        assert M[frozen:, k] == pytest.approx(
            wanted, rel=1e-5, abs=1e-6 * weights.max() * (1 + abs(values).max())
        )


def test_every_tree_gives_the_same_motion_under_control():
    runs = [
        fx.simulate(slider_crank(), 0.4, 1e-3, fx.reference(), tree=tree, interval=0.1)
        for tree in ("default", "absolute", "joint")
    ]
    for run in runs[1:]:
        for name in ("place", "motor"):
            assert run.channel(name) == pytest.approx(runs[0].channel(name), abs=1e-7)
        assert run["state/z"] == pytest.approx(runs[0]["state/z"], abs=1e-7)


def test_the_energy_balance_closes_with_a_controller():
    coarse, fine = (fx.simulate(slider_crank(), 0.4, h) for h in (1e-3, 5e-4))
    assert fine.energy_error < 0.3 * coarse.energy_error
    assert fine.energy_error < 1e-4 * np.abs(fine["energy/forces"]).max()


def test_actuators_and_springs_tell_their_loads():
    run = fx.simulate(rotor(), 0.1, 1e-3)
    assert run.channel("motor") == pytest.approx(run.channel("u"), abs=1e-12)
    assert run.channel("spring") == pytest.approx(-K * run.channel("angle"), abs=1e-12)
    acceleration = run["state/a"][:, 0]
    assert J * acceleration == pytest.approx(run.channel("motor") + run.channel("spring"), abs=1e-6)


def test_limits_hold_and_the_integral_does_not_wind_up():
    run = fx.simulate(rotor(limit=8.0), 3.0, 1e-3)
    assert np.abs(run.channel("motor")).max() <= 8.0
    assert run.channel("angle")[-1] == pytest.approx(0.5, abs=2e-3)
    assert np.abs(run["state/z"][:, 0]).max() < 8.0 + K


def test_a_run_with_states_resumes_to_the_same_bits(tmp_path):
    path, whole = tmp_path / "stopped.h5", tmp_path / "whole.h5"

    class Stopped(Exception):
        pass

    def stop(status, done, total, balance):
        if done > 150:
            raise Stopped

    with pytest.raises(Stopped):
        fx.simulate(slider_crank(), 0.2, 5e-4, out=path, block=128, progress=stop)
    fx.simulate(slider_crank(), 0.2, 5e-4, out=whole, block=128)
    run = fx.simulate(slider_crank(), 0.2, 5e-4, out=path, block=128, resume=True)
    expected = fx.Results.open(whole)
    for name in ("state/q", "state/v", "state/z", "channels/motor"):
        assert np.array_equal(run[name], expected.read(name)), name


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("method", [fx.energy_preserving(), fx.energy_decaying(0.5)], ids=lambda m: m.name)
@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_energy_schemes_balance_the_work_of_a_controller_to_round_off_and_keep_order_two(
    tree, method, engine
):
    exact = fx.simulate(slider_crank(), 0.2, 1e-3, fx.dop853(1e-10), tree, interval=0.2)
    runs = [fx.simulate(slider_crank(), 0.2, h, method, tree, engine=engine) for h in (4e-3, 2e-3)]
    for name in ("channels/place", "state/z"):
        off = [np.abs(run[name][-1] - exact[name][-1]).max() for run in runs]
        assert 3.5 < off[0] / off[1] < 4.5, name
    assert all(run.energy_error < 1e-13 for run in runs)
    assert np.abs(runs[0]["energy/forces"]).max() > 0.1


@pytest.mark.parametrize("tree", ["default", "absolute"])
def test_both_engines_give_the_same_motion_under_control(tree):
    equations = fx.formulate(slider_crank(), tree)
    numeric, symbolic = (fx.simulate(equations, 0.1, 1e-3, engine=e) for e in ("numeric", "symbolic"))
    for name in ("state/q", "state/z", "channels/motor", "energy/forces"):
        size = np.abs(numeric[name]).max()
        assert symbolic[name] == pytest.approx(numeric[name], abs=1e-6 * size), name


@pytest.mark.parametrize("tree", ["default", "absolute"])
def test_both_engines_have_the_same_matrix_and_rows(tree):
    from flexnet.formulation.symbolic import symbolic_dae

    equations = fx.formulate(slider_crank(), tree)
    rng, found = np.random.default_rng(2), []
    one = equations.dae()
    v, a, lam = rng.normal(size=one.n_v), rng.normal(size=one.n_v), rng.normal(size=one.m)
    # at rest: the numeric engine leaves out how velocities change because places do
    v[: equations.n_v] = 0.0
    for dae in (one, symbolic_dae(equations)):
        r, phi, M, G = (
            np.zeros(dae.n_v),
            np.zeros(dae.m),
            np.zeros((dae.n_v, dae.n_v)),
            np.zeros((dae.m, dae.n_v)),
        )
        dae.residual(dae.model, 0.2, dae.q, v, a, lam, dae.work, r, phi)
        dae.matrices(dae.model, dae.work, 1e-3, 0.02, M, G)
        found.append((r, phi, M, G))
    for left, right in zip(*found, strict=True):
        assert left == pytest.approx(right, rel=1e-9, abs=1e-9)


def midpoint(evaluation, t, q, v, h):
    """A step of a user's own; v holds the states of controllers, too."""
    a, _ = evaluation.motion(t, q, v)
    middle = v + h / 2 * a
    a, _ = evaluation.motion(t + h / 2, evaluation.compose(q, h / 2 * v), middle)
    return evaluation.compose(q, h * middle), v + h * a


def swinging(follow=lambda u: u) -> fx.System:
    s = fx.System("pendulum", planar=True)
    s.gravity([0, -9.81, 0])
    bob = s.rigid_body("bob", 1.0, 0.1, {"O": [0, 1.0]}, position=[0, -1.0])
    s.revolute("O", s.ground, bob["O"])
    angle = fx.joint_coordinate("O")
    u = fx.pid(0.5 - angle, kp=40, ki=30, kd=8, rate=-fx.joint_rate("O"), unit="N*m")
    s.torque("motor", joint="O", torque=follow(u))
    s.channel("angle", angle)
    return s


@pytest.mark.parametrize(("tree", "engine"), [("joint", "symbolic"), ("absolute", "numeric")])
def test_a_users_own_step_advances_states_with_its_order(tree, engine):
    own = fx.OneStep("midpoint", midpoint, 2)
    exact = fx.simulate(swinging(), 0.2, 1e-3, fx.dop853(), tolerance=1e-11, interval=0.1).channel("angle")
    off = [
        np.abs(fx.simulate(swinging(), 0.2, h, own, tree, 0.1, engine=engine).channel("angle") - exact).max()
        for h in (4e-3, 2e-3)
    ]
    assert off[0] < 1e-4
    assert 3.7 < off[0] / off[1] < 4.3


def test_a_users_own_step_refuses_algebraic_unknowns_by_name():
    s = swinging(lambda u: fx.algebraic(lambda x: x + x - u, unit="N*m", name="half"))
    with pytest.raises(
        FlexnetError, match="midpoint advances rates alone, so not the algebraic unknown 'half"
    ):
        fx.simulate(s, 0.1, 1e-3, fx.OneStep("midpoint", midpoint, 2))
