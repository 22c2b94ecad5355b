"""Frequencies that depend on the mechanism alone: not on trees, units, supports or differences."""

import catalogue
import numpy as np
import pytest
from pendulums import pendulum
from rods import Rod, Units, pinned

import flexnet as fx
from flexnet.analysis.differences import derivative


def omegas(linear: fx.Linearisation) -> np.ndarray:
    return np.array([2 * np.pi * mode.frequency for mode in linear.modes if mode.frequency > 0])


def test_a_derivative_knows_its_error():
    for f, exact in (
        (lambda x: np.sin(3 * x + 0.3), 3 * np.cos(0.3)),
        (lambda x: np.exp(40 * x), 40.0),
        (lambda x: np.tanh(1e3 * x), 1e3),
        (lambda x: 1e8 + 2 * x, 2.0),
    ):
        (found,), (error,) = derivative(lambda h, f=f: np.array([f(h)]), 1.0, np.zeros(1))
        assert abs(found - exact) <= error
        assert error < 1e-5


@pytest.mark.parametrize("place", np.linspace(0.1, 1.0, 19))
def test_a_derivative_knows_the_round_off_of_a_gap_between_places(place):
    """A pin in its hole that just touches: the moment about the other end has no stiffness.

    The gap of 0 m is a difference of places, good to ε r, and the force to k ε r: far more than ε of it.
    """
    k, clearance, arm = 1e7, 5e-4, 0.12

    def moment(h):
        x, y = (place + arm * (np.cos(h) - 1)) - (place - clearance), arm * np.sin(h)
        far = np.hypot(x, y)
        return np.array([k * max(0.0, far - clearance) * y / far * arm])

    (found,), (error,) = derivative(moment, 1.0, np.zeros(1))
    assert abs(found) <= error < 1e-6


def test_a_law_without_a_number_far_away_does_not_matter():

    def root(h):
        return np.array([np.sqrt(1e-4 + h) if h > -1e-4 else np.nan])

    (found,), (error,) = derivative(root, 1.0, np.zeros(1))
    assert abs(found - 50.0) < error < 1e-2


SUPPORTS = (fx.Pinned("start", "end"), fx.Clamped("start"), fx.Clamped("end"))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("length", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("support", SUPPORTS, ids=str)
def test_a_pinned_strip_has_its_frequencies_at_any_size_in_every_tree(length, support):
    rod = Rod(L=length, side=length / 100)
    for tree in catalogue.TREES:
        found = omegas(fx.linearise(fx.formulate(pinned(rod, support=support, method="full"), tree)))
        assert found[:2] / rod.first == pytest.approx([1.0, 4.0], rel=2e-3)
        assert found[0] / rod.first == pytest.approx(1.0000516, abs=1e-6)  # six elements
        if tree == catalogue.TREES[0]:
            first = found
        assert found == pytest.approx(first, rel=1e-8)


def test_shear_and_rotary_inertia_are_timoshenkos():
    """EI k⁴ - ρA ω² (1 + (I/A) k² (1 + E/κG)) + ρ²I/κG ω⁴ = 0, k = nπ/L."""
    rod = Rod(side=0.05)
    section = fx.rectangle(rod.side, rod.side)
    A, I, kG = section.A, section.Iz, section.ky * rod.E / (2 * (1 + rod.nu))
    found = omegas(
        fx.linearise(
            fx.formulate(pinned(rod, 40, shear=True, rotary=True, support=SUPPORTS[0], method="full"))
        )
    )
    for n in (1, 2, 3):
        k = n * np.pi / rod.L
        b = rod.rho * A * (1 + I / A * k**2 * (1 + rod.E / kG))
        squares = np.roots([rod.rho**2 * I / kG, -b, rod.E * I * k**4])
        # the mesh errs by the square of the part of a wave in one element
        assert np.abs(found / np.sqrt(squares.min()) - 1).min() < 0.03 * (n / 40) ** 2


@pytest.mark.parametrize("tree", catalogue.TREES)
def test_supports_that_span_the_same_space_give_the_same_frequencies(tree):
    """Shapes of both ends and the fixed modes between them are one space, whichever end holds the frame."""
    rod = Rod()
    found = [
        omegas(
            fx.linearise(
                fx.formulate(pinned(rod, support=s, method="craig_bampton", modes=4, rotary=True), tree)
            )
        )
        for s in SUPPORTS
    ]
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-8)


def test_what_a_basis_leaves_out_is_told():
    """Two clamped modes of a pinned rod: far off, and the table says how far it may be."""
    rod = Rod()
    errors, told = [], []
    for modes in (2, 4, 8):
        system = pinned(rod, 12, support=fx.Clamped("start"), modes=modes)
        linear = fx.linearise(fx.formulate(system))
        mode = linear.modes[0]
        errors.append(abs(2 * np.pi * mode.frequency / rod.first - 1.0))
        told.append(linear.truncation(mode)["rod"])
        assert "left out" in linear.text()
    assert errors[0] > 1e-2
    assert all(e < 3.0 * t for e, t in zip(errors[:2], told[:2], strict=True))
    assert told[0] > told[1] > told[2]
    assert not fx.linearise(fx.formulate(pinned(rod, support=SUPPORTS[0], method="full"))).truncation(mode)


@pytest.mark.sweep(7)
@pytest.mark.parametrize("units", [Units(2.0**20), Units(2.0**-20, 2.0**10), Units(2.0**4, 2.0**-8, 2.0**12)])
@pytest.mark.parametrize("tree", catalogue.TREES)
def test_units_do_not_matter(units, tree):

    def build(u: Units) -> fx.System:
        s = pinned(Rod(units=u), 4, support=fx.Clamped("start"), method="full")
        s.gravity([0.0, -9.81 * u.length / u.time**2])
        return s

    mine, theirs = (fx.equilibrium(build(u), tree) for u in (Units(), units))
    assert mine.iterations == theirs.iterations
    mine, theirs = (fx.linearise(x.equations, x.state) for x in (mine, theirs))
    np.testing.assert_allclose(omegas(mine) / units.time, omegas(theirs), rtol=1e-9)
    np.testing.assert_allclose(mine.errors / units.time, theirs.errors, rtol=0.1)
    assert mine.is_stable
    assert theirs.is_stable


def test_motions_without_mass_follow_and_are_named():
    """A rod in space without rotary inertia cannot twist: its other frequencies are those with inertia."""
    rod = Rod(side=1e-3)
    how = {"planar": False, "support": fx.Clamped("start"), "method": "full"}
    without = fx.linearise(fx.formulate(pinned(rod, 4, rotary=False, **how)))
    assert without.massless
    assert all("rod.elastic" in name for name in without.massless)
    assert "without mass" in without.text()
    heavy = omegas(fx.linearise(fx.formulate(pinned(rod, 4, rotary=True, **how))))
    for w in omegas(without)[:4]:
        assert np.abs(heavy / w - 1).min() < 1e-4


def test_a_motion_with_neither_mass_nor_stiffness_is_refused_by_name():
    s = fx.System("idle", planar=True)
    s.revolute("pivot", s.ground, s.rigid_body("disc", 1.0, 0.0))
    with pytest.raises(
        fx.ModelError, match=r"'(pivot|disc)\.angle' in 'idle' has neither mass nor stiffness"
    ):
        fx.linearise(fx.formulate(s))


def test_a_massless_motion_with_damping_creeps():
    s = fx.System("creep", planar=True)
    s.revolute("pivot", s.ground, s.rigid_body("disc", 1.0, 0.0))
    s.torsional_spring("spring", joint="pivot", stiffness=6.0, damping=2.0)
    linear = fx.linearise(fx.formulate(s))
    assert linear.eigenvalues == pytest.approx([-3.0], rel=1e-12)
    assert linear.is_stable


def test_a_massless_motion_out_of_balance_is_refused():
    s = fx.System("pushed", planar=True)
    s.revolute("pivot", s.ground, s.rigid_body("disc", 1.0, 0.0))
    s.torsional_spring("spring", joint="pivot", stiffness=6.0, free_angle=0.1)
    with pytest.raises(fx.ModelError, match="no mass and is not in balance"):
        fx.linearise(fx.formulate(s))


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("tree", catalogue.TREES)
def test_a_pendulum_of_any_size_swings_to_twelve_digits(length, tree):
    rest = fx.equilibrium(pendulum(0.3, length=length), tree)
    (mode,) = fx.linearise(rest.equations, rest.state).modes
    inertia = 2.0 * length**2 + 1e-9
    exact = np.sqrt(2.0 * 9.81 * length / inertia)
    assert 2 * np.pi * mode.frequency == pytest.approx(exact, rel=1e-12)
    assert mode.error < 1e-11 * exact


CASES = [*catalogue.NAMES, *catalogue.FLEXIBLE]
SAMPLE = ("four_bar", "leger_a07_3rrr", "pin_clearance", "squeezer", "slider_crank_flexible")


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=[] if c in SAMPLE else [pytest.mark.slow]) for c in CASES]
)
def test_frequencies_of_a_case_do_not_depend_on_the_tree(case):
    """To 1e-8, or to what each says of its own error: the round-off ε(ω_max/ω)² of that mode."""
    found = []
    for tree in catalogue.TREES:
        try:
            rest = fx.equilibrium(catalogue.build(case), tree)
        except fx.ConvergenceError:
            found.append(None)
            continue
        if rest.equations.n_z:
            found.append(np.sort_complex(fx.linear_system(rest.equations, {}, [], rest.state).eigenvalues))
        else:
            found.append(fx.linearise(rest.equations, rest.state))
    if isinstance(found[0], np.ndarray):
        for other in found[1:]:
            np.testing.assert_allclose(other, found[0], atol=1e-8 * np.abs(found[0]).max())
        return
    if found[0] is None:
        assert not any(found)
        return
    known = [[m for m in x.modes if m.verdict is not fx.Verdict.UNDECIDED] for x in found]
    for other, modes in zip(found[1:], known[1:], strict=True):
        assert other.is_stable is found[0].is_stable
        assert len(modes) == len(known[0])
        for a, b in zip(known[0], modes, strict=True):
            allowed = max(1e-8 * abs(a.eigenvalue), a.error + b.error)
            assert min(abs(a.eigenvalue - b.eigenvalue), abs(a.eigenvalue + b.eigenvalue)) < allowed
