"""Derivatives of runs: those of the numbers that the scheme gives, in every tree."""

import sys
from collections.abc import Callable
from math import pi
from pathlib import Path

import numpy as np
import pytest

import flexnet as fx
from flexnet.graph.selection import RULES
from flexnet.integrators import Settings
from flexnet.studies.differences import PLACES, _best
from flexnet.studies.differentiated import differentiate
from tests import catalogue

sys.path.insert(0, str(Path(__file__).parent))
from pendulum import build as pendulum

END, STEP = 0.05, 0.01
#: round-off of positions in differences, and what an index-3 scheme makes of it in v, v̇ and λ
NOISE = 1e-12 * np.array([1.0, 4.0 / STEP, 32.0 / STEP**2, 32.0 / STEP**2])


def four_bar(mass: float = 1.0, torque: float = 20.0, crank: float = 1.0, planar: bool = True) -> fx.System:
    """A four-bar driven by a torque, with a spring and damper across it; spatial pins are redundant."""
    s = fx.System("four-bar", planar=planar)
    s.gravity([0, -9.81, 0])
    J = 0.1 if planar else [0.1, 0.2, 0.1]
    up = fx.rotation("z", pi / 2)
    one = s.rigid_body(
        "one", mass, J, {"1": [-0.5 * crank, 0, 0], "2": [0.5 * crank, 0, 0]},
        position=[0, 0.5 * crank, 0], rotation=up,
    )  # fmt: skip
    ends = {"1": [-0.6, 0, 0], "2": [0.6, 0, 0]}
    two = s.rigid_body("two", 1.0, J, ends, position=[0.6, crank, 0])
    three = s.rigid_body("three", 1.0, J, ends, position=[1.2, crank - 0.6, 0], rotation=up)
    s.revolute("O", s.ground, one["1"])
    s.revolute("A", one["2"], two["1"])
    s.revolute("B", two["2"], three["2"])
    s.revolute("C", s.ground.frame("C", [1.2, crank - 1.2, 0]), three["1"])
    s.torsional_spring("spring", joint="C", stiffness=8.0, damping=0.3)
    s.torque("motor", joint="O", torque=torque)
    s.start("O", angle=pi / 2)
    s.channel("angle", fx.joint_coordinate("C"), "rad")
    s.channel("load", fx.force("B", "x"), "N")
    return s


def top(mass: float = 2.0, spin: float = 20.0) -> fx.System:
    """A spinning body on a ball joint: quaternions."""
    s = fx.System("top")
    s.gravity([0, 0, -9.81])
    body = s.rigid_body(
        "body", mass, [0.2, 0.2, 0.05], {"foot": [0, 0, -0.5]}, position=[0, 0.3, 0.4],
        rotation=fx.rotation("x", -np.arctan2(0.3, 0.4)), angular_velocity=[0.5, 0.0, spin],
    )  # fmt: skip
    s.spherical("O", s.ground, body["foot"])
    s.channel("x", fx.position(body, "x"), "m")
    s.channel("load", fx.force("O", "z"), "N")
    return s


def beam(tip: float = 0.2, speed: float = 3.0) -> fx.System:
    """A flexible pendulum with a mass at its tip."""
    s = fx.System("beam", planar=True)
    s.gravity([0, -9.81, 0])
    body = fx.beam_body(1.0, 2, fx.Material(E=1e9, nu=0.3, rho=2000.0), fx.circle(0.01))
    rod = s.flexible_body("rod", body, support=fx.Clamped("start"), modes=2)
    bob = s.rigid_body("bob", tip, 0.01, position=[1.0, 0.0])
    s.revolute("O", s.ground, rod["start"])
    s.revolute("tip", rod["end"], bob)
    s.start("O", angle=0.0, rate=speed)
    s.channel("y", fx.position(bob, "y"), "m")
    return s


def controlled(gain: float = 30.0, delay: float = 0.02, mass: float = 1.0) -> fx.System:
    """The four-bar held by a controller with an integral and a filter: states z of their own."""
    s = four_bar(mass, torque=0.0)
    error = 0.1 - fx.joint_coordinate("C")
    wish = fx.pid(error, gain, 8 * gain, 0.1 * gain, filter=delay, unit="N*m", name="control")
    s.torque("hand", joint="C", torque=fx.lag(wish, delay, name="amplifier"))
    s.channel("wish", wish, "N*m")
    return s


def motor(R: float = 0.5, length: float = 1.0) -> fx.System:
    """A pendulum on the shaft of a motor with a current: a network."""
    s = pendulum(length)
    s.motor("motor", "O", 6.0, constant=0.1, resistance=R, inductance=2e-2, gear=10.0)
    s.channel("current", fx.current("motor.R"), "A")
    return s


def cubic(k: float = 5.0, c: float = 0.4) -> fx.System:
    """A pendulum on a spring of the user's own formula."""
    s = pendulum()
    s.torsional_spring("own", joint="O", law=lambda x, v, t: -k * x**3 - c * v)
    return s


MODELS: dict[str, tuple[Callable[..., fx.System], dict[str, float], dict[str, object]]] = {
    "rigid": (pendulum, {"length": 1.0, "damping": 0.1}, {}),
    "closed loop": (four_bar, {"mass": 1.0, "crank": 1.0}, {}),
    "redundant": (four_bar, {"mass": 1.0}, {"planar": False}),
    "quaternions": (top, {"mass": 2.0, "spin": 20.0}, {}),
    "flexible": (beam, {"tip": 0.2, "speed": 3.0}, {}),
    "controlled": (controlled, {"gain": 30.0, "delay": 0.02, "mass": 1.0}, {}),
    "own formula": (cubic, {"k": 5.0, "c": 0.4}, {}),
    "network": (motor, {"R": 0.5, "length": 1.0}, {}),
}
#: quick ones; the others take half a minute together
FAST = (("rigid", "joint"), ("closed loop", "default"), ("network", "default"), ("own formula", "default"))
PAIRS = [
    pytest.param(name, tree, marks=[] if (name, tree) in FAST else [pytest.mark.slow])
    for name in MODELS
    for tree in RULES
]


def states(equations: fx.Equations, method: object) -> np.ndarray:
    """All states of a run of which every step is solved to round-off: differences of it see no corrector."""
    run = fx.simulate(equations, END, STEP, method)
    return np.concatenate([x.ravel() for x in differentiate(run, method, Settings(STEP, END)).rows[1:]])


@pytest.mark.parametrize(("name", "tree"), PAIRS)
def test_sensitivities_are_richardson_differences_of_the_steps(name: str, tree: str) -> None:
    build, parameters, fixed = MODELS[name]
    method = fx.generalised_alpha(0.8)
    found = fx.sensitivities(build, parameters, END, STEP, method, tree, fixed)
    for k, (key, value) in enumerate(parameters.items()):
        size = 1e-2 * value

        def at(part: float, key: str = key, value: float = value, size: float = size) -> np.ndarray:
            system = build(**{**fixed, **parameters, key: value + part * size})
            return states(fx.formulate(system, tree), method)

        D = [(at(h) - at(-h)) / (2 * h * size) for h in (1.0, 0.5, 0.25)]
        wanted = (64 * D[2] - 20 * D[1] + D[0]) / 45
        parts = np.cumsum([found.q[k].size, found.v[k].size, found.a[k].size])
        found_parts = found.q, found.v, found.a, found.lam
        for one, other, noise in zip(found_parts, np.split(wanted, parts), NOISE, strict=True):
            error, largest = np.abs(one[k].ravel() - other).max(initial=0.0), np.abs(other).max(initial=0.0)
            assert error <= 1e-7 * largest + noise, (key, error, largest)


@pytest.mark.parametrize(("name", "tree"), PAIRS)
def test_channels_have_a_taylor_remainder_of_order_two(name: str, tree: str) -> None:
    build, parameters, fixed = MODELS[name]
    found = fx.sensitivities(build, parameters, END, STEP, tree=tree, fixed=fixed)
    direction = {key: 0.5 * value for key, value in parameters.items()}
    slope = {c: np.array(list(direction.values())) @ found.channel(c) for c in found.channels}
    rests = []
    for h in (0.04, 0.02):
        moved = {key: value + h * direction[key] for key, value in parameters.items()}
        run = fx.simulate(build(**fixed, **moved), END, STEP, tree=tree)
        rests.append([np.abs(run.channel(c) - found.run.channel(c) - h * slope[c]).max() for c in slope])
    first, second = np.array(rests)
    sizes = [np.abs(x).max() + 1e-6 * np.abs(found.run.channel(c)).max() for c, x in slope.items()]
    counts = second > 1e-6 * np.array(sizes)  # below, the model is linear in them
    assert np.all(np.abs(np.log2(first[counts] / second[counts]) - 2.0) < 0.15)


def test_what_cannot_be_differentiated_is_refused_in_one_sentence() -> None:
    for parameters, options, said in (
        ({"lenght": 1.0}, {}, "no parameter 'lenght'"),
        ({"length": 1.0}, {"method": fx.acceleration_level()}, "acceleration_level cannot be differentiated"),
        ({"damping": 0.0}, {}, "'damping' changes trees, rows or laws"),
    ):
        with pytest.raises(fx.ModelError, match=said):
            fx.sensitivities(pendulum, parameters, END, STEP, **options)


@pytest.mark.parametrize(
    ("case", "parameter", "said"),
    [
        ("bouncing_ball", {"height": 0.005}, "events change it, such as"),
    ],
)
def test_events_are_refused_and_not_left_out(case: str, parameter: dict, said: str) -> None:
    with pytest.raises(fx.ModelError, match=said):
        fx.sensitivities(catalogue.load(case).build, parameter, END, STEP)


def test_a_parameter_on_which_the_model_does_not_depend_smoothly_is_named() -> None:
    def jumping(length: float = 1.0) -> fx.System:
        return pendulum(length, mass=2.0 if length > 1.0 else 1.0)

    with pytest.raises(fx.ModelError, match="does not depend smoothly on 'length'"):
        fx.sensitivities(jumping, {"length": 1.0}, END, STEP)


def tied(length: float = 1.0) -> fx.System:
    """Two links, the second on a spring that becomes short: its force bends within 2 % of the length."""
    s = fx.System("tied", planar=True)
    s.gravity([0.0, -9.81])
    upper = s.rigid_body(
        "upper", 1.0, 0.1, {"O": [-0.5 * length, 0], "E": [0.5 * length, 0]}, [0.5 * length, 0]
    )
    lower = s.rigid_body("lower", 1.0, 0.1, {"O": [-0.4, 0], "E": [0.4, 0]}, [length + 0.4, 0])
    s.revolute("O", s.ground, upper["O"])
    s.revolute("A", upper["E"], lower["O"])
    wall = s.ground.frame("wall", [1.0, 1.0])
    s.spring("tie", wall, lower["E"], stiffness=40.0, damping=0.5, free_length=0.4)
    s.torsional_spring("twist", joint="A", stiffness=3.0)
    s.start("O", angle=0.3, rate=1.0)
    s.channel("y", fx.position(lower["E"], "y"))
    s.channel("load", fx.force("O", "x"))
    return s


def test_what_bends_does_not_jump_in_any_tree() -> None:
    """Joint coordinates once called the model jumpy, at one instant of the run, and absolute ones did not."""
    found = [fx.sensitivities(tied, {"length": 1.0}, 0.4, 1e-3, tree=tree) for tree in ("joint", "absolute")]
    for name, close in (("y", 1e-4), ("load", 2e-3)):
        one, other = (np.asarray(x.channel(name)) for x in found)
        assert np.abs(one - other).max() < close * np.abs(one).max()


def flexible_four_bar(E: float = 2.1e11) -> fx.System:
    """A four-bar whose coupler bends; static shapes of both its ends beside two eigenmodes."""
    s = fx.System("flexible", planar=True)
    s.gravity([0.5, -9.81])
    B, C, D = np.array([0.03, 0.12]), np.array([0.43, 0.17]), np.array([0.5, 0.0])
    turned = [fx.rotation("z", float(np.arctan2(y, x))) for x, y in (B, C - B, C - D)]
    a, b, c = (float(np.linalg.norm(x)) for x in (B, C - B, C - D))
    ends = [{"1": [-0.5 * x, 0], "2": [0.5 * x, 0]} for x in (a, c)]
    crank = s.rigid_body("crank", 0.4, 5e-4, ends[0], 0.5 * B, turned[0])
    material = fx.Material(E=E, nu=0.3, rho=7850.0)
    beam = fx.beam_body(b, 4, material, fx.rectangle(0.004, 0.006), damping=fx.Rayleigh(beta=1e-4))
    rod = s.flexible_body(
        "rod", beam, fx.Clamped("start"), modes=2, method="attachment", position=B, rotation=turned[1]
    )
    rocker = s.rigid_body("rocker", 0.5, 1e-3, ends[1], 0.5 * (C + D), turned[2])
    s.revolute("O", s.ground, crank["1"])
    s.revolute("A", crank["2"], rod["start"])
    s.revolute("B", rod["end"], rocker["2"])
    s.revolute("C", s.ground.frame("C", D), rocker["1"])
    s.torque("motor", joint="O", torque=fx.smooth_step(0.0, 0.3, duration=0.03))
    s.channel("bend", fx.deflection(rod, "end", "y"), "m")
    return s


@pytest.mark.parametrize("tree", ["joint", "absolute"])
def test_a_modulus_bends_the_coupler_of_a_four_bar_as_differences_say(tree: str) -> None:
    """Static shapes once had the sign of round-off: derivatives were off by two to six times their size."""
    E, end, step = 2.1e11, 0.02, 1e-4
    found = np.asarray(fx.sensitivities(flexible_four_bar, {"E": E}, end, step, tree=tree).channel("bend"))
    more, less = (
        fx.simulate(flexible_four_bar(x * E), end, step, tree=tree, newton=1e-13).channel("bend")
        for x in (1.001, 0.999)
    )
    expected = (more - less) / (2e-3 * E)
    assert np.abs(found.ravel() - expected).max() < 1e-4 * np.abs(expected).max()


def test_shapes_that_change_places_are_named_and_not_differentiated() -> None:
    """The two bending planes of a nearly square rod: which is softer depends on the height."""

    def square(height: float = 0.01) -> fx.System:
        s = fx.System("square")
        s.gravity([0, -9.81, -1.0])
        beam = fx.beam_body(0.5, 2, fx.Material(E=1e9, nu=0.3, rho=2000.0), fx.rectangle(0.01, height))
        s.weld("clamp", s.ground, s.flexible_body("rod", beam, fx.Clamped("start"), modes=2)["start"])
        return s

    with pytest.raises(fx.ModelError, match=r"elastic coordinate 1 of 'rod' is another shape where 'height'"):
        fx.sensitivities(square, {"height": 0.0101}, 0.01, 1e-3)


def richardson(
    build: Callable[..., fx.System],
    key: str,
    value: float,
    end: float,
    step: float,
    of: str,
    share: float = 2.5e-3,
) -> np.ndarray:
    """A column of whole runs, differentiated: differences by up to `share` of the value, extrapolated."""

    def column(part: float) -> np.ndarray:
        run = fx.simulate(build(**{key: value + part}), end, step, newton=1e-14)
        return np.asarray(run[of])

    size = share * value
    D = [(column(h * size) - column(-h * size)) / (2 * h * size) for h in (1.0, 0.5, 0.25)]
    return (64 * D[2] - 20 * D[1] + D[0]) / 45


@pytest.mark.parametrize(("step", "end"), [(0.03, 0.1), (0.02, 0.0615)])
def test_the_last_row_is_differentiated_by_the_steps_that_lead_there(step: float, end: float) -> None:
    """An end that is no whole number of steps: its row was 5 to 60 % off, in silence."""
    found = fx.sensitivities(four_bar, {"mass": 1.0}, end, step)
    for of, one in (
        ("state/q", found.q),
        ("state/v", found.v),
        ("state/a", found.a),
        ("state/lambda", found.lam),
    ):
        wanted = richardson(four_bar, "mass", 1.0, end, step, of)
        assert np.abs(one[0] - wanted).max() < 2e-7 * np.abs(wanted).max(), of


def test_the_first_row_is_that_of_the_run_and_not_of_the_method() -> None:
    """The method begins without what dampers end within a step, with another v̇ and λ: 45 % in λ.

    Loads of runs carry round-off of ε q / β h², 4e-10 of their size, and follow E by a twentieth of it:
    differences by a four-hundredth of E are good to 1e-5, by a twenty-fifth to 1e-6.
    """
    E, end, step = 2.1e11, 1e-3, 5e-4
    found = fx.sensitivities(flexible_four_bar, {"E": E}, end, step)
    for of, one in (("state/a", found.a), ("state/lambda", found.lam)):
        wanted = richardson(flexible_four_bar, "E", E, end, step, of, share=0.04)
        assert np.abs(one[0] - wanted).max() < 1e-5 * np.abs(wanted).max(), of


def rubbing(slip: float = 0.05, force: float = 2.0) -> fx.System:
    """A pendulum in a pivot that rubs: within 0.05 rad/s its friction turns round."""
    s = pendulum()
    s.joint_friction("rub", "O", force=force, slip=slip, static=1.3, damping=0.1)
    return s


def touching(radius: float = 0.1, damping: float = 0.3) -> fx.System:
    """A ball a hundredth of its radius deep in a plane, falling on."""
    s = fx.System("touching")
    s.gravity([0.5, 0, -9.81])
    ball = s.rigid_body("ball", 1.0, [4e-3] * 3, position=[0, 0, 0.099], velocity=[0.3, 0.1, -0.4])
    s.free("free", s.ground, ball)
    s.plane_contact(
        "floor",
        s.ground,
        ball,
        2e4,
        radius=radius,
        damping=damping,
        exponent=1.5,
        friction=0.3,
        slip_speed=0.1,
    )
    return s


@pytest.mark.parametrize(
    ("build", "key", "value", "step"),
    [
        (rubbing, "slip", 0.05, 0.01),
        (rubbing, "force", 2.0, 0.01),
        (touching, "radius", 0.1, 5e-4),
        (touching, "damping", 0.3, 5e-4),
    ],
)
def test_laws_steeper_than_differences_are_wide_are_differentiated_from_near(
    build: Callable[..., fx.System], key: str, value: float, step: float
) -> None:
    """A state moved by 0.6 rad/s, or a radius by 2 %, passes over such a law: 0.4 to 4 % off, in silence."""
    end = 10 * step
    found = fx.sensitivities(build, {key: value}, end, step)
    for of, one in (("state/q", found.q), ("state/v", found.v), ("state/a", found.a)):
        wanted = richardson(build, key, value, end, step, of)
        assert np.abs(one[0] - wanted).max() < 1e-6 * np.abs(wanted).max(), of


def sliding(height: float = 0.15) -> fx.System:
    """A bead that slides on a wave given by points."""
    s = fx.System("sliding", planar=True)
    s.gravity([0, -9.81])
    k = np.linspace(-1.0, 1.0, 9)
    bead = s.rigid_body("bead", 1.0, 0.1, position=[0.2, height * np.sin(0.6)])
    s.point_on_curve("wave", s.ground, bead, y=np.column_stack([k, height * np.sin(3 * k)]))
    return s


def test_a_motion_is_differentiated_by_the_points_of_its_curve() -> None:
    found = fx.sensitivities(sliding, {"height": 0.15}, 0.1, 0.01)
    for of, one in (("state/q", found.q), ("state/v", found.v), ("state/lambda", found.lam)):
        wanted = richardson(sliding, "height", 0.15, 0.1, 0.01, of)
        assert np.abs(one[0] - wanted).max() < 1e-6 * np.abs(wanted).max(), of


def struck(mass: float = 0.2) -> fx.System:
    """A beam with a mass, on a pin, whose end is pushed: strains at a node where two elements meet."""
    s = fx.System("struck", planar=True)
    plastic = fx.Material(E=7e9, nu=0.3, rho=2700.0, eta=1e-4)
    masses = [fx.PointMass(2, mass, (1e-4, 1e-4, 1e-4), (0.0, 0.01, 0.0))]
    body = fx.beam_body(0.8, 4, plastic, fx.rectangle(0.02, 0.03), masses=masses)
    beam = s.flexible_body("beam", body, fx.Clamped("start"), 1, "craig_bampton")
    s.revolute("pin", s.ground, beam["start"])
    s.torsional_spring("spring", joint="pin", stiffness=300.0, damping=1.0)
    s.force("push", beam["end"], [0.0, 20.0], follows=True)
    s.channel("strain", fx.strain(beam, 1, "e"))
    s.channel("sigma", fx.stress(beam, "start", "sigma"), "Pa")
    return s


def test_a_choice_between_equals_is_made_once_for_state_and_parameter() -> None:
    """The strain at a node is the larger of both sides, which are equal.

    By the states and by the parameter apart, each chose a side of its own: off by up to a hundred times.
    """
    how = {"method": fx.generalised_alpha(0.8), "tree": "joint", "newton": 1e-12}
    end, step, mass = 0.005, 5e-4, 0.2

    def of_runs(part: float) -> np.ndarray:
        more, less = (
            fx.simulate(struck(mass * (1 + x)), end, step, **how).channel("strain") for x in (part, -part)
        )
        return (more - less) / (2 * part * mass)

    exact = (4.0 * of_runs(1e-3) - of_runs(2e-3)) / 3.0
    found = fx.sensitivities(struck, {"mass": mass}, end, step, **how).channel("strain")[0]
    assert np.abs(found - exact).max() < 1e-3 * np.abs(exact).max()


def test_of_differences_with_round_off_none_is_taken_that_agrees_by_chance() -> None:
    """A thousand functions known to 1e-8: what the first differences make of it, whatever nearer ones say."""
    made, rng = {}, np.random.default_rng(3)

    def at(level: int) -> tuple[list[np.ndarray], float]:
        size = 0.02 / 8.0**level
        made[level] = np.exp(PLACES * size)[:, None] + 1e-8 * rng.uniform(-1.0, 1.0, (6, 1000))
        return [made[level]], size

    assert np.abs(_best(at, 6, [1.0])[0][0] - 1.0).max() < 8 * 3e-6

    def steep(level: int) -> tuple[list[np.ndarray], float]:
        size = 0.02 / 8.0**level
        return [np.tanh(PLACES * size / np.array([1e-3, 1e-2, 1.0])[:, None]).T], size

    assert _best(steep, 6, [1.0])[0][0] == pytest.approx([1e3, 1e2, 1.0], rel=1e-6)
