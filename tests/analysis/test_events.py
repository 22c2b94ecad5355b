"""Events of mechanisms: impacts, latches, sticking; where they happen and what they take."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexnet as fx
from flexnet.errors import FlexnetError, ModelError
from flexnet.integrators import METHODS as METHODS_BY_NAME
from flexnet.integrators import Outcome
from tests.catalogue import load


def times(run, name=None):
    return np.array([e.t for e in run.events if name in (None, e.name)])


@pytest.mark.parametrize(("tree", "engine"), [("joint", "numeric"), ("absolute", "symbolic")])
def test_twenty_impacts_are_those_of_the_closed_form_in_both_engines(tree, engine):
    case = load("bouncing_ball")
    run = fx.simulate(case.build(), 2.56, step=2e-3, tree=tree, engine=engine, throw=False)
    expected, rest = case.impacts(20)
    assert np.abs(times(run)[:20] - expected).max() < 1e-10
    assert run.status.outcome is Outcome.ACCUMULATION
    assert float(run.status.told.split("t = ")[1].split(" s")[0]) == pytest.approx(rest, abs=1e-10)
    audit = fx.audit(run)
    assert np.abs(audit.balance).max() < 1e-12
    assert audit.works["damping"][-1] == pytest.approx(-0.5 * 9.81, rel=1e-4)


def cradle(gap=0.01, n=5):
    """Balls on rails, gaps between them; the first one comes with 1 m/s."""
    s = fx.System("cradle", planar=True)
    row = []
    for i in range(n):
        at = [0.2 * i + gap * i, 0.0]
        row.append(s.rigid_body(f"b{i}", 2.0, 0.01, position=at))
        s.prismatic(f"rail{i}", s.ground.frame(f"R{i}", at), row[-1], axis="x")
        s.start(f"rail{i}", rate=1.0 * (i == 0))
        s.channel(f"v{i}", fx.velocity(row[-1], "x"), "m/s")
        if i:
            apart = fx.position(row[i], "x") - fx.position(row[i - 1], "x") - 0.2
            s.event(f"hit{i}", apart, fx.impact(1.0), "falling")
    return s


def test_newtons_cradle_with_gaps_is_a_sequence_of_impacts():
    run = fx.simulate(cradle(), 0.06, step=4e-3)
    assert [e.name for e in run.events] == ["hit1", "hit2", "hit3", "hit4"]
    assert times(run) == pytest.approx([0.01, 0.02, 0.03, 0.04], abs=1e-12)
    assert [e.impulse for e in run.events] == pytest.approx([2.0] * 4, rel=1e-9)
    assert [e.energy for e in run.events] == pytest.approx([0.0] * 4, abs=1e-9)
    assert [run.channel(f"v{i}")[-1] for i in range(5)] == pytest.approx([0, 0, 0, 0, 1], abs=1e-9)


def discs(joint_tree=True):
    """Two discs on one axle, the second free on the first; they latch after a quarter of a turn."""
    s = fx.System("discs")
    a, b = s.rigid_body("a", 1.0, [1, 1, 0.5]), s.rigid_body("b", 1.0, [1, 1, 0.3])
    s.revolute("axle", s.ground, a)
    s.revolute("between", a, b)
    s.start("axle", angle=0.0, rate=1.0)
    s.start("between", angle=0.0, rate=2.0)
    s.event("latch", fx.joint_coordinate("between") - math.pi / 2, fx.lock("between", impact=True), "rising")
    s.channel("a", fx.joint_rate("axle"), "rad/s")
    s.channel("b", fx.angular_velocity(b, "z"), "rad/s")
    s.channel("angle", fx.joint_coordinate("between"), "rad")
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_two_discs_that_latch_keep_their_angular_momentum(tree):
    run = fx.simulate(discs(), 2.0, step=0.01, tree=tree)
    (latch,) = run.events
    omega = (0.5 * 1.0 + 0.3 * 3.0) / 0.8
    assert latch.t == pytest.approx(math.pi / 4, abs=1e-9)
    assert latch.impulse == pytest.approx(-2.0 * 0.5 * 0.3 / 0.8, rel=1e-9)
    assert latch.energy == pytest.approx(-0.5 * (0.5 * 0.3 / 0.8) * 4.0, rel=1e-9)
    after = run.time > latch.t
    for name in "ab":
        assert np.allclose(run.channel(name)[after], omega, rtol=1e-9)
    assert np.allclose(run.channel("angle")[after], math.pi / 2, atol=1e-9)
    assert np.abs(fx.audit(run).balance).max() < 1e-10


#: schemes in turn change between impacts, and just after the latch
METHODS = {name: make() for name, make in METHODS_BY_NAME.items()} | {
    "in turn": [(0.0, fx.hht()), (0.7, fx.radau()), (0.8, fx.energy_preserving()), (1.3, fx.hht(-0.1))]
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", METHODS)
def test_every_method_finds_impacts_and_latches(name):
    case, method = load("bouncing_ball"), METHODS[name]
    run = fx.simulate(case.build(), 2.0, step=5e-3, method=method)
    expected = case.impacts(20)[0]
    expected = expected[expected < 2.0]
    assert np.abs(times(run) - expected).max() < 1e-10
    assert np.abs(fx.audit(run).balance).max() < 1e-9
    run = fx.simulate(discs(), 1.0, step=0.02, method=method, tree="absolute")
    assert times(run) == pytest.approx([math.pi / 4], abs=1e-9)
    assert run.channel("a")[-1] == pytest.approx(1.75, rel=1e-9)


def leap(evaluation, t, q, v, h):
    """Explicit midpoint."""
    a, _ = evaluation.motion(t, q, v)
    return evaluation.compose(q, h * (v + 0.5 * h * a)), v + h * a


def test_a_users_own_step_has_events():
    case = load("bouncing_ball")
    run = fx.simulate(case.build(), 2.0, step=5e-3, method=fx.OneStep("leap", leap, 2))
    expected = case.impacts(20)[0]
    assert np.abs(times(run) - expected[expected < 2.0]).max() < 1e-10
    run = fx.simulate(cradle(), 0.06, step=4e-3, method=fx.OneStep("leap", leap, 2))
    assert times(run) == pytest.approx([0.01, 0.02, 0.03, 0.04], abs=1e-12)


def test_stick_and_slip_has_the_limit_cycle_of_the_closed_form_with_order_two():
    case = load("stick_slip")
    stick, slip = case.cycle()
    errors = []
    for step in (8e-3, 4e-3):
        run = fx.simulate(case.build(), 4.5, step=step)
        t = times(run)
        assert [e.name for e in run.events] == ["sticks", "slips"] * 3
        assert t[3] - t[2] == pytest.approx(stick, abs=1e-5)
        errors.append(abs(t[4] - t[3] - slip))
        assert max(abs(e.energy) for e in run.events) < 1e-10
        x = run.channel("x")[(run.time > t[2]) & (run.time < t[3])]
        assert np.allclose(np.diff(x), 0.1 * step, atol=1e-12)  # it goes with the belt, and does not creep
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 3


def test_latching_panels_end_at_rest_and_the_audit_says_where_the_energy_went():
    case = load("panel_latch")
    run = fx.simulate(case.build(), 6.0, step=case.STEP)
    assert {e.name for e in run.events} == {"latch_hinge_1", "latch_hinge_2"}
    audit = fx.audit(run)
    assert audit.energies["kinetic"][-1] < 1e-6 * audit.energies["potential"][0]
    assert np.abs(audit.balance).max() < 1e-3 * audit.energies["potential"][0]
    assert sum(e.energy for e in run.events) < -1.0
    assert abs(run.channel("hub_rate")[-1]) < 1e-4


def test_stop_ends_a_run_at_the_event_and_the_file_lists_it(tmp_path):
    s = load("bouncing_ball").build()
    ball = s.bodies["ball"]
    s.event("high", fx.velocity(ball, "y") - 2.0, fx.record(), "falling")
    s.event("enough", fx.time() - 1.0123, fx.stop())
    out = tmp_path / "ball.h5"
    run = fx.simulate(s, 2.0, step=0.01, out=out)
    assert run.status.outcome is Outcome.EVENT
    assert run.time[-1] == pytest.approx(1.0123, abs=1e-12)
    assert [e.name for e in run.events] == ["floor", "high", "enough"]
    read = fx.Results.open(out).read("events/floor/time")
    assert read[~np.isnan(read)] == pytest.approx([math.sqrt(2 / 9.81)])


@pytest.mark.parametrize(
    "name", ["hht", *(pytest.param(name, marks=pytest.mark.slow) for name in ("radau", "in turn"))]
)
def test_a_run_with_impacts_and_locks_is_resumed_bit_for_bit(name, tmp_path):
    method = METHODS[name]
    for name, build, end in (("ball", load("bouncing_ball").build, 1.9), ("discs", discs, 1.9)):
        whole, cut = tmp_path / f"{name}.h5", tmp_path / f"{name}_cut.h5"
        given = {"step": 1e-3, "block": 256, "method": method}
        run = fx.simulate(build(), end, out=whole, **given)
        fx.simulate(build(), 0.6, out=cut, **given)
        again = fx.simulate(build(), end, out=cut, resume=True, **given)
        assert [e.t for e in again.events] == [e.t for e in run.events]
        for path in ("state/q", "state/v", "energy/total"):
            assert np.array_equal(again[path], run[path])


def test_wrong_events_are_refused_in_a_sentence():
    s = load("bouncing_ball").build()
    ball = s.bodies["ball"]
    with pytest.raises(ModelError, match="event 'floor' is defined twice"):
        s.event("floor", fx.position(ball, "y"), fx.stop())
    with pytest.raises(ModelError, match="event 'e' measures 'axle', which is not in the system"):
        s.event("e", fx.joint_coordinate("axle"), fx.stop())
    with pytest.raises(ModelError, match=r"restitution 1\.5; it is between 0 and 1"):
        fx.impact(1.5)
    with pytest.raises(FlexnetError, match="event 'floor' happens at the start"):
        fx.simulate(load("bouncing_ball").build(height=0.0), 1.0, step=0.01)
    d = discs()
    d.event("again", fx.time() - 0.1, fx.lock("axle"))
    with pytest.raises(ModelError, match=r"event 'again' locks joint 'axle', which moves at 1 .*impact=True"):
        fx.simulate(d, 1.0, step=0.01)
    with pytest.raises(ModelError, match="joint 'axle' has no 'displacement'; it has 'angle'"):
        d.event("slide", fx.time() - 0.1, fx.lock("axle", coordinate="displacement"))


@pytest.mark.parametrize(("direction", "sign"), [("rising", -1.0), ("falling", 1.0)])
def test_a_signal_that_rests_at_its_zero_waits_for_its_own_direction(direction, sign):
    """A cart under a load that grows from nothing, -t + t²: its speed -t²/2 + t³/3 is zero again at 1.5 s."""
    s = fx.System("cart", planar=True)
    cart = s.rigid_body("cart", 1.0, 1.0)
    s.prismatic("rail", s.ground, cart, axis="x")
    s.force("push", cart, [fx.polynomial(0.0, sign, -sign), 0.0])
    s.event("turns", fx.joint_rate("rail", "displacement"), fx.record(), direction=direction)
    run = fx.simulate(s, 2.0, 1e-3)
    assert [e.t for e in run.events] == pytest.approx([1.5], abs=1e-5)
    both = fx.System("cart", planar=True)
    moved = both.rigid_body("cart", 1.0, 1.0)
    both.prismatic("rail", both.ground, moved, axis="x")
    both.event("turns", fx.joint_rate("rail", "displacement"), fx.record())
    with pytest.raises(FlexnetError, match="give the direction in which it counts"):
        fx.simulate(both, 1.0, 1e-3)


def test_an_event_told_to_count_as_its_signal_leaves_the_start_is_told_to_count_the_other_way():
    with pytest.raises(FlexnetError, match="count the other way"):
        fx.simulate(load("bouncing_ball").build(height=0.0), 1.0, step=0.01)


def thrown() -> fx.System:
    """Two links whose drivers let go one after the other, the one by time, the other by an angle."""
    s = fx.System("thrown", planar=True)
    s.gravity([0, -9.81])
    one = s.rigid_body("one", 1.0, 0.1, {"O": [-0.5, 0], "A": [0.5, 0]}, position=[0.5, 0])
    two = s.rigid_body("two", 0.5, 0.05, {"A": [-0.3, 0]}, position=[1.3, 0])
    s.revolute("O", s.ground, one["O"])
    s.revolute("A", one["A"], two["A"])
    s.motion("drive", joint="O", angle=fx.ramp(2.0))
    s.motion("hold", joint="A", angle=0.0)
    s.event("let go", fx.time() - 0.3, fx.release("drive"), "rising")
    s.event("then", fx.joint_coordinate("O") - 0.9, fx.release("hold"), "rising")
    s.channel("O", fx.joint_coordinate("O"))
    s.channel("A", fx.joint_coordinate("A"))
    s.channel("drive", fx.torque("drive", "z"))
    return s


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("tree", ["joint", "absolute", "default"])
def test_a_driver_that_is_let_go_leaves_its_joint_free(tree, engine):
    run = fx.simulate(thrown(), 0.8, 1e-3, fx.dop853(), tree, 0.1, tolerance=1e-10, engine=engine)
    # rigid with each other from 0.3 s on: about O, with the mass at its centre
    m, c = 1.5, (0.5 + 0.5 * 1.3) / 1.5
    J = 0.1 + 0.25 + 0.05 + 0.5 * 1.3**2
    f = lambda t, y: [y[1], -m * 9.81 * c * np.cos(y[0]) / J]  # noqa: E731
    reached = lambda t, y: y[0] - 0.9  # noqa: E731
    reached.terminal = True
    free = solve_ivp(f, (0.3, 0.8), [0.6, 2.0], "DOP853", events=reached, rtol=1e-12, atol=1e-14)
    assert [e.t for e in run.events] == pytest.approx([0.3, free.t[-1]], abs=1e-9)
    # then a double pendulum: generalised inertia and gravity of two links written out
    d = 0.5 * 1.0 * 0.3

    def g(t, y):
        a, b, u, v = y
        M = np.array([[0.35 + 0.5 * 1.0, d * np.cos(b - a)], [d * np.cos(b - a), 0.05 + 0.5 * 0.09]])
        k = d * np.sin(b - a)
        F = [k * v**2 - 9.81 * np.cos(a) * (0.5 + 0.5), -k * u**2 - 9.81 * np.cos(b) * 0.5 * 0.3]
        return [u, v, *np.linalg.solve(M, F)]

    a, w = free.y[:, -1]
    last = solve_ivp(g, (free.t[-1], 0.8), [a, a, w, w], "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    assert run.channel("O")[-1] == pytest.approx(last[0], abs=1e-8)
    assert run.channel("A")[-1] == pytest.approx(last[1] - last[0], abs=1e-8)
    assert np.all(run.channel("drive")[run.t < 0.29] != 0.0)
    assert np.all(run.channel("drive")[run.t > 0.31] == 0.0)
    assert np.abs(fx.audit(run).balance).max() < 1e-7


def test_a_driven_joint_is_locked_where_its_driver_is_let_go():
    s = thrown()
    s.event("brake", fx.time() - 0.3, fx.lock("O", impact=True), "rising")
    run = fx.simulate(s, 0.6, 1e-3)
    blow = next(e for e in run.events if e.name == "brake")
    assert run.channel("O")[-1] == pytest.approx(0.6, abs=1e-9)
    # both links turn as one at 2 rad/s and stand still afterwards: the hold of the second is not let go
    assert blow.energy == pytest.approx(-0.5 * (0.4 + 0.5 * 1.3**2) * 4.0, rel=1e-9)
