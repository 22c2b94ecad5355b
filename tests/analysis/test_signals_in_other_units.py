"""Contacts, stops, friction, controllers, samplers and events move alike in other units, to the last bit."""

import inspect
import math

import numpy as np
import pytest
import sympy

import flexnet as fx
from flexnet.components import BUILDERS
from tests.analysis.test_other_units import EXACT, METHODS, MICRO, columns, same_bits
from tests.catalogue import build
from tests.images import Units, image

EPS = np.finfo(float).eps
#: steps and their length with which events of a case are reached
EVENTS = {"bouncing_ball": (120, 5e-3), "panel_latch": (200, 2e-2), "stick_slip": (300, 5e-3)}


def both(system, u, steps, h, tree="joint", method=None, **how):
    """The motion of a system and that of its image."""
    a, b = fx.formulate(system, tree), fx.formulate(image(system, u), tree)
    assert a.redundant == b.redundant
    return (
        fx.simulate(a, a.initial.t + steps * h, h, method, **how),
        fx.simulate(b, b.initial.t + steps * h * u.time, h * u.time, method, **how),
    )


def controlled():
    """An arm under a PID that is sampled, delayed and limited, and a block that rubs, stops and is pulled."""
    s = fx.System("controlled", planar=True)
    s.gravity([0.0, -9.81, 0.0])
    s.ground.add_frames({"rail": [0.0, -2.0], "hook": [0.0, -1.5]})
    arm = s.rigid_body("arm", 2.0, 0.2, {"O": [-0.5, 0.0], "tip": [0.5, 0.0]}, position=[0.5, 0.0])
    block = s.rigid_body("block", 1.5, 0.1, {"eye": [0.0, 0.2]}, position=[0.3, -2.0])
    s.revolute("O", s.ground, arm["O"])
    s.prismatic("rail", s.ground["rail"], block, axis="x")
    s.start("rail", displacement=0.3, rate=0.4)
    angle, rate = fx.joint_coordinate("O"), fx.joint_rate("O")
    late = s.delayed("late", angle, 0.02, samples=4)
    held = s.sampled("held", rate, 0.015)
    wanted = fx.known(fx.smooth_step(0.0, 0.7, 0.3), "rad")
    effort = fx.pid(wanted - late, 40.0, 20.0, 3.0, rate=wanted.rate - held, low=-25.0, high=25.0, unit="N*m")
    s.actuator("motor", "O", fx.lag(effort, 0.01) + fx.quantity(9.81, "N*m") * fx.function(_cosine, angle))
    s.joint_friction("rubs", "rail", force=0.4, coefficient=0.12, static=1.3, sticks=True)
    s.end_stop("stop", "rail", lower=-0.5, upper=0.33, stiffness=2e3, damping=0.3, exponent=1.5)
    s.cable("rope", s.ground["hook"], block["eye"], 0.45, 3e2, damping=0.2)
    pull = fx.lookup(
        fx.joint_coordinate("rail", "displacement"), [-0.2, 0.0, 0.3], [3.0, 0.0, -2.0], unit="N"
    )
    s.actuator("pull", "rail", fx.where(fx.time() - 0.05, pull, 0.5))
    s.channel("error", wanted - angle, "deg", "")
    s.channel("power", rate * effort, "W", "")
    return s


def _cosine(angle):
    return 0.5 * (1.0 - angle * angle / 2.0)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("method", METHODS)
def test_an_arm_and_a_block_with_everything_give_the_same_bits(method, tree, engine):
    one, other = both(controlled(), EXACT, 110, 2e-3, tree, METHODS[method], engine=engine)
    assert np.isfinite(one["events/rubs_sticks/time"]).sum() > 0
    assert not [path for path, x, y in columns(one, other, EXACT) if not same_bits(x, y)]


def test_they_move_alike_in_micrometres():
    one, other = both(controlled(), MICRO, 110, 2e-3)
    for path, x, y in columns(one, other, MICRO):
        if path.startswith(("channels/", "state/q", "state/z", "events/")) and not path.endswith("impulse"):
            size = max(np.nanmax(np.abs(x), initial=0.0), 1e-300)
            assert np.nanmax(np.abs(x - y), initial=0.0) < 1e-9 * size, path


@pytest.mark.sweep(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("engine", ["numeric", "symbolic"])
@pytest.mark.parametrize("name", EVENTS)
def test_events_of_a_case_come_with_the_same_bits(name, engine, tree, method):
    steps, h = EVENTS[name]
    one, other = both(build(name), EXACT, steps, h, tree, METHODS[method], engine=engine)
    happened = [k for k in one.data if k.startswith("events/") and np.isfinite(one.data[k]).any()]
    assert happened
    assert not [path for path, x, y in columns(one, other, EXACT) if not same_bits(x, y)]


#: defaults that are numbers without a unit
PURE = {"exponent", "gear", "static", "samples"}
#: defaults with a unit that are data of a thing one buys, or of nature
DATA = {("diode", "saturation"), ("diode", "thermal"), ("switch", "on"), ("switch", "off")}
DATA |= {("plate_condenser", "permittivity"), ("flexible_condenser", "permittivity")}


def test_no_default_of_a_component_carries_a_unit():
    """A speed at which sticking creeps was 1e-3 m/s once, for a watch as for a crane."""
    found = {
        (name, p.name)
        for name, make in BUILDERS.items()
        for p in inspect.signature(make).parameters.values()
        if isinstance(p.default, float) and p.default != 0.0 and math.isfinite(p.default)
    }
    assert {(name, key) for name, key in found if key not in PURE} <= DATA


def guided(*names):
    """Beads on a parabola, a spline and a closed cam, and balls on an ellipsoid and a bowl of revolution."""
    x, y, z = sympy.symbols("x y z")
    s = fx.System("guided")
    s.gravity([0.0, 0.0, -9.81])
    phi = np.linspace(-np.pi, np.pi, 13)[:-1]
    cam = np.stack([phi, 1 + 0.1 * np.cos(phi)], axis=1)
    r = np.linspace(0.0, 1.5, 9)
    joints = {
        "parabola": (s.point_on_curve, {"y": 0.3 * x**2, "z": 0.1 * x}, [0.4, 0.05, 0.04]),
        "spline": (s.point_on_curve, {"y": np.stack([r - 0.75, 0.2 * np.cos(r)], axis=1)}, [0.1, 0.2, 0.0]),
        "cam": (
            s.point_on_curve,
            {"radius": cam},
            [1.0, 0.3, 0.0],
        ),
        # whole numbers are known to the code, whose images would be other code
        "ellipsoid": (
            s.point_on_surface,
            {"surface": 1.5 * x**2 + 2.5 * y**2 + 3.5 * z**2 - 1.11},
            [0.3, 0.2, 0.5],
        ),
        "bowl": (s.point_on_surface, {"surface": np.stack([r, 0.4 * r**2], axis=1)}, [0.5, 0.2, 0.12]),
    }
    for name in names:
        make, shape, at = joints[name]
        bead = s.rigid_body(f"bead_{name}", 0.5, [0.01, 0.02, 0.03], position=at, velocity=[0.1, 0.0, 0.0])
        make(name, s.ground, bead, **shape)
        s.spring(f"tie_{name}", s.ground, bead, 20.0, free_length=0.3)
    return s


@pytest.mark.sweep(2)
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("method", METHODS)
def test_points_on_curves_and_surfaces_by_formulas_give_the_same_bits(method, tree):
    one, other = both(guided("parabola", "ellipsoid"), EXACT, 20, 2e-3, tree, METHODS[method])
    assert not [path for path, x, y in columns(one, other, EXACT) if not same_bits(x, y)]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("u", [EXACT, MICRO], ids=["exact", "micro"])
@pytest.mark.parametrize("tree", ["joint", "absolute"])
@pytest.mark.parametrize("method", METHODS)
def test_points_on_splines_move_alike_in_other_units(method, tree, u):
    """Their numbers are part of the code, whose sums are ordered by them: round-off is another.

    So they are within ten times what an ulp or two in the start do.
    """
    h, names, method = 2e-3, ("spline", "cam", "bowl"), METHODS[method]
    one, other = both(guided(*names), u, 20, h, tree, method)
    ulps = []
    for few in (-1, 1, 2):
        system = guided(*names)
        for body in system.bodies.values():
            body.position = body.position * (1 + few * EPS)
            body.velocity = body.velocity * (1 + few * EPS)
        ulps.append(fx.simulate(system, 20 * h, h, method, tree=tree))
    units = {"/position": u.length, "/velocity": u.length / u.time}
    for kind, unit in units.items():
        far = [np.abs(x - y).max() for path, x, y in columns(one, other, u) if path.endswith(kind)]
        paths = [path for path in one.paths() if path.endswith(kind)]
        moved = max(np.abs(run[path] - one[path]).max() for run in ulps for path in paths)
        assert max(far) <= 10 * moved * unit, kind


def test_a_pipe_of_any_size_finds_its_flow():
    """Its search once began at 1e-3 m³/s: a microfluidic channel or a penstock is as good a pipe."""
    for size in (1e-18, 1e-9, 1.0, 1e6):
        s = fx.System("pipes")
        s.pressure_source("p", "a", s.ground, 1e5)
        s.pipe("one", "a", "b", resistance=1e4 / size**1.75, exponent=1.75, laminar=1e-3 * size)
        s.pipe("two", "b", s.ground, resistance=3e4 / size**1.75, exponent=1.75, laminar=1e-3 * size)
        wanted = size * (1e5 / 4e4) ** (1 / 1.75)
        assert fx.operating_point(s)["one.flow"] == pytest.approx(wanted, rel=1e-6)


def test_newtons_matrix_of_feedback_has_no_unit_of_its_own():
    """What forces answer to a signal was once found by a change of 1 N m, lost beside large torques."""
    u, system = Units(2.0**-20, 2.0**12, 2.0**-6), build("flexible_manipulator")
    one, other = fx.formulate(system, "absolute"), fx.formulate(image(system, u), "absolute")
    a, b = one.dae(), other.dae()
    q, v = u.of_coordinates(one)
    states = np.array([u.of(d) for block in one.states.blocks for d in block.dimensions])
    v = np.concatenate([v, u.time * states])
    rows, n, m = u.of_rows(one), a.n_v, a.m
    rng = np.random.default_rng(0)
    for _ in range(20):
        there = a.q + 0.1 * rng.standard_normal(a.n_q) * one.q_sizes
        fast = rng.standard_normal(n) * a.sizes / a.scale.time
        found = []
        for dae, place, speed, time in ((a, there, fast, 1.0), (b, there * q, fast * v / u.time, u.time)):
            M, G, z = np.zeros((n, n)), np.zeros((m, n)), np.zeros
            dae.residual(dae.model, 0.1 * time, place, speed, z(n), z(m), dae.work, z(n), z(m))
            dae.matrices(dae.model, dae.work, 1e-6 * time**2, 1e-3 * time, M, G)
            found += [M, G]
        M, G, *images = found
        np.testing.assert_array_equal(M * (u.mass * u.length**2 / np.outer(v, v)), images[0])
        np.testing.assert_array_equal(G * (rows[:, None] / v), images[1])


def rubbing():
    """Two links whose pins rub by what they carry, and events that watch a load and an acceleration."""
    s = fx.System("rubbing", planar=True)
    s.gravity([0.0, -9.81, 0.0])
    arm = s.rigid_body("arm", 2.0, 0.2, {"O": [-0.5, 0.0], "tip": [0.5, 0.0]}, position=[0.5, 0.0])
    rod = s.rigid_body("rod", 1.0, 0.1, {"a": [0.0, 0.4], "b": [0.0, -0.4]}, position=[1.0, -0.4])
    s.revolute("O", s.ground, arm["O"])
    s.revolute("A", arm["tip"], rod["a"])
    s.start("O", rate=1.3)
    s.start("A", rate=0.7)
    s.joint_friction("rubs", "O", coefficient=0.3, radius=0.05, slip=0.01)
    s.joint_friction("rubs_too", "A", coefficient=0.4, radius=0.08, slip=0.01)
    s.event("pulled", fx.force("A", "y") - fx.quantity(1.0, "N"), fx.record())
    s.event("thrown", fx.acceleration(rod, "y") - fx.quantity(1.0, "m/s^2"), fx.record())
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_loads_and_accelerations_that_events_watch_have_the_same_bits(tree):
    """Iterations once stopped at 1e-13 of the largest of rad/s², m/s² and N: 2e-13 off where N are many."""
    units = (EXACT, Units(1.0, 2.0**30, 1.0), Units(1.0, 2.0**-30, 1.0), Units(2.0**20, 2.0**-12, 2.0**6))
    one, *others = [fx.formulate(rubbing(), tree), *(fx.formulate(image(rubbing(), u), tree) for u in units)]
    for faster in (1.0, 1.3, 1.9, 0.3, 2.7):
        found = _watched(one, faster)
        for u, other in zip(units, others, strict=True):
            acceleration = u.length / u.time**2
            values = _watched(other, faster) / [u.mass * acceleration, acceleration]
            assert values.tolist() == found.tolist()


def _watched(equations, faster):
    """What the events watch at the start, where all moves so many times as fast."""
    handle, evaluate = equations.event_values
    out, start = np.zeros(2), equations.initial
    evaluate(handle, start.t, start.q, faster * start.v, out)
    return out
