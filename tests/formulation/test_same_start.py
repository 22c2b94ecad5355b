"""Starts that are remembered are those that would be assembled, to the last bit."""

import sys
from collections.abc import Callable
from math import pi

import numpy as np
import pytest

import flexnet as fx
from flexnet.formulation import description, same_start


def four_bar(
    mass: float = 1.0, torque: float = 20.0, crank: float = 1.0, shift: float = 0.0, angle: float = 1.4,
    rate: float = 0.3, axis: float = 1.0, given: float = 0.0, g: float = 9.81, planar: bool = False,
    more: bool = False,
) -> fx.System:  # fmt: skip
    """A four-bar that is put together from a rough guess; its spatial pins are redundant."""
    s = fx.System("four-bar", planar=planar)
    s.gravity([0, -g, 0])
    J = 0.1 * mass if planar else [0.1 * mass, 0.2, 0.1]
    up = fx.rotation("z", pi / 2)
    ends = {"1": [-0.5 * crank, 0, 0], "2": [0.5 * crank, 0, 0]}
    one = s.rigid_body(
        "one", mass, J, ends, position=[shift, 0.5 * crank, 0], rotation=up, velocity=[given, 0, 0]
    )
    long = {"1": [-0.6, 0, 0], "2": [0.6, 0, 0]}
    two = s.rigid_body("two", 1.0, J, long, position=[0.6, 1.0, 0])
    three = s.rigid_body("three", 1.0, J, long, position=[1.2, 0.4, 0], rotation=up)
    s.revolute("O", s.ground, one["1"])
    s.revolute("A", one["2"], two["1"])
    s.revolute("B", two["2"], three["2"], axis=[0, 0, axis])
    s.revolute("C", s.ground.frame("C", [1.2, -0.2, 0]), three["1"])
    s.torsional_spring("spring", joint="C", stiffness=8.0, damping=0.3 * mass)
    s.torque("motor", joint="O", torque=torque)
    if more:
        s.torsional_spring("other", joint="A", stiffness=3.0)
        s.force("push", two["1"], [torque, 0.0, 0.0])
    s.start("O", angle=angle, rate=rate)
    return s


@pytest.fixture
def assembled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the systems that are assembled, from nothing remembered."""
    monkeypatch.setattr(same_start, "_known", {})
    monkeypatch.setattr(description, "_known", {})
    page, names = sys.modules["flexnet.formulation.formulate"], []
    before: Callable[..., object] = page.assembled

    def noted(description: object) -> object:
        names.append(description.system.name)
        return before(description)

    monkeypatch.setattr(page, "assembled", noted)
    return names


def bits(equations: fx.Equations) -> list[bytes]:
    """All numbers of the equations and of where they begin, and what they are called."""
    arrays = [np.asarray(x) for x in equations.model]
    c, rows = equations.coordinates, [row.name for row in equations.rows]
    told = repr((c, rows, equations.graph, equations.packer.families.digest)).encode()
    return [told, *(x.tobytes() for x in (*arrays, equations.initial.q, equations.initial.v))]


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("tree", ["default", "absolute", "joint"])
@pytest.mark.parametrize("other", [{"mass": 2.5}, {"torque": 7.0}, {"g": 0.0}, {"more": True}])
def test_other_masses_and_forces_begin_at_the_same_bits(
    planar: bool, tree: str, other: dict[str, float], assembled: list[str]
) -> None:
    anew = fx.formulate(four_bar(**other, planar=planar), tree)
    same_start._known.clear()
    description._known.clear()
    fx.formulate(four_bar(planar=planar), tree)
    assert len(assembled) == 2
    recalled = fx.formulate(four_bar(**other, planar=planar), tree)
    assert len(assembled) == 2
    assert bits(recalled) == bits(anew)
    assert recalled.redundant == anew.redundant
    assert bool(anew.redundant) is not planar


@pytest.mark.parametrize(
    "other", [{"crank": 1.01}, {"shift": 0.01}, {"angle": 1.41}, {"rate": 0.31}, {"axis": -1.0}]
)
def test_other_lengths_poses_axes_and_starts_are_assembled(
    other: dict[str, float], assembled: list[str]
) -> None:
    for parameters in ({}, other):
        fx.formulate(four_bar(**parameters))
    assert len(assembled) == 2


def test_states_begin_as_their_own_mechanism_tells(assembled: list[str]) -> None:
    for start in (0.0, 5.0, 7.0):
        s = four_bar(planar=True)
        held = fx.pid(0.1 - fx.joint_coordinate("O"), 2.0, 3.0, unit="N*m", start=start)
        s.torque("hand", joint="O", torque=held)
        equations = fx.formulate(s)
        assert equations.dae().v[-1] == start
    assert len(assembled) == 1


def test_given_velocities_and_motion_drivers_are_assembled_each_time(assembled: list[str]) -> None:
    for _ in range(2):
        fx.formulate(four_bar(given=0.1))
        driven = four_bar(rate=0.0)
        driven.motion("drive", joint="A", angle=fx.polynomial(0.0, 1.0))
        driven.starts.clear()
        fx.formulate(driven)
    assert len(assembled) == 4


def test_what_is_remembered_is_not_changed_by_who_got_it_and_does_not_grow(assembled: list[str]) -> None:
    first = fx.formulate(four_bar())
    wanted = first.initial.q.copy()
    fx.formulate(four_bar()).initial.q[:] = 7.0
    assert np.array_equal(fx.formulate(four_bar()).initial.q, wanted)
    assert len(assembled) == 1
    for k in range(2 * same_start._MOST):
        fx.formulate(four_bar(angle=1.3 + 0.001 * k, planar=True))
    assert len(same_start._known) <= same_start._MOST


def trains(held: bool, screw: bool) -> fx.System:
    """A gear train or a nut on a screw, and beside it a wheel that a spring may hold and that counts."""
    s = fx.System("trains")
    s.gravity([0, 0, -9.81])
    wheels = [s.rigid_body(name, 1.0, [0.1, 0.1, 0.1], position=[k, 0, 0]) for k, name in enumerate("abc")]
    for k, wheel in enumerate(wheels):
        joint = s.cylindrical if screw and k == 0 else s.revolute
        joint(f"j{k}", s.ground.frame(f"g{k}", [k, 0, 0]), wheel)
    if held:
        s.torsional_spring("spring", joint="j2", stiffness=4.0)
        s.torsional_spring("other", joint="j1", stiffness=2.0)
    if screw:
        s.screw("screw", s.ground, wheels[0], pitch=0.1)
    else:
        s.gear_pair("gear", "j0", "j1", 2.0)
    s.start("j2", angle=0.4)
    return s


@pytest.mark.parametrize("tree", ["default", "absolute", "joint"])
@pytest.mark.parametrize("screw", [False, True])
@pytest.mark.parametrize("held", [False, True])
def test_rows_find_their_angles_among_those_of_other_forces(
    tree: str, screw: bool, held: bool, assembled: list[str]
) -> None:
    """A row rested on the place of its angle among all angles of the mechanism that was remembered."""
    anew = fx.formulate(trains(held, screw), tree)
    same_start._known.clear()
    description._known.clear()
    fx.formulate(trains(not held, screw), tree)
    assert bits(fx.formulate(trains(held, screw), tree)) == bits(anew)
    assert len(assembled) == 2


@pytest.mark.parametrize("tree", ["default", "absolute", "absolute_angular", "joint"])
@pytest.mark.parametrize("held", [False, True])
def test_a_start_is_not_that_of_a_twin_whose_spring_counts_an_angle(
    tree: str, held: bool, assembled: list[str]
) -> None:
    """Where the twin came first its q, one number longer, was taken."""

    def arm(held: bool) -> fx.System:
        s = fx.System("arm")
        one = s.rigid_body("one", 1.0, [0.1, 0.1, 0.1], {"O": [-0.5, 0, 0]}, position=[0.5, 0, 0])
        s.revolute("O", s.ground, one["O"])
        s.start("O", angle=4.0)
        if held:
            s.torsional_spring("spring", joint="O", stiffness=8.0)
        return s

    anew = fx.formulate(arm(held), tree)
    same_start._known.clear()
    description._known.clear()
    fx.formulate(arm(not held), tree)
    recalled = fx.formulate(arm(held), tree)
    assert len(recalled.initial.q) == recalled.n_q
    assert bits(recalled) == bits(anew)
    assert len(assembled) == 2
