"""The corrector converges where forces are worth as much as the inertia."""

import numpy as np
import pytest

import flexnet as fx
from cases import squeezer
from flexnet.integrators import Settings, begin
from flexnet.integrators.alpha_state import TANGENT
from tests.benchmarks import chain


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 1.2, 3.0])
@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8), fx.energy_preserving()])
def test_a_damper_is_followed_by_a_matrix_without_it(share, method):
    """A matrix without the damper converges by the factor c h/m a time: slowly, or not at all."""
    step, mass, speed = 1e-3, 2.0, 3.0
    s = fx.System("slider", planar=True)
    slider = s.rigid_body("slider", mass, 1.0)
    s.prismatic("rail", s.ground, slider, axis="x")
    s.spring("damper", s.ground, slider, damping=share * mass / step, axis="x")
    s.start("rail", displacement=0.0, rate=speed)
    s.channel("x", fx.joint_coordinate("rail", "displacement"), "m")
    run = fx.simulate(s, 0.05, step, method=method)
    far = speed * step / share  # m/c times the speed
    exact = far * (1.0 - np.exp(-share * run.t / step))
    assert np.abs(run.channel("x") - exact).max() < (0.2 * share**2 * far if share < 1 else speed * step)


@pytest.mark.parametrize("share", [10.0, 1e2, 1e4, 1e8])
@pytest.mark.parametrize(
    "method", [fx.hht(), fx.hht(0.0), fx.generalised_alpha(0.8), fx.generalised_alpha(0.0)]
)
def test_a_damper_that_stops_within_a_step_does_not_throw_back(share, method):
    """The first acceleration of a damper c ≫ m/h lasts for less than a step: it is not carried through it."""
    step, mass, speed = 1e-3, 2.0, 3.0
    s = fx.System("slider", planar=True)
    slider = s.rigid_body("slider", mass, 1.0)
    s.prismatic("rail", s.ground, slider, axis="x")
    s.spring("damper", s.ground, slider, damping=share * mass / step, axis="x")
    s.start("rail", displacement=0.0, rate=speed)
    s.channel("x", fx.joint_coordinate("rail", "displacement"), "m")
    s.channel("v", fx.joint_rate("rail", "displacement"), "m/s")
    s.channel("a", fx.acceleration(slider, "x"), "m/s^2")
    run = fx.simulate(s, 0.05, step, method=method)
    assert np.abs(run.channel("x")).max() < speed * step
    assert np.abs(run.channel("v")[1:]).max() < 1.1 * speed / share
    # the row of the start is the equation of motion's
    assert run.channel("a")[0] == pytest.approx(-share * speed / step)


@pytest.mark.parametrize("share", [10.0, 1e2, 1e4])
@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.0)])
def test_a_damper_that_stops_a_light_body_does_not_change_how_a_heavy_one_begins(share, method):
    """The heavy one, slowly damped, begins to second order; the light one is not thrown.

    One verdict over both had the light one thrown, or the heavy one begun as if its own damper were over.
    """
    step, slow, masses, speed = 1e-3, 5.0, (1e3, 0.1), 3.0
    s = fx.System("two", planar=True)
    for name, mass, rate in zip(("heavy", "light"), masses, (slow, share / step), strict=True):
        slider = s.rigid_body(name, mass, mass)
        s.prismatic(f"{name}_rail", s.ground, slider, axis="x")
        s.spring(f"{name}_damper", s.ground, slider, damping=rate * mass, axis="x")
        s.start(f"{name}_rail", displacement=0.0, rate=speed)
        s.channel(name, fx.joint_rate(f"{name}_rail", "displacement"), "m/s")
    push = 0.1 * speed / step
    s.force("push", s.bodies["heavy"], [push * masses[0], 0.0])
    run = fx.simulate(s, 0.02, step, method=method)
    assert np.abs(run.channel("light")[1:]).max() < 1.1 * speed / share
    end = push / slow
    exact = end + (speed - end) * np.exp(-slow * run.t)
    assert np.abs(run.channel("heavy") - exact).max() < 0.1 * step * (slow * step) * push


@pytest.mark.parametrize("tree", ["absolute", "joint"])
@pytest.mark.parametrize("method", [fx.hht(), fx.generalised_alpha(0.8), fx.generalised_alpha(0.0)])
def test_what_a_damper_stops_does_not_push_what_hangs_on_it(method, tree):
    """v̈ of the start is that of a motion: along v̇ the crank is at 50 times its speed half a step later.

    The geometry of that pushed the link, which no damper holds: its rate was off by 0.16 to 10 of itself.
    """
    step, torque, damping, inertia = 1e-3, 100.0, 100.0, 1e-3
    s = fx.System("two links", planar=True)
    crank = s.rigid_body("crank", 0.02, inertia, {"end": [0.1, 0.0]})
    link = s.rigid_body("link", 0.1, 1e-4, {"start": [-0.06, -0.08]}, position=[0.16, 0.08])
    s.revolute("pin", s.ground, crank)
    s.revolute("elbow", crank["end"], link["start"])
    s.torsional_spring("damper", joint="pin", damping=damping)
    s.torque("load", joint="pin", torque=torque)
    s.channel("elbow", fx.joint_rate("elbow"), "rad/s")
    s.channel("pin", fx.joint_rate("pin"), "rad/s")
    runs = [fx.simulate(s, 0.02, h, method=method, tree=tree, interval=step) for h in (step, 0.01 * step)]
    for name in ("pin", "elbow"):
        coarse, fine = (run.channel(name) for run in runs)
        assert np.abs(coarse - fine)[1:].max() < 0.02 * np.abs(fine).max()


def test_corrections_that_shrink_in_pairs_ask_for_no_tangents():
    """One correction of a body of many modes may be larger than the last: 3e4, 14, 37, 0.7 of one step."""
    cells, steel = 8, fx.Material(E=2.1e11, nu=0.3, rho=7800.0)
    near = (cells // 2) * (cells + 1)
    edge = [i * (cells + 1) for i in range(cells + 1) if i != cells // 2]
    shell = fx.panel_body(
        (2.0, 2.0), (cells, cells), fx.ShellSection.uniform(0.003, steel),
        frames={"hinge": near, "corner": (cells + 1) ** 2 - 1}, links=[fx.RigidLink(near, edge)],
    )  # fmt: skip
    s = fx.System("panel")
    plate = s.flexible_body("panel", shell, support=fx.Clamped(near), modes=240, stiffening=False)
    s.revolute("hinge", s.ground, plate["hinge"], axis=(0, 1, 0))
    s.force("push", plate["corner"], [0.0, 0.0, -100.0])
    march = begin(fx.formulate(s, "joint").dae(), fx.generalised_alpha(0.9), Settings(1e-3, 0.06))
    for _ in march.blocks():
        pass
    assert march.status.is_done
    assert march.state.counts[TANGENT] == 0


def test_multipliers_solve_the_equations_of_their_row():
    """M v̇ + Gᵀλ = F at every row: what the corrector leaves of λ is small beside it."""
    equations = fx.formulate(squeezer.build(), "joint")
    dae = equations.dae()
    n, m = dae.n_v, dae.m
    M, G, r, phi = np.zeros((n, n)), np.zeros((m, n)), np.zeros(n), np.zeros(m)
    march = begin(dae, fx.generalised_alpha(0.8), Settings(1e-5, 0.03))
    for block in march.blocks():
        for t, q, v, a, lam in zip(*block[:5], strict=True):
            dae.residual(dae.model, t, q, v, a, lam, dae.work, r, phi)
            dae.matrices(dae.model, dae.work, 0.0, 0.0, M, G)
            A = np.block([[M, G.T], [G, np.zeros((m, m))]])
            left = np.linalg.solve(A, np.concatenate([r, np.zeros(m)]))[n:]
            assert np.abs(left).max() < 1e-4 * np.abs(lam).max()


@pytest.mark.parametrize("is_planar", [True, False])
def test_loads_turn_with_what_carries_them(is_planar):
    """∂r/∂q of links on pins or ball joints is in the matrix: its symmetric part, where they can move.

    Across the constraints, loads that turn with their directions are a change of λ.
    """
    s = fx.System("links", planar=is_planar)
    R, end = fx.rotation("z", -0.7), s.ground
    for i in range(3):
        ends = {"A": [-0.5, 0.1, 0.0], "B": [0.5, 0.0, 0.0 if is_planar else 0.2]}
        where = [i + 0.5, -0.3 * i, 0.0]
        body = s.rigid_body(f"b{i}", 1.0, [0.1, 0.2, 0.3], ends, position=where, rotation=R)
        if is_planar:
            s.revolute(f"joint{i}", end, body["A"])
        else:
            s.spherical(f"joint{i}", end, body["A"])
        end = body["B"]
    dae = fx.formulate(s, "absolute").dae()
    n, m, eps = dae.n_v, dae.m, 1e-6
    lam, zero, phi = np.random.default_rng(1).normal(size=m) * 100.0, np.zeros(n), np.zeros(m)

    def force(q):
        r = np.zeros(n)
        dae.residual(dae.model, 0.0, q, zero, zero, lam, dae.work, r, phi)
        return r

    K, M, A, G, moved = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.zeros((m, n)), dae.q.copy()
    for k in range(n):
        sides = []
        for sign in (eps, -eps):
            dae.compose(dae.model, dae.q, sign * np.eye(n)[k], moved)
            sides.append(force(moved))
        K[:, k] = (sides[0] - sides[1]) / (2 * eps)
    force(dae.q)
    dae.matrices(dae.model, dae.work, 2.0, 1.0, A, G)
    dae.matrices(dae.model, dae.work, 2.0, 1.0, M, G)  # loads are forgotten by now
    assert np.abs(K).max() > 10.0
    assert pytest.approx(A.T, abs=1e-12) == A
    free = np.eye(n) - np.linalg.pinv(G) @ G
    assert free @ (A - M) @ free == pytest.approx(free @ (K + K.T) @ free, abs=1e-6)
    assert np.abs(free @ (A - M) @ free).max() > 1.0


def test_long_chains_need_one_iteration_most_of_the_time():
    """Without the stiffness of their tension 400 links took 1.8 a step, and a matrix every sixth."""
    dae = fx.formulate(chain.build(400), "absolute").dae()
    march = begin(dae, fx.generalised_alpha(0.6), Settings(1e-3, 0.06))
    for _ in march.blocks():
        pass
    assert march.status.is_done
    assert march.status.iterations < 1.5 * march.status.steps
    assert march.status.factorisations < 0.12 * march.status.steps


@pytest.mark.parametrize("step", [2.5e-4, 5e-5])
def test_round_off_of_a_long_chain_asks_for_no_tangents(step):
    """Loads that do not shrink are round-off, whatever rate the motion tells: 4000 links did not begin."""
    dae = fx.formulate(chain.build(1000), "absolute").dae()
    march = begin(dae, fx.generalised_alpha(0.6), Settings(step, 20 * step))
    for _ in march.blocks():
        pass
    assert march.status.is_done
    assert march.state.counts[TANGENT] == 0
