"""A model and its image in other units move alike: to the last bit under powers of two."""

import numpy as np
import pytest

import flexnet as fx
from tests.catalogue import FLEXIBLE, NAMES, build, load
from tests.images import Units, column_factor, image

EXACT = Units(2.0**-20, 2.0**12, 2.0**-6)
MICRO = Units(1e-6, 1e-9, 1e-3)
LARGE = Units(1e4, 1e4, 1e2)
STEP = {"squeezer": 1e-5}
METHODS = {
    "energy_preserving": fx.energy_preserving(),
    "energy_decaying": fx.energy_decaying(0.0),
    "hht": fx.hht(),
    "generalised_alpha": fx.generalised_alpha(),
    "acceleration_level": fx.acceleration_level(),
}
#: numbers so small that a product of two is not normal have lost bits
TINY = 1e-280


def step_of(name: str) -> float:
    return getattr(load(name), "STEP", STEP.get(name, 1e-3))


def runs(name, tree, method, u, steps=10, **how):
    """The motion of a case and that of its image."""
    system, h = build(name), step_of(name)
    a, b = fx.formulate(system, tree), fx.formulate(image(system, u), tree)
    assert a.redundant == b.redundant
    end, other = a.initial.t + steps * h, b.initial.t + steps * h * u.time
    return fx.simulate(a, end, h, method, **how), fx.simulate(b, other, h * u.time, method, **how)


def columns(run, other, u):
    """Every column with its image, in the units of the image."""
    for path, values in run.data.items():
        if not path.startswith("constraints/"):  # norms over rows in m and rad
            yield path, np.asarray(values) * column_factor(run, path, u), other.data[path]


def same_bits(x, y):
    """Whether two columns are the same, but for what is not determined or not normal in both."""
    same = (x == y) | (np.isnan(x) & np.isnan(y)) | ((np.abs(x) < TINY) & (np.abs(y) < TINY))
    return bool(np.all(same))


def check_bits(name, tree, method, **how):
    one, other = runs(name, tree, method, EXACT, **how)
    assert not [path for path, x, y in columns(one, other, EXACT) if not same_bits(x, y)]


@pytest.mark.sweep(10)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("name", ["squeezer", "heavy_top", "slider_crank_flexible"])
def test_powers_of_two_give_the_same_bits(name, tree, method):
    check_bits(name, tree, METHODS[method])


def test_powers_of_two_give_the_same_bits_where_a_step_asks_for_tangents():
    """Differences of Newton's matrix were once 1e-7 m and rad, whatever the size."""
    check_bits("pendulating_rotor", "absolute", fx.hht())


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tree", ["joint", "absolute", "absolute_angular", "default"])
@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE])
def test_powers_of_two_give_the_same_bits_in_every_case_and_tree(name, tree, method):
    check_bits(name, tree, METHODS[method])


@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("name", ["heavy_top", "double_pendulum"])
def test_powers_of_two_give_the_same_bits_in_the_symbolic_engine(name, tree):
    check_bits(name, tree, fx.energy_preserving(), engine="symbolic")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("name", [*NAMES, *FLEXIBLE])
def test_powers_of_two_give_the_same_bits_in_the_symbolic_engine_in_every_case(name, tree, method):
    check_bits(name, tree, METHODS[method], engine="symbolic")


@pytest.mark.parametrize("u", [MICRO, LARGE], ids=["micro", "large"])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("name", ["squeezer", "double_pendulum"])
def test_other_units_give_the_same_motion(name, tree, u):
    """Within ten times what one ulp in the start does, or what a step is closed to: some hundred ulps."""
    one, other = runs(name, tree, fx.energy_preserving(), u)
    q = np.asarray(one["state/q"]) * column_factor(one, "state/q", u)
    near = fx.formulate(build(name), tree)
    start = near.initial.q * (1.0 + np.finfo(float).eps)
    near.initial = type(near.initial)(near.initial.t, start, near.initial.v)
    h = step_of(name)
    beside = fx.simulate(near, near.initial.t + 10 * h, h, fx.energy_preserving())
    sizes = one.equations.q_sizes
    felt = np.abs((beside["state/q"] - one["state/q"]) / sizes).max()
    far = np.abs((other["state/q"] - q) / (sizes * column_factor(one, "state/q", u))).max()
    assert far < 10 * max(felt, 500 * np.finfo(float).eps)


def test_a_double_pendulum_of_a_micrometre_runs_in_absolute_coordinates():
    u = Units(1e-6, 1e-12, 1e-3)
    one, other = runs("double_pendulum", "absolute", None, u, steps=50)
    scale = one.equations.scale.length
    for path, x, y in columns(one, other, u):
        if path.endswith("/position"):
            assert np.abs(x - y).max() < 1e-6 * u.length * scale


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_an_adaptive_run_keeps_its_tolerance_in_any_unit(tree):
    one, other = runs("double_pendulum", tree, fx.energy_preserving(), MICRO, steps=200, tolerance=1e-6)
    q = np.asarray(one["state/q"]) * column_factor(one, "state/q", MICRO)
    off = np.abs((other["state/q"] - q) / (one.equations.q_sizes * column_factor(one, "state/q", MICRO)))
    assert off.max() < 2e-6


def test_messages_are_the_same_but_for_numbers():
    def open_loop(u):
        s = fx.System("open", planar=True)
        s.ground.add_frames({"B": [5.0, 0.0]})
        arm = s.rigid_body("arm", 1.0, 0.1, {"A": [0.0, 0.0], "B": [1.0, 0.0]})
        s.revolute("A", s.ground, arm["A"])
        s.revolute("B", s.ground["B"], arm["B"])
        return image(s, u)

    told = []
    for u in (Units(), EXACT, MICRO, LARGE):
        with pytest.raises(fx.AssemblyError, match=r"cannot close: joint '.' is open by") as error:
            fx.formulate(open_loop(u))
        # both joints are open by as much
        told.append(str(error.value).split("joint")[0])
    assert len(set(told)) == 1
