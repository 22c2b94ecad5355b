"""Rows without a rate: unknowns that follow from an equation, exact at every step, or refused in words."""

import numpy as np
import pytest
from scipy.linalg import expm

import flexnet as fx
from flexnet.errors import FlexnetError, ModelError

#: resistance and constant of the motor, inertia and spring of the rotor
R, K_M, J, K = 2.0, 0.5, 0.8, 5.0
#: two stages are solved to a part of their local error, each its own with other unknowns
TIGHT = {"energy_decaying": 1e-9}
SECOND = fx.quantity(1, "s")


def drive(rows=None, start=0.0, several=False):
    """A rotor turned by a motor without inductance; its current follows at once, or from ``rows``."""
    s = fx.System("drive", planar=True)
    disc = s.rigid_body("disc", 1.0, J)
    s.revolute("O", s.ground, disc)
    s.torsional_spring("spring", joint="O", stiffness=K)
    rate = fx.joint_rate("O") * SECOND
    u = fx.known(fx.harmonic(3.0, 2.0, 0.3))
    if rows is None:
        current = (u - K_M * rate) / R
    else:
        current = fx.algebraic(lambda *z: rows(u, rate, *z), start, name="i")
    current = current[0] if several else current
    s.torque("motor", joint="O", torque=current * fx.quantity(K_M, "N*m"))
    s.channel("angle", fx.joint_coordinate("O"))
    s.channel("rate", fx.joint_rate("O"))
    s.channel("current", current)
    return s


def ohm(u, rate, i):
    return u - R * i - K_M * rate


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize(
    "method",
    [
        fx.hht(),
        fx.generalised_alpha(0.8),
        fx.generalised_alpha(0.0),
        fx.acceleration_level(),
        fx.energy_preserving(),
        fx.energy_decaying(0.5),
    ],
    ids=lambda m: m.name,
)
def test_a_linear_row_gives_the_motion_of_its_solution_written_out(method, engine):
    a = fx.simulate(drive(), 0.3, 1e-3, method)
    b = fx.simulate(drive(ohm), 0.3, 1e-3, method, engine=engine)
    for name in ("angle", "current"):
        assert b.channel(name) == pytest.approx(a.channel(name), abs=TIGHT.get(method.name, 1e-12))
    if method.traits.index == 3:  # corrections to the constraints leave no matrix whose rate is known
        assert b.status.iterations <= 1.05 * b.status.steps


@pytest.mark.parametrize(
    "row",
    [lambda u, w, i: u - R * i - i**3 - K_M * w, lambda u, w, i: u - i - 1e-9 * (np.exp(20 * i) - 1)],
    ids=["cubic", "diode"],
)
@pytest.mark.parametrize("method", [fx.hht(), fx.energy_preserving()], ids=lambda m: m.name)
def test_a_nonlinear_row_is_met_at_every_step(row, method):
    run = fx.simulate(drive(row), 0.5, 1e-3, method)
    u = 3 * np.sin(2 * run.t + 0.3)
    left = row(u, run.channel("rate"), run.channel("current"))
    assert np.abs(left).max() < 1e-9


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize(
    "method", [fx.dop853(), fx.dopri5(), fx.reference(), fx.radau(1e-9)], ids=lambda m: m.name
)
def test_methods_of_high_order_solve_rows_inside_their_stages(method, engine):
    tolerance = 1e-9 if method.traits.is_fixed or method.name == "dopri5" else None
    run = fx.simulate(
        follower(0.0), 0.4, 1e-2, method, engine=engine, interval=0.03, tolerance=tolerance
    )  # fmt: skip
    exact = np.array([follower_exact(0.0, t) for t in run.t])
    assert run.channel("angle") == pytest.approx(exact[:, 0], abs=2e-10)
    # rows between steps, too; z becomes 2, and its errors are measured by that
    assert run.channel("z") == pytest.approx(exact[:, 1], abs=4e-10)


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_row_that_follows_a_load_starts_from_that_load_or_is_refused(tree):
    def lifted():
        s = fx.System("lifted", planar=True)
        s.gravity([0, -9.81])
        block = s.rigid_body("block", 2.0, 0.1)
        s.prismatic("guide", s.ground, block, axis="x")
        s.spring("spring", s.ground, block, axis="x", stiffness=30.0)
        load = fx.force("guide", "y") / fx.quantity(1, "N")
        i = fx.algebraic(lambda i: 0.3 * load - i - 0.01 * i**3, name="i")
        s.force("pull", block, force=[i * fx.quantity(0.1, "N"), 0, 0])
        s.channel("i", i)
        s.channel("load", fx.force("guide", "y"))
        return s

    run = fx.simulate(lifted(), 0.2, 1e-3, tree=tree)
    i = run.channel("i")
    left = 0.3 * run.channel("load") - i - 0.01 * i**3
    assert abs(left[0]) < 1e-13
    assert np.abs(left).max() < 1e-7 * 19.62  # loads count by what the corrector leaves of them
    if tree == "joint":
        return  # what a guide carries across does not depend on how it slides
    for method in (fx.dop853(), fx.radau(), fx.energy_preserving()):
        with pytest.raises(FlexnetError, match=r"'i' follows accelerations or loads"):
            fx.simulate(lifted(), 0.2, 1e-3, method, tree)


def test_rows_may_hold_other_unknowns_than_the_one_they_stand_at():
    run = fx.simulate(drive(lambda u, w, a, b: (b - u, a - 2 * b + w), (0.0, 0.0), True), 0.3, 1e-3)
    u = 3 * np.sin(2 * run.t + 0.3)
    assert run.channel("current") == pytest.approx(2 * u - run.channel("rate"), abs=1e-13)


def test_the_start_need_not_fit_and_is_made_to():
    run = fx.simulate(drive(ohm, start=40.0), 0.01, 1e-3)
    assert run["state/z"][0, 0] == pytest.approx(3 * np.sin(0.3) / R, rel=1e-12)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (fx.hht(0.0), "ring"),
        (fx.generalised_alpha(1.0), "ring"),
        (fx.OneStep("own", lambda *_: None, 2), "rates alone"),
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_a_method_that_lets_them_ring_or_cannot_solve_them_says_so(method, words):
    with pytest.raises(FlexnetError, match=f"{words}.*'i'"):
        fx.simulate(drive(ohm), 0.1, 1e-3, method)


def test_a_row_without_a_solution_is_named():
    with pytest.raises(FlexnetError, match="'i' has no value at t = 0 s"):
        fx.simulate(drive(lambda u, w, i: i * i + 1, 0.3), 0.1, 1e-3)
    with pytest.raises(FlexnetError, match="do not determine their unknowns: that of 'i'"):
        fx.simulate(drive(lambda u, w, i: u), 0.1, 1e-3)
    with pytest.raises(FlexnetError, match="do not determine their unknowns"):
        fx.simulate(drive(lambda u, w, a, b: (a + b - u, 2 * a + 2 * b), (0.0, 0.0), True), 0.1, 1e-3)


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
def test_masses_are_what_multiplies_the_rates(engine):
    def current(E):
        u = fx.known(fx.harmonic(3.0, 2.0, 0.3))
        gain = fx.quantity(4.0 * E, "kg/s")
        block = fx.Block(
            "coil", "coil", (0.2,), ((0, 0, 0),), lambda i: (gain * (u - R * i),),
            masses=(fx.quantity(E, "kg"),),
        )  # fmt: skip
        s = fx.System("coil", planar=True)
        s.revolute("O", s.ground, s.rigid_body("disc", 1.0, J))
        s.torque("motor", joint="O", torque=block.states[0] * fx.quantity(1, "N*m"))
        s.channel("i", block.states[0])
        return fx.simulate(s, 0.3, 1e-3, engine=engine)

    # ż = 4 (3 sin(2t + 0.3) - R z) in closed form, whatever E is
    a, w, p = 4 * R, 2.0, 0.3
    t = current(1.0).t
    forced = 12 * (a * np.sin(w * t + p) - w * np.cos(w * t + p)) / (a * a + w * w)
    exact = forced + (0.2 - forced[0]) * np.exp(-a * t)
    for E in (1.0, 1e-3, 70.0):
        assert current(E).channel("i") == pytest.approx(exact, abs=3e-5)


def test_masses_that_do_not_fit_are_refused():
    def rate(z):
        return (z,)

    with pytest.raises(ModelError, match="2 masses of 1 states"):
        fx.Block("b", "coil", (0.0,), (None,), rate, masses=(1.0, 2.0))
    with pytest.raises(ModelError, match="a mass is a number"):
        fx.Block("b", "coil", (0.0,), (None,), rate, masses=(fx.time(),))
    with pytest.raises(ModelError, match="a state in m has a rate in"):
        fx.Block("b", "coil", (0.0,), ((1, 0, 0),), rate, masses=(fx.quantity(1, "kg"),))
    with pytest.raises(ModelError, match="as many rows, got 2"):
        fx.algebraic(lambda z: (z, z))


def follower(stiffness):
    """A rotor pushed by a torque that follows with the lag 1/stiffness; 0 stands for an infinite one."""
    s = fx.System("follower", planar=True)
    s.revolute("O", s.ground, s.rigid_body("disc", 1.0, J))
    s.torsional_spring("spring", joint="O", stiffness=K)
    u = fx.known(fx.harmonic(3.0, 2.0, 0.3)) - fx.joint_rate("O") * SECOND
    rate = fx.quantity(stiffness or 1.0, "1/s")
    block = fx.Block(
        "z", "lag", (3 * np.sin(0.3),), ((0, 0, 0),), lambda z: (rate * (u - z),),
        masses=(1.0 if stiffness else 0.0,),
    )  # fmt: skip
    s.torque("motor", joint="O", torque=block.states[0] * fx.quantity(1, "N*m"))
    s.channel("angle", fx.joint_coordinate("O"))
    s.channel("z", block.states[0])
    return s


def follower_exact(stiffness, t):
    """Angle and z at t, by the matrix exponential."""
    sine = np.array([[0, 2.0], [-2.0, 0]])  # of 3 sin(2t + 0.3) and its cosine
    k = stiffness
    A = np.zeros((5, 5))
    A[3:, 3:] = sine
    A[0, 1] = 1.0
    if k:
        A[1, [0, 2]] = -K / J, 1 / J
        A[2, [1, 2, 3]] = -k, -k, k
    else:
        A[1, [0, 1, 3]] = -K / J, -1 / J, 1 / J
    x = expm(A * t) @ [0, 0, 3 * np.sin(0.3), 3 * np.sin(0.3), 3 * np.cos(0.3)]
    return np.array([x[0], x[2] if k else x[3] - x[1]])


@pytest.mark.sweep(9)
@pytest.mark.parametrize(
    "method", [fx.hht(), fx.energy_preserving(), fx.energy_decaying()], ids=lambda m: m.name
)
@pytest.mark.parametrize("stiffness", [1.0, 30.0, 1e3, 3e4, 1e6, 0.0])
def test_the_order_is_two_where_the_step_resolves_z_and_at_least_one_however_stiff_it_is(stiffness, method):
    steps = (4e-3, 2e-3, 1e-3)
    ends = [fx.simulate(follower(stiffness), 0.4, h, method, interval=0.4) for h in steps]
    exact = follower_exact(stiffness, 0.4)
    errors = [np.abs(np.array([r.channel("angle")[-1], r.channel("z")[-1]]) - exact).max() for r in ends]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    least = 1.9 if stiffness in (0.0, 1.0, 30.0) else 0.9
    assert np.all(slopes > least) or errors[0] < 1e-9, (errors, slopes)
    assert errors[-1] < 2e-5


@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("of", ["acceleration", "load"])
def test_a_row_that_follows_the_motion_it_gives_rise_to_fits_from_the_start(of, tree, engine):
    """A swinging rod, its torque u = g(v̇ or λ, u): as if solved by hand, from the first row on."""
    g, tilt = 0.3, fx.quantity(1.0, "N*m")

    def swing(is_row):
        s = fx.System("swing", planar=True)
        s.gravity([0.0, -9.81])
        rod = s.rigid_body("rod", 2.0, 0.5, {"top": [-0.6, 0.0]})
        s.revolute("O", s.ground, rod["top"])
        s.start("O", angle=0.4, rate=1.5)
        if of == "load":
            seen = fx.force("O", "y") * fx.quantity(0.1, "1/N")
        else:
            seen = fx.acceleration(rod, "x") * fx.quantity(0.2, "s^2/m")
        # u = seen - g u, so u = seen/(1 + g)
        u = fx.algebraic(lambda u: seen - g * u - u, name="u") if is_row else seen / (1.0 + g)
        s.torque("motor", joint="O", torque=u * tilt)
        s.channel("u", u)
        return fx.simulate(s, 0.02, 1e-3, tree=tree, engine=engine)

    row, solved = swing(True), swing(False)
    assert row["state/a"][0, :1] == pytest.approx(solved["state/a"][0, :1], rel=1e-9)
    assert row.channel("u")[0] == pytest.approx(solved.channel("u")[0], rel=1e-9)
    # the corrector leaves other things in either
    assert row.channel("u") == pytest.approx(solved.channel("u"), rel=1e-4)


@pytest.mark.parametrize("factor", [1e-12, 1e-6, 1e3])
def test_small_unknowns_meet_their_rows_as_well_as_large_ones(factor):
    """A cubic row whose current is ``factor`` times as large; constants of 1e-24 are no zeros."""

    def current(a):
        s = fx.System("drive", planar=True)
        s.revolute("O", s.ground, s.rigid_body("disc", 1.0, J))
        s.torsional_spring("spring", joint="O", stiffness=K)
        rate, u = fx.joint_rate("O") * SECOND, fx.known(fx.harmonic(3.0 * a, 2.0, 0.3))
        i = fx.algebraic(lambda i: u - K_M * a * rate - R * i - i**3 / a**2, name="i")
        s.torque("motor", joint="O", torque=i * fx.quantity(K_M / a, "N*m"))
        return fx.simulate(s, 0.5, 1e-3)["state/z"][:, 0] / a

    assert current(factor) == pytest.approx(current(1.0), rel=1e-8)
